//! Where the results of calls wait for those who asked, and what is said about them before.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use mcp_types::jsonrpc::Notification;
use mcp_types::method;
use serde_json::value::RawValue;

use super::PIPE;
use crate::engine::ExchangeId;
use crate::error::CallError;
use crate::method::MethodName;

#[derive(Debug)]
pub(crate) struct CallSlot {
    pub(crate) method: MethodName,
    /// The result as text that was scanned, and so is JSON.
    pub(crate) outcome: Option<Result<Box<str>, CallError>>,
    /// There is none for a call that no notification makes a difference to.
    pub(crate) inbox: Option<Box<Inbox>>,
    pub(crate) idle: Option<Duration>,
    pub(crate) total: Option<Duration>,
    pub(crate) waker: Option<Waker>,
    /// What its request went out on.
    pub(super) carrier: ExchangeId,
}

impl CallSlot {
    pub(crate) const fn new(
        method: MethodName,
        idle: Option<Duration>,
        total: Option<Duration>,
        inbox: Option<Box<Inbox>>,
    ) -> Self {
        Self { method, outcome: None, inbox, idle, total, waker: None, carrier: PIPE }
    }

    /// How long it may be silent, as it stands.
    pub(super) fn silence(&self) -> Option<Duration> {
        self.inbox.as_ref().and_then(|inbox| inbox.first).or(self.idle)
    }

    pub(crate) fn wake_by(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(known) => known.clone_from(waker),
            None => self.waker = Some(waker.clone()),
        }
    }
}

/// What was said about a call, in order, until whoever made it looks.
#[derive(Debug)]
pub(crate) struct Inbox {
    takes_progress: bool,
    takes_subscribed: bool,
    /// How long the call may be silent before anything was said about it, as long as that is so.
    first: Option<Duration>,
    waiting: VecDeque<Waiting>,
}

/// One notification that waits.
#[derive(Debug)]
pub(crate) enum Waiting {
    /// Progress, as the parameters that were sent.
    Progress(Box<RawValue>),
    /// Something on a subscription.
    Subscribed(Told),
}

#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) method: Box<str>,
    pub(crate) params: Option<Box<RawValue>>,
    /// The raw URI, when the notification says no more than that what it names has changed.
    changed: Option<Option<Box<str>>>,
}

/// What became of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It waits, or says the same as one that does.
    Kept,
    /// It waits, and the oldest was given up for it.
    Overtaking,
    /// Nobody takes its kind.
    Unwanted,
}

impl Inbox {
    pub(crate) fn new(takes_progress: bool, takes_subscribed: bool, first: Option<Duration>) -> Option<Box<Self>> {
        let inbox = || Box::new(Self { takes_progress, takes_subscribed, first, waiting: VecDeque::new() });
        (takes_progress || takes_subscribed || first.is_some()).then(inbox)
    }

    /// Takes what waits.
    pub(crate) fn take(&mut self) -> VecDeque<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    /// Keeps a notification. Beyond what fits the oldest is given up; changes that were not looked at yet coalesce.
    pub(super) fn push(&mut self, note: &Notification<'_>, limit: usize) -> Pushed {
        self.first = None;
        let params = || note.params.raw.and_then(|raw| RawValue::from_string(raw.to_owned()).ok());
        let waiting = if note.method == method::NOTIFICATIONS_PROGRESS {
            match params().filter(|_| self.takes_progress) {
                Some(params) => Waiting::Progress(params),
                None => return Pushed::Unwanted,
            }
        } else if self.takes_subscribed {
            let changed = changed_by(note);
            if changed.is_some() && self.waiting.iter().any(|waiting| waiting.says(&note.method, changed)) {
                return Pushed::Kept;
            }
            let changed = changed.map(|uri| uri.map(Into::into));
            Waiting::Subscribed(Told { method: (&*note.method).into(), params: params(), changed })
        } else {
            return Pushed::Unwanted;
        };
        let is_full = self.waiting.len() >= limit;
        if is_full {
            self.waiting.pop_front();
        }
        self.waiting.push_back(waiting);
        if is_full { Pushed::Overtaking } else { Pushed::Kept }
    }
}

impl Waiting {
    fn says(&self, method: &str, changed: Option<Option<&str>>) -> bool {
        match self {
            Self::Progress(_) => false,
            Self::Subscribed(told) => *told.method == *method && told.changed.as_ref().map(Option::as_deref) == changed,
        }
    }
}

/// The resource that a notification says has changed, or `Some(None)` when that is a list.
fn changed_by<'a>(note: &Notification<'a>) -> Option<Option<&'a str>> {
    match &*note.method {
        method::NOTIFICATIONS_TOOLS_LIST_CHANGED
        | method::NOTIFICATIONS_PROMPTS_LIST_CHANGED
        | method::NOTIFICATIONS_RESOURCES_LIST_CHANGED => Some(None),
        method::NOTIFICATIONS_RESOURCES_UPDATED => note.params.uri.map(Some),
        _ => None,
    }
}
