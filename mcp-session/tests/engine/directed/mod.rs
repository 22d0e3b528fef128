//! The scripts of the closing table, by what they are about.

use crate::closing_table::Scenario;

mod calls;
mod closes;
mod endings;
mod exchanges;
mod frames;
mod listens;
mod requests;

/// Every script.
pub(crate) fn all() -> impl Iterator<Item = Scenario> {
    [
        calls::SCENARIOS,
        closes::SCENARIOS,
        endings::SCENARIOS,
        exchanges::SCENARIOS,
        frames::SCENARIOS,
        listens::SCENARIOS,
        requests::SCENARIOS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
