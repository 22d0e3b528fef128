//! The report of a server whose exchanges and sessions have reports of their own.

use std::time::Instant;

use mcp_session::engine::{By, Close, Reason, Report};

/// The sum of what became of everything.
#[derive(Debug)]
pub(crate) struct Sum {
    report: Report,
    started: Instant,
}

impl Sum {
    pub(crate) fn new(started: Instant) -> Self {
        Self { report: Report::new(Reason::Closed, None), started }
    }

    /// Everything is being ended, so that this is why the server ends.
    pub(crate) const fn ends(&mut self, how: Close, by: By) {
        let (reason, signal) = match (how, by) {
            (Close::Drain { .. }, By::Signal(signal)) => (Reason::Signalled, Some(signal)),
            (Close::Abort, By::Signal(signal)) => (Reason::SignalledTwice, Some(signal)),
            (Close::Abort, _) => (Reason::Aborted, None),
            _ => (Reason::Closed, None),
        };
        if rank(reason) >= rank(self.report.reason) {
            self.report.reason = reason;
            self.report.signal = signal;
        }
    }

    /// Adds what became of one of them. The worst of the ends that this side has brought about is that of the server.
    pub(crate) fn add(&mut self, part: &Report) {
        self.report.tally.add(&part.tally);
        self.report.still_running.extend_from_slice(&part.still_running);
        self.report.tasks_alive += part.tasks_alive;
        self.report.pending_slots += part.pending_slots;
        if rank(part.reason) > rank(self.report.reason) {
            self.report.reason = part.reason;
            self.report.signal = part.signal;
        }
    }

    pub(crate) fn report(&self) -> Report {
        let mut report = self.report.clone();
        report.elapsed = self.started.elapsed();
        report
    }
}

/// How bad an end is for the whole. That a client left, or one session was closed, is no end of the server.
const fn rank(reason: Reason) -> u8 {
    match reason {
        Reason::DeadlinePassed => 1,
        Reason::Aborted | Reason::SignalledTwice => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_end_of_a_part_is_that_of_the_whole() {
        let part = |reason, received| {
            let mut report = Report::new(reason, None);
            report.tally.received = received;
            report
        };
        let drain = Close::Drain { within: None };
        #[rustfmt::skip]
        let rows = [
            (vec![(drain, By::Handle)],        vec![],                              Reason::Closed, None, 0),
            (vec![(drain, By::Signal(15))],    vec![Reason::PeerGone],              Reason::Signalled, Some(15), 0),
            (vec![(drain, By::Signal(15))],    vec![Reason::WriteBroken],           Reason::Signalled, Some(15), 0),
            (vec![(drain, By::Signal(15))],    vec![Reason::DeadlinePassed],        Reason::DeadlinePassed, None, 1),
            (vec![(drain, By::Handle)],        vec![Reason::Aborted, Reason::DeadlinePassed], Reason::Aborted, None, 1),
            (vec![(Close::Abort, By::Handle)], vec![Reason::Closed],                Reason::Aborted, None, 1),
            (vec![(Close::Abort, By::Signal(2))], vec![],                           Reason::SignalledTwice, Some(2), 130),
        ];
        for (ends, parts, reason, signal, code) in rows {
            let mut sum = Sum::new(Instant::now());
            ends.iter().for_each(|(how, by)| sum.ends(*how, *by));
            parts.iter().for_each(|reason| sum.add(&part(*reason, 3)));
            let report = sum.report();
            assert_eq!(
                (report.reason, report.signal, report.exit_code()),
                (reason, signal, code),
                "{ends:?} {parts:?}"
            );
            assert_eq!(report.tally.received, 3 * parts.len() as u64);
        }
    }
}
