//! What is measured: sessions that answer an `echo`.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use mcp_server::{Args, Server};
use mcp_session::engine::{AtReadEnd, Config, Role};
use mcp_session::limits::Limits;
use mcp_session::transports::io::Stream;
use mcp_session::{Answering, Body, Context, HandlerFuture, Service, Session};
use mcp_types::jsonrpc::{Request, write_string};
use mcp_types::version::Era;
use schemars::JsonSchema;
use serde::Deserialize;

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

/// The opening of a legacy session, and the lines it is answered with.
pub const LEGACY_OPENING: (&str, usize) = (
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    1,
);

/// One `echo` of 100 bytes in the legacy era.
#[must_use]
pub fn legacy_echo() -> String {
    let text = "x".repeat(100);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
    )
}

/// One `echo` of 100 bytes in the modern era.
#[must_use]
pub fn modern_echo() -> String {
    let text = "x".repeat(100);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
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
        Era::Legacy => (LEGACY_OPENING.0, LEGACY_OPENING.1, legacy_echo()),
        Era::Modern => ("", 0, modern_echo()),
    };
    let (read, write) = peer(opening, answers, &request, calls);
    // Under valgrind everything takes some fifty times as long: the limit that marks a tool as slow is scaled alike.
    let mut limits = Limits::default();
    limits.slow_poll *= 50;
    let server = Server::new("bench", "1").tool("echo", "Returns the text.", echo).with_limits(limits);
    let (_handle, run) = server.open(Stream::new(read, write));
    let report = run.await.context("the run failed")?;
    anyhow::ensure!(report.tally.answered == (calls + answers) as u64, "{report:?}");
    Ok(())
}

/// Serves `calls` echoes by the session alone.
///
/// # Errors
///
/// When the run does not end as it should.
pub async fn bare(calls: usize) -> Result<()> {
    let (opening, answers) = LEGACY_OPENING;
    let (read, write) = peer(opening, answers, &legacy_echo(), calls);
    let config = Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain);
    let (_handle, driver) = Session::new(config).open(Arc::new(Bare), Stream::new(read, write));
    let report = driver.await.context("the run failed")?;
    anyhow::ensure!(report.tally.answered == calls as u64 + 1, "{report:?}");
    Ok(())
}
