//! Opens a way to the server and finds out how to speak to it.

mod handshake;
mod probe;
mod session;

use std::sync::Arc;

use mcp_session::Handle;
use mcp_types::Version;

pub(crate) use self::session::Ending;
use self::session::Fresh;
use crate::connect::Connect;
use crate::error::ConnectError;
use crate::link::{Agreed, Link};
use crate::opening::probe::Found;
use crate::shared::Shared;
use crate::verdict::{Era, Verdict};

/// A session in which both sides have agreed on a revision.
pub(crate) struct Established {
    pub(crate) link: Link,
    pub(crate) handle: Handle,
    pub(crate) ending: Ending,
}

/// Opens a session. What does not come to an agreement is closed, and gone, before the error is returned.
pub(crate) async fn establish<C: Connect>(
    shared: &Arc<Shared>,
    way: &mut C,
    verdict: Option<Verdict>,
    number: u32,
) -> Result<Established, ConnectError> {
    let fresh = Fresh::open(shared, way).await?;
    let (fresh, agreed) = match wanted(shared, agree(shared, fresh.handle(), verdict)).await {
        Err(Failed::Probe(_)) if way.can_reopen() => {
            // The server did not survive the question, so it is of an era that does not know it.
            drop(fresh.close().await);
            let again = Fresh::open(shared, way).await?;
            let agreed = wanted(shared, handshake::initialize(shared, again.handle(), Version::LATEST_LEGACY)).await;
            (again, agreed)
        }
        Err(Failed::Probe(error) | Failed::Otherwise(error)) => (fresh, Err(error)),
        Ok(agreed) => (fresh, Ok(agreed)),
    };
    match agreed {
        Ok(agreed) => Ok(fresh.established(shared, agreed, number)),
        Err(error) => Err(error.with_report(fresh.close().await)),
    }
}

/// Gives up when nobody wants the connection any more, so that what was opened is closed in good order.
async fn wanted<T, E: From<ConnectError>>(
    shared: &Shared,
    agreeing: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    tokio::select! {
        biased;
        () = shared.until_unwanted() => Err(ConnectError::Closed { reason: None, cause: None, report: None }.into()),
        agreed = agreeing => agreed,
    }
}

/// How it was not agreed.
enum Failed {
    /// The connection closed on the question for the era.
    Probe(ConnectError),
    /// In any other way.
    Otherwise(ConnectError),
}

impl From<ConnectError> for Failed {
    fn from(error: ConnectError) -> Self {
        Self::Otherwise(error)
    }
}

async fn agree(shared: &Arc<Shared>, handle: &Handle, verdict: Option<Verdict>) -> Result<Agreed, Failed> {
    let limits = &shared.config.limits;
    match (shared.config.era, verdict) {
        (Era::Legacy(version), _) => Ok(handshake::initialize(shared, handle, version).await?),
        (Era::Modern, _) => {
            Ok(Agreed { version: Version::MODERN, server: None, capabilities: None, instructions: None })
        }
        (Era::Detect, Some(verdict)) if !verdict.is_modern() => {
            match handshake::initialize(shared, handle, Version::LATEST_LEGACY).await {
                // The server is another one than it was: it is asked anew.
                Err(refused @ ConnectError::Refused { .. }) => {
                    match probe::ask(shared, handle, limits.era_probe).await? {
                        Found::Modern(agreed) => Ok(*agreed),
                        Found::Legacy(_) => Err(refused.into()),
                    }
                }
                agreed => Ok(agreed?),
            }
        }
        (Era::Detect, known) => {
            // A server that is known to answer is given the time to do so.
            let patience = if known.is_some() { limits.connect } else { limits.era_probe };
            match probe::ask(shared, handle, patience).await? {
                Found::Modern(agreed) => Ok(*agreed),
                Found::Legacy(version) => Ok(handshake::initialize(shared, handle, version).await?),
            }
        }
    }
}
