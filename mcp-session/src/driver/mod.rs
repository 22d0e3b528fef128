//! Drivers move things between a transport and a session. They decide nothing.

mod alarm;
mod ear;
mod inner;
mod log;
mod notes;
mod opener;
mod reply;
mod serving;
mod session;
mod single;
mod stream;

pub use log::{Appending, Log};
pub use opener::{Opener, Opening};
pub use reply::ReplyStream;
pub use session::{Delivery, SessionRun, StreamSession};
pub use single::SingleExchange;
pub use stream::Driver;
