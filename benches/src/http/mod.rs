//! What is measured over HTTP.

mod measure;
mod targets;

pub use self::measure::counted;
pub use self::targets::{HttpTarget, Who, build, targets};
