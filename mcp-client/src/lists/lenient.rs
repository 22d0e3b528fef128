//! Reads a page so that one bad element never costs the others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::error::CallError;
use mcp_types::RawJson;
use mcp_types::result::ResultType;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::element::Element;

/// An element of a list that is not what the protocol says. The others are not affected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bad {
    /// What it calls itself, if that much can be read.
    pub name: Option<String>,
    /// Where it is wrong, from the top of its page: `tools[1].annotations.readOnlyHint`.
    pub path: String,
    /// What is wrong there.
    pub reason: String,
    /// The element as it was sent.
    pub raw: RawJson,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "`{name}`: ")?;
        }
        write!(f, "{}: {}", self.path, self.reason)
    }
}

/// A page, read.
#[derive(Debug)]
pub(super) struct Read<T> {
    pub(super) items: Vec<T>,
    pub(super) bad: Vec<Bad>,
    pub(super) next_cursor: Option<String>,
    /// For how long it may be kept: not at all, if that is zero.
    pub(super) ttl: Duration,
}

/// Reads a page.
pub(super) fn read<T: Element>(page: &RawJson) -> Result<Read<T>, CallError> {
    let member = T::KIND.member();
    let malformed = |path: &str, detail: &dyn fmt::Display| CallError::Malformed {
        method: T::KIND.method().into(),
        detail: format!("{path}: {detail}").into(),
    };
    let members: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(page.get()).map_err(|error| malformed("result", &without_place(&error)))?;
    let kind: Option<ResultType> = optional(members.get("resultType").copied())
        .map_err(|error| malformed("resultType", &without_place(&error)))?;
    //= 2026-07-28/basic/index#resulttype
    //# A `resultType` of any value unrecognized by the client **MUST** be considered invalid.
    if let Some(kind) = kind.filter(|kind| *kind != ResultType::Complete) {
        return Err(malformed("resultType", &format_args!("a list has no result of the kind `{kind}`")));
    }
    let raw = members.get(member).ok_or_else(|| malformed(member, &"missing"))?;
    // Some servers write an empty list as `null`.
    let elements: Option<Vec<&RawValue>> =
        optional(Some(*raw)).map_err(|error| malformed(member, &without_place(&error)))?;
    let next_cursor = optional(members.get("nextCursor").copied())
        .map_err(|error| malformed("nextCursor", &without_place(&error)))?;
    let elements = elements.unwrap_or_default();
    let mut read = Read {
        items: Vec::with_capacity(elements.len()),
        bad: Vec::new(),
        next_cursor,
        ttl: members.get("ttlMs").map_or(Duration::ZERO, |raw| ttl(raw)),
    };
    for (index, raw) in elements.into_iter().enumerate() {
        match read_element(raw, index) {
            Ok(item) => read.items.push(item),
            Err(bad) => read.bad.push(*bad),
        }
    }
    Ok(read)
}

/// A member whose `null` means that it is absent.
fn optional<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> serde_json::Result<Option<T>> {
    raw.map_or(Ok(None), |raw| serde_json::from_str(raw.get()))
}

//= 2026-07-28/server/utilities/caching#time-to-live-ttl-field
//# If `ttlMs` is negative, clients **SHOULD** ignore it and treat it as `0`.
fn ttl(raw: &RawValue) -> Duration {
    let millis: f64 = serde_json::from_str(raw.get()).unwrap_or_default();
    Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default()
}

fn read_element<T: Element>(raw: &RawValue, index: usize) -> Result<T, Box<Bad>> {
    match serde_json::from_str::<T>(raw.get()) {
        Ok(item) => match item.broken_rule() {
            None => Ok(item),
            Some((path, reason)) => Err(Box::new(bad::<T>(raw, index, path, reason.to_owned()))),
        },
        Err(_) => Err(Box::new(diagnose::<T>(raw, index))),
    }
}

/// Reads the element once more, to learn where it is wrong.
#[cold]
fn diagnose<T: Element>(raw: &RawValue, index: usize) -> Bad {
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Err(error) => {
            let path = error.path().to_string();
            let path = if path == "." { "" } else { &*path };
            bad::<T>(raw, index, path, without_place(error.inner()))
        }
        Ok(_) => bad::<T>(raw, index, "", "it cannot be read".to_owned()),
    }
}

fn bad<T: Element>(raw: &RawValue, index: usize, path: &str, reason: String) -> Bad {
    let list = T::KIND.member();
    let path = if path.is_empty() { format!("{list}[{index}]") } else { format!("{list}[{index}].{path}") };
    Bad { name: name_of(raw), path, reason, raw: RawJson::from(raw.to_owned()) }
}

fn name_of(raw: &RawValue) -> Option<String> {
    let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(raw.get()).ok()?;
    serde_json::from_str(members.get("name")?.get()).ok()
}

/// What an error says, without the line and column in a text that nobody sees.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what).to_owned()
}
