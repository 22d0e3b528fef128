//! What the server may ask and tell this side.

mod answer;
mod from_server;
mod notes;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use mcp_session::Note;
use mcp_types::elicitation::{ElicitFormParams, ElicitResult, ElicitUrlParams};
use mcp_types::jsonrpc::ErrorObject;
use mcp_types::logging::LoggingMessageParams;
use mcp_types::progress::ProgressParams;
use mcp_types::sampling::{CreateMessageParams, CreateMessageResult};

pub(crate) use self::answer::{AnswerFuture, Serving, answer};
pub use self::from_server::{CreateMessage, ElicitForm, ElicitUrl, FromServer};
pub use self::notes::ListChanged;
use crate::connection::Connection;
use crate::roots::Roots;

/// A callback: what it is given, and what its future gives.
pub(crate) type Callback<P, R> = Arc<dyn Fn(FromServer<P>) -> Pin<Box<dyn Future<Output = R> + Send>> + Send + Sync>;

/// Asks a language model, or says why not.
pub(crate) type OnSample = Callback<CreateMessageParams, Result<CreateMessageResult, ErrorObject>>;
/// Takes the progress of calls.
type OnProgress = Arc<dyn Fn(ProgressParams) + Send + Sync>;
/// Is told that the server has been restarted.
type OnRestart = Arc<dyn Fn(&Connection) + Send + Sync>;

/// The callbacks of a client.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) elicit_form: Option<Callback<ElicitFormParams, ElicitResult>>,
    pub(crate) elicit_url: Option<Callback<ElicitUrlParams, ElicitResult>>,
    pub(crate) sample: Option<OnSample>,
    pub(crate) samples_with_tools: bool,
    pub(crate) samples_with_context: bool,
    pub(crate) roots: Option<Roots>,
    pub(crate) log: Option<Callback<LoggingMessageParams, ()>>,
    pub(crate) list_changed: Option<Callback<ListChanged, ()>>,
    pub(crate) resource_updated: Option<Callback<String, ()>>,
    pub(crate) notification: Option<Callback<Note, ()>>,
    pub(crate) progress: Option<OnProgress>,
    pub(crate) restarted: Option<OnRestart>,
}

/// Makes a callback of a function.
pub(crate) fn callback<P, R, F>(function: impl Fn(FromServer<P>) -> F + Send + Sync + 'static) -> Callback<P, R>
where
    F: Future<Output = R> + Send + 'static,
{
    Arc::new(move |given| Box::pin(function(given)))
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("elicit_form", &self.elicit_form.is_some())
            .field("elicit_url", &self.elicit_url.is_some())
            .field("sample", &self.sample.is_some())
            .field("roots", &self.roots.is_some())
            .field("notification", &self.notification.is_some())
            .finish_non_exhaustive()
    }
}
