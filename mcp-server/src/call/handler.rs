//! Handlers as they are kept: what they take and return is forgotten.

use std::sync::Arc;

use mcp_session::{HandlerFuture, Pace};

use super::{Call, Rejection};

/// Serves a call.
pub(crate) type Handler = dyn Fn(&Call<'_>) -> Result<HandlerFuture, Rejection> + Send + Sync;

/// A handler that is polled in place, with the memory of how it behaved before.
pub(crate) fn paced<H>(handler: H) -> Box<Handler>
where
    H: Fn(&Call<'_>) -> Result<HandlerFuture, Rejection> + Send + Sync + 'static,
{
    let pace = Arc::<Pace>::default();
    Box::new(move |call| Ok(handler(call)?.with_pace(Arc::clone(&pace))))
}
