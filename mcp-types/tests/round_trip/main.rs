//! Each type writes what it read: nothing lost, nothing added, no `null` for what is absent.

#![expect(clippy::unwrap_used, reason = "tests")]

mod content;
mod features;
mod lifecycle;
mod published;

use std::fmt::Debug;

use mcp_types::Object;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads, writes, reads and compares; `json` holds every member the type has, and one it has not.
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(json: &Value) -> T {
    let read: T = serde_json::from_str(&json.to_string()).unwrap();
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), *json, "{read:?}");
    assert_eq!(serde_json::from_str::<T>(&written).unwrap(), read);
    read
}

/// As [`same`], and the type built by hand is the one that was read.
fn is<T: Serialize + DeserializeOwned + PartialEq + Debug>(built: T, json: Value) {
    assert_eq!(same::<T>(&json), built);
}

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}
