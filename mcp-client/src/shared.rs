//! What all handles of a connection share: where it stands, and the session that carries it now.

use std::sync::Arc;

use mcp_session::Handle;
use mcp_types::logging::LoggingLevel;
use mcp_types::{ClientCapabilities, Implementation};
use tokio::sync::watch;

use crate::callbacks::Callbacks;
use crate::child::Restart;
use crate::client::Config;
use crate::link::Link;
use crate::subscribe::Hub;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) hub: Hub,
    restart: Restart,
    standing: watch::Sender<Standing>,
}

/// Where a connection stands.
#[derive(Debug)]
struct Standing {
    phase: Phase,
    /// Whether this side wants it to end: then nothing is opened any more.
    is_unwanted: bool,
    restarts: u32,
    level: Option<LoggingLevel>,
    /// The end of the session that was begun last, whether anything was agreed on in it or not.
    begun: Option<mcp_session::Closed>,
}

#[derive(Debug)]
enum Phase {
    /// Nothing has been agreed on yet.
    Opening,
    /// A session is open, or was until just now. Dropping the handle closes it.
    Open(Arc<Link>, Handle),
    /// The last session has ended and another one is to come.
    Away(Arc<Link>),
    /// There will be no other session.
    Over(Option<Arc<Link>>),
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionState {
    /// Calls are carried.
    Open,
    /// The server is being restarted: calls wait for it, within their limits.
    Restarting,
    /// It is closed, or about to be.
    Closed,
}

/// The way of a call to its session.
pub(crate) enum Way {
    /// Through this one.
    Link(Arc<Link>),
    /// Another session is to come.
    Wait,
    /// There is none, and the last one was this.
    None(Option<Arc<Link>>),
}

impl Shared {
    pub(crate) fn new(config: Config, restart: Restart) -> Arc<Self> {
        let level = config.level.clone();
        let standing = Standing { phase: Phase::Opening, is_unwanted: false, restarts: 0, level, begun: None };
        Arc::new(Self { config, hub: Hub::default(), restart, standing: watch::Sender::new(standing) })
    }

    pub(crate) fn callbacks(&self) -> &Callbacks {
        &self.config.callbacks
    }

    pub(crate) fn capabilities(&self) -> &ClientCapabilities {
        &self.config.capabilities.modern
    }

    pub(crate) fn identity(&self) -> &Implementation {
        &self.config.identity
    }

    /// The session that carries calls now.
    pub(crate) fn way(&self) -> Way {
        match &self.standing.borrow().phase {
            Phase::Open(link, _) => Way::Link(Arc::clone(link)),
            Phase::Opening | Phase::Away(_) => Way::Wait,
            Phase::Over(link) => Way::None(link.clone()),
        }
    }

    /// The session that carries calls now, or the last one that did.
    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        match &self.standing.borrow().phase {
            Phase::Open(link, _) | Phase::Away(link) => Some(Arc::clone(link)),
            Phase::Over(link) => link.clone(),
            Phase::Opening => None,
        }
    }

    pub(crate) fn state(&self) -> ConnectionState {
        let standing = self.standing.borrow();
        match &standing.phase {
            _ if standing.is_unwanted => ConnectionState::Closed,
            Phase::Open(link, _) if link.peer.state().is_closed() && !self.restarts_by_itself() => {
                ConnectionState::Closed
            }
            Phase::Open(link, _) if link.peer.state().is_closed() => ConnectionState::Restarting,
            Phase::Open(..) => ConnectionState::Open,
            Phase::Opening | Phase::Away(_) => ConnectionState::Restarting,
            Phase::Over(_) => ConnectionState::Closed,
        }
    }

    /// Whether a session that ends is followed by another one.
    pub(crate) fn restarts_by_itself(&self) -> bool {
        self.restart.pause(0).is_some()
    }

    pub(crate) const fn restart(&self) -> Restart {
        self.restart
    }

    pub(crate) fn restarts(&self) -> u32 {
        self.standing.borrow().restarts
    }

    pub(crate) fn level(&self) -> Option<LoggingLevel> {
        self.standing.borrow().level.clone()
    }

    /// Sets the log level of later sessions, and of modern requests from now on.
    pub(crate) fn set_level(&self, level: LoggingLevel) {
        self.standing.send_modify(|standing| {
            if let Phase::Open(link, _) = &mut standing.phase {
                *link = Arc::new(link.at_level(self.identity(), self.capabilities(), &level));
            }
            standing.level = Some(level);
        });
    }

    /// A session has begun, in which nothing has been agreed on yet.
    pub(crate) fn begun(&self, closed: mcp_session::Closed) {
        self.standing.send_if_modified(|standing| {
            standing.begun = Some(closed);
            false
        });
    }

    /// The end of the last session in which both sides agreed, or else of the last one that was begun.
    pub(crate) fn last_closed(&self) -> Option<mcp_session::Closed> {
        let agreed = self.link().map(|link| link.closed.clone());
        agreed.or_else(|| self.standing.borrow().begun.clone())
    }

    /// A session has been opened. `false` when nobody wants it any more: then it closes.
    pub(crate) fn opened(&self, link: Link, handle: Handle) -> bool {
        let mut fresh = Some((Arc::new(link), handle));
        self.standing.send_if_modified(|standing| {
            if standing.is_unwanted {
                return false;
            }
            if let Some((link, handle)) = fresh.take() {
                standing.restarts += u32::from(matches!(standing.phase, Phase::Away(_)));
                standing.phase = Phase::Open(link, handle);
            }
            true
        });
        fresh.is_none()
    }

    /// The session has ended. Whether another one may follow.
    pub(crate) fn ended(&self) -> bool {
        let mut last = None;
        let mut may_follow = false;
        self.standing.send_if_modified(|standing| {
            let Phase::Open(link, _) = &standing.phase else { return false };
            may_follow = !standing.is_unwanted && self.restarts_by_itself();
            if may_follow {
                let away = Phase::Away(Arc::clone(link));
                last = Some(std::mem::replace(&mut standing.phase, away));
            }
            may_follow
        });
        // The handle is dropped while nothing is locked.
        drop(last);
        may_follow
    }

    /// There will be no other session.
    pub(crate) fn over(&self) {
        let mut last = None;
        self.standing.send_modify(|standing| {
            standing.is_unwanted = true;
            let link = match &standing.phase {
                Phase::Open(link, _) | Phase::Away(link) => Some(Arc::clone(link)),
                Phase::Over(link) => link.clone(),
                Phase::Opening => None,
            };
            last = Some(std::mem::replace(&mut standing.phase, Phase::Over(link)));
        });
        drop(last);
    }

    /// This side wants the connection to end: no session will follow. Gives what ends the one that is open.
    pub(crate) fn unwanted(&self) -> Option<Handle> {
        let mut handle = None;
        self.standing.send_modify(|standing| {
            standing.is_unwanted = true;
            if let Phase::Open(_, open) = &standing.phase {
                handle = Some(open.clone());
            }
        });
        handle
    }

    /// Resolves when this side wants the connection to end.
    pub(crate) async fn until_unwanted(&self) {
        // The sender lives as long as `self`.
        drop(self.standing.subscribe().wait_for(|standing| standing.is_unwanted).await);
    }

    /// Resolves when there is another session than `than`, or will be none any more.
    pub(crate) async fn until_another(&self, than: Option<&Arc<Link>>) {
        let is_another = |standing: &Standing| match &standing.phase {
            Phase::Open(link, _) => than.is_none_or(|than| link.number != than.number),
            Phase::Over(_) => true,
            Phase::Opening | Phase::Away(_) => false,
        };
        drop(self.standing.subscribe().wait_for(is_another).await);
    }

    /// Resolves when there will be no other session and the last one has ended.
    pub(crate) async fn until_over(&self) {
        drop(self.standing.subscribe().wait_for(|standing| matches!(standing.phase, Phase::Over(_))).await);
    }

    /// Resolves when the server has been restarted so often, or will not be any more.
    pub(crate) async fn until_restarted(&self, times: u32) {
        let is_there = |standing: &Standing| standing.restarts >= times || matches!(standing.phase, Phase::Over(_));
        drop(self.standing.subscribe().wait_for(is_there).await);
    }
}
