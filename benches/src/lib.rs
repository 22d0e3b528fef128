//! What a message costs.
//!
//! Counted figures (instructions, heap blocks) are what is tracked: they repeat on any machine. The program `counted`
//! takes them; the criterion benches show times, which inform.

pub mod counting;
pub mod lockstep;
pub mod servers;
