//! The closing table, each row with its scenarios, and what is settled around it.

mod batches;
mod calls_to_client;
mod cancel;
mod drain;
mod handshake;
mod ids;
mod limits;
mod listen;
mod malformed;
mod malformed_frames;
mod modern_meta;
mod order;
mod panics;
mod reader;
mod responses;
mod signals;
mod tail;

use crate::scenario::Scenario;

/// The scenarios of each topic.
pub static ALL: [&[Scenario]; 16] = [
    &drain::SCENARIOS,
    &calls_to_client::SCENARIOS,
    &reader::SCENARIOS,
    &cancel::SCENARIOS,
    &responses::SCENARIOS,
    &tail::SCENARIOS,
    &malformed::SCENARIOS,
    &signals::SCENARIOS,
    &listen::SCENARIOS,
    &order::SCENARIOS,
    &panics::SCENARIOS,
    &limits::SCENARIOS,
    &ids::SCENARIOS,
    &batches::SCENARIOS,
    &handshake::SCENARIOS,
    &modern_meta::SCENARIOS,
];
