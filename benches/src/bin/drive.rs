//! Loads any server with `echo` calls, over standard input and output or over HTTP, and prints how fast it was.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use benches::drive::http::HttpServer;
use benches::drive::{Era, Request, Server};
use clap::{Parser, ValueEnum};

/// Loads a server with `echo` calls. It must have a tool `echo` that returns its argument `text` as text.
#[derive(Debug, Parser)]
struct Args {
    /// How to speak to it.
    #[arg(long, value_enum, default_value = "legacy")]
    era: Speech,
    /// How many calls to make.
    #[arg(long, default_value_t = 10_000)]
    calls: usize,
    /// How many of them are in flight at once; over HTTP each has a connection.
    #[arg(long, default_value_t = 64)]
    window: usize,
    /// Bytes of text in each.
    #[arg(long, default_value_t = 100)]
    bytes: usize,
    /// Speak HTTP: the server prints `LISTENING 127.0.0.1:PORT`, serves `/mcp` there and ends with its input.
    #[arg(long)]
    http: bool,
    /// Open so many sessions besides, over HTTP, and leave them.
    #[arg(long, default_value_t = 0, requires = "http")]
    sessions: usize,
    /// Open so many streams besides, over HTTP, and leave them.
    #[arg(long, default_value_t = 0, requires = "http")]
    streams: usize,
    /// The server, and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    server: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Speech {
    Legacy,
    Modern,
}

#[expect(clippy::print_stdout, reason = "printing is what the program does")]
fn main() -> Result<()> {
    let args = Args::parse();
    let era = match args.era {
        Speech::Legacy => Era::Legacy,
        Speech::Modern => Era::Modern,
    };
    let (program, rest) = args.server.split_first().context("no server is named")?;
    let mut command = Command::new(program);
    command.args(rest);
    let echo = Request::echo(era, args.bytes);
    let (took, cpu) =
        if args.http { over_http(&args, command, era, &echo) } else { over_stdio(&args, command, era, &echo) }?;

    let calls = args.calls as f64;
    let (wall, cpu) = (took.as_secs_f64() / calls, cpu.as_secs_f64() / calls);
    println!("{:.0} calls/s, {:.2} us each, {:.2} us of processor time each", 1.0 / wall, wall * 1e6, cpu * 1e6);
    Ok(())
}

/// How long the calls took, and how long the processor worked for the server.
fn over_stdio(args: &Args, command: Command, era: Era, echo: &Request) -> Result<(Duration, Duration)> {
    let mut server = Server::start(command, era)?;
    server.call(echo, args.calls.div_ceil(10), args.window)?;
    let before = server.cpu_time()?;
    let took = server.call(echo, args.calls, args.window)?.took;
    let cpu = server.cpu_time()? - before;
    server.finish()?;
    Ok((took, cpu))
}

fn over_http(args: &Args, command: Command, era: Era, echo: &Request) -> Result<(Duration, Duration)> {
    let mut server = HttpServer::start(command, era)?;
    server.open_sessions(args.sessions)?;
    server.open_streams(args.streams)?;
    let call = |server: &mut HttpServer, calls| match args.window {
        1 => server.call(echo, calls).map(|calls| calls.took),
        connections => server.call_in_parallel(echo, calls, connections),
    };
    call(&mut server, args.calls.div_ceil(10))?;
    let before = server.cpu_time()?;
    let took = call(&mut server, args.calls)?;
    let cpu = server.cpu_time()? - before;
    server.finish()?;
    Ok((took, cpu))
}
