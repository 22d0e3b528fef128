//! Lists that the server said may be kept for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_types::RawJson;
use tokio::time::Instant;

use super::element::Kind;

/// The lists of one connection that are still good: at most one of each kind, as the pages that were sent.
///
/// They are kept for the connection alone, so that it does not matter whether they are public or private.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The session of the connection that told them.
    session: u32,
    slots: [Slot; Kind::COUNT],
}

#[derive(Debug, Default)]
struct Slot {
    /// Grows whenever the list changes, so that pages which were under way then are not kept.
    generation: u64,
    kept: Option<Arc<Kept>>,
}

/// All pages of a list.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) pages: Vec<RawJson>,
    until: Instant,
}

/// A list that is being read and may be kept when it is complete.
#[derive(Debug)]
pub(super) struct Keeping {
    generation: u64,
    pages: Vec<RawJson>,
    bytes: usize,
    until: Option<Instant>,
}

/// What is known of a list when it begins to be read.
#[derive(Debug)]
pub(super) enum Known {
    /// It is here.
    Kept(Arc<Kept>),
    /// It has to be asked for, and may be kept.
    Nothing(Keeping),
}

impl Cache {
    /// What was told in another session than this is forgotten: the server is another one.
    pub(crate) fn turn_to(&self, session: u32) {
        let mut state = self.lock();
        if state.session != session {
            state.session = session;
            state.slots.iter_mut().for_each(Slot::change);
        }
    }

    pub(super) fn look(&self, kind: Kind) -> Known {
        let mut state = self.lock();
        let slot = &mut state.slots[kind as usize];
        //= 2026-07-28/server/utilities/caching#freshness-calculation
        //# Once the TTL expires, the response is **stale** and the client **SHOULD** re-fetch on
        //# next access.
        slot.kept.take_if(|kept| kept.until <= Instant::now());
        match &slot.kept {
            Some(kept) => Known::Kept(Arc::clone(kept)),
            None => Known::Nothing(Keeping::new(slot.generation)),
        }
    }

    /// Begins to read a list without looking for it here.
    pub(super) fn ask_anew(&self, kind: Kind) -> Keeping {
        Keeping::new(self.lock().slots[kind as usize].generation)
    }

    pub(super) fn keep(&self, kind: Kind, keeping: Keeping) {
        let mut state = self.lock();
        let slot = &mut state.slots[kind as usize];
        if let Some(until) = keeping.until
            && keeping.generation == slot.generation
        {
            slot.kept = Some(Arc::new(Kept { pages: keeping.pages, until }));
        }
    }

    /// The lists of this kind have changed.
    //= 2026-07-28/server/utilities/caching#interaction-with-notifications
    //# When a relevant notification is received while a cached response is still fresh, the
    //# notification **invalidates** the cached response and it should be considered immediately stale.
    pub(crate) fn changed(&self, kind: Kind) {
        self.lock().slots[kind as usize].change();
    }

    // What is behind the lock is whole between any two statements.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn change(&mut self) {
        self.generation += 1;
        self.kept = None;
    }
}

impl Keeping {
    const fn new(generation: u64) -> Self {
        Self { generation, pages: Vec::new(), bytes: 0, until: None }
    }

    /// Takes a page that may be kept for `ttl` from now on. `None`: the list is not kept.
    pub(super) fn add(mut self, page: RawJson, ttl: Duration) -> Option<Self> {
        self.bytes += page.get().len();
        if ttl.is_zero() || self.bytes > MOST_BYTES {
            return None;
        }
        let until = Instant::now() + ttl.min(LONGEST);
        self.until = Some(self.until.map_or(until, |before| before.min(until)));
        self.pages.push(page);
        Some(self)
    }
}

/// A list whose pages are larger than this together is not kept.
const MOST_BYTES: usize = 16 << 20;

/// No list is kept for longer, whatever the server says: what is asked for again is never wrong.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
