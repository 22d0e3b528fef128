//! What a server keeps for the length of one session.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_session::Threads;
use mcp_types::RawJson;
use mcp_types::logging::LoggingLevel;
use mcp_types::version::Version;

use crate::identity::Identity;
use crate::prompt::Prompts;
use crate::resource::Resources;
use crate::rounds::{StateKeeper, Table};
use crate::server::{Catalog, Config};
use crate::tool::Tools;

/// One session of a server. Modern requests stand alone and take nothing from here but who the server is.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) config: Arc<Config>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) tools: Tools,
    pub(crate) prompts: Prompts,
    pub(crate) resources: Resources,
    /// Where blocking tools run.
    pub(crate) threads: Threads,
    /// The revision that the handshake agreed on.
    pub(crate) negotiated: OnceLock<Version>,
    /// Who the client of the handshake is, as it said.
    pub(crate) client_info: OnceLock<RawJson>,
    /// What the client of the handshake can do, as it said.
    pub(crate) client_capabilities: OnceLock<RawJson>,
    /// What is kept between the rounds of modern calls.
    pub(crate) keeper: Arc<dyn StateKeeper>,
    /// The severity from which on log messages are wanted.
    log_from: AtomicU8,
}

impl Conversation {
    /// A session that shares nothing but what the server has.
    pub(crate) fn new(config: Arc<Config>, catalog: Catalog, threads: Threads) -> Self {
        let identity = Arc::new(Identity::new(&config.info));
        Self::sharing(config, catalog, threads, identity, Arc::new(Table::default()))
    }

    /// A session that keeps in the same place as others what is kept between the rounds of calls.
    pub(crate) fn sharing(
        config: Arc<Config>,
        catalog: Catalog,
        threads: Threads,
        identity: Arc<Identity>,
        keeper: Arc<dyn StateKeeper>,
    ) -> Self {
        Self {
            identity,
            config,
            tools: catalog.tools,
            prompts: catalog.prompts,
            resources: catalog.resources,
            threads,
            negotiated: OnceLock::new(),
            client_info: OnceLock::new(),
            client_capabilities: OnceLock::new(),
            keeper,
            log_from: LoggingLevel::Info.severity().unwrap_or_default().into(),
        }
    }

    pub(crate) fn set_log_level(&self, severity: u8) {
        self.log_from.store(severity, Ordering::Relaxed);
    }

    /// Whether the client of the handshake wants messages of this level. Unknown levels pass.
    pub(crate) fn wants_log(&self, level: &LoggingLevel) -> bool {
        level.severity().is_none_or(|severity| severity >= self.log_from.load(Ordering::Relaxed))
    }
}

/// A session, as its handlers share it.
pub(crate) type Shared = Arc<Conversation>;
