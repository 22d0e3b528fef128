//! A client built with rmcp: `rmcp-client SERVER --calls N` calls the server's `echo`, one call after the other.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{Peer, RoleClient};
use rmcp::transport::TokioChildProcess;
use serde_json::{Map, Value};
use tokio::process::Command;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().collect();
    let [_, server, _, calls] = &args[..] else { return Err("usage: rmcp-client SERVER --calls N".into()) };
    let calls: usize = calls.parse()?;
    let text = "x".repeat(100);

    let client = ().serve(TokioChildProcess::new(Command::new(server))?).await?;
    // In a task, as our own calls are measured.
    let peer = client.peer().clone();
    tokio::spawn(call(peer, text, calls)).await??;
    client.cancel().await?;
    Ok(())
}

async fn call(peer: Peer<RoleClient>, text: String, calls: usize) -> Result<(), Failure> {
    for _ in 0..calls {
        let arguments = Map::from_iter([("text".to_owned(), Value::from(&*text))]);
        let result = peer.call_tool(CallToolRequestParams::new("echo").with_arguments(arguments)).await?;
        let echoed = result.content.first().and_then(|it| it.as_text());
        if echoed.is_none_or(|it| it.text != text) {
            return Err("a wrong answer".into());
        }
    }
    Ok(())
}
