//! A bound on how many of something each principal has.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_session::engine::Principal;

use super::cap::{Cap, Permit};

/// Counts what there is for each principal and for all of them, and lets no more in than there may be. Requests
/// without a principal have only the bound of all. Clones share the counts.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    all: Cap,
    each: usize,
    taken: Arc<Mutex<HashMap<Principal, usize>>>,
}

/// Who has too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// This principal.
    Principal,
    /// All together.
    Server,
}

impl Shares {
    pub(crate) fn new(all: usize, each: usize) -> Self {
        Self { all: Cap::new(all), each, taken: Arc::default() }
    }

    /// Takes a place, which is free again once the share is dropped.
    pub(crate) fn enter(&self, principal: &Principal) -> Result<Share, Full> {
        let place = self.all.enter().ok_or(Full::Server)?;
        if principal.name().is_none() {
            return Ok(Share { _place: place, of: None });
        }
        let mut taken = self.lock();
        let count = taken.entry(principal.clone()).or_default();
        if *count >= self.each {
            return Err(Full::Principal);
        }
        *count += 1;
        drop(taken);
        Ok(Share { _place: place, of: Some((self.clone(), principal.clone())) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that is taken.
#[derive(Debug)]
pub(crate) struct Share {
    _place: Permit,
    of: Option<(Shares, Principal)>,
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some((shares, principal)) = self.of.take() else { return };
        if let Entry::Occupied(mut count) = shares.lock().entry(principal) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_principal_takes_no_more_than_its_share() {
        let shares = Shares::new(4, 2);
        let (anna, berta) = (Principal::named("anna"), Principal::named("berta"));
        let of_anna = [shares.enter(&anna).unwrap(), shares.enter(&anna).unwrap()];
        assert_eq!(shares.enter(&anna).unwrap_err(), Full::Principal);
        let of_berta = shares.enter(&berta).unwrap();
        let of_nobody = shares.enter(&Principal::default()).unwrap();
        assert_eq!(shares.enter(&berta).unwrap_err(), Full::Server);
        assert_eq!(shares.enter(&Principal::default()).unwrap_err(), Full::Server);
        drop(of_anna);
        let again = shares.enter(&anna).unwrap();
        drop((again, of_berta, of_nobody));
        assert_eq!((shares.all.taken(), shares.lock().len()), (0, 0), "nothing is left of who has nothing");
        let many: Vec<_> = (0..4).map(|_| shares.enter(&Principal::default()).unwrap()).collect();
        assert_eq!(many.len(), 4, "nobody in particular has no share of its own");
    }
}
