//! The handshake of the legacy era.

use std::sync::Arc;

use mcp_session::Handle;
use mcp_types::initialize::{InitializeParams, InitializeResult};
use mcp_types::logging::SetLevelParams;
use mcp_types::{Version, method};
use serde_json::value::to_raw_value;

use crate::decode::decode;
use crate::error::{CallError, ConnectError};
use crate::link::Agreed;
use crate::shared::Shared;

/// Asks for a revision, and takes another legacy one if the server prefers that and we speak it.
///
/// Spec: [Lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization)
pub(super) async fn initialize(
    shared: &Arc<Shared>,
    handle: &Handle,
    version: Version,
) -> Result<Agreed, ConnectError> {
    let limits = &shared.config.limits;
    let capabilities = shared.config.capabilities.legacy(version);
    let params = InitializeParams::new(version, capabilities, shared.identity().clone());
    let params = to_raw_value(&params).expect("texts, and maps with texts as keys, can always be JSON");
    let call = handle.peer().call(method::INITIALIZE, Some(params)).opening(limits.connect);
    let result = call.await.map_err(|error| ConnectError::of(CallError::from(error)))?;
    let result: InitializeResult =
        decode(result.get()).map_err(|wrong| ConnectError::Malformed { detail: wrong.into(), report: None })?;
    let agreed = Version::parse(&result.protocol_version).filter(|agreed| agreed.era() == version.era());
    let Some(version) = agreed else {
        return Err(ConnectError::Unsupported { offered: vec![result.protocol_version], report: None });
    };
    handle.established(version);
    handle.peer().notify(method::NOTIFICATIONS_INITIALIZED, None).await;
    let has_logging = result.capabilities.logging.is_some();
    if let Some(level) = shared.level().filter(|_| has_logging) {
        let params = to_raw_value(&SetLevelParams::new(level)).expect("a text can always be JSON");
        let set = handle.peer().call(method::LOGGING_SET_LEVEL, Some(params)).timeout(limits.era_probe);
        // Messages of another level than was asked for are no reason to do without the server.
        if let Err(error) = set.await {
            tracing::warn!(%error, "the log level was not set");
        }
    }
    Ok(Agreed {
        version,
        server: Some(result.server_info),
        capabilities: Some(result.capabilities),
        instructions: result.instructions,
    })
}
