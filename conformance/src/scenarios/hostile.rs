//! Malformed, oversized, deeply nested and wrongly ordered input, each with its one answer.

mod arguments;
mod batches;
mod bytes;
mod cancels;
mod client_lines;
mod client_responses;
mod deep;
mod envelope;
mod exact;
mod flood;
mod handshake;
mod ids;
mod large;
mod lengths;
mod listens;
mod meta;
mod pieces;
mod prompts;
mod responses;
mod table;
mod uris;

use crate::scenario::Scenario;

/// The scenarios of each topic.
pub static ALL: [&[Scenario]; 19] = [
    &bytes::SCENARIOS,
    &pieces::SCENARIOS,
    &large::SCENARIOS,
    &deep::SCENARIOS,
    &ids::SCENARIOS,
    &lengths::SCENARIOS,
    &envelope::SCENARIOS,
    &arguments::SCENARIOS,
    &uris::SCENARIOS,
    &prompts::SCENARIOS,
    &meta::SCENARIOS,
    &listens::SCENARIOS,
    &handshake::SCENARIOS,
    &cancels::SCENARIOS,
    &responses::SCENARIOS,
    &batches::SCENARIOS,
    &flood::SCENARIOS,
    &client_lines::SCENARIOS,
    &client_responses::SCENARIOS,
];
