//! Who we are, what we answer, and how we connect.

use std::sync::Arc;

use mcp_session::limits::Limits;
use mcp_session::{Companion, Note};
use mcp_types::elicitation::{ElicitFormParams, ElicitResult, ElicitUrlParams};
use mcp_types::jsonrpc::ErrorObject;
use mcp_types::logging::{LoggingLevel, LoggingMessageParams};
use mcp_types::progress::ProgressParams;
use mcp_types::sampling::{CreateMessageParams, CreateMessageResult};
use mcp_types::{ClientCapabilities, Implementation};

use crate::callbacks::{Callbacks, FromServer, ListChanged, callback};
use crate::capabilities::Capabilities;
use crate::connect::{Connect, IntoConnect};
use crate::connection::Connection;
use crate::error::ConnectError;
use crate::input::InputRounds;
use crate::life::{Over, live};
use crate::opening::{Established, establish};
use crate::roots::Roots;
use crate::shared::Shared;
use crate::verdict::{Era, Verdict};

/// A client that is not connected yet.
///
/// What it can do for a server follows from its callbacks: with [`on_elicit`](Self::on_elicit) it says that it shows
/// forms, without it a server is told that it cannot. The same callbacks answer the requests of a legacy server and
/// the input rounds of a modern one; they run concurrently, hold nothing up, and may call the server on the connection
/// that they are given.
///
/// ```
/// use mcp_client::Client;
/// use mcp_session::transports::memory;
/// use mcp_types::elicitation::ElicitResult;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let (ours, _theirs) = memory::bytes();
/// let connection = Client::new("my-app", "1.0")
///     .on_elicit(|form| async move {
///         println!("the server asks: {}", form.message);
///         ElicitResult::decline()
///     })
///     .on_log(|log| async move { println!("{}: {:?}", log.level, log.data) })
///     .connect(ours)
///     .await?;
/// # drop(connection);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a client does nothing before it connects"]
pub struct Client {
    config: Config,
    verdict: Option<Verdict>,
    /// What it can do beside what its callbacks do.
    declared: ClientCapabilities,
}

/// What a connection has to know of its client.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) identity: Implementation,
    pub(crate) capabilities: Capabilities,
    pub(crate) era: Era,
    pub(crate) limits: Limits,
    pub(crate) rounds: InputRounds,
    pub(crate) level: Option<LoggingLevel>,
    pub(crate) keeps_lists: bool,
    pub(crate) callbacks: Callbacks,
    #[cfg(feature = "unstable")]
    pub(crate) table: Arc<mcp_session::engine::Table>,
}

impl Client {
    /// A client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let config = Config {
            identity: Implementation::new(name, version),
            capabilities: Capabilities::default(),
            era: Era::default(),
            limits: Limits::default(),
            rounds: InputRounds::default(),
            level: None,
            keeps_lists: true,
            callbacks: Callbacks::default(),
            #[cfg(feature = "unstable")]
            table: mcp_session::engine::Table::standard(),
        };
        Self { config, verdict: None, declared: ClientCapabilities::new() }
    }

    /// Sets its name for people.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.config.identity = self.config.identity.with_title(title);
        self
    }

    /// Sets all that is said about who it is.
    pub fn with_info(mut self, info: Implementation) -> Self {
        self.config.identity = info;
        self
    }

    /// Says that it can do more than its callbacks do: extensions, or what the application answers by itself when
    /// input rounds are [handed over](InputRounds::hand_over).
    pub fn with_capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.declared = capabilities;
        self
    }

    /// Speaks this era instead of finding out.
    pub const fn with_era(mut self, era: Era) -> Self {
        self.config.era = era;
        self
    }

    /// Relies on what was found out about the server before, see [`Connection::verdict`]. A legacy server is then not
    /// asked for its era, and a modern one is given [`Limits::connect`] to answer. When it turns out to be wrong, it is
    /// found out anew.
    pub const fn with_verdict(mut self, verdict: Verdict) -> Self {
        self.verdict = Some(verdict);
        self
    }

    /// Uses these limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Says who answers when a modern server asks for input. Default: the callbacks, in up to 10 rounds a call.
    pub const fn with_input_rounds(mut self, rounds: InputRounds) -> Self {
        self.config.rounds = rounds;
        self
    }

    /// Asks for log messages from this level on, which go to [`on_log`](Self::on_log). A legacy server that has
    /// logging is told after the handshake, a modern one with each request.
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.config.level = Some(level);
        self
    }

    /// Asks for lists each time. By default a list of a modern server is kept for as long as the server says that it is
    /// good: see [`Pages`](crate::Pages).
    pub const fn without_cache(mut self) -> Self {
        self.config.keeps_lists = false;
        self
    }

    /// Sets another closing table, which makes a client that is wrong on purpose.
    #[cfg(feature = "unstable")]
    pub fn with_table(mut self, table: Arc<mcp_session::engine::Table>) -> Self {
        self.config.table = table;
        self
    }

    /// Lists these roots to servers that ask. Give it a clone of a [`Roots`] to change them while it is connected.
    pub fn with_roots(mut self, roots: impl Into<Roots>) -> Self {
        self.config.callbacks.roots = Some(roots.into());
        self
    }

    /// Gives the language model tools when a server asks for that. Without it such a request is refused.
    pub const fn with_sampling_tools(mut self) -> Self {
        self.config.callbacks.samples_with_tools = true;
        self
    }

    /// Gives the language model the context of servers when one asks for that.
    pub const fn with_sampling_context(mut self) -> Self {
        self.config.callbacks.samples_with_context = true;
        self
    }

    /// Fills in the forms of servers. The user has to see which server asks, and be able to decline.
    pub fn on_elicit<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<ElicitFormParams>) -> R + Send + Sync + 'static,
        R: Future<Output = ElicitResult> + Send + 'static,
    {
        self.config.callbacks.elicit_form = Some(callback(function));
        self
    }

    /// Opens the pages of servers. The user has to see the whole URL and agree first; accepting means that, and not
    /// that whatever happens there is over.
    pub fn on_elicit_url<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<ElicitUrlParams>) -> R + Send + Sync + 'static,
        R: Future<Output = ElicitResult> + Send + 'static,
    {
        self.config.callbacks.elicit_url = Some(callback(function));
        self
    }

    /// Asks a language model for servers. An error says that the user, or the client, does not want that.
    pub fn on_sample<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<CreateMessageParams>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.config.callbacks.sample = Some(callback(function));
        self
    }

    /// Takes log messages. See [`on_notification`](Self::on_notification) for how callbacks for notifications run.
    pub fn on_log<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<LoggingMessageParams>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.config.callbacks.log = Some(callback(function));
        self
    }

    /// Is told when a list of a legacy server has changed.
    pub fn on_list_changed<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<ListChanged>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.config.callbacks.list_changed = Some(callback(function));
        self
    }

    /// Is told the URI of a resource of a legacy server that has changed, and was subscribed to.
    pub fn on_resource_updated<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<String>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.config.callbacks.resource_updated = Some(callback(function));
        self
    }

    /// Takes every notification that belongs to no call and that no other callback takes.
    ///
    /// The callbacks for notifications run one after the other, in the order in which notifications arrive; a slow one
    /// holds up no call. When more than [`Limits::inbox`] wait, the oldest is dropped.
    pub fn on_notification<F, R>(mut self, function: F) -> Self
    where
        F: Fn(FromServer<Note>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.config.callbacks.notification = Some(callback(function));
        self
    }

    /// Takes the progress of calls that say nothing else about it, which then all ask for progress. It is called while
    /// the call is polled.
    pub fn on_progress(mut self, function: impl Fn(ProgressParams) + Send + Sync + 'static) -> Self {
        self.config.callbacks.progress = Some(Arc::new(function));
        self
    }

    /// Is told when the server has been restarted. What the old server knew of this client, such
    /// as subscriptions, the new one does not know.
    pub fn on_restart(mut self, function: impl Fn(&Connection) + Send + Sync + 'static) -> Self {
        self.config.callbacks.restarted = Some(Arc::new(function));
        self
    }

    /// Connects to a server, finds out which era it speaks, and agrees with it on a revision.
    ///
    /// # Errors
    ///
    /// - [`ConnectError::Open`]: there is no way to the server.
    /// - [`ConnectError::Refused`]: the server answered the handshake with an error.
    /// - [`ConnectError::Unsupported`]: the server speaks no revision that we do.
    /// - [`ConnectError::Closed`]: the connection closed first; its source says why, such as the exit status of a child.
    /// - [`ConnectError::TimedOut`]: the handshake was not answered within [`Limits::connect`].
    /// - [`ConnectError::Malformed`]: the answer to the handshake is not a result of it.
    ///
    /// By then everything that was opened is closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    ///
    /// Spec: [Protocol versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning)
    pub async fn connect<C: IntoConnect>(&self, to: C) -> Result<Connection, ConnectError> {
        let mut way = to.into_connect();
        let mut config = self.config.clone();
        config.capabilities = self.capabilities();
        let shared = Shared::new(config, way.restart());
        // A callback may have handed on a connection that never comes to be.
        let over = Over(Arc::clone(&shared));
        let established = Box::pin(establish(&shared, &mut way, self.verdict, 0));
        let Established { link, handle, mut ending } = established.await?;
        if !shared.opened(link, handle) {
            // A callback closed it meanwhile.
            ending.session().await;
            ending.rest().await;
            return Err(ConnectError::Closed { reason: None, cause: None, report: None });
        }
        if let Some(roots) = &shared.callbacks().roots {
            roots.tell(&shared);
        }
        let life = Companion::spawn(live(over, way, ending));
        Ok(Connection::owned(shared, life))
    }
    pub(crate) fn capabilities(&self) -> Capabilities {
        Capabilities::new(&self.config.callbacks, &self.declared)
    }
}
