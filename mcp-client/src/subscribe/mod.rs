//! Changes of what a server has, as one stream for both eras.

mod builder;
mod change;
mod error;
mod hub;
mod inbox;
mod keeper;
mod legacy;
mod modern;
mod subscription;
mod tenure;

pub use self::builder::Subscribe;
pub use self::change::Change;
pub use self::error::SubscribeError;
pub(crate) use self::hub::Hub;
pub use self::subscription::Subscription;
