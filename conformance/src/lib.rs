//! A suite that replays documented endings of a connection against any implementation.
//!
//! An MCP implementation is driven as a black box, by the frames that a peer would write. (This
//! project's own server and client also run in this process, over connections that can be made to
//! misbehave.) What is asked of it is a list of *scenarios*, each of them
//! data (an id, the requirement in its source's words, the checks that must be emitted) and a
//! script that reads as sentences:
//!
//! ```no_run
//! # use conformance::scenario::Ctx; use conformance::scenario::Stop; use serde_json::json;
//! # async fn script(ctx: Ctx) -> Result<(), Stop> {
//! let mut session = ctx.open_ready().await?;
//! session.call(1, "sleep", json!({"ms": 300})).await;
//! session.close_write().await;
//! let answer = session.answer_to(1).await?;
//! ctx.check("answered", answer["result"].is_object(), || answer.to_string());
//! session.finish().await;
//! # Ok(()) }
//! ```
//!
//! How it fits together:
//!
//! - [`target`]: what is under test, and the raw connection to it; [`targets`] are the kinds of it.
//! - [`scenario`]: the model; [`scenarios`]: the scenarios themselves; [`session`]: what a script
//!   speaks through; [`golden`]: how a frame is compared with the one exact answer.
//! - [`runner`]: every cell of scenario × column under a watchdog, with its meters.
//! - [`mutants`]: programs that break one rule, each of which a scenario of that rule must notice.
//! - [`report`]: the matrix for a terminal, JSON, and JUnit XML.

pub mod frames;
pub mod golden;
pub mod http;
pub mod mutants;
pub mod relay;
pub mod report;
pub mod runner;
pub mod scenario;
pub mod scenarios;
pub mod session;
pub mod target;
pub mod targets;
