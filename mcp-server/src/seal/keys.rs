//! The keys of a ring.

use std::fmt;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// A key: 32 secret bytes, and a number by which sealed texts name it.
///
/// The number is not secret. Servers that share a key give it the same number, and another key another one.
#[derive(Clone)]
pub struct SealKey {
    id: u32,
    secret: [u8; 32],
}

impl SealKey {
    /// A key of 32 bytes that nobody can guess, such as those that `openssl rand 32` gives.
    #[must_use]
    pub const fn new(id: u32, secret: [u8; 32]) -> Self {
        Self { id, secret }
    }

    /// A new key from the randomness of the operating system.
    ///
    /// # Errors
    ///
    /// [`InvalidKeys::NoRandomness`] when there is none.
    pub fn random(id: u32) -> Result<Self, InvalidKeys> {
        let mut secret = [0; 32];
        SystemRandom::new().fill(&mut secret).map_err(|_| InvalidKeys::NoRandomness)?;
        Ok(Self { id, secret })
    }

    /// The number.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// Encrypts in place and appends the tag. The salt must never have been used before.
    pub(super) fn encrypt(&self, salt: &[u8], head: &[u8], buffer: &mut Vec<u8>) -> Result<(), Unspecified> {
        let mut tail = buffer.split_off(head.len());
        self.key_of(salt)?.seal_in_place_append_tag(once(), Aad::from(head), &mut tail)?;
        buffer.append(&mut tail);
        Ok(())
    }

    /// Decrypts in place. Fails when anything was changed.
    pub(super) fn decrypt<'a>(&self, salt: &[u8], head: &[u8], sealed: &'a mut [u8]) -> Result<&'a [u8], Unspecified> {
        self.key_of(salt)?.open_in_place(once(), Aad::from(head), sealed).map(|plain| &*plain)
    }

    /// The key of one text.
    fn key_of(&self, salt: &[u8]) -> Result<LessSafeKey, Unspecified> {
        let key = Salt::new(HKDF_SHA256, salt).extract(&self.secret);
        let key: UnboundKey = key.expand(&[PURPOSE], &CHACHA20_POLY1305)?.into();
        Ok(LessSafeKey::new(key))
    }
}

/// The nonce of a key that is used for one text.
fn once() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

/// Without the secret.
impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why there is no ring of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKeys {
    /// There is no key.
    #[error("a sealer needs a key")]
    None,
    /// Two keys have the same number.
    #[error("two keys have the number {id}")]
    SameId {
        /// The number.
        id: u32,
    },
    /// The operating system has no randomness to give.
    #[error("the operating system gives no randomness")]
    NoRandomness,
}

/// Keeps these keys apart from all others that somebody derives from the same secret.
const PURPOSE: &[u8] = b"mcp sealed state 1";
