//! The longer way of a call: waiting for a session, and rounds of input.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use super::calling::Settled;
use super::request::{Added, Request};
use super::rounds::{self, Kind, kind};
use crate::error::CallError;
use crate::link::Link;
use crate::shared::{Shared, Way};

/// A call on its longer way. It gives the request back.
pub(super) type SlowCall = Pin<Box<dyn Future<Output = (Box<Request>, Result<Settled, CallError>)> + Send>>;

/// Where the longer way begins.
pub(super) enum Start {
    /// No session carries it now. It was not sent.
    Waiting { than: Option<Arc<Link>>, added: Added },
    /// The server has asked for input.
    Asked { json: Box<str>, since: Instant },
}

pub(super) fn go_on(shared: Arc<Shared>, request: Box<Request>, start: Start) -> SlowCall {
    Box::pin(async move {
        let since = match &start {
            Start::Waiting { .. } => Instant::now(),
            Start::Asked { since, .. } => *since,
        };
        let (_, total) = request.limits(&shared);
        let settled = match total {
            None => run(&shared, &request, start, None).await,
            Some(limit) => {
                let deadline = since + limit;
                tokio::select! {
                    // What is there in time counts as in time.
                    biased;
                    settled = run(&shared, &request, start, Some(deadline)) => settled,
                    () = sleep_until(deadline) => Err(timed_out(&request, limit)),
                }
            }
        };
        // The limit of a round is what is left of the whole, which is what the caller knows of.
        let settled = match (settled, total) {
            (Err(CallError::TimedOut { .. }), Some(limit)) if since.elapsed() >= limit => {
                Err(timed_out(&request, limit))
            }
            (settled, _) => settled,
        };
        (request, settled)
    })
}

fn timed_out(request: &Request, limit: Duration) -> CallError {
    CallError::TimedOut { method: (&*request.method).into(), limit }
}

async fn run(
    shared: &Arc<Shared>,
    request: &Request,
    start: Start,
    deadline: Option<Instant>,
) -> Result<Settled, CallError> {
    let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let mut rounds = 0;
    let mut json = match start {
        Start::Waiting { than, added } => match ask(shared, request, &added, than, left()).await? {
            (json, false) => return Ok(Settled::Complete(json)),
            (json, true) => json,
        },
        Start::Asked { json, .. } => json,
    };
    loop {
        match kind(&json) {
            Kind::Complete => return Ok(Settled::Complete(json)),
            Kind::Other(kind) => {
                let detail = format!("a result of the unknown type {kind:?}");
                return Err(CallError::malformed(&request.method, detail));
            }
            Kind::InputRequired if !request.may_need_input() => {
                return Err(CallError::malformed(&request.method, "it asks for input, which it may not"));
            }
            Kind::InputRequired if request.hands_over(shared) => return Ok(Settled::InputRequired(json)),
            Kind::InputRequired => {}
        }
        let most = shared.config.rounds.limit(shared.config.limits.input_rounds);
        if rounds == most {
            return Err(CallError::TooManyRounds { method: (&*request.method).into(), rounds: most });
        }
        let added = rounds::answers(shared, &request.method, &json, rounds).await?;
        rounds += 1;
        (json, _) = ask(shared, request, &added, None, left()).await?;
    }
}

/// Makes the call in a session as soon as there is one. The result, and whether it is of the modern era.
async fn ask(
    shared: &Arc<Shared>,
    request: &Request,
    added: &Added,
    mut than: Option<Arc<Link>>,
    left: Option<Duration>,
) -> Result<(Box<str>, bool), CallError> {
    loop {
        let link = next(shared, request, than.as_ref()).await?;
        let mut call = request.place(shared, &link, added, left);
        let mut was_polled = false;
        let outcome = poll_fn(|cx| {
            let poll = call.poll_text(cx);
            was_polled |= poll.is_pending();
            poll
        });
        match outcome.await {
            Err(error) if error.is_connection_closed() && !was_polled && shared.restarts_by_itself() => {
                let is_last = than.as_ref().is_some_and(|than| than.number == link.number);
                if is_last {
                    return Err(error.into());
                }
                than = Some(link);
            }
            outcome => return Ok((outcome?, link.is_modern())),
        }
    }
}

/// Waits for a session other than one that has ended, for as long as the call may be silent. The last one when there
/// will be no other: it says why.
async fn next(shared: &Arc<Shared>, request: &Request, than: Option<&Arc<Link>>) -> Result<Arc<Link>, CallError> {
    let another = shared.until_another(than);
    match request.limits(shared).0 {
        Some(limit) => timeout(limit, another).await.map_err(|_| timed_out(request, limit))?,
        None => another.await,
    }
    let closed = || CallError::ConnectionClosed { method: (&*request.method).into(), reason: None, cause: None };
    match shared.way() {
        Way::Link(link) => Ok(link),
        // It may have ended again meanwhile.
        Way::Wait => shared.link().ok_or_else(closed),
        Way::None(link) => link.ok_or_else(closed),
    }
}
