//! What a server keeps for the length of one session.

use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_session::Threads;
use mcp_types::RawJson;
use mcp_types::logging::LoggingLevel;
use mcp_types::version::Version;

use crate::identity::Identity;
use crate::prompt::Prompts;
use crate::resource::Resources;
use crate::rounds::StateKeeper;
use crate::server::{Catalog, Config};
use crate::tool::Tools;

/// What all sessions of a server have in common: what it offers, who it is and how it is set.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) config: Arc<Config>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) tools: Tools,
    pub(crate) prompts: Prompts,
    pub(crate) resources: Resources,
    /// Where blocking tools run.
    pub(crate) threads: Threads,
    /// What is kept between the rounds of modern calls.
    pub(crate) keeper: Arc<dyn StateKeeper>,
}

/// One session of a server, through which one sees what it has in common with the others. Modern requests stand alone
/// and take nothing else from here.
#[derive(Debug)]
pub(crate) struct Conversation {
    common: Arc<Common>,
    /// The revision that the handshake agreed on.
    pub(crate) negotiated: OnceLock<Version>,
    /// Who the client of the handshake is, as it said.
    pub(crate) client_info: OnceLock<RawJson>,
    /// What the client of the handshake can do, as it said.
    pub(crate) client_capabilities: OnceLock<RawJson>,
    /// The severity from which on log messages are wanted.
    log_from: AtomicU8,
}

impl Common {
    pub(crate) fn new(
        config: Arc<Config>,
        catalog: Catalog,
        threads: Threads,
        identity: Arc<Identity>,
        keeper: Arc<dyn StateKeeper>,
    ) -> Self {
        let Catalog { tools, prompts, resources, .. } = catalog;
        Self { config, identity, tools, prompts, resources, threads, keeper }
    }
}

impl Deref for Conversation {
    type Target = Common;

    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Conversation {
    pub(crate) fn new(common: Arc<Common>) -> Self {
        Self {
            common,
            negotiated: OnceLock::new(),
            client_info: OnceLock::new(),
            client_capabilities: OnceLock::new(),
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
