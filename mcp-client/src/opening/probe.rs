//! Finds out which era a server speaks.

use std::sync::Arc;
use std::time::Duration;

use mcp_session::Handle;
use mcp_types::discover::DiscoverResult;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::{Version, method};
use serde::Deserialize;

use super::Failed;
use crate::call::Meta;
use crate::decode::decode;
use crate::error::{CallError, ConnectError};
use crate::link::Agreed;
use crate::shared::Shared;

/// What a server was found to be.
#[derive(Debug)]
pub(super) enum Found {
    /// A modern one, with which everything is agreed.
    Modern(Box<Agreed>),
    /// A legacy one, to be asked for this revision.
    Legacy(Version),
}

/// Asks for what only a modern server knows.
///
/// Spec: [stdio, backward compatibility](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility)
pub(super) async fn ask(shared: &Arc<Shared>, handle: &Handle, patience: Duration) -> Result<Found, Failed> {
    let meta = Meta::modern(shared.identity(), shared.capabilities(), None);
    let params = crate::call::Body::default().params(Some(meta.text()), &[]);
    let asked = handle.peer().call(method::SERVER_DISCOVER, params).timeout(patience).max_time(patience);
    match asked.await.map_err(CallError::from) {
        Ok(result) => Ok(offered(decode(result.get()))?),
        Err(CallError::Peer { error, .. }) => Ok(refused(error)?),
        Err(closed @ CallError::ConnectionClosed { .. }) => Err(Failed::Probe(ConnectError::of(closed))),
        //= 2026-07-28/basic/transports/stdio#backward-compatibility
        //# Any other error, or no response within a reasonable timeout: legacy server
        Err(_) => Ok(Found::Legacy(Version::LATEST_LEGACY)),
    }
}

/// What a server offers. One that answers with something else has not understood the question.
fn offered(result: Result<DiscoverResult, String>) -> Result<Found, ConnectError> {
    let result = match result {
        Ok(result) => result,
        Err(wrong) => {
            tracing::debug!(%wrong, "not an answer to `server/discover`: a legacy server");
            return Ok(Found::Legacy(Version::LATEST_LEGACY));
        }
    };
    if result.supported_versions.iter().any(|offered| offered == Version::MODERN.as_str()) {
        return Ok(Found::Modern(Box::new(Agreed {
            version: Version::MODERN,
            server: result.server_info(),
            capabilities: Some(result.capabilities),
            instructions: result.instructions,
        })));
    }
    newest_legacy(result.supported_versions)
}

/// What an error to the question says.
fn refused(error: Box<ErrorObject>) -> Result<Found, ConnectError> {
    //= 2026-07-28/basic/transports/stdio#backward-compatibility
    //# The client MUST NOT fall back to `initialize`
    match error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
            #[derive(Deserialize)]
            struct Data {
                supported: Vec<String>,
            }
            let data = error.data.as_ref().and_then(|data| serde_json::from_str::<Data>(data.get()).ok());
            match data {
                Some(data) => newest_legacy(data.supported),
                None => Err(ConnectError::Refused { error, report: None }),
            }
        }
        ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            Err(ConnectError::Refused { error, report: None })
        }
        // Which other code it is says nothing: legacy servers answer what they do not know with all kinds of errors.
        _ => Ok(Found::Legacy(Version::LATEST_LEGACY)),
    }
}

/// A server that speaks no modern revision of ours may speak a legacy one, if it says so.
fn newest_legacy(offered: Vec<String>) -> Result<Found, ConnectError> {
    let spoken = offered.iter().filter_map(|text| Version::parse(text)).filter(|version| *version < Version::MODERN);
    match spoken.max() {
        Some(version) => Ok(Found::Legacy(version)),
        None => Err(ConnectError::Unsupported { offered, report: None }),
    }
}
