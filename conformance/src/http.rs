//! HTTP/1.1 as bytes on a TCP connection, so that a script can break it at any place.
//!
//! There is no client library below: a script decides which bytes go out when, how a connection ends
//! (in order, by a reset, in the middle of a head or a body), and when it reads. [`Speech`] writes the
//! requests that a right client would send; a script changes them from there.

mod error;
mod events;
mod head;
mod outline;
mod request;
mod site;
mod speech;
mod wire;

pub use self::{
    error::WireError,
    events::{Event, Events},
    head::{Answer, Head},
    outline::{Kind, Outline},
    request::Request,
    site::Site,
    speech::{Dialect, Speech, in_a_header},
    wire::Wire,
};
