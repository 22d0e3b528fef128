//! What a server is made from.

use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "unstable")]
use mcp_session::engine::Table;
use mcp_session::engine::{AtReadEnd, Config as SessionConfig, Role};
use mcp_session::limits::Limits;
use mcp_session::transport::Transport;
use mcp_session::{Handle, RunError, Session, Threads};
use mcp_types::Implementation;
use mcp_types::result::CacheScope;

use crate::call::InvalidArguments;
use crate::conversation::Conversation;
use crate::identity::Cache;
use crate::service::Routes;
use crate::state::States;
use crate::tool::{BlockingToolHandler, Tool, ToolHandler, Tools};
use crate::{Report, ServeError};

/// A server: its name, its version and its tools. Cloning is cheap, and clones share the tools.
///
/// See the [front page](crate) for an example.
#[derive(Clone, Debug)]
pub struct Server {
    config: Arc<Config>,
    tools: Tools,
    threads: Threads,
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) cache: Cache,
    pub(crate) states: States,
    pub(crate) invalid_arguments: InvalidArguments,
    pub(crate) watches_parent: bool,
    session: SessionConfig,
}

impl Server {
    /// A server without tools.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let config = Config {
            info: Implementation::new(name, version),
            instructions: None,
            cache: Cache::default(),
            states: States::default(),
            invalid_arguments: InvalidArguments::ToolError,
            watches_parent: false,
            session: SessionConfig::new(Role::Server).with_at_read_end(AtReadEnd::Drain),
        };
        let threads = Threads::new(config.session.limits.blocking_threads);
        Self { config: Arc::new(config), tools: Tools::default(), threads }
    }

    /// Adds a tool: a function, with what a language model is told of it.
    ///
    /// A tool of the same name is replaced.
    #[must_use]
    pub fn tool<M>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl ToolHandler<M>,
    ) -> Self {
        self.add_tool(Tool::new(name, handler).with_description(description))
    }

    /// Adds a tool whose function blocks: a plain one, which waits for files, computes for long, or calls a library
    /// that blocks. See [`Tool::blocking`].
    ///
    /// ```
    /// use mcp_server::{Args, Server, ToolError};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Place {
    ///     path: String,
    /// }
    ///
    /// fn read(Args(place): Args<Place>) -> Result<String, ToolError> {
    ///     Ok(std::fs::read_to_string(place.path)?)
    /// }
    ///
    /// let server = Server::new("files", "1.0.0").blocking_tool("read", "Reads a file.", read);
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn blocking_tool<M>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl BlockingToolHandler<M>,
    ) -> Self {
        self.add_tool(Tool::blocking(name, handler).with_description(description))
    }

    /// Adds a tool.
    ///
    /// A tool of the same name is replaced, which is logged: two tools of one name are a mistake, as a rule.
    #[must_use]
    pub fn add_tool(self, tool: Tool) -> Self {
        let name = tool.name().to_owned();
        if self.tools.add(tool) {
            tracing::warn!(tool = name, "a tool was added twice; the second one stays");
        }
        self
    }

    /// Gives something to the server that its tools can take as [`State`](crate::State), one of each type.
    #[must_use]
    pub fn with_state<S: Clone + Send + Sync + 'static>(self, state: S) -> Self {
        self.with(|config| config.states.insert(state))
    }

    /// Sets how calls are answered whose arguments do not decode. By default by a result from which a language model
    /// can learn what was wrong.
    #[must_use]
    pub fn with_invalid_arguments(self, answer: InvalidArguments) -> Self {
        self.with(|config| config.invalid_arguments = answer)
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.with(|config| config.info.title = Some(title.into()))
    }

    /// Says how to use the server, for a language model.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        self.with(|config| config.instructions = Some(instructions.into()))
    }

    /// Sets who the server is, when it has more to say than name, version and title.
    #[must_use]
    pub fn with_info(self, info: Implementation) -> Self {
        self.with(|config| config.info = info)
    }

    /// Sets the limits of each session.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.threads = Threads::new(limits.blocking_threads);
        self.with(|config| config.session.limits = limits)
    }

    /// Sets how long requests in flight may take to end once the client has ended its side or the server closes.
    /// Default 30 s; `None` for as long as it takes.
    #[must_use]
    pub fn with_drain(self, within: Option<Duration>) -> Self {
        self.with(|config| config.session.limits.drain = within)
    }

    /// Sets what happens to requests in flight when the client has ended its side. By default they run to their end
    /// and are answered.
    #[must_use]
    pub fn with_at_read_end(self, policy: AtReadEnd) -> Self {
        self.with(|config| config.session.at_read_end = policy)
    }

    /// Sets for how long, in whole milliseconds, and by whom its lists and its description may be cached (from
    /// 2026-07-28). By default they may not.
    #[must_use]
    pub fn with_cache(self, ttl: Duration, scope: CacheScope) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        self.with(|config| config.cache = Cache { ttl_ms, scope })
    }

    /// Takes the end of the process that started this one for the end of input in [`serve_stdio`](Self::serve_stdio).
    ///
    /// A client that is killed closes the pipes, and that ends the server already, unless somebody else holds them:
    /// another child of the client that inherited them, say. The process itself is watched, not the thread that did
    /// the starting. This works on Linux; elsewhere, and where the parent cannot be seen, nothing is watched.
    #[must_use]
    pub fn with_parent_watch(self) -> Self {
        self.with(|config| config.watches_parent = true)
    }

    /// Sets another closing table, which makes a server that is wrong on purpose.
    #[cfg(feature = "unstable")]
    #[must_use]
    pub fn with_table(self, table: Arc<Table>) -> Self {
        self.with(|config| config.session.table = table)
    }

    /// The tools, to add and to remove some while the server runs.
    ///
    /// A server that has handed them out says that it has tools, even when there is none yet.
    #[must_use]
    pub fn tools(&self) -> Tools {
        self.tools.declare();
        self.tools.clone()
    }

    /// Opens a session over a transport, for tests and for programs that end it by themselves.
    ///
    /// A tool that needs a state which the server was not given answers with an internal error here;
    /// [`serve`](Self::serve) refuses to start.
    ///
    /// Nothing happens unless the future is polled; it resolves when the session has ended. [`serve`](Self::serve) is
    /// the same without the handle.
    pub fn open<T: Transport>(
        &self,
        transport: T,
    ) -> (Handle, impl Future<Output = Result<Report, RunError>> + Send + use<T>) {
        let conversation = Conversation::new(Arc::clone(&self.config), self.tools.clone(), self.threads.clone());
        let session = Session::new(self.config.session.clone()).with_server_info(conversation.identity.member());
        let routes = Routes::new(Arc::new(conversation));
        let (handle, driver) = session.open(Arc::new(routes), transport);
        let membership = self.tools.live().join(handle.peer().clone());
        let run = async move {
            let _told_of_changes = membership;
            driver.await
        };
        (handle, run)
    }

    /// Whether every tool has what it needs.
    ///
    /// # Errors
    ///
    /// [`ServeError::MissingState`] names the first that has not.
    pub(crate) fn check(&self) -> Result<(), ServeError> {
        match self.tools.lacking(&self.config.states) {
            Some((tool, need)) => Err(ServeError::MissingState { tool, state: need.name() }),
            None => Ok(()),
        }
    }

    pub(crate) fn watches_parent(&self) -> bool {
        self.config.watches_parent
    }

    /// The longest frame that a session accepts.
    pub(crate) fn max_frame(&self) -> usize {
        self.config.session.limits.frame
    }

    fn with(mut self, set: impl FnOnce(&mut Config)) -> Self {
        set(Arc::make_mut(&mut self.config));
        self
    }
}
