//! Finds out which era the server speaks, and agrees on a revision.

use mcp_session::limits::Limits;
use mcp_session::{CallError, Handle};
use mcp_types::discover::DiscoverResult;
use mcp_types::initialize::{InitializeParams, InitializeResult};
use mcp_types::jsonrpc::ErrorCode;
use mcp_types::{Implementation, ServerCapabilities, Version, method};
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::value::{RawValue, to_raw_value};

use crate::client::{Client, Era};
use crate::error::ConnectError;
use crate::meta::Meta;

/// What both sides agreed on.
#[derive(Clone, Debug)]
pub(crate) struct Agreed {
    pub(crate) version: Version,
    pub(crate) server: Option<Implementation>,
    pub(crate) capabilities: Option<ServerCapabilities>,
    pub(crate) instructions: Option<String>,
    pub(crate) meta: Meta,
}

pub(crate) async fn run(client: &Client, handle: &Handle, era: Era, limits: &Limits) -> Result<Agreed, ConnectError> {
    let meta = Meta::modern(&client.identity, &client.capabilities)
        .map_err(|error| ConnectError::Malformed(error.to_string()))?;
    match era {
        Era::Legacy(version) => initialize(client, handle, version, limits).await,
        Era::Modern => {
            handle.established(Version::MODERN);
            Ok(Agreed { version: Version::MODERN, server: None, capabilities: None, instructions: None, meta })
        }
        Era::Detect => match discover(handle, meta, limits).await? {
            Some(agreed) => Ok(agreed),
            None => initialize(client, handle, Version::LATEST_LEGACY, limits).await,
        },
    }
}

/// Asks for what only a modern server knows. Any answer but a modern one, and silence, mean a legacy server: `None`.
///
/// Spec: [stdio, backward compatibility](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility)
async fn discover(handle: &Handle, meta: Meta, limits: &Limits) -> Result<Option<Agreed>, ConnectError> {
    let params = meta.add(Map::new(), None);
    let probe =
        handle.peer().call(method::SERVER_DISCOVER, params).timeout(limits.era_probe).max_time(limits.era_probe);
    match probe.await {
        Ok(result) => agree(handle, meta, &result).map(Some),
        Err(CallError::Peer { error, .. }) if is_modern(error.code) => Err(ConnectError::Refused(error)),
        Err(closed) if closed.is_connection_closed() => Err(ConnectError::Call(closed)),
        Err(_) => Ok(None),
    }
}

/// The codes that only a modern server answers with.
fn is_modern(code: ErrorCode) -> bool {
    [ErrorCode::HEADER_MISMATCH, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION]
        .contains(&code)
}

fn agree(handle: &Handle, meta: Meta, result: &RawValue) -> Result<Agreed, ConnectError> {
    let result: DiscoverResult = decode(result)?;
    if !result.supported_versions.iter().any(|offered| offered == Version::MODERN.as_str()) {
        return Err(ConnectError::Unsupported { offered: result.supported_versions });
    }
    handle.established(Version::MODERN);
    Ok(Agreed {
        version: Version::MODERN,
        server: result.server_info(),
        capabilities: Some(result.capabilities),
        instructions: result.instructions,
        meta,
    })
}

async fn initialize(
    client: &Client,
    handle: &Handle,
    version: Version,
    limits: &Limits,
) -> Result<Agreed, ConnectError> {
    let params = InitializeParams::new(version, client.capabilities.clone(), client.identity.clone());
    let params = to_raw_value(&params).map_err(|error| ConnectError::Malformed(error.to_string()))?;
    let call = handle.peer().call(method::INITIALIZE, Some(params)).opening(limits.connect);
    let result: InitializeResult = decode(&call.await.map_err(ConnectError::of)?)?;
    let agreed = Version::parse(&result.protocol_version).filter(|agreed| agreed.era() == version.era());
    let Some(version) = agreed else {
        return Err(ConnectError::Unsupported { offered: vec![result.protocol_version] });
    };
    handle.established(version);
    handle.peer().notify(method::NOTIFICATIONS_INITIALIZED, None).await;
    Ok(Agreed {
        version,
        server: Some(result.server_info),
        capabilities: Some(result.capabilities),
        instructions: result.instructions,
        meta: Meta::default(),
    })
}

fn decode<T: DeserializeOwned>(result: &RawValue) -> Result<T, ConnectError> {
    serde_json::from_str(result.get()).map_err(|error| ConnectError::Malformed(error.to_string()))
}
