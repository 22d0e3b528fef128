//! What can be asked of a server beside its tools.

mod completion;
mod listing;
mod prompts;
mod resources;
mod subscribing;
mod texts;

pub use self::completion::Complete;
