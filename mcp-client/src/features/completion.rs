//! Completes what is being filled in.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::completion::{CompleteParams, CompleteResult, CompletionReference};
use mcp_types::method;

use crate::call::{Body, Call};
use crate::connection::Connection;
use crate::shared::Shared;

impl Connection {
    /// Asks what could stand in an argument of a prompt, of which `value` is written so far.
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::CallError> {
    /// let result = connection.complete_prompt("review", "framework", "fla").with_context("language", "python").await?;
    /// println!("{:?}", result.completion.values);
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete_prompt(
        &self,
        name: impl Into<String>,
        argument: impl Into<String>,
        value: impl Into<String>,
    ) -> Complete {
        self.complete(CompletionReference::prompt(name), argument, value)
    }

    /// Asks what could stand in a variable of a resource template, of which `value` is written so far.
    pub fn complete_resource(
        &self,
        template: impl Into<String>,
        variable: impl Into<String>,
        value: impl Into<String>,
    ) -> Complete {
        self.complete(CompletionReference::resource(template), variable, value)
    }

    fn complete(&self, of: CompletionReference, name: impl Into<String>, value: impl Into<String>) -> Complete {
        Complete { shared: Arc::clone(self.shared()), params: CompleteParams::new(of, name, value) }
    }
}

/// A completion that is asked for when it is awaited. It becomes a [`Call`], and fails as one.
///
/// Spec: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion)
#[derive(Debug)]
#[must_use = "nothing is asked before it is awaited"]
pub struct Complete {
    shared: Arc<Shared>,
    params: CompleteParams,
}

impl Complete {
    /// Says what stands in another place already. Servers know what that means from 2025-06-18 on.
    pub fn with_context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let context = self.params.context.get_or_insert_default();
        context.arguments.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// The call, to set its limits.
    pub fn call(self) -> Call<CompleteResult> {
        Call::typed(&self.shared, Cow::Borrowed(method::COMPLETION_COMPLETE), Body::any(&self.params))
    }
}

impl IntoFuture for Complete {
    type Output = <Call<CompleteResult> as Future>::Output;
    type IntoFuture = Call<CompleteResult>;

    fn into_future(self) -> Self::IntoFuture {
        self.call()
    }
}
