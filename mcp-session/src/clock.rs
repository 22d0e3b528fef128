//! What time it is: the only place of the crate that asks.

use std::fmt::Debug;

use crate::engine::Moment;

/// Tells the time of a session.
///
/// The default is tokio's clock, which stands still in a test that pauses it.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The time since the session began.
    fn now(&self) -> Moment;
}

/// Tokio's clock, counted from its making.
#[derive(Debug)]
pub(crate) struct TokioClock {
    start: tokio::time::Instant,
}

impl TokioClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub(crate) fn new() -> Self {
        Self { start: tokio::time::Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Moment {
        Moment::new(self.start.elapsed())
    }
}
