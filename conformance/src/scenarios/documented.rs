//! The closing table, each row with its scenarios, and what is settled around it.

mod batches;
mod callbacks;
mod calls_to_client;
mod cancel;
mod child;
mod client_calls;
mod client_endings;
mod client_listens;
mod client_waits;
mod drain;
mod elsewhere;
mod endings;
mod given_up;
mod handshake;
mod ids;
mod limits;
mod listen;
mod malformed;
mod malformed_frames;
mod modern_meta;
mod offers;
mod order;
mod own_calls;
mod panics;
mod reader;
mod responses;
mod signals;
mod tail;

use crate::scenario::Scenario;

/// The scenarios of each topic.
pub static ALL: [&[Scenario]; 27] = [
    &drain::SCENARIOS,
    &endings::SCENARIOS,
    &calls_to_client::SCENARIOS,
    &own_calls::SCENARIOS,
    &given_up::SCENARIOS,
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
    &client_calls::SCENARIOS,
    &client_waits::SCENARIOS,
    &client_endings::SCENARIOS,
    &client_listens::SCENARIOS,
    &offers::SCENARIOS,
    &callbacks::SCENARIOS,
    &child::SCENARIOS,
    &elsewhere::SCENARIOS,
];
