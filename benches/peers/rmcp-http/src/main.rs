//! The bench's `echo`, served by rmcp over Streamable HTTP: `rmcp-http json|session`.
//!
//! The fastest ways there are, which are not the documented ones: the handler is made once and cloned for each request,
//! hyper serves without a router in between, `TCP_NODELAY` is set, and the runtime has one thread.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::{env, process, thread};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = match env::args().nth(1).as_deref() {
        Some("json") => StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true),
        Some("session") => StreamableHttpServerConfig::default(),
        _ => return Err("usage: rmcp-http json|session".into()),
    };
    let tools = Tools { router: Tools::tool_router() };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    thread::spawn(end_with_input);
    println!("LISTENING {}", listener.local_addr()?);
    io::stdout().flush()?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// Nothing is freed, so that whoever counts sees what was held to the last.
fn end_with_input() {
    // Whatever is said, and whether it ends or fails: there is no more of it.
    drop(io::stdin().read_to_end(&mut Vec::new()));
    process::exit(0);
}

#[derive(Clone)]
struct Tools {
    router: ToolRouter<Self>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[tool_router]
impl Tools {
    #[tool(description = "Returns the text.")]
    async fn echo(&self, Parameters(echo): Parameters<Echo>) -> String {
        echo.text
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Tools {}
