//! Subscriptions to changes, in both eras.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callbacks;
mod legacy;
mod modern;
#[path = "../lists/peer.rs"]
mod peer;
mod restarts;
mod servers;
