//! Calls of tools.

use mcp_session::Answering;
use mcp_types::jsonrpc::ErrorObject;

use super::{Asker, Routes, arguments, invalid, text};
use crate::call::{Asked, Ending, Rejection};
use crate::tool::{ToolEnding, ToolOutcome};

impl Routes {
    pub(super) fn call_tool(&self, asker: Asker<'_>) -> Answering {
        self.start_tool(asker).unwrap_or_else(|error| Answering::Ready(Err(error)))
    }

    fn start_tool(&self, asker: Asker<'_>) -> Result<Answering, ErrorObject> {
        let name = text("name", asker.request.params.name)?;
        let tool = self.conversation.tools.0.find(&name).ok_or_else(|| invalid(format!("Unknown tool: {name}")))?;
        let call = self.call(asker, Asked::Tool(&tool), arguments(asker.request)?);
        match tool.call(&call) {
            Ok(handler) => Ok(Answering::Future(handler)),
            Err(Rejection::Failure(failure)) => {
                Ok(Answering::Ready(ToolEnding::of(&call).answer(ToolOutcome::from(failure))))
            }
            Err(Rejection::Error(error)) => Err(error),
        }
    }
}
