//! Bytes that take their time.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// How long what is written is under way, by tokio's clock.
#[derive(Debug, Default)]
pub(super) struct Delay {
    latency: Duration,
    /// When the bytes at the end of what is under way arrive, and how many each time.
    due: VecDeque<(Instant, usize)>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Delay {
    /// Sets the latency of what is written from now on.
    pub(super) const fn set(&mut self, latency: Duration) {
        self.latency = latency;
    }

    pub(super) fn written(&mut self, count: usize) {
        if self.latency.is_zero() && self.due.is_empty() {
            return;
        }
        let arrival = now() + self.latency;
        // What was written later never arrives earlier.
        let arrival = self.due.back().map_or(arrival, |(last, _)| arrival.max(*last));
        self.due.push_back((arrival, count));
    }

    pub(super) fn lost(&mut self) {
        self.due.clear();
    }

    /// Says how many of the bytes under way have arrived, once there are any.
    pub(super) fn poll_arrived(&mut self, cx: &mut Context<'_>, under_way: usize) -> Poll<usize> {
        loop {
            let Some(&(first, _)) = self.due.front() else { return Poll::Ready(under_way) };
            if first <= now() {
                self.due.pop_front();
                continue;
            }
            let arrived = under_way - self.due.iter().map(|(_, count)| count).sum::<usize>();
            if arrived > 0 {
                return Poll::Ready(arrived);
            }
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(first)));
            if sleep.deadline() != first {
                sleep.as_mut().reset(first);
            }
            std::task::ready!(sleep.as_mut().poll(cx));
        }
    }
}

/// The clock of the timers that are waited for here.
#[expect(clippy::disallowed_methods, reason = "latency passes outside the session, as on a network")]
fn now() -> Instant {
    Instant::now()
}
