//! Our client: `client ERA SERVER --calls N` starts a server and calls its `echo`, one call after the other.

use std::env;

use anyhow::{Result, bail};
use benches::clients;
use mcp_client::ChildProcess;
use mcp_types::version::Era;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args: Vec<String> = env::args().collect();
    let [_, era, server, _, calls] = &args[..] else { bail!("usage: client legacy|modern SERVER --calls N") };
    let era = match era.as_str() {
        "legacy" => Era::Legacy,
        "modern" => Era::Modern,
        other => bail!("no era is called {other:?}"),
    };
    clients::over_stdio(era, ChildProcess::new(server), calls.parse()?).await
}
