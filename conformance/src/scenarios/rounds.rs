//! What is asked of the client in the middle of a request: input rounds in the modern era, requests
//! of the server in the legacy one.

mod client;
mod client_legacy;
mod server;
mod server_answers;
mod server_legacy;

use crate::scenario::Scenario;

/// The scenarios of each topic.
pub static ALL: [&[Scenario]; 5] = [
    &server::SCENARIOS,
    &server_answers::SCENARIOS,
    &server_legacy::SCENARIOS,
    &client::SCENARIOS,
    &client_legacy::SCENARIOS,
];
