//! Functions as resources.

use std::sync::Arc;

use mcp_session::{Answer, Body, HandlerFuture};
use mcp_types::gate::Gated;
use mcp_types::version::Version;

use super::Read;
use super::outcome::{Form, IntoResourceOutcome};
use crate::call::{Asked, BlockingFunction, Call, Ending, Function, Parameters, Rejection};
use crate::conversation::Shared;
use crate::identity::encode;

/// A function that reads a resource: async, with up to four parameters that are taken from the call
/// ([`FromCall`](crate::call::FromCall)) and a return value that becomes contents ([`IntoResourceOutcome`]).
///
/// `M` tells the implementations apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be a resource",
    note = "a resource is an `async fn` with up to four parameters such as `Args<T>`, `Uri`, `State<S>` and `Context`, all by value",
    note = "it returns a text, bytes, `Blob`, `Json<T>`, `ResourceContents`, or an `Option` or a `Result` of one of these",
    note = "its future has to be `Send`: nothing that is not may live across an `.await`"
)]
pub trait ResourceHandler<M>: Send + Sync + 'static {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters and its return value say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// A function that reads a resource and blocks: a plain one, with parameters and a return value as those of a
/// [`ResourceHandler`].
#[diagnostic::on_unimplemented(
    message = "this function cannot be a blocking resource",
    note = "a blocking resource is a plain `fn` with up to four parameters such as `Args<T>`, `Uri`, `State<S>` and `Context`, all by value and `Send`",
    note = "it returns a text, bytes, `Blob`, `Json<T>`, `ResourceContents`, or an `Option` or a `Result` of one of these"
)]
pub trait BlockingResourceHandler<M>: Send + Sync + 'static {
    /// Has the function called, on another thread.
    ///
    /// # Errors
    ///
    /// [`Rejection`] when a parameter could not be taken from the call.
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection>;

    /// What its parameters and its return value say of it.
    #[must_use]
    fn signature() -> Signature;
}

/// What the parameters and the return value of a function say of the resource that it reads.
#[derive(Debug)]
pub struct Signature {
    pub(super) parameters: Parameters,
    pub(super) mime_type: Option<&'static str>,
}

impl<F, M> ResourceHandler<M> for F
where
    F: Function<M, Returned: IntoResourceOutcome>,
{
    fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, ReadEnding::of(call))
    }

    fn signature() -> Signature {
        Signature { parameters: F::parameters(), mime_type: F::Returned::mime_type() }
    }
}

impl<F, M> BlockingResourceHandler<M> for F
where
    F: BlockingFunction<M, Returned: IntoResourceOutcome>,
{
    fn call(self: Arc<Self>, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        self.start(call, ReadEnding::of(call))
    }

    fn signature() -> Signature {
        Signature { parameters: F::parameters(), mime_type: F::Returned::mime_type() }
    }
}

/// What makes an answer of what reading returns.
#[derive(Debug)]
struct ReadEnding {
    conversation: Shared,
    version: Version,
    uri: Box<str>,
    read: Read,
}

impl ReadEnding {
    fn of(call: &Call<'_>) -> Self {
        let (uri, read) = match call.asked {
            Asked::Resource { uri, read, .. } => (uri, read.clone()),
            _ => ("", Read::default()),
        };
        Self { conversation: Shared::clone(call.conversation), version: call.version, uri: uri.into(), read }
    }
}

impl<T: IntoResourceOutcome> Ending<T> for ReadEnding {
    fn answer(&self, returned: T) -> Answer {
        let identity = &self.conversation.identity;
        let contents = match returned.into_outcome().0 {
            Form::Part(part) => vec![part.at(&self.uri, self.read.mime_type.as_deref())],
            Form::Contents(contents) => contents,
            Form::Full(mut result) => {
                identity.sign(&mut result.meta, self.version);
                result.fit(self.version);
                return Ok(Body::from_json(encode(&result)));
            }
            Form::Error(error) => return Err(error.into_object(&self.uri, self.version)),
        };
        let mut open = b"{\"contents\":".to_vec();
        open.extend_from_slice(&encode(&contents));
        let cache = self.read.cache.as_ref().unwrap_or(&self.conversation.config.caches.contents);
        Ok(identity.end_cacheable(open, self.version, cache))
    }
}
