//! A driver of a whole session: what it does besides handing frames to the engine.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::task::Context as Cx;

use mcp_types::jsonrpc::{Fault, Id, Malformed, Subject};

use super::notes::Notes;
use super::serving::{Rules, Serving};
use crate::cause::{Cause, FrameTooLarge};
use crate::core::Shared;
use crate::service::Service;
use crate::tasks::Rest;
use crate::transport::TooLarge;

/// Hands frames over, starts what waited, and runs the callbacks for notifications. When it is dropped the session is
/// driven no more.
pub(super) struct Inner<S, R> {
    serving: Serving<S, R>,
    notes: Notes,
    pub(super) frames_per_turn: usize,
}

impl<S, R> Deref for Inner<S, R> {
    type Target = Serving<S, R>;

    fn deref(&self) -> &Serving<S, R> {
        &self.serving
    }
}

impl<S, R> DerefMut for Inner<S, R> {
    fn deref_mut(&mut self) -> &mut Serving<S, R> {
        &mut self.serving
    }
}

impl<S, R> Inner<S, R> {
    /// Takes note of what stands behind an end that is about to be told: what the source knows, else what was seen
    /// first.
    pub(super) fn ends_because(&mut self, named: Option<Cause>, seen: Option<Cause>) {
        self.drive(|core| core.cause = named.or_else(|| core.cause.take()).or(seen));
    }
}

impl<S: Service, R: Rest> Inner<S, R> {
    pub(super) fn new(shared: Arc<Shared>, service: Arc<S>, rest: R) -> Self {
        let (rules, frames_per_turn) = shared.look(|core| {
            let limits = core.engine.limits();
            (Rules::of(limits), limits.frames_per_turn)
        });
        Self { serving: Serving::new(shared, service, rest, rules), notes: Notes::default(), frames_per_turn }
    }

    /// A frame that was discarded for its size.
    pub(super) fn too_large(&mut self, frame: &TooLarge) {
        let id = frame.id.as_deref().and_then(|raw| std::str::from_utf8(raw).ok()).and_then(Id::parse);
        let subject = match (frame.has_method, frame.has_id, frame.has_outcome) {
            (true, true, _) => Subject::Request,
            (true, false, _) => Subject::Notification,
            (false, _, true) => Subject::Response,
            (false, _, false) => Subject::Unknown,
        };
        let detail = format!("{} bytes, over the limit of {}", frame.size, frame.limit);
        let malformed = Malformed::new(Fault::TooLarge, subject, detail).with_id(id);
        let cause = FrameTooLarge { size: frame.size, limit: frame.limit };
        let now = self.now();
        self.drive(|core| core.too_large(now, malformed, cause));
    }

    /// Runs the callbacks for notifications, one after the other.
    pub(super) fn deliver(&mut self, cx: &mut Cx<'_>) {
        self.notes.deliver(&mut self.serving, cx);
    }
}

impl<S, R> Drop for Inner<S, R> {
    fn drop(&mut self) {
        self.serving.ends_driving();
    }
}
