//! A first client: starts a server, calls its tool, and closes.
#![expect(clippy::print_stdout, reason = "printing is what the program does")]

use mcp_client::{ChildProcess, Client};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::args().nth(1).ok_or("usage: quickstart-client SERVER")?;
    let server = Client::new("quickstart", "1.0.0").connect(ChildProcess::new(program)).await?;

    let answer = server.call_tool("add", &json!({ "a": 19, "b": 23 })).await?;
    println!("{}", serde_json::to_string(&answer.content)?);

    server.close().await;
    Ok(())
}
