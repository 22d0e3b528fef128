//! What is measured of our client: its calls of an `echo`.

use anyhow::{Context as _, Result, ensure};
use mcp_client::{ChildProcess, Client, Connection};
use mcp_session::transports::memory;
use mcp_types::version::{self, Version};
use serde::Serialize;
use tokio::spawn;

use crate::servers;

#[derive(Serialize)]
struct Echo<'a> {
    text: &'a str,
}

/// Starts a server and calls its `echo` so often, one call after the other.
///
/// # Errors
///
/// When the server does not start, or an answer is not what it should be.
pub async fn over_stdio(era: version::Era, server: ChildProcess, calls: usize) -> Result<()> {
    let connection = client(era).connect(server).await?;
    spawn(call(connection.clone(), calls)).await??;
    connection.close().await;
    Ok(())
}

/// Calls the `echo` of our server so often, in one thread and through the framer of bytes on both sides.
///
/// # Errors
///
/// When an answer is not what it should be.
pub async fn in_memory(era: version::Era, calls: usize) -> Result<()> {
    let (ours, theirs) = memory::bytes();
    let (_handle, run) = servers::with_tools(1).open(theirs);
    let running = spawn(run);
    let connection = client(era).connect(ours).await?;
    spawn(call(connection.clone(), calls)).await??;
    connection.close().await;
    running.await?.context("the server's run failed")?;
    Ok(())
}

fn client(era: version::Era) -> Client {
    Client::new("bench", "1").with_era(match era {
        version::Era::Legacy => mcp_client::Era::Legacy(Version::LATEST_LEGACY),
        version::Era::Modern => mcp_client::Era::Modern,
    })
}

/// In a task, as most programs make their calls: what `block_on` itself waits for costs a turn of the runtime more.
async fn call(connection: Connection, calls: usize) -> Result<()> {
    let text = "x".repeat(100);
    for _ in 0..calls {
        let answer = connection.call_tool("echo", &Echo { text: &text }).await?;
        ensure!(answer.content.len() == 1, "a wrong answer");
    }
    Ok(())
}
