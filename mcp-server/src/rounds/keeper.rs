//! What is kept between the rounds of a call, and how the client refers to it.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_session::limits::Limits;
use mcp_types::RawJson;
use tokio::time::Instant;

/// What is kept between two rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// How many rounds the call has had.
    pub(crate) rounds: usize,
    /// Answers of earlier rounds, by key.
    pub(crate) answers: Vec<(Box<str>, RawJson)>,
    /// Results of steps, by key.
    pub(crate) steps: Vec<(Box<str>, RawJson)>,
}

impl Kept {
    fn bytes(&self) -> usize {
        let entries = self.answers.iter().chain(&self.steps);
        entries.map(|(key, json)| key.len() + json.get().len()).sum()
    }
}

/// For which call something is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose<'a> {
    /// Who makes it, if that is known.
    pub(crate) principal: Option<&'a str>,
    /// The method.
    pub(crate) method: &'a str,
    /// The name or URI, as it was sent.
    pub(crate) target: &'a str,
    /// The arguments, as they were sent.
    pub(crate) arguments: &'a str,
}

/// A digest of a purpose: equal for equal ones.
pub(crate) type Digest = [u8; 32];

/// Keeps what a call needs in its next round, and makes the text by which the client refers to it.
///
/// A client may change that text, and may send it more than once.
pub(crate) trait StateKeeper: fmt::Debug + Send + Sync {
    /// Makes a digest of what a state is for.
    fn digest(&self, purpose: &Purpose<'_>) -> Digest;

    /// Keeps something for a call. Gives what the client has to send back.
    fn keep(&self, kept: Kept, of: Digest) -> Result<String, NotKept>;

    /// Finds what was kept for the call that the client makes again.
    fn find(&self, text: &str, of: Digest) -> Result<Kept, StateFault>;
}

/// Why nothing is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotKept {
    /// There is more to keep than may be kept.
    #[error("more than {limit} bytes would have to be kept for the next round")]
    TooLarge { limit: usize },
    #[cfg(feature = "seal")]
    #[error("nothing can be sealed: the operating system gives no randomness")]
    NoRandomness,
}

/// Why nothing is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StateFault {
    #[error("`requestState` is unknown or has expired: make the request again without it")]
    Unknown,
    #[error("`requestState` belongs to another request: the arguments, too, have to be the same")]
    Foreign,
}

/// Keeps everything in this process, and gives out random handles of 128 bits.
///
/// A handle can be used again until it expires, because a client may have to make a request once more whose answer it
/// lost. Beyond the limits the oldest entries are given up.
pub(crate) struct Table {
    /// Two keyed functions, with keys from the operating system, make a handle of a number that never comes again.
    handles: [RandomState; 2],
    digests: RandomState,
    bounds: Bounds,
    entries: Mutex<Entries>,
}

/// What bounds a table.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    age: Duration,
    /// Bytes of JSON in one entry.
    entry: usize,
    entries: usize,
    /// Bytes of JSON in all of them.
    held: usize,
}

#[derive(Default)]
struct Entries {
    made: u64,
    bytes: usize,
    by_handle: HashMap<String, Entry>,
    /// The oldest first.
    order: VecDeque<String>,
}

struct Entry {
    kept: Kept,
    of: Digest,
    bytes: usize,
    began: Instant,
}

impl Table {
    pub(crate) fn new(limits: &Limits) -> Self {
        let bounds = Bounds {
            age: limits.input_state_age,
            entry: limits.input_state,
            entries: limits.input_states,
            held: limits.input_states_held,
        };
        let handles = [RandomState::new(), RandomState::new()];
        Self { handles, digests: RandomState::new(), bounds, entries: Mutex::default() }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("entries", &self.lock().order.len()).finish_non_exhaustive()
    }
}

impl StateKeeper for Table {
    fn digest(&self, purpose: &Purpose<'_>) -> Digest {
        let Purpose { principal, method, target, arguments } = purpose;
        let mut digest = Digest::default();
        let hash = self.digests.hash_one((principal, method, target, arguments));
        digest[..8].copy_from_slice(&hash.to_be_bytes());
        digest
    }

    //= 2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
    //# a short expiry (TTL), rejecting state presented after it lapses;
    fn keep(&self, kept: Kept, of: Digest) -> Result<String, NotKept> {
        let bytes = kept.bytes();
        let limit = self.bounds.entry.min(self.bounds.held);
        if bytes > limit {
            return Err(NotKept::TooLarge { limit });
        }
        let mut entries = self.lock();
        let handle = self.handle(entries.made);
        entries.made += 1;
        entries.bytes += bytes;
        entries.order.push_back(handle.clone());
        let began = Instant::now();
        entries.by_handle.insert(handle.clone(), Entry { kept, of, bytes, began });
        entries.give_up_the_oldest(self.bounds);
        Ok(handle)
    }

    fn find(&self, text: &str, of: Digest) -> Result<Kept, StateFault> {
        let mut entries = self.lock();
        entries.give_up_the_oldest(self.bounds);
        let entry = entries.by_handle.get(text).ok_or(StateFault::Unknown)?;
        if entry.of == of { Ok(entry.kept.clone()) } else { Err(StateFault::Foreign) }
    }
}

impl Table {
    fn handle(&self, number: u64) -> String {
        let [first, second] = self.handles.each_ref().map(|function| function.hash_one(number));
        format!("{first:016x}{second:016x}")
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Gives up what has expired, and what is beyond the limits.
    fn give_up_the_oldest(&mut self, bounds: Bounds) {
        while let Some(oldest) = self.order.front() {
            let is_over = self.order.len() > bounds.entries || self.bytes > bounds.held;
            if !is_over && self.by_handle.get(oldest).is_some_and(|entry| entry.began.elapsed() < bounds.age) {
                return;
            }
            let entry = self.by_handle.remove(oldest);
            self.bytes -= entry.map_or(0, |entry| entry.bytes);
            self.order.pop_front();
        }
    }
}

/// A random name that nobody has seen before.
pub(super) fn random_name() -> String {
    let random = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn kept(bytes: usize) -> Kept {
        let json = RawJson::from(serde_json::Value::from("x".repeat(bytes.saturating_sub(3))));
        Kept { rounds: 1, answers: vec![("k".into(), json)], steps: Vec::new() }
    }

    fn table(set: impl FnOnce(&mut Limits)) -> Table {
        let mut limits = Limits::default();
        set(&mut limits);
        Table::new(&limits)
    }

    #[tokio::test(start_paused = true)]
    async fn a_state_serves_its_own_call_again_and_again_until_it_expires() {
        let age = Duration::from_secs(7);
        let table = table(|limits| limits.input_state_age = age);
        let of = |principal, method, target, arguments| table.digest(&Purpose { principal, method, target, arguments });
        let purpose = |method, target, arguments| of(None, method, target, arguments);
        let own = purpose("m", "t", "{}");
        let handle = table.keep(kept(10), own).unwrap();
        assert_eq!(handle.len(), 32);
        for _ in 0..3 {
            assert_eq!(table.find(&handle, own).unwrap().rounds, 1);
        }
        for other in [
            purpose("m", "t", "{ }"),
            purpose("m", "u", "{}"),
            purpose("n", "t", "{}"),
            purpose("m", "t{}", ""),
            of(Some("anna"), "m", "t", "{}"),
            of(Some(""), "m", "t", "{}"),
        ] {
            assert_eq!(table.find(&handle, other).unwrap_err(), StateFault::Foreign);
        }
        assert_eq!(table.find("", own).unwrap_err(), StateFault::Unknown);
        tokio::time::advance(age - Duration::from_millis(1)).await;
        assert!(table.find(&handle, own).is_ok());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(table.find(&handle, own).unwrap_err(), StateFault::Unknown);
        assert_eq!(table.lock().bytes, 0);
    }

    #[test]
    fn states_stay_within_their_limits() {
        let of = Digest::default();
        let small = table(|limits| limits.input_state = 100);
        assert!(small.keep(kept(100), of).is_ok());
        assert_eq!(small.keep(kept(101), of), Err(NotKept::TooLarge { limit: 100 }));

        let few = table(|limits| limits.input_states = 8);
        let handles: Vec<_> = (0..9).map(|_| few.keep(kept(10), of).unwrap()).collect();
        assert_eq!(handles.iter().collect::<HashSet<_>>().len(), 9);
        assert!(few.find(&handles[0], of).is_err(), "the oldest is given up");
        assert!(few.find(&handles[1], of).is_ok());
        let held = |table: &Table| {
            let entries = table.lock();
            (entries.bytes, entries.by_handle.len())
        };
        assert_eq!(held(&few), (80, 8));

        let tight = table(|limits| (limits.input_states_held, limits.input_state) = (1000, 2000));
        for _ in 0..11 {
            tight.keep(kept(100), of).unwrap();
        }
        assert_eq!(held(&tight), (1000, 10));
        // What is handed out can be used: nothing is kept that would be given up at once.
        assert_eq!(tight.keep(kept(1001), of), Err(NotKept::TooLarge { limit: 1000 }));
    }
}
