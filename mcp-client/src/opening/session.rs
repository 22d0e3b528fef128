//! A session that is open, and nothing agreed on in it yet.

use std::sync::Arc;

use mcp_session::engine::{Config, Report, Role};
use mcp_session::{Handle, Peer, Session};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Established;
use crate::call::Meta;
use crate::callbacks::Serving;
use crate::connect::{Connect, Guard};
use crate::error::ConnectError;
use crate::link::{Agreed, Link};
use crate::shared::Shared;

/// A session in which nothing has been agreed on. It closes when it is dropped.
pub(super) struct Fresh {
    handle: Handle,
    ending: Ending,
}

/// The end of a session, and of what stands behind it.
pub(crate) struct Ending {
    task: JoinHandle<()>,
    guard: Option<Guard>,
}

impl Fresh {
    pub(super) async fn open<C: Connect>(shared: &Arc<Shared>, way: &mut C) -> Result<Self, ConnectError> {
        let limit = shared.config.limits.connect;
        let transport = match timeout(limit, way.open()).await {
            Ok(transport) => transport.map_err(|error| ConnectError::Open(Arc::new(error)))?,
            Err(_) => return Err(ConnectError::TimedOut { limit, report: None }),
        };
        let guard = C::guard(&transport);
        let config = Config::new(Role::Client).with_limits(shared.config.limits.clone());
        #[cfg(feature = "unstable")]
        let config = config.with_table(Arc::clone(&shared.config.table));
        let (handle, driver) = Session::new(config).open(Arc::new(Serving(Arc::clone(shared))), transport);
        shared.begun(handle.closed());
        Ok(Self { handle, ending: Ending { task: driver.spawn(), guard } })
    }

    pub(super) const fn handle(&self) -> &Handle {
        &self.handle
    }

    pub(super) fn established(self, shared: &Shared, agreed: Agreed, number: u32) -> Established {
        let version = agreed.version;
        self.handle.established(version);
        let meta = crate::verdict::Verdict::new(version)
            .is_modern()
            .then(|| Arc::new(Meta::modern(shared.identity(), shared.capabilities(), shared.level().as_ref())));
        let peer: Peer = self.handle.peer().clone();
        let link = Link { number, peer, closed: self.handle.closed(), agreed: Arc::new(agreed), meta };
        Established { link, handle: self.handle, ending: self.ending }
    }

    /// Closes it, and waits until everything behind it is gone.
    pub(super) async fn close(mut self) -> Arc<Report> {
        let report = self.handle.close().await;
        self.ending.session().await;
        self.ending.rest().await;
        report
    }
}

impl Ending {
    /// Waits for the end of the session.
    pub(crate) async fn session(&mut self) {
        // How it ended stands in its report.
        drop((&mut self.task).await);
    }

    /// Waits for the end of what stands behind it. The session has to have ended.
    pub(crate) async fn rest(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.await;
        }
    }
}
