//! Our server over HTTP: `http [TOOLS]` serves an `echo` among so many tools. It starts and ends as
//! [`announce`] says.

use std::env;

use anyhow::Result;
use benches::announce::announce;
use benches::servers;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let tools = env::args().nth(1).map_or(Ok(1), |tools| tools.parse())?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let service = servers::with_tools(tools).http();
    announce(listener.local_addr()?)?;
    service.serve(listener).await?;
    Ok(())
}
