//! The client behind `everything-client`, for whoever wants it in the same process: it plays a script, step by step,
//! and tells what came of each.

mod answers;
mod outcome;
mod player;
mod requests;
mod script;
mod settings;

pub use self::player::{Player, Tell};
pub use self::script::{Call, DEFAULT, Script, Setting, Step};
