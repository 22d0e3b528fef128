//! Log messages that a server sends to its client.

use serde::{Deserialize, Serialize};

use crate::raw::RawJson;
use crate::wire::{Object, open_enum, present, with};

open_enum! {
    /// How severe a log message is, by the names of syslog.
    ///
    /// ```
    /// use mcp_types::logging::LoggingLevel;
    ///
    /// assert!(LoggingLevel::Error.is_at_least(&LoggingLevel::Warning));
    /// assert!(!LoggingLevel::Debug.is_at_least(&LoggingLevel::Info));
    /// ```
    ///
    /// Spec: [Log levels](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels)
    LoggingLevel {
        /// Details for finding faults.
        Debug = "debug",
        /// Normal operation.
        Info = "info",
        /// Normal, but worth noting.
        Notice = "notice",
        /// Something may be wrong.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// A part does not work.
        Critical = "critical",
        /// Somebody must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// The place in the order, from 0 (debug) to 7 (emergency). `None` for an unknown level.
    pub fn severity(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Notice => 2,
            Self::Warning => 3,
            Self::Error => 4,
            Self::Critical => 5,
            Self::Alert => 6,
            Self::Emergency => 7,
            Self::Other(_) => return None,
        })
    }

    /// Whether a message of this level is wanted by who set the level `least`.
    ///
    /// Unknown levels have no place in the order: messages of them, and messages for who set one, pass.
    pub fn is_at_least(&self, least: &Self) -> bool {
        match (self.severity(), least.severity()) {
            (Some(level), Some(least)) => level >= least,
            _ => true,
        }
    }
}

/// The params of `logging/setLevel` (up to 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SetLevelParams {
    /// The least level that is wanted.
    pub level: LoggingLevel,
    /// Members that this crate does not know, `_meta` among them.
    #[serde(flatten)]
    pub extra: Object,
}

impl SetLevelParams {
    /// Asks for a level.
    pub fn new(level: LoggingLevel) -> Self {
        Self { level, extra: Object::new() }
    }
}

/// The params of `notifications/message`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoggingMessageParams {
    /// How severe it is.
    pub level: LoggingLevel,
    /// Which part says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What it says: any JSON, `null` included. `None` when the sender left it out.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub data: Option<RawJson>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl LoggingMessageParams {
    /// Says something.
    pub fn new(level: LoggingLevel, data: impl Into<RawJson>) -> Self {
        Self { level, logger: None, data: Some(data.into()), meta: None, extra: Object::new() }
    }

    with! {
        /// Names the part that says it.
        with_logger(logger: String);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}
