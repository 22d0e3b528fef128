//! Whether what is listened to has anything new to say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Polls something only when that has rung.
///
/// The driver of a client is woken by every call of ours, and then its source is mostly dry and its alarm far from
/// going off. To poll a pipe in vain takes 450 instructions and a sleep 110, to see that it has not rung takes 10. What
/// a server is woken by is its source as a rule, and there an ear would only stand in the way, for 150.
pub(super) struct Ear {
    bell: Arc<Bell>,
    waker: Waker,
    /// Whether it had no more to say when it was last polled.
    is_dry: bool,
}

/// What is rung when there is something to say.
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

    /// Polls the next time, whether it has rung or not.
    pub(super) fn poll_anyway(&mut self) {
        self.is_dry = false;
    }

    /// Polls if it has rung, or had more to say.
    pub(super) fn poll<T>(&mut self, cx: &Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        if !self.bell.driver.will_wake(cx.waker()) {
            // Another task polls the driver now. It is polled once more, so that it has the new bell.
            *self = Self::of(cx.waker());
        }
        // When it rings from here on, the driver is woken for it.
        if self.bell.has_rung.swap(false, Ordering::AcqRel) {
            self.is_dry = false;
        }
        if self.is_dry {
            return Poll::Pending;
        }
        let heard = poll(&mut Context::from_waker(&self.waker));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Incoming, Source};

    /// Says so much at once, and then that it is dry.
    #[derive(Default)]
    struct Talker {
        has: usize,
        polls: usize,
        bell: Option<Waker>,
    }

    impl Source for Talker {
        fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
            self.polls += 1;
            if self.has == 0 {
                self.bell = Some(cx.waker().clone());
                return Poll::Pending;
            }
            self.has -= 1;
            Poll::Ready(Incoming::Frame)
        }

        fn frame(&self) -> &[u8] {
            &[]
        }
    }

    impl Talker {
        fn ring(&self) {
            self.bell.as_ref().into_iter().for_each(Waker::wake_by_ref);
        }
    }

    #[derive(Default)]
    struct Task(std::sync::atomic::AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Task {
        fn waker(self: &Arc<Self>) -> Waker {
            Arc::clone(self).into()
        }

        fn wakes(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_dry_source_is_polled_when_it_has_rung_and_not_before() {
        let (mut ear, mut source, task) =
            (Ear::new(), Talker { has: 2, ..Talker::default() }, Arc::new(Task::default()));
        let waker = task.waker();
        let cx = Context::from_waker(&waker);
        let mut heard = |source: &mut Talker| ear.poll(&cx, |cx| source.poll_next(cx)).is_ready();
        assert!(heard(&mut source) && heard(&mut source) && !heard(&mut source), "all it has is heard first");
        assert!(!heard(&mut source) && !heard(&mut source));
        assert_eq!((source.polls, task.wakes()), (3, 0));
        for round in 1..4 {
            source.has = 1;
            // The second ring adds nothing: the driver has been woken and has not looked yet.
            source.ring();
            source.ring();
            assert_eq!(task.wakes(), round);
            assert!(heard(&mut source) && !heard(&mut source) && !heard(&mut source));
            assert_eq!(source.polls, 3 + 2 * round);
        }
    }

    #[test]
    fn a_source_that_rings_while_it_is_polled_is_heard_again() {
        struct Restless(usize);
        impl Source for Restless {
            fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
                self.0 += 1;
                cx.waker().wake_by_ref();
                Poll::Pending
            }

            fn frame(&self) -> &[u8] {
                &[]
            }
        }
        let (mut ear, mut source, task) = (Ear::new(), Restless(0), Arc::new(Task::default()));
        let waker = task.waker();
        for turn in 1..4 {
            assert!(ear.poll(&Context::from_waker(&waker), |cx| source.poll_next(cx)).is_pending());
            assert_eq!((source.0, task.wakes()), (turn, turn));
        }
    }

    #[test]
    fn whoever_polls_the_driver_now_is_woken() {
        let (mut ear, mut source) = (Ear::new(), Talker::default());
        let (before, now) = (Arc::new(Task::default()), Arc::new(Task::default()));
        for task in [&before, &now] {
            let waker = task.waker();
            assert!(ear.poll(&Context::from_waker(&waker), |cx| source.poll_next(cx)).is_pending());
        }
        source.ring();
        assert_eq!((before.wakes(), now.wakes()), (0, 1));
    }
}
