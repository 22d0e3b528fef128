//! A first tool that asks the user. It is the same for clients of both eras.

use mcp_server::{AskError, Context, Elicited, Report, ServeError, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Guest {
    /// Your name
    name: String,
}

async fn greet(ctx: Context) -> Result<String, AskError> {
    Ok(match ctx.elicit::<Guest>("guest", "Who are you?").await? {
        Elicited::Accepted(guest) => format!("Hello, {}!", guest.name),
        Elicited::Declined | Elicited::Cancelled => "Hello, whoever you are!".to_owned(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<Report, ServeError> {
    Server::new("asking", "1.0.0").tool("greet", "Greets the user.", greet).serve_stdio().await
}
