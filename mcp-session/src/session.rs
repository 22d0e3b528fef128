//! Opens a session over a transport.

use std::sync::Arc;

use crate::clock::{Clock, TokioClock};
use crate::core::Shared;
use crate::driver::Driver;
use crate::engine::{Config, Engine, PeerAtReadEnd, StallCounts};
use crate::peer::Handle;
use crate::service::Service;
use crate::transport::Transport;

/// A session that is about to be opened.
#[derive(Debug)]
#[must_use = "a session runs only when its driver is polled"]
pub struct Session {
    config: Config,
    clock: Option<Arc<dyn Clock>>,
    server_info: Option<Arc<[u8]>>,
}

impl Session {
    /// A session of this configuration, on tokio's clock.
    pub const fn new(config: Config) -> Self {
        Self { config, clock: None, server_info: None }
    }

    /// Takes the time from another clock.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// What modern results that the session itself writes say of this side: a member of `_meta`, as `"key":value` in
    /// JSON.
    pub fn with_server_info(mut self, member: impl Into<Arc<[u8]>>) -> Self {
        self.server_info = Some(member.into());
        self
    }

    /// Opens it over a transport. The driver has to be polled for anything to happen; the handle talks to the peer.
    pub fn open<S: Service, T: Transport>(mut self, service: Arc<S>, transport: T) -> (Handle, Driver<S, T>) {
        let traits = transport.traits();
        if traits.stall_always {
            self.config.stall = StallCounts::Always;
        }
        if !traits.half_close {
            self.config.peer_at_read_end = PeerAtReadEnd::IsGone;
        }
        let clock = self.clock.unwrap_or_else(|| Arc::new(TokioClock::new()));
        let shared = Arc::new(Shared::new(Engine::new(self.config), clock));
        shared.look(|core| core.set_server_info(self.server_info));
        let handle = Handle::new(Arc::clone(&shared));
        (handle, Driver::new(shared, service, transport))
    }
}
