//! The kinds of targets.

pub mod child;
pub mod nothing;

pub use child::Child;
pub use nothing::Nothing;
