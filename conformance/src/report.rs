//! What a run came to, for people and for machines.

pub mod json;
pub mod junit;
pub mod list;
mod mutants;
pub mod text;
