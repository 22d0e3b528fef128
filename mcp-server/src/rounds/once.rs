//! Steps of a handler that are not run again in the next round.

use mcp_types::RawJson;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::AskError;
use super::round::Round;

/// Runs a step, or finds what it became in an earlier round.
pub(crate) async fn once<T, E, F>(round: &Round, key: Box<str>, step: F) -> Result<T, E>
where
    T: Serialize + DeserializeOwned,
    E: From<AskError>,
    F: Future<Output = Result<T, E>>,
{
    round.register(&key)?;
    if let Some(kept) = round.step(&key) {
        return Ok(kept.decode().map_err(|error| invalid(key, &error))?);
    }
    let result = step.await?;
    // In both eras, so that what works in one works in the other.
    let json = RawJson::encode(&result).map_err(|error| invalid(key.clone(), &error))?;
    round.keep_step(key, json);
    Ok(result)
}

fn invalid(key: Box<str>, error: &serde_json::Error) -> AskError {
    AskError::InvalidStep { key, why: error.to_string().into() }
}
