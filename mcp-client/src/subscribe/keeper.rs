//! Keeps a subscription over the sessions of a connection, until nobody wants it any more.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::method;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::change::Change;
use super::error::SubscribeError;
use super::inbox::Inbox;
use super::tenure::{End, Tenure};
use crate::error::CallError;
use crate::link::Link;
use crate::shared::{Shared, Way};

/// Says how the first attempt went.
type Began = oneshot::Sender<Result<(), SubscribeError>>;

/// Subscribes in the session that is open and in each that follows it.
pub(super) async fn keep(shared: Arc<Shared>, inbox: Arc<Inbox>, began: Began) {
    // However this task ends, nobody may wait for a change afterwards.
    let _ends = Ends(Arc::clone(&inbox));
    let mut began = Some(began);
    let mut last = None;
    loop {
        let link = tokio::select! {
            biased;
            () = inbox.until_unwanted() => return,
            link = next(&shared, last.as_ref(), began.as_ref()) => link,
        };
        let link = match (link, &mut began) {
            (Ok(link), _) => link,
            (Err(error), began) => return say(began, Err(error)),
        };
        let mut tenure = Tenure::new(&shared, &link, &inbox);
        let goes_on = tokio::select! {
            biased;
            () = inbox.until_unwanted() => return tenure.leave().await,
            goes_on = serve(&shared, &link, &inbox, &mut tenure, &mut began) => goes_on,
        };
        if !goes_on {
            inbox.end();
            // What has not begun may have been begun in part.
            return tenure.leave().await;
        }
        drop(tenure);
        last = Some(link);
    }
}

/// One tenure. Whether another one may follow.
async fn serve(shared: &Shared, link: &Link, inbox: &Inbox, tenure: &mut Tenure, began: &mut Option<Began>) -> bool {
    let is_first = began.is_some();
    match tenure.begin().await {
        Ok(honoured) => inbox.honour(honoured),
        // Subscribing twice is no more than once, so that it may be tried again in the next session.
        Err(error) if error.is_connection_closed() && may_follow(shared) => return true,
        Err(error) if is_first => {
            say(began, Err(error));
            return false;
        }
        Err(error) if error.is_connection_closed() => return false,
        Err(error) => {
            tracing::warn!(%error, "the restarted server was not subscribed to again");
            return false;
        }
    }
    if is_first {
        say(began, Ok(()));
    } else {
        inbox.put(Change::Restarted);
    }
    match tenure.ended().await {
        End::Closed => true,
        // A server that is about to be restarted ends its subscriptions first.
        End::ByServer if shared.restarts_by_itself() => {
            let patience = shared.config.limits.drain.unwrap_or(PATIENCE);
            timeout(patience, link.closed.clone()).await.is_ok()
        }
        End::ByServer => false,
    }
}

fn say(began: &mut Option<Began>, how: Result<(), SubscribeError>) {
    // Who does not wait for it any more has left.
    began.take().map(|began| began.send(how).is_ok());
}

/// Whether there may be another session than the one that has ended.
fn may_follow(shared: &Shared) -> bool {
    shared.restarts_by_itself() && !matches!(shared.way(), Way::None(_))
}

/// The session after `last`. Who still waits for the beginning does so no longer than for an answer, and is told why
/// there is no session.
async fn next(shared: &Shared, last: Option<&Arc<Link>>, began: Option<&Began>) -> Result<Arc<Link>, SubscribeError> {
    let method = || method::SUBSCRIPTIONS_LISTEN.into();
    loop {
        match (shared.way(), last) {
            (Way::Link(link), last) if last.is_none_or(|last| link.number != last.number) => return Ok(link),
            // A session that is over says why.
            (Way::None(Some(link)), _) if began.is_some() => return Ok(link),
            (Way::None(_), _) => {
                let error = CallError::ConnectionClosed { method: method(), reason: None, cause: None };
                return Err(SubscribeError::Call(error));
            }
            (Way::Link(_) | Way::Wait, last) => match shared.config.limits.call_idle.filter(|_| began.is_some()) {
                None => shared.until_another(last).await,
                Some(limit) => timeout(limit, shared.until_another(last))
                    .await
                    .map_err(|_| SubscribeError::Call(CallError::TimedOut { method: method(), limit }))?,
            },
        }
    }
}

struct Ends(Arc<Inbox>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// For how long a server that ended a subscription may take to end altogether, where draining has no limit.
const PATIENCE: Duration = Duration::from_secs(30);
