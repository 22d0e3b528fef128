//! Sealed state: what a call was told over rounds of input travels with the client, which can neither read nor change
//! it.
//!
//! A [`Sealer`] encrypts and authenticates a payload together with what it is for: until when, for which principal,
//! which method, which tool, prompt or resource, and which arguments. Opening it for anything else fails, by an error
//! that says in what it differs. Servers that share keys open what the others have sealed.
//!
//! ```
//! use mcp_server::seal::{Binding, OpenError, SealKey, Sealer};
//!
//! let sealer = Sealer::with_keys([SealKey::new(2, [7; 32]), SealKey::new(1, [9; 32])])?;
//! let call = Binding::new("tools/call", "book", br#"{"seats":2}"#).with_principal("anna");
//! let state = sealer.seal(&call, b"asked for the name")?;
//! assert_eq!(sealer.open(&call, &state)?, b"asked for the name");
//!
//! let other = Binding::new("tools/call", "book", br#"{"seats":99}"#).with_principal("anna");
//! assert!(matches!(sealer.open(&other, &state), Err(OpenError::Foreign { .. })));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Servers over HTTP use it by themselves. Over stdio there is no need, because what is kept stays in the process.
//!
//! A sealed text can be opened more than once until it expires: a client may have to make a request again whose answer
//! it lost. What must happen once is guarded by the tool itself.
//!
//! # How it is made
//!
//! `Base64(format ‖ key id ‖ salt ‖ ChaCha20-Poly1305(expiry ‖ digests ‖ payload))`. Each text has a key of its own,
//! derived by HKDF-SHA-256 from the key of the ring and 256 random bits, so that no nonce ever comes twice however
//! many texts are sealed. What stands before the ciphertext is authenticated with it.

mod binding;
mod keeper;
mod keys;
mod sealer;

pub use self::binding::{Binding, Part};
#[cfg(feature = "http-core")]
pub(crate) use self::keeper::SealedKeeper;
pub use self::keys::{InvalidKeys, SealKey};
pub use self::sealer::{OpenError, SealError, Sealer};
