//! The scenarios, by family.

pub mod documented;
pub mod hostile;

use crate::scenario::Scenario;

/// All of them, in the order in which they are listed.
pub fn all() -> Vec<&'static Scenario> {
    documented::ALL.iter().chain(&hostile::ALL).flat_map(|topic| topic.iter()).collect()
}
