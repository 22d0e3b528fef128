//! The floor of a client: `floor-client SERVER --calls N` calls the server's `echo`, one call after the other.
//!
//! It is blocking code that reads each answer into typed fields, borrowed where they can be, and knows no rules.

use std::borrow::Cow;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use benches::drive::{Era, Request};
use serde::Deserialize;

#[derive(Deserialize)]
struct Answer<'a> {
    id: u64,
    #[serde(borrow)]
    result: Outcome<'a>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow)]
    content: Vec<Text<'a>>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().collect();
    let [_, server, _, calls] = &args[..] else { bail!("usage: floor-client SERVER --calls N") };
    let calls: u64 = calls.parse()?;
    let mut child = Command::new(server).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (mut input, output) = child.stdin.take().zip(child.stdout.take()).context("the server has no pipes")?;
    let mut output = BufReader::with_capacity(64 << 10, output);

    let (mut line, mut request) = (Vec::new(), Vec::new());
    writeln!(input, "{}", Era::Legacy.opening())?;
    output.read_until(b'\n', &mut line)?;
    let echo = Request::echo(Era::Legacy, 100);
    for id in 1..=calls {
        request.clear();
        echo.write(id, &mut request);
        input.write_all(&request)?;
        line.clear();
        output.read_until(b'\n', &mut line)?;
        let answer: Answer<'_> = serde_json::from_slice(&line)?;
        ensure!(answer.id == id && answer.result.content.iter().any(|it| it.text.len() == 100), "a wrong answer");
    }
    drop(input);
    child.wait()?;
    Ok(())
}
