//! Who we are, and how we connect.

use std::sync::Arc;

use mcp_session::engine::{Config, Role};
use mcp_session::limits::Limits;
use mcp_session::transport::Transport;
use mcp_session::{Note, Session};
use mcp_types::{ClientCapabilities, Implementation, Version};

use crate::connection::Connection;
use crate::error::ConnectError;
use crate::handshake;
use crate::service::Callbacks;

/// A client that is not connected yet.
#[derive(Clone, Debug)]
#[must_use = "a client does nothing before it connects"]
pub struct Client {
    pub(crate) identity: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    era: Era,
    limits: Limits,
    #[cfg(feature = "unstable")]
    table: Arc<mcp_session::engine::Table>,
    callbacks: Callbacks,
}

/// Which era a client speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Whichever the server does: the modern one if it answers `server/discover`, else the legacy one.
    #[default]
    Detect,
    /// The modern era, without asking first.
    Modern,
    /// The legacy era, with a handshake that asks for this revision.
    Legacy(Version),
}

impl Client {
    /// A client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            identity: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            era: Era::default(),
            limits: Limits::default(),
            #[cfg(feature = "unstable")]
            table: mcp_session::engine::Table::standard(),
            callbacks: Callbacks::default(),
        }
    }

    /// Speaks this era instead of finding out.
    pub const fn with_era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// Uses these limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets another closing table, which makes a client that is wrong on purpose.
    #[cfg(feature = "unstable")]
    pub fn with_table(mut self, table: Arc<mcp_session::engine::Table>) -> Self {
        self.table = table;
        self
    }

    /// Takes every notification that belongs to no call. Callbacks run one after the other, in the order in which
    /// notifications arrive; a slow one holds up no call. When more than
    /// [`Limits::inbox`] wait, the oldest is dropped.
    pub fn on_notification<F, R>(mut self, callback: F) -> Self
    where
        F: Fn(Note) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.callbacks.notification = Some(Arc::new(move |note| Box::pin(callback(note))));
        self
    }

    /// Connects over a transport.
    ///
    /// # Errors
    ///
    /// - [`ConnectError::Refused`]: the server answered the handshake with an error.
    /// - [`ConnectError::Unsupported`]: the server speaks no revision that we do.
    /// - [`ConnectError::Call`]: the handshake was not answered: the connection closed, or the limit passed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn connect<T: Transport + 'static>(&self, transport: T) -> Result<Connection, ConnectError> {
        let config = Config::new(Role::Client).with_limits(self.limits.clone());
        #[cfg(feature = "unstable")]
        let config = config.with_table(Arc::clone(&self.table));
        let service = Arc::new(self.callbacks.clone());
        let (handle, driver) = Session::new(config).open(service, transport);
        let task = driver.spawn();
        let agreed = handshake::run(self, &handle, self.era, &self.limits).await?;
        Ok(Connection::new(handle, task, agreed))
    }
}
