//! What scenarios share whose client plays a script.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{
    scenario::{Ctx, Stop},
    session::Session,
    target::{Exit, OpenOptions},
};

/// A session whose client plays these steps, and has connected.
pub(super) async fn playing(ctx: &Ctx, steps: &'static str) -> Result<Session, Stop> {
    ctx.open_ready_with(OpenOptions::new().with_script(steps)).await
}

/// Whether a step fails within a second from now.
pub(super) async fn fails_at_once(ctx: &Ctx, check: &str, session: &mut Session, step: &str) -> Result<Value, Stop> {
    let since = Instant::now();
    let told = session.step(step).await?;
    let took = since.elapsed();
    ctx.check(check, told["ok"] == false && took < AT_ONCE, || format!("after {took:?}: {told}"));
    Ok(told)
}

/// Whether a step that called a tool was answered with this text.
pub(super) async fn is_answered(
    ctx: &Ctx,
    check: &str,
    session: &mut Session,
    step: &str,
    text: &str,
) -> Result<(), Stop> {
    let told = session.step(step).await?;
    ctx.check(check, text_of(&told) == Some(text), || told.to_string());
    Ok(())
}

/// The text that a call of a tool was answered with.
pub(super) fn text_of(told: &Value) -> Option<&str> {
    told["result"]["content"].as_array()?.first()?["text"].as_str()
}

/// The whole text of the error of a step.
pub(super) fn error_of(told: &Value) -> &str {
    told["error"]["message"].as_str().unwrap_or_default()
}

/// Whether a frame cancels this request.
pub(super) fn cancels(frame: &Value, request: &Value) -> bool {
    frame["method"] == "notifications/cancelled" && frame["params"]["requestId"] == request["id"]
}

/// Ends the session: whatever came of its steps, a client that plays a script exits with 0.
pub(super) async fn exits(ctx: &Ctx, session: Session) {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || format!("{}; {}", ending.exit, ending.stderr));
}

/// The same, and what its run has counted, where it says so.
pub(super) async fn counted(ctx: &Ctx, session: Session, as_many: impl FnOnce(&Value) -> bool) {
    let ending = session.finish().await;
    ctx.report("report-counted", &ending, |report| as_many(&report["dropped"]));
    ctx.check("exit-0", ending.exit == Exit::Code(0), || format!("{}; {}", ending.exit, ending.stderr));
}

/// What has nothing to wait for.
pub(super) const AT_ONCE: Duration = Duration::from_secs(1);
