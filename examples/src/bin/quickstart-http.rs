//! The same first server, over HTTP.

use mcp_server::{Args, Report, ServeError, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}

async fn add(Args(sum): Args<Sum>) -> i64 {
    sum.a + sum.b
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<Report, ServeError> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    Server::new("quickstart", "1.0.0").tool("add", "Adds two integers.", add).serve_http(address).await
}
