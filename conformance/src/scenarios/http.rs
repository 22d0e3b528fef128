//! Requests of HTTP: what is in them, how they end, and what becomes of streams and sessions.

mod accepts;
mod bounds;
mod calls;
mod closing;
mod doors;
mod ends;
mod lost;
mod malformed;
mod mirrors;
mod streams;
mod table;
mod thousand;
mod vanish;
mod wires;

use crate::{
    scenario::{Applies, Ctx, Scenario, Stop},
    session::Session,
    target::{Ending, Exit, Transport},
};

/// The scenarios of each topic.
pub static ALL: [&[Scenario]; 13] = [
    &wires::SCENARIOS,
    &malformed::SCENARIOS,
    &accepts::SCENARIOS,
    &mirrors::SCENARIOS,
    &doors::SCENARIOS,
    &ends::SCENARIOS,
    &lost::SCENARIOS,
    &vanish::SCENARIOS,
    &bounds::SCENARIOS,
    &thousand::SCENARIOS,
    &streams::SCENARIOS,
    &calls::SCENARIOS,
    &closing::SCENARIOS,
];

/// Wherever one endpoint answers requests: from 2025-03-26 on.
const EVERY_ENDPOINT: Applies = Applies::EVERYWHERE.over(
    &[Transport::Http, Transport::HttpStateless, Transport::HttpJson, Transport::HttpEvents],
    "it is about requests of HTTP to one endpoint",
);
/// In a session over HTTP.
const STATEFUL: Applies = Applies::legacy_only(SESSIONS).over(&[Transport::Http], SESSIONS);
/// Over HTTP without a session, before 2026-07-28.
const STATELESS: Applies = Applies::legacy_only(NO_SESSIONS).over(&[Transport::HttpStateless], NO_SESSIONS);
/// Over HTTP before 2026-07-28, in a session or without one.
const LEGACY: Applies = Applies::legacy_only(OF_LEGACY).over(&[Transport::Http, Transport::HttpStateless], OF_LEGACY);
/// Over HTTP, from 2026-07-28 on.
const MODERN: Applies = Applies::modern_only(OF_MODERN).over(&[Transport::HttpJson, Transport::HttpEvents], OF_MODERN);

const SESSIONS: &str = "it is about sessions over HTTP";
const OF_LEGACY: &str = "it is about what HTTP had before 2026-07-28";
const NO_SESSIONS: &str = "it is about legacy HTTP without sessions";
const OF_MODERN: &str = "it is about requests of HTTP in the modern era";

/// Ends the session; a server that is asked to end exits with 0.
async fn exits(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    exited(ctx, &session.finish().await);
    Ok(())
}

fn exited(ctx: &Ctx, ending: &Ending) {
    ctx.check("exit-0", ending.exit == Exit::Code(0), || format!("{}; {}", ending.exit, ending.stderr));
}
