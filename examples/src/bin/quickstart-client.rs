//! A first client: starts a server, calls its tool, and closes.
#![expect(clippy::print_stdout, reason = "printing is what the program does")]

use std::process::Stdio;

use mcp_client::Client;
use mcp_session::transports::io::Stream;
use serde_json::json;
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::args().nth(1).ok_or("usage: quickstart-client SERVER")?;
    let mut server = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = server.stdout.take().zip(server.stdin.take()).ok_or("the server has no pipes")?;

    let connection = Client::new("quickstart", "1.0.0").connect(Stream::new(input, output)).await?;
    let answer = connection.call_tool("add", &json!({ "a": 19, "b": 23 })).await?;
    println!("{}", serde_json::to_string(&answer.content)?);

    connection.close().await;
    server.wait().await?;
    Ok(())
}
