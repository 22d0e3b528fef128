//! The callbacks for notifications, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context as Cx, Poll};

use super::serving::Serving;
use crate::engine::{Input, Origin};
use crate::peer::Peer;
use crate::service::{NoteFuture, Service};
use crate::tasks::Rest;

/// The callback that is under way, if there is one.
#[derive(Default)]
pub(super) struct Notes(Option<NoteFuture>);

impl Notes {
    /// Whether a callback is under way.
    pub(super) const fn is_busy(&self) -> bool {
        self.0.is_some()
    }

    /// Runs the callbacks of what has come, in order.
    pub(super) fn deliver<S: Service, R: Rest>(&mut self, serving: &mut Serving<S, R>, cx: &mut Cx<'_>) {
        loop {
            if self.0.is_none() {
                if !serving.agenda.has_notes {
                    return;
                }
                let Some(note) = serving.drive(|core| core.notes.pop_front()) else { return };
                let peer = Peer { shared: Arc::clone(&serving.shared), origin: Origin::Own };
                match catch_unwind(AssertUnwindSafe(|| serving.service.notified(note, &peer))) {
                    Ok(Some(callback)) => self.0 = Some(callback),
                    Ok(None) => serving.feed(Input::NoteDone { panicked: false }),
                    Err(_) => serving.feed(Input::NoteDone { panicked: true }),
                }
            }
            let Some(callback) = &mut self.0 else { continue };
            match catch_unwind(AssertUnwindSafe(|| callback.as_mut().poll(cx))) {
                Ok(Poll::Pending) => return,
                Ok(Poll::Ready(())) => serving.feed(Input::NoteDone { panicked: false }),
                Err(_) => serving.feed(Input::NoteDone { panicked: true }),
            }
            self.0 = None;
        }
    }
}
