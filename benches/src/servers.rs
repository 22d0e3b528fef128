//! What is measured: sessions that answer an `echo`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use mcp_server::{Args, Server, Tool};
use mcp_session::engine::{AtReadEnd, Config, Role};
use mcp_session::limits::Limits;
use mcp_session::transports::io::Stream;
use mcp_session::{Answering, Body, Context, HandlerFuture, Service, Session};
use mcp_types::jsonrpc::{Request, write_string};
use mcp_types::version::Era;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::drive;
use crate::lockstep::peer;

/// An `echo` below everything that knows tools: what the session itself costs.
#[derive(Debug)]
struct Bare;

impl Service for Bare {
    fn serve(&self, request: &Request<'_>, _context: Context) -> Answering {
        let arguments = request.params.arguments.unwrap_or_default();
        let mut body = br#"{"content":[{"type":"text","text":"#.to_vec();
        write_string(&mut body, arguments.get(9..arguments.len().saturating_sub(2)).unwrap_or_default());
        body.extend_from_slice(b"}]}");
        Answering::Future(HandlerFuture::new(async move { Ok(Body::from_json(body)) }))
    }
}

/// The cases, each with its name in the history.
pub const CASES: &[(&str, &str)] = &[
    ("session", "in memory, session"),
    ("legacy", "in memory, legacy"),
    ("modern", "in memory, modern"),
    ("among-10000", "in memory, legacy, one of 10 000 tools"),
    ("list-1000", "in memory, legacy, tools/list of 1 000"),
    ("pair-legacy", "client and server in memory, legacy"),
    ("pair-modern", "client and server in memory, modern"),
];

/// The opening of a legacy session. It is answered with one line.
fn legacy_opening() -> String {
    let mut opening = drive::Era::Legacy.opening();
    if let Some(line) = drive::Era::Legacy.opened() {
        opening.push('\n');
        opening.push_str(line);
    }
    opening
}

/// One `echo` of 100 bytes.
fn echo_request(era: drive::Era) -> String {
    let mut line = Vec::new();
    drive::Request::echo(era, 100).write(1, &mut line);
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(echo): Args<Echo>) -> String {
    echo.text
}

/// Serves `calls` echoes in one era by a server with one tool.
///
/// # Errors
///
/// When the run does not end as it should.
pub async fn server(era: Era, calls: usize) -> Result<()> {
    let (opening, answers, request) = match era {
        Era::Legacy => (legacy_opening(), 1, echo_request(drive::Era::Legacy)),
        Era::Modern => (String::new(), 0, echo_request(drive::Era::Modern)),
    };
    serve(1, (&opening, answers), &request, calls).await
}

/// Serves `calls` echoes in the legacy era by a server with so many tools.
///
/// # Errors
///
/// When the run does not end as it should.
pub async fn among(tools: usize, calls: usize) -> Result<()> {
    serve(tools, (&legacy_opening(), 1), &echo_request(drive::Era::Legacy), calls).await
}

/// Lists so many tools in the legacy era for `calls` times.
///
/// # Errors
///
/// When the run does not end as it should.
pub async fn list(tools: usize, calls: usize) -> Result<()> {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    serve(tools, (&legacy_opening(), 1), request, calls).await
}

async fn serve(tools: usize, (opening, answers): (&str, usize), request: &str, calls: usize) -> Result<()> {
    let (read, write) = peer(opening, answers, request, calls);
    let (_handle, run) = with_tools(tools).open(Stream::new(read, write));
    let report = run.await.context("the run failed")?;
    anyhow::ensure!(report.tally.answered == (calls + answers) as u64, "{report:?}");
    Ok(())
}

/// A server with so many tools, one of which is `echo`.
#[must_use]
pub fn with_tools(tools: usize) -> Server {
    // Under valgrind everything takes some fifty times as long: the limit that marks a tool as slow is out of reach.
    let mut limits = Limits::default();
    limits.slow_poll = Duration::from_secs(1);
    let others = (1..tools).map(|number| Tool::new(format!("other-{number}"), echo).with_description("Another one."));
    let server = Server::new("bench", "1").tool("echo", "Returns the text.", echo).with_limits(limits);
    others.fold(server, Server::add_tool)
}

/// Serves `calls` echoes by the session alone.
///
/// # Errors
///
/// When the run does not end as it should.
pub async fn bare(calls: usize) -> Result<()> {
    let (read, write) = peer(&legacy_opening(), 1, &echo_request(drive::Era::Legacy), calls);
    let config = Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain);
    let (_handle, driver) = Session::new(config).open(Arc::new(Bare), Stream::new(read, write));
    let report = driver.await.context("the run failed")?;
    anyhow::ensure!(report.tally.answered == calls as u64 + 1, "{report:?}");
    Ok(())
}
