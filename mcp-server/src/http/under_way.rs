//! All that is under way over HTTP: to end it, and to sum up what became of it.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mcp_session::Link;
use mcp_session::engine::{By, Close, Report};
use tokio::sync::watch;

use super::sum::Sum;

/// All that is under way on one server. Clones share it.
#[derive(Clone)]
pub(crate) struct UnderWay(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    ending: watch::Sender<Option<Ending>>,
    ended: watch::Sender<Option<Arc<Report>>>,
}

struct State {
    next: NonZeroU64,
    /// How much has begun and has not ended.
    begun: usize,
    /// Of that, what can be ended.
    held: BTreeMap<NonZeroU64, Link>,
    ending: Option<Ending>,
    sum: Sum,
}

/// How and by whom everything was ended, the last time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    pub(crate) how: Close,
    by: By,
    /// Whether it had been before.
    #[cfg(feature = "http")]
    is_again: bool,
}

impl UnderWay {
    pub(crate) fn new() -> Self {
        let state = State {
            next: NonZeroU64::MIN,
            begun: 0,
            held: BTreeMap::new(),
            ending: None,
            sum: Sum::new(Instant::now()),
        };
        let (ending, ended) = (watch::Sender::new(None), watch::Sender::new(None));
        Self(Arc::new(Shared { state: Mutex::new(state), ending, ended }))
    }

    /// Something begins. `None` when the server is ending.
    pub(crate) fn begin(&self) -> Option<Begun> {
        let mut state = self.lock();
        if state.ending.is_some() {
            return None;
        }
        state.begun += 1;
        Some(Begun { all: self.clone(), number: None })
    }

    /// Ends everything.
    pub(crate) fn end(&self, how: Close, by: By) {
        let (held, ending): (Vec<_>, _) = {
            let mut state = self.lock();
            let ending = Ending {
                how,
                by,
                #[cfg(feature = "http")]
                is_again: state.ending.is_some(),
            };
            state.ending = Some(ending);
            state.sum.ends(how, by);
            (state.held.values().cloned().collect(), ending)
        };
        self.0.ending.send_replace(Some(ending));
        // Each has a lock of its own, which is not waited for under this one.
        held.iter().for_each(|one| end(one, how, by));
        self.settle(self.lock());
    }

    /// Resolves when everything is being ended.
    pub(crate) async fn ending(&self) -> Option<Ending> {
        self.0.ending.subscribe().wait_for(Option::is_some).await.ok().and_then(|ending| *ending)
    }

    /// Resolves when everything is being ended at once, or for the second time, which means the same.
    #[cfg(feature = "http")]
    pub(crate) async fn cutting_off(&self) {
        let is_now = |ending: &Option<Ending>| ending.is_some_and(|it| it.is_again || it.how == Close::Abort);
        // The sender is kept here.
        drop(self.0.ending.subscribe().wait_for(is_now).await);
    }

    /// Resolves with the report when everything has ended.
    pub(crate) fn ended(&self) -> impl Future<Output = Arc<Report>> + Send + use<> {
        // The sender is kept by what it is taken from, and that is kept here.
        let (all, mut ended) = (self.clone(), self.0.ended.subscribe());
        async move {
            let report = ended.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
            let report = report.unwrap_or_else(|| Arc::new(all.lock().sum.report()));
            drop(all);
            report
        }
    }

    /// Writes the report once the last has ended.
    fn settle(&self, state: MutexGuard<'_, State>) {
        if state.ending.is_some() && state.begun == 0 && self.0.ended.borrow().is_none() {
            let report = Arc::new(state.sum.report());
            drop(state);
            self.0.ended.send_replace(Some(report));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for UnderWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("UnderWay").field("begun", &state.begun).field("ending", &state.ending).finish_non_exhaustive()
    }
}

/// Something that has begun. It has ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Begun {
    all: UnderWay,
    number: Option<NonZeroU64>,
}

impl Begun {
    /// From now on it is ended together with everything else; at once, if that has happened meanwhile.
    pub(crate) fn hold(&mut self, one: Link) {
        let ending = {
            let mut state = self.all.lock();
            let number = state.next;
            state.next = number.saturating_add(1);
            self.number = Some(number);
            state.held.insert(number, one.clone());
            state.ending
        };
        if let Some(Ending { how, by, .. }) = ending {
            end(&one, how, by);
        }
    }

    /// Tells what became of it.
    pub(crate) fn report(&self, report: &Report) {
        self.all.lock().sum.add(report);
    }
}

/// Ends an exchange or a session. What that means at this point is for it to say, and who wants to know when it has ended
/// learns it from its report.
fn end(one: &Link, how: Close, by: By) {
    drop(one.end(how, by));
}

impl Drop for Begun {
    fn drop(&mut self) {
        let mut state = self.all.lock();
        state.begun -= 1;
        let held = self.number.and_then(|number| state.held.remove(&number));
        self.all.settle(state);
        drop(held);
    }
}
