//! Sealing and opening.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_session::limits::Limits;
use ring::rand::{SecureRandom, SystemRandom};

use super::binding::{Binding, Digests, Part};
use super::keys::{InvalidKeys, SealKey};
use crate::base64;
use crate::unbase64::decode;

/// Seals payloads and opens them again. Cloning is cheap, and clones share their keys.
#[derive(Clone)]
pub struct Sealer {
    keys: Arc<RwLock<Arc<[SealKey]>>>,
    ttl: Duration,
    limit: usize,
}

impl Sealer {
    /// A sealer with a key of its own, which ends with the process: no other server opens what it sealed.
    ///
    /// # Errors
    ///
    /// [`InvalidKeys::NoRandomness`].
    pub fn random() -> Result<Self, InvalidKeys> {
        Self::with_keys([SealKey::random(0)?])
    }

    /// A sealer with these keys. The first one seals; all of them open.
    ///
    /// # Errors
    ///
    /// [`InvalidKeys::None`] and [`InvalidKeys::SameId`].
    pub fn with_keys(keys: impl IntoIterator<Item = SealKey>) -> Result<Self, InvalidKeys> {
        let keys = Arc::new(RwLock::new(ring_of(keys)?));
        let limits = Limits::default();
        Ok(Self { keys, ttl: limits.input_state_age, limit: limits.sealed_state })
    }

    /// Sets how long a sealed text can be opened, in whole seconds. Default 10 min, as
    /// [`Limits::input_state_age`]. The clocks of servers that share
    /// keys have to agree as well as this needs it.
    #[must_use]
    pub const fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how many bytes a sealed text may have. Default 8 KiB, as [`Limits::sealed_state`].
    #[must_use]
    pub const fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Replaces the keys, of all clones too.
    ///
    /// To change keys without a text that cannot be opened: first put the new one last on every server, then first, and
    /// leave the old one out once everything that it sealed has expired.
    ///
    /// # Errors
    ///
    /// [`InvalidKeys::None`] and [`InvalidKeys::SameId`]; the keys stay as they were.
    pub fn set_keys(&self, keys: impl IntoIterator<Item = SealKey>) -> Result<(), InvalidKeys> {
        let ring = ring_of(keys)?;
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = ring;
        Ok(())
    }

    /// Seals a payload for what the binding says.
    ///
    /// # Errors
    ///
    /// - [`SealError::TooLarge`]: the text would be longer than the limit.
    /// - [`SealError::NoRandomness`].
    pub fn seal(&self, binding: &Binding<'_>, payload: &[u8]) -> Result<String, SealError> {
        self.seal_at(now(), binding, payload)
    }

    /// Opens a text that was sealed for the same.
    ///
    /// # Errors
    ///
    /// - [`OpenError::TooLarge`], [`OpenError::Broken`], [`OpenError::UnknownKey`]: nobody who shares these keys has
    ///   sealed it, or it was changed.
    /// - [`OpenError::Expired`].
    /// - [`OpenError::Foreign`] says in what the request differs.
    pub fn open(&self, binding: &Binding<'_>, text: &str) -> Result<Vec<u8>, OpenError> {
        self.open_at(now(), binding, text)
    }

    fn seal_at(&self, now: u64, binding: &Binding<'_>, payload: &[u8]) -> Result<String, SealError> {
        let bytes = HEAD + 8 + Digests::LEN + payload.len() + TAG;
        let size = bytes.div_ceil(3) * 4;
        if size > self.limit {
            return Err(SealError::TooLarge { size, limit: self.limit });
        }
        let keys = self.keys();
        let key = &keys[0];
        let mut head = [0; HEAD];
        head[0] = FORMAT;
        head[1..SALT].copy_from_slice(&key.id().to_be_bytes());
        SystemRandom::new().fill(&mut head[SALT..]).map_err(|_| SealError::NoRandomness)?;

        let mut buffer = Vec::with_capacity(bytes);
        buffer.extend_from_slice(&head);
        buffer.extend_from_slice(&now.saturating_add(self.ttl.as_secs()).to_be_bytes());
        buffer.extend_from_slice(binding.digests().as_bytes());
        buffer.extend_from_slice(payload);
        let encrypted = key.encrypt(&head[SALT..], &head, &mut buffer);
        encrypted.map_err(|_| SealError::TooLarge { size, limit: self.limit })?;
        Ok(base64(&buffer))
    }

    fn open_at(&self, now: u64, binding: &Binding<'_>, text: &str) -> Result<Vec<u8>, OpenError> {
        if text.len() > self.limit {
            return Err(OpenError::TooLarge { limit: self.limit });
        }
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        decode(text.as_bytes(), |piece| bytes.extend_from_slice(piece)).ok_or(OpenError::Broken)?;
        let (head, sealed) = bytes.split_first_chunk_mut::<HEAD>().ok_or(OpenError::Broken)?;
        let [FORMAT, first, second, third, fourth, salt @ ..] = &*head else { return Err(OpenError::Broken) };
        let id = u32::from_be_bytes([*first, *second, *third, *fourth]);
        let keys = self.keys();
        let key = keys.iter().find(|key| key.id() == id).ok_or(OpenError::UnknownKey)?;
        let plain = key.decrypt(salt, head, sealed).map_err(|_| OpenError::Broken)?;

        let (expiry, plain) = plain.split_first_chunk::<8>().ok_or(OpenError::Broken)?;
        let (digests, payload) = plain.split_first_chunk::<{ Digests::LEN }>().ok_or(OpenError::Broken)?;
        if let Some(part) = binding.digests().difference(digests) {
            return Err(OpenError::Foreign { part });
        }
        if now >= u64::from_be_bytes(*expiry) {
            return Err(OpenError::Expired);
        }
        Ok(payload.to_vec())
    }

    fn keys(&self) -> Arc<[SealKey]> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer")
            .field("keys", &self.keys())
            .field("ttl", &self.ttl)
            .field("limit", &self.limit)
            .finish()
    }
}

fn ring_of(keys: impl IntoIterator<Item = SealKey>) -> Result<Arc<[SealKey]>, InvalidKeys> {
    let keys: Arc<[SealKey]> = keys.into_iter().collect();
    if keys.is_empty() {
        return Err(InvalidKeys::None);
    }
    for (position, key) in keys.iter().enumerate() {
        if keys[..position].iter().any(|other| other.id() == key.id()) {
            return Err(InvalidKeys::SameId { id: key.id() });
        }
    }
    Ok(keys)
}

/// Seconds since 1970, which servers that share keys agree upon.
fn now() -> u64 {
    // A clock from before then is as wrong as one can be; nothing expires by it.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Why something was not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The text would be longer than the limit.
    #[error("the sealed state has {size} bytes, more than {limit}")]
    TooLarge {
        /// How many bytes it would have.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// The operating system has no randomness to give.
    #[error("the operating system gives no randomness")]
    NoRandomness,
}

/// Why a text was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is longer than anything that is sealed.
    #[error("the sealed state has more than {limit} bytes")]
    TooLarge {
        /// How many bytes it may have.
        limit: usize,
    },
    /// It was not sealed by us, or was changed since.
    #[error("the sealed state is broken")]
    Broken,
    /// It was sealed by a key that is not in the ring.
    #[error("the sealed state was sealed by a key that is not known here")]
    UnknownKey,
    /// Its time has passed.
    #[error("the sealed state has expired")]
    Expired,
    /// It was sealed for another request.
    #[error("the sealed state belongs to another request: its {part} differs")]
    Foreign {
        /// In what the request differs.
        part: Part,
    },
}

/// The first byte of every sealed text.
const FORMAT: u8 = 1;
/// Where the salt begins, after the format and the number of the key.
const SALT: usize = 5;
/// What stands before the ciphertext.
const HEAD: usize = SALT + 32;
const TAG: usize = 16;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const CALL: Binding<'static> = Binding::new("tools/call", "book", b"{}");

    fn key(id: u32) -> SealKey {
        SealKey::new(id, [u8::try_from(id).unwrap(); 32])
    }

    fn sealer(keys: &[u32]) -> Sealer {
        Sealer::with_keys(keys.iter().copied().map(key)).unwrap()
    }

    #[test]
    fn a_text_opens_for_the_same_request_alone() {
        let sealer = sealer(&[1]);
        let anna = CALL.with_principal("anna");
        let state = sealer.seal(&anna, b"payload").unwrap();
        assert_eq!(sealer.open(&anna, &state).unwrap(), b"payload");
        assert_eq!(sealer.open(&anna, &state).unwrap(), b"payload", "as often as it is needed");
        let foreign = |part| Err(OpenError::Foreign { part });
        #[rustfmt::skip]
        let rows = [
            (CALL,                                                                  foreign(Part::Principal)),
            (CALL.with_principal("berta"),                                          foreign(Part::Principal)),
            (Binding::new("prompts/get", "book", b"{}").with_principal("anna"),     foreign(Part::Method)),
            (Binding::new("tools/call", "books", b"{}").with_principal("anna"),     foreign(Part::Target)),
            (Binding::new("tools/call", "book", b"{ }").with_principal("anna"),     foreign(Part::Arguments)),
            (Binding::new("tools/callbook", "", b"{}").with_principal("anna"),      foreign(Part::Method)),
        ];
        for (binding, expected) in rows {
            assert_eq!(sealer.open(&binding, &state), expected, "{binding:?}");
        }
        let nobody = sealer.seal(&CALL, b"").unwrap();
        assert_eq!(sealer.open(&CALL, &nobody).unwrap(), b"");
        assert_eq!(sealer.open(&CALL.with_principal(""), &nobody), foreign(Part::Principal));
    }

    #[test]
    fn a_text_expires() {
        let sealer = sealer(&[1]).with_ttl(Duration::from_secs(60));
        let state = sealer.seal_at(1000, &CALL, b"x").unwrap();
        for (now, expected) in [
            (0, Ok(b"x".to_vec())),
            (1059, Ok(b"x".to_vec())),
            (1060, Err(OpenError::Expired)),
            (u64::MAX, Err(OpenError::Expired)),
        ] {
            assert_eq!(sealer.open_at(now, &CALL, &state), expected, "{now}");
        }
        let for_ever = sealer.with_ttl(Duration::MAX);
        let state = for_ever.seal(&CALL, b"x").unwrap();
        assert_eq!(for_ever.open(&CALL, &state).unwrap(), b"x");
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let (old, both, new) = (sealer(&[1]), sealer(&[2, 1]), sealer(&[2]));
        let by_old = old.seal(&CALL, b"old").unwrap();
        let by_both = both.seal(&CALL, b"new").unwrap();
        assert_eq!(both.open(&CALL, &by_old).unwrap(), b"old");
        assert_eq!(new.open(&CALL, &by_both).unwrap(), b"new");
        assert_eq!(new.open(&CALL, &by_old), Err(OpenError::UnknownKey));
        assert_eq!(old.open(&CALL, &by_both), Err(OpenError::UnknownKey));
        // The same number for another key.
        let other = Sealer::with_keys([SealKey::new(1, [9; 32])]).unwrap();
        assert_eq!(other.open(&CALL, &by_old), Err(OpenError::Broken));
        let clone = old.clone();
        clone.set_keys([key(2), key(1)]).unwrap();
        assert_eq!(old.open(&CALL, &by_both).unwrap(), b"new", "keys change under a server that runs");
    }

    #[test]
    fn rings_are_checked() {
        assert_eq!(Sealer::with_keys([]).unwrap_err(), InvalidKeys::None);
        assert_eq!(Sealer::with_keys([key(1), key(2), key(1)]).unwrap_err(), InvalidKeys::SameId { id: 1 });
        let sealer = sealer(&[1]);
        let state = sealer.seal(&CALL, b"x").unwrap();
        assert_eq!(sealer.set_keys([]), Err(InvalidKeys::None));
        assert!(sealer.open(&CALL, &state).is_ok(), "the keys stay");
        let (one, other) = (Sealer::random().unwrap(), Sealer::random().unwrap());
        assert_eq!(other.open(&CALL, &one.seal(&CALL, b"x").unwrap()), Err(OpenError::Broken));
    }

    #[test]
    fn texts_stay_within_their_limit() {
        let sealer = sealer(&[1]).with_limit(400);
        let longest = (0..400).rev().find(|length| sealer.seal(&CALL, &vec![0; *length]).is_ok()).unwrap();
        let state = sealer.seal(&CALL, &vec![0; longest]).unwrap();
        assert_eq!(state.len(), 400);
        assert_eq!(sealer.open(&CALL, &state).unwrap().len(), longest);
        assert_eq!(sealer.seal(&CALL, &vec![0; longest + 1]), Err(SealError::TooLarge { size: 404, limit: 400 }));
        assert_eq!(sealer.open(&CALL, &"A".repeat(404)), Err(OpenError::TooLarge { limit: 400 }));
        assert_eq!(sealer.clone().with_limit(399).open(&CALL, &state), Err(OpenError::TooLarge { limit: 399 }));
    }

    #[test]
    fn the_same_is_never_sealed_alike() {
        let sealer = sealer(&[1]);
        let texts: HashSet<_> = (0..100).map(|_| sealer.seal(&CALL, b"x").unwrap()).collect();
        assert_eq!(texts.len(), 100);
    }

    #[test]
    fn nothing_secret_is_shown() {
        let shown = format!("{:?}", Sealer::with_keys([SealKey::new(5, [0xab; 32])]).unwrap());
        assert_eq!(shown, "Sealer { keys: [SealKey { id: 5, .. }], ttl: 600s, limit: 8192 }");
    }

    #[test]
    fn what_is_no_text_of_ours_is_refused() {
        let sealer = sealer(&[1]);
        for text in
            ["", "A", "====", "garbage!", "AAAA", &"A".repeat(48), &"A".repeat(400), &base64(&[1, 0, 0, 0, 1]), "é"]
        {
            assert_eq!(sealer.open(&CALL, text), Err(OpenError::Broken), "{text}");
        }
        assert_eq!(sealer.open(&CALL, &base64(&[1; 300])), Err(OpenError::UnknownKey));
        let state = sealer.seal(&CALL, b"x").unwrap();
        assert_eq!(sealer.open(&CALL, &format!("{state}-TAMPERED")), Err(OpenError::Broken));
    }

    proptest! {
        #[test]
        fn whatever_is_sealed_is_opened(payload in any::<Vec<u8>>(), arguments in any::<Vec<u8>>(), principal in any::<Option<String>>()) {
            let sealer = sealer(&[1]);
            let binding = Binding::new("tools/call", "book", &arguments);
            let binding = principal.as_deref().map_or(binding, |principal| binding.with_principal(principal));
            let state = sealer.seal(&binding, &payload).unwrap();
            prop_assert_eq!(sealer.open(&binding, &state).unwrap(), payload);
        }

        #[test]
        fn every_flipped_bit_is_noticed(payload in prop::collection::vec(any::<u8>(), 0..40), bit in any::<prop::sample::Index>()) {
            let sealer = sealer(&[1]);
            let state = sealer.seal(&CALL, &payload).unwrap();
            let mut bytes = Vec::new();
            decode(state.as_bytes(), |piece| bytes.extend_from_slice(piece)).unwrap();
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = sealer.open(&CALL, &base64(&bytes)).unwrap_err();
            prop_assert!(matches!(error, OpenError::Broken | OpenError::UnknownKey), "{error:?}");
        }

        #[test]
        fn a_text_that_was_cut_is_refused(payload in prop::collection::vec(any::<u8>(), 0..40), end in any::<prop::sample::Index>()) {
            let sealer = sealer(&[1]);
            let state = sealer.seal(&CALL, &payload).unwrap();
            prop_assert_eq!(sealer.open(&CALL, &state[..end.index(state.len())]), Err(OpenError::Broken));
        }
    }
}
