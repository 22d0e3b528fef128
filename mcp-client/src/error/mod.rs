//! How connecting and calling fail.

mod call;
mod connect;

pub use self::call::CallError;
pub use self::connect::ConnectError;
