//! The transports that come with this crate.
//!
//! | module | what |
//! | --- | --- |
//! | [`memory`] | two ends in one process, with faults to inject |
//! | `io` (feature `tokio`) | any `AsyncRead` and `AsyncWrite` |
//! | `stdio` (feature `tokio`, Unix) | standard input and output of this process |

#[cfg(feature = "tokio")]
pub mod io;
pub mod memory;
#[cfg_attr(not(all(unix, feature = "tokio")), expect(dead_code, reason = "only the threads of stdio use all of it"))]
mod pipe;
#[cfg(all(unix, feature = "tokio"))]
pub mod stdio;
