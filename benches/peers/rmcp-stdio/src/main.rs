//! The bench's tools, served by rmcp over standard input and output.
//!
//! The router is built once and kept, and the runtime has one thread: both are the fastest ways there are.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Tools { router: Tools::tool_router() }.serve(stdio()).await?.waiting().await?;
    Ok(())
}

#[derive(Clone)]
struct Tools {
    router: ToolRouter<Self>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Burst {
    count: u32,
}

#[tool_router]
impl Tools {
    #[tool(description = "Returns the text.")]
    async fn echo(&self, Parameters(echo): Parameters<Echo>) -> String {
        echo.text
    }

    #[tool(description = "Tells its progress in many steps at once.")]
    async fn burst(
        &self,
        Parameters(Burst { count }): Parameters<Burst>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let token = context.meta.get_progress_token().ok_or_else(|| ErrorData::invalid_params("no token", None))?;
        for step in 1..=count {
            let progress = ProgressNotificationParam::new(token.clone(), step.into());
            let sent = context.peer.notify_progress(progress).await;
            sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok(format!("sent {count} notifications"))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Tools {}
