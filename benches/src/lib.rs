//! What a message costs.
//!
//! Counted figures (instructions, heap blocks) are what is tracked: they repeat on any machine. Times inform. The
//! program `bench` takes them all, of our server and, in the same run, of a floor: a program that answers the same
//! messages and keeps no rule of the protocol.

pub mod announce;
pub mod clients;
pub mod counting;
pub mod crates;
pub mod drive;
pub mod figures;
pub mod floor;
pub mod history;
pub mod http;
pub mod lockstep;
pub mod measure;
pub mod servers;
pub mod table;
pub mod targets;
