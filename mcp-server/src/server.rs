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
use crate::changes::Live;
use crate::conversation::{Common, Conversation};
use crate::identity::{Cache, Cached, Caches, Identity};
use crate::prompt::{Prompt, PromptHandler, Prompts};
use crate::registry::{Listed, Registry};
use crate::resource::{Resource, ResourceHandler, ResourceTemplate, Resources};
use crate::rounds::{self, StateKeeper};
use crate::routing::Routes;
use crate::state::{Need, States};
use crate::tool::{BlockingToolHandler, Tool, ToolHandler, Tools};
use crate::{Report, ServeError};

/// A server: its name, its version and its tools. Cloning is cheap, and clones share the tools.
///
/// See the [front page](crate) for an example.
#[derive(Clone, Debug)]
pub struct Server {
    config: Arc<Config>,
    catalog: Catalog,
    threads: Threads,
}

/// All that a server has, which may change while it runs.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    /// The sessions that are told of changes.
    pub(crate) live: Live,
    pub(crate) tools: Tools,
    pub(crate) prompts: Prompts,
    pub(crate) resources: Resources,
}

impl Catalog {
    fn new() -> Self {
        let live = Live::default();
        Self {
            tools: Tools::new(live.clone()),
            prompts: Prompts::new(live.clone()),
            resources: Resources::new(live.clone()),
            live,
        }
    }

    /// The first that needs what is not there: what it is, its name, and what it needs.
    fn lacking(&self, states: &States) -> Option<(&'static str, String, Need)> {
        fn of<T: Listed>(
            kind: &'static str,
            registry: &Registry<T>,
            states: &States,
        ) -> Option<(&'static str, String, Need)> {
            registry.lacking(states).map(|(name, need)| (kind, name, need))
        }
        of("tool", &self.tools.0, states)
            .or_else(|| of("prompt", &self.prompts.0, states))
            .or_else(|| of("resource", &self.resources.fixed, states))
            .or_else(|| of("resource template", &self.resources.templates, states))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) caches: Caches,
    pub(crate) page_size: Option<usize>,
    pub(crate) states: States,
    pub(crate) invalid_arguments: InvalidArguments,
    pub(crate) watches_parent: bool,
    pub(crate) session: SessionConfig,
}

impl Server {
    /// A server without tools.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let config = Config {
            info: Implementation::new(name, version),
            instructions: None,
            caches: Caches::default(),
            page_size: None,
            states: States::default(),
            invalid_arguments: InvalidArguments::ToolError,
            watches_parent: false,
            session: SessionConfig::new(Role::Server).with_at_read_end(AtReadEnd::Drain),
        };
        let threads = Threads::new(config.session.limits.blocking_threads);
        Self { config: Arc::new(config), catalog: Catalog::new(), threads }
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
        if self.catalog.tools.add(tool) {
            tracing::warn!(tool = name, "a tool was added twice; the second one stays");
        }
        self
    }

    /// Adds a prompt: a function, with what a person is told of it.
    ///
    /// ```
    /// use mcp_server::{Args, Server};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Greeting {
    ///     /// Who is greeted.
    ///     name: String,
    /// }
    ///
    /// async fn greet(Args(greeting): Args<Greeting>) -> String {
    ///     format!("Greet {} warmly.", greeting.name)
    /// }
    ///
    /// let server = Server::new("greeter", "1.0.0").prompt("greet", "Greets somebody.", greet);
    /// # drop(server);
    /// ```
    ///
    /// A prompt of the same name is replaced.
    #[must_use]
    pub fn prompt<M>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl PromptHandler<M>,
    ) -> Self {
        self.add_prompt(Prompt::new(name, handler).with_description(description))
    }

    /// Adds a prompt. One of the same name is replaced, which is logged.
    #[must_use]
    pub fn add_prompt(self, prompt: Prompt) -> Self {
        let name = prompt.name().to_owned();
        if self.catalog.prompts.add(prompt) {
            tracing::warn!(prompt = name, "a prompt was added twice; the second one stays");
        }
        self
    }

    /// Adds a resource: a function that reads it, with its URI and its name for programs.
    ///
    /// ```
    /// use mcp_server::Server;
    ///
    /// let server = Server::new("s", "1.0.0").resource("app://motd", "motd", async || "Be kind.");
    /// # drop(server);
    /// ```
    ///
    /// A resource at the same URI is replaced.
    #[must_use]
    pub fn resource<M>(
        self,
        uri: impl Into<String>,
        name: impl Into<String>,
        handler: impl ResourceHandler<M>,
    ) -> Self {
        self.add_resource(Resource::new(uri, name, handler))
    }

    /// Adds a resource. One at the same URI is replaced, which is logged.
    #[must_use]
    pub fn add_resource(self, resource: Resource) -> Self {
        let uri = resource.uri().to_owned();
        if self.catalog.resources.add(resource) {
            tracing::warn!(uri, "a resource was added twice; the second one stays");
        }
        self
    }

    /// Adds the resources of a [template](crate::UriTemplate): a function that reads them, with their name for
    /// programs.
    ///
    /// ```
    /// use mcp_server::{Args, Server};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Place {
    ///     city: String,
    /// }
    ///
    /// async fn today(Args(place): Args<Place>) -> String {
    ///     format!("Rain in {}.", place.city)
    /// }
    ///
    /// let server = Server::new("weather", "1.0.0").resource_template("weather://{city}/today", "today", today);
    /// # drop(server);
    /// ```
    ///
    /// # Panics
    ///
    /// When the text is no template, or none that URIs can be matched against.
    #[must_use]
    #[track_caller]
    pub fn resource_template<M>(
        self,
        template: &str,
        name: impl Into<String>,
        handler: impl ResourceHandler<M>,
    ) -> Self {
        self.add_resource_template(ResourceTemplate::new(template, name, handler))
    }

    /// Adds the resources of a template. One of the same text is replaced, which is logged.
    #[must_use]
    pub fn add_resource_template(self, template: ResourceTemplate) -> Self {
        let text = template.template().to_string();
        if self.catalog.resources.add_template(template) {
            tracing::warn!(template = text, "a resource template was added twice; the second one stays");
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
    ///
    /// What is public may be shown to anybody. What is read of resources is not concerned:
    /// [`with_cache_of`](Self::with_cache_of) says it of all of them, and
    /// [`Resource::with_cache`](crate::Resource::with_cache) of one.
    #[must_use]
    pub fn with_cache(self, ttl: Duration, scope: CacheScope) -> Self {
        let lists = [Cached::Discovery, Cached::Tools, Cached::Prompts, Cached::Resources, Cached::ResourceTemplates];
        lists.into_iter().fold(self, |server, what| server.with_cache_of(what, ttl, scope.clone()))
    }

    /// Sets for how long, in whole milliseconds, and by whom one kind of answer may be cached (from 2026-07-28).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_server::{Cached, Server};
    /// use mcp_types::result::CacheScope;
    ///
    /// let minute = Duration::from_secs(60);
    /// let server = Server::new("s", "1.0.0")
    ///     .with_cache(minute, CacheScope::Public)
    ///     .with_cache_of(Cached::Contents, minute, CacheScope::Private);
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn with_cache_of(self, what: Cached, ttl: Duration, scope: CacheScope) -> Self {
        self.with(|config| *config.caches.of(what) = Cache::new(ttl, scope))
    }

    /// Sets how many items a page of a list has, at least one. By default a list is sent as a whole.
    ///
    /// A list that changes between two pages goes on after the last item of the page before, wherever that is now: what
    /// was there all the time comes once. When that item is gone, the cursor is refused and the client starts anew.
    #[must_use]
    pub fn with_page_size(self, items: usize) -> Self {
        self.with(|config| config.page_size = Some(items.max(1)))
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
        self.catalog.tools.0.declare();
        self.catalog.tools.clone()
    }

    /// The prompts, to add and to remove some while the server runs.
    ///
    /// A server that has handed them out says that it has prompts, even when there is none yet.
    #[must_use]
    pub fn prompts(&self) -> Prompts {
        self.catalog.prompts.0.declare();
        self.catalog.prompts.clone()
    }

    /// The resources, to add and to remove some while the server runs, and to say that one has changed.
    ///
    /// A server that has handed them out says that it has resources, even when there is none yet.
    #[must_use]
    pub fn resources(&self) -> Resources {
        self.catalog.resources.fixed.declare();
        self.catalog.resources.clone()
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
        let identity = Arc::new(Identity::new(&self.config.info));
        let keeper = Arc::new(rounds::Table::new(&self.config.session.limits));
        let conversation = Conversation::new(Arc::new(self.common(identity, keeper)));
        let session = Session::new(self.config.session.clone()).with_server_info(conversation.identity.member());
        let routes = Routes::new(Arc::new(conversation));
        let (handle, driver) = session.open(Arc::new(routes), transport);
        let membership = self.catalog.live.join(handle.peer().link());
        let run = async move {
            let _told_of_changes = membership;
            driver.await
        };
        (handle, run)
    }

    /// Whether everything that the server has has what it needs.
    ///
    /// # Errors
    ///
    /// [`ServeError::MissingState`] names the first that has not.
    pub(crate) fn check(&self) -> Result<(), ServeError> {
        match self.catalog.lacking(&self.config.states) {
            Some((kind, name, need)) => Err(ServeError::MissingState { kind, name, state: need.name() }),
            None => Ok(()),
        }
    }

    /// What its sessions have in common, and keep between the rounds of calls in this place.
    pub(crate) fn common(&self, identity: Arc<Identity>, keeper: Arc<dyn StateKeeper>) -> Common {
        Common::new(Arc::clone(&self.config), self.catalog.clone(), self.threads.clone(), identity, keeper)
    }

    #[cfg(feature = "http-core")]
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    #[cfg(feature = "http-core")]
    pub(crate) const fn catalog(&self) -> &Catalog {
        &self.catalog
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
