//! Our client: `client SERVER --calls N` calls the server's `echo`, one call after the other.

use std::env;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail, ensure};
use mcp_client::{Client, Era};
use mcp_session::transports::io::Stream;
use mcp_types::version::Version;
use serde::Serialize;
use tokio::process::Command;

#[derive(Serialize)]
struct Echo<'a> {
    text: &'a str,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args: Vec<String> = env::args().collect();
    let [_, server, _, calls] = &args[..] else { bail!("usage: client SERVER --calls N") };
    let calls: usize = calls.parse()?;
    let mut server = Command::new(server).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = server.stdout.take().zip(server.stdin.take()).context("the server has no pipes")?;

    let client = Client::new("bench", "1").with_era(Era::Legacy(Version::LATEST_LEGACY));
    let connection = client.connect(Stream::new(input, output)).await?;
    let text = "x".repeat(100);
    for _ in 0..calls {
        let answer = connection.call_tool("echo", &Echo { text: &text }).await?;
        ensure!(answer.content.len() == 1, "a wrong answer");
    }
    connection.close().await;
    server.wait().await?;
    Ok(())
}
