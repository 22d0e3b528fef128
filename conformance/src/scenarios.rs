//! The scenarios, by family.

pub mod documented;
pub mod hostile;
pub mod http;
mod play;
pub mod rounds;

use crate::scenario::Scenario;

/// All of them, in the order in which they are listed.
pub fn all() -> Vec<&'static Scenario> {
    documented::ALL
        .iter()
        .chain(&rounds::ALL)
        .chain(&hostile::ALL)
        .chain(&http::ALL)
        .flat_map(|topic| topic.iter())
        .collect()
}
