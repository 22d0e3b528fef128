//! A request that stands alone, and everything that is held for it while it is under way.

use std::task::{Context, Poll};

use mcp_session::{Said, SingleExchange};

use super::said::Says;
use super::shares::Share;
use super::under_way::Begun;
use crate::changes::Membership;
use crate::routing::Routes;

/// A request that stands alone. When this is dropped before its answer was said, the client is gone.
pub(crate) struct Single {
    exchange: SingleExchange<Routes>,
    begun: Begun,
    is_held: bool,
    /// Of a request that listens: that it is told of changes, and its place among those that are.
    _listening: Option<(Membership, Share)>,
}

impl Single {
    pub(crate) const fn new(
        exchange: SingleExchange<Routes>,
        begun: Begun,
        listening: Option<(Membership, Share)>,
    ) -> Self {
        Self { exchange, begun, is_held: false, _listening: listening }
    }
}

impl Says for Single {
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        let said = self.exchange.poll_next(cx);
        // Most are answered at once, and nobody can end those.
        if said.is_pending() && !self.is_held {
            self.is_held = true;
            self.begun.hold(self.exchange.link());
        }
        said
    }
}

impl Drop for Single {
    fn drop(&mut self) {
        self.begun.report(&self.exchange.abandon());
    }
}
