//! Gets prompts.

use std::borrow::Cow;

use mcp_types::method;
use mcp_types::prompts::{GetPromptParams, GetPromptResult};
use serde::Serialize;

use super::texts::texts_of;
use crate::call::{Body, Call};
use crate::connection::Connection;

impl Connection {
    /// Gets a prompt with its places filled in. The arguments are one object, or `null` or `()` for none.
    ///
    /// On the wire all of them are texts: numbers and booleans are written as such, lists and objects as JSON, and
    /// what is `null` is left out.
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::CallError> {
    /// use serde_json::json;
    ///
    /// let prompt = connection.get_prompt("review", &json!({ "language": "rust", "depth": 3 })).await?;
    /// for message in prompt.messages {
    ///     println!("{:?}: {:?}", message.role, message.content.as_text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Spec: [Getting a prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt)
    pub fn get_prompt<A: Serialize + ?Sized>(&self, name: &str, arguments: &A) -> Call<GetPromptResult> {
        let params = texts_of(arguments).map(|arguments| {
            let mut params = GetPromptParams::new(name);
            params.arguments = arguments;
            params
        });
        let body = params.and_then(|params| Body::any(&params));
        Call::typed(self.shared(), Cow::Borrowed(method::PROMPTS_GET), body)
    }
}
