//! Serving over HTTP.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use clap::Args;
use mcp_server::http::{HttpConfig, HttpService, MemoryEvents};
use mcp_server::{Report, ServeError, Server};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// What can be set about HTTP.
#[derive(Debug, Args)]
pub(crate) struct OverHttp {
    /// End when standard input ends.
    #[arg(long, requires = "http")]
    until_stdin_eof: bool,
    /// Serve clients of revisions with a handshake without sessions.
    #[arg(long, requires = "http")]
    stateless: bool,
    /// Answer requests of sessions by JSON and never by a stream.
    #[arg(long, requires = "http")]
    json: bool,
    /// Serve HTTP+SSE of revision 2024-11-05 too, at `/sse` and `/messages`.
    #[arg(long, requires = "http")]
    sse: bool,
    /// Keep no events, so that no stream can be resumed.
    #[arg(long, requires = "http")]
    no_store: bool,
    /// How long a client is asked to wait before it resumes a stream, in milliseconds.
    #[arg(long, value_name = "N", requires = "http")]
    retry_ms: Option<u64>,
    /// After what silence a comment is sent on a stream, in milliseconds.
    #[arg(long, value_name = "N", requires = "http")]
    keep_alive_ms: Option<u64>,
}

impl OverHttp {
    fn config(&self) -> HttpConfig {
        let mut config = HttpConfig::new().with_path("/mcp");
        if !self.no_store {
            config = config.with_event_store(MemoryEvents::default());
        }
        if self.stateless {
            config = config.stateless();
        }
        if self.json {
            config = config.json_responses();
        }
        if self.sse {
            config = config.with_sse_endpoint("/sse", "/messages");
        }
        if let Some(millis) = self.retry_ms {
            config = config.with_retry(Duration::from_millis(millis));
        }
        if let Some(millis) = self.keep_alive_ms {
            config = config.with_keep_alive(Duration::from_millis(millis));
        }
        config
    }
}

/// Where and how to serve.
pub(crate) struct Http<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) options: &'a OverHttp,
}

impl Http<'_> {
    pub(crate) async fn serve(self, server: Server) -> io::Result<Result<Report, ServeError>> {
        let listener = TcpListener::bind(self.address).await?;
        let address = listener.local_addr()?;
        let service = server.http_with(self.options.config());
        let ends_with_input = self.options.until_stdin_eof.then(|| close_at_end_of_input(&service));
        writeln!(io::stdout(), "LISTENING {address}")?;
        let outcome = service.serve(listener).await;
        drop(ends_with_input);
        Ok(outcome)
    }
}

/// Closes the server when standard input ends. That is waited for by a thread that nobody joins: a runtime would wait
/// for its read at the end.
fn close_at_end_of_input(service: &HttpService) -> mcp_session::Companion {
    let (ended, end) = oneshot::channel();
    thread::spawn(move || {
        // An input that cannot be read has ended, too.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        // Nobody waits for it when the server has ended before.
        ended.send(()).ok();
    });
    let handle = service.handle();
    mcp_session::Companion::spawn(async move {
        if end.await.is_ok() {
            handle.close().await;
        }
    })
}
