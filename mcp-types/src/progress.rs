//! How far a request has come.

use serde::{Deserialize, Serialize, Serializer};

use crate::meta::ProgressToken;
use crate::wire::{Object, with};

/// The params of `notifications/progress`.
///
/// Spec: [Progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgressParams {
    /// The token of the request.
    pub progress_token: ProgressToken,
    /// How much is done. It grows with each notification.
    #[serde(serialize_with = "number")]
    pub progress: f64,
    /// How much there is to do, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub total: Option<f64>,
    /// What is going on (from 2025-03-26).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ProgressParams {
    /// Says how much is done.
    pub fn new(progress_token: ProgressToken, progress: f64) -> Self {
        Self { progress_token, progress, total: None, message: None, meta: None, extra: Object::new() }
    }

    with! {
        /// Says how much there is to do.
        with_total(total: f64);
        /// Says what is going on.
        with_message(message: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// Writes whole numbers as integers: some peers read nothing else.
fn number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    /// Up to here each whole number has one `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small enough, by the line above")]
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

fn optional_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(some) => self::number(some, serializer),
        None => serializer.serialize_none(),
    }
}
