//! How far the ending of a child has come: input closed, told to end, killed.

use std::time::{Duration, Instant};

use super::shared::Orders;

/// Decides when a child that is to end is told so more plainly. Pure: it is given the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ladder {
    stdin_grace: Duration,
    term_grace: Duration,
    rung: Rung,
}

/// What was done last, and until when that may take effect; `None` is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rung {
    Running,
    InputClosed { until: Option<Instant> },
    Terminated { until: Option<Instant> },
    Killed { until: Option<Instant> },
    GivenUp,
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// SIGTERM for the group.
    Terminate,
    /// SIGKILL for the group.
    Kill,
    /// SIGKILL had no effect: nobody is kept waiting.
    GiveUp,
}

impl Ladder {
    pub(super) const fn new(stdin_grace: Duration, term_grace: Duration) -> Self {
        Self { stdin_grace, term_grace, rung: Rung::Running }
    }

    /// Goes one step up if it is time.
    ///
    /// `has_exited`: the child itself has exited, and what is left of its group has no input to lose.
    pub(super) fn climb(&mut self, now: Instant, orders: Orders, has_exited: bool) -> Option<Act> {
        let is_over = |until: Option<Instant>| until.is_some_and(|until| now >= until);
        let is_before_kill = !matches!(self.rung, Rung::Killed { .. } | Rung::GivenUp);
        if orders.kill && is_before_kill {
            return Some(self.kill(now));
        }
        match self.rung {
            Rung::Running if orders.end && !has_exited => {
                self.rung = Rung::InputClosed { until: now.checked_add(self.stdin_grace) };
                self.climb(now, orders, has_exited)
            }
            Rung::Running if orders.end => Some(self.terminate(now)),
            Rung::InputClosed { until } if has_exited || is_over(until) => Some(self.terminate(now)),
            Rung::Terminated { until } if is_over(until) => Some(self.kill(now)),
            Rung::Killed { until } if is_over(until) => {
                self.rung = Rung::GivenUp;
                Some(Act::GiveUp)
            }
            Rung::Running
            | Rung::InputClosed { .. }
            | Rung::Terminated { .. }
            | Rung::Killed { .. }
            | Rung::GivenUp => None,
        }
    }

    /// When to climb again at the latest.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        match self.rung {
            Rung::InputClosed { until } | Rung::Terminated { until } | Rung::Killed { until } => until,
            Rung::Running | Rung::GivenUp => None,
        }
    }

    fn terminate(&mut self, now: Instant) -> Act {
        self.rung = Rung::Terminated { until: now.checked_add(self.term_grace) };
        Act::Terminate
    }

    fn kill(&mut self, now: Instant) -> Act {
        self.rung = Rung::Killed { until: now.checked_add(DYING) };
        Act::Kill
    }
}

/// How long SIGKILL may take: it takes effect within moments, unless the kernel cannot let the process go.
const DYING: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const END: Orders = Orders { end: true, kill: false };

    fn ladder() -> (Ladder, Instant) {
        (Ladder::new(2 * SECOND, 3 * SECOND), Instant::now())
    }

    #[test]
    fn a_child_that_does_not_react_is_told_more_plainly_each_time() {
        let (mut ladder, start) = ladder();
        let mut acts = Vec::new();
        for second in 0..20 {
            let now = start + second * SECOND;
            let orders = if second >= 1 { END } else { Orders::default() };
            acts.extend(ladder.climb(now, orders, false).map(|act| (second, act)));
        }
        assert_eq!(acts, [(3, Act::Terminate), (6, Act::Kill), (7, Act::GiveUp)]);
        assert_eq!(ladder.deadline(), None);
    }

    #[test]
    fn what_is_left_behind_by_the_exit_of_the_child_is_terminated_at_once() {
        let (mut ladder, start) = ladder();
        assert_eq!(ladder.climb(start, END, false), None);
        assert_eq!(ladder.deadline(), Some(start + 2 * SECOND));
        assert_eq!(ladder.climb(start + SECOND, END, true), Some(Act::Terminate));
        assert_eq!(ladder.climb(start + 4 * SECOND, END, true), Some(Act::Kill));
    }

    #[test]
    fn a_child_that_exits_by_itself_is_followed_only_when_its_connection_closes() {
        let (mut ladder, start) = ladder();
        assert_eq!(ladder.climb(start, Orders::default(), true), None);
        assert_eq!(ladder.climb(start + SECOND, END, true), Some(Act::Terminate));
    }

    #[test]
    fn an_order_to_kill_skips_every_grace_and_is_carried_out_once() {
        let (mut ladder, start) = ladder();
        let kill = Orders { end: true, kill: true };
        assert_eq!(ladder.climb(start, kill, false), Some(Act::Kill));
        assert_eq!(ladder.climb(start, kill, false), None);
        assert_eq!(ladder.climb(start + SECOND, kill, false), Some(Act::GiveUp));
        assert_eq!(ladder.climb(start + 2 * SECOND, kill, false), None);
    }

    #[test]
    fn graces_may_be_endless_or_nothing() {
        let start = Instant::now();
        let mut patient = Ladder::new(Duration::MAX, Duration::MAX);
        assert_eq!(patient.climb(start, END, false), None);
        assert_eq!(patient.climb(start + 1000 * SECOND, END, false), None);
        let mut hasty = Ladder::new(Duration::ZERO, Duration::ZERO);
        assert_eq!(hasty.climb(start, END, false), Some(Act::Terminate));
        assert_eq!(hasty.climb(start, END, false), Some(Act::Kill));
    }
}
