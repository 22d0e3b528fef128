//! Drivers move things between a transport and a session. They decide nothing.

mod alarm;
mod inner;
mod stream;

pub use stream::Driver;
