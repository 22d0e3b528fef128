//! The kinds of targets.

pub mod child;
pub mod memory;
pub mod nothing;
pub mod own;

pub use child::Child;
pub use memory::Memory;
pub use nothing::Nothing;
pub use own::Own;
