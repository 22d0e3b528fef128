//! Whether a source has anything new to say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::transport::{Incoming, Source};

/// Polls a source only when that has rung.
///
/// The driver of a client is woken by every call of ours, and then its source is mostly dry. To poll a pipe in vain
/// takes 450 instructions, to see that it has not rung takes 10. What a server is woken by is its source as a rule,
/// and there an ear would only stand in the way, for 150.
pub(super) struct Ear {
    bell: Arc<Bell>,
    waker: Waker,
    /// Whether the source had no more to say when it was last polled.
    is_dry: bool,
}

/// What a source rings when it has something to say.
struct Bell {
    driver: Waker,
    has_rung: AtomicBool,
}

impl Ear {
    pub(super) fn new() -> Self {
        Self::of(Waker::noop())
    }

    fn of(driver: &Waker) -> Self {
        let bell = Arc::new(Bell { driver: driver.clone(), has_rung: AtomicBool::new(false) });
        Self { waker: Arc::clone(&bell).into(), bell, is_dry: false }
    }

    /// Polls the source if it has rung, or had more to say.
    pub(super) fn poll(&mut self, source: &mut impl Source, cx: &Context<'_>) -> Poll<Incoming> {
        if !self.bell.driver.will_wake(cx.waker()) {
            // Another task polls the driver now. The source is polled once more, so that it has the new bell.
            *self = Self::of(cx.waker());
        }
        // When it rings from here on, the driver is woken for it.
        if self.bell.has_rung.swap(false, Ordering::AcqRel) {
            self.is_dry = false;
        }
        if self.is_dry {
            return Poll::Pending;
        }
        let heard = source.poll_next(&mut Context::from_waker(&self.waker));
        self.is_dry = heard.is_pending();
        heard
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever has rung before has woken the driver, which has not looked since.
        if !self.has_rung.swap(true, Ordering::AcqRel) {
            self.driver.wake_by_ref();
        }
    }
}
