//! Whether a server is started again when it ends by itself.

use std::time::Duration;

/// Whether, how often and how soon a server that ended by itself is started again.
///
/// The default is never. A server that is restarted too often in a row stays away; one that then runs for longer than
/// the longest pause starts with a clean record.
///
/// ```
/// use std::time::Duration;
/// use mcp_client::Restart;
///
/// let restart = Restart::on_exit().max(3).backoff(Duration::from_millis(100), Duration::from_secs(1));
/// let pauses: Vec<_> = (0..5).map(|attempts| restart.pause(attempts).map(|pause| pause.as_millis())).collect();
/// assert_eq!(pauses, [Some(100), Some(200), Some(400), None, None]);
/// assert_eq!(Restart::default(), Restart::never());
/// ```
///
/// Spec: [stdio, unexpected termination](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it says how, and does nothing"]
pub struct Restart {
    max: u32,
    first: Duration,
    longest: Duration,
}

impl Restart {
    /// It is not started again. This is the default.
    pub const fn never() -> Self {
        Self { max: 0, first: FIRST, longest: LONGEST }
    }

    /// It is started again when it ends while nobody closes the connection: up to 5 times in a row, 100 ms after it
    /// ended, and each time twice as late, up to 10 s.
    pub const fn on_exit() -> Self {
        Self { max: MAX, ..Self::never() }
    }

    /// Sets how many times in a row. 0 is never.
    pub const fn max(mut self, times: u32) -> Self {
        self.max = times;
        self
    }

    /// Sets how long to wait before the first start, and before any at most; in between the time doubles.
    pub const fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    /// Says whether it is never started again.
    #[must_use]
    pub const fn is_never(&self) -> bool {
        self.max == 0
    }

    /// The pause before the next start, after so many in a row. `None`: it is not started any more.
    #[must_use]
    pub fn pause(&self, attempts: u32) -> Option<Duration> {
        let factor = 1_u32.checked_shl(attempts).unwrap_or(u32::MAX);
        (attempts < self.max).then(|| self.first.saturating_mul(factor).min(self.longest))
    }

    /// The longest pause: who has run for longer has a clean record.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        self.longest
    }
}

impl Default for Restart {
    fn default() -> Self {
        Self::never()
    }
}

const MAX: u32 = 5;
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_start_waits_no_longer_than_the_longest() {
        let restart = Restart::on_exit().max(u32::MAX);
        assert_eq!(restart.pause(40), Some(LONGEST));
        assert_eq!(restart.pause(31), Some(LONGEST));
        assert_eq!(Restart::never().pause(0), None);
    }
}
