//! The parameters of a request, written once.

use std::collections::BTreeMap;

use mcp_session::CallParams;
use mcp_types::Object;
use mcp_types::jsonrpc::write_string;
use serde::Serialize;
use serde_json::value::RawValue;

use super::arguments::write_arguments;

/// The parameters, without `_meta` and without what input rounds add: the text of an object up to its closing brace, so
/// that members can be added without another look at it. Empty when there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    text: Vec<u8>,
    /// How far the object goes that is still open. What follows was added for the session that the call is in.
    open: usize,
}

/// Members that are added to the parameters.
pub(crate) type Members<'a> = &'a [(&'static str, Box<RawValue>)];

impl Body {
    /// Of `tools/call`: the tool, and its arguments.
    pub(crate) fn tool<T: Serialize + ?Sized>(name: &str, arguments: &T) -> Result<Self, Box<str>> {
        let mut text = Vec::with_capacity(name.len() + ROOM);
        text.extend_from_slice(br#"{"name":"#);
        write_string(&mut text, name);
        let named = text.len();
        text.extend_from_slice(br#","arguments":"#);
        let start = text.len();
        write_arguments(&mut text, arguments).map_err(|error| error.to_string())?;
        match &text[start..] {
            [b'{', ..] => {}
            b"null" => text.truncate(named),
            _ => return Err(OTHER_KIND.into()),
        }
        Ok(Self::of(text))
    }

    /// Of any method, and the `_meta` that the caller put into them.
    pub(crate) fn any<T: Serialize + ?Sized>(params: &T) -> Result<(Self, Option<Object>), Box<str>> {
        let text = serde_json::to_string(params).map_err(|error| error.to_string())?;
        match text.as_bytes() {
            [b'{', ..] => {}
            b"null" => return Ok((Self::default(), None)),
            _ => return Err(OTHER_KIND.into()),
        }
        // What merely looks like it costs a closer look, and no more.
        if text.contains(r#""_meta""#) { take_meta(text) } else { Ok((Self::open(text), None)) }
    }

    /// The parameters as they are sent.
    pub(crate) fn params(&self, meta: Option<&RawValue>, added: Members<'_>) -> CallParams {
        let mut body = self.clone();
        body.close(meta, added);
        if body.text.is_empty() { CallParams::default() } else { mcp_session::Body::from_json(body.text).into() }
    }

    /// Completes the parameters where they are, with what the session that the call is in adds.
    pub(super) fn close(&mut self, meta: Option<&RawValue>, added: Members<'_>) {
        let Self { text, open } = self;
        text.truncate(*open);
        if text.is_empty() {
            if meta.is_none() && added.is_empty() {
                return;
            }
            text.push(b'{');
        }
        for (name, value) in added {
            push_member(text, name, value);
        }
        if let Some(meta) = meta {
            push_member(text, "_meta", meta);
        }
        text.push(b'}');
    }

    /// The parameters as they were last completed; nothing when there are none.
    pub(super) fn closed(&self) -> Option<&[u8]> {
        (!self.text.is_empty()).then_some(&self.text)
    }

    const fn of(text: Vec<u8>) -> Self {
        Self { open: text.len(), text }
    }

    /// Takes the closing brace off.
    fn open(mut text: String) -> Self {
        text.truncate(text.strip_suffix('}').map_or(text.len(), |open| open.trim_end().len()));
        Self::of(text.into_bytes())
    }
}

fn push_member(text: &mut Vec<u8>, name: &str, value: &RawValue) {
    if text.len() > 1 {
        text.push(b',');
    }
    text.push(b'"');
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b"\":");
    text.extend_from_slice(value.get().as_bytes());
}

fn take_meta(text: String) -> Result<(Body, Option<Object>), Box<str>> {
    let wrong = |error: serde_json::Error| error.to_string();
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).map_err(wrong)?;
    let meta = match members.remove("_meta") {
        Some(meta) => serde_json::from_str(meta.get()).map_err(wrong)?,
        None => return Ok((Body::open(text), None)),
    };
    let body =
        if members.is_empty() { Body::default() } else { Body::open(serde_json::to_string(&members).map_err(wrong)?) };
    Ok((body, meta))
}

const OTHER_KIND: &str = "they are JSON of another kind";

/// Room for the arguments of an ordinary call, and for what a modern one says of its client.
const ROOM: usize = 512;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn sent(body: &Body, meta: Option<&str>, added: Members<'_>) -> Option<String> {
        let meta = meta.map(raw);
        let mut body = body.clone();
        // It does not matter how it was completed before.
        body.close(Some(&raw("{}")), &[("x", raw("2"))]);
        body.close(meta.as_deref(), added);
        body.closed().map(|text| String::from_utf8(text.to_vec()).unwrap())
    }

    #[test]
    fn parameters_are_written() {
        let added: Members<'_> = &[("requestState", raw(r#""s""#))];
        let any = |value| Body::any(&value).unwrap().0;
        #[rustfmt::skip]
        let rows = [
            (Body::tool("t", &()).unwrap(),               None,          &[][..],      Some(r#"{"name":"t"}"#)),
            (Body::tool("t\"", &json!({"a":1})).unwrap(), Some("{}"),    &[][..],      Some(r#"{"name":"t\"","arguments":{"a":1},"_meta":{}}"#)),
            (Body::tool("t", &json!({})).unwrap(),        Some("{}"),    added,        Some(r#"{"name":"t","arguments":{},"requestState":"s","_meta":{}}"#)),
            (any(json!(null)),                            None,          &[][..],      None),
            (any(json!(null)),                            Some("{}"),    &[][..],      Some(r#"{"_meta":{}}"#)),
            (any(json!({})),                              Some("{}"),    &[("x", raw("1"))][..], Some(r#"{"x":1,"_meta":{}}"#)),
            (any(json!({"u":"{}"})),                      None,          added,        Some(r#"{"u":"{}","requestState":"s"}"#)),
        ];
        for (body, meta, added, expected) in rows {
            assert_eq!(sent(&body, meta, added).as_deref(), expected);
        }
    }

    #[test]
    fn metadata_in_parameters_is_the_callers() {
        let (body, meta) = Body::any(&json!({ "_meta": { "a": 1 }, "n": 12345678901234567890_u64 })).unwrap();
        assert_eq!(sent(&body, None, &[]).as_deref(), Some(r#"{"n":12345678901234567890}"#));
        assert_eq!(meta.unwrap()["a"], 1);
        let (body, meta) = Body::any(&json!({ "text": "\"_meta\"" })).unwrap();
        assert!(meta.is_none());
        assert_eq!(sent(&body, None, &[]).as_deref(), Some(r#"{"text":"\"_meta\""}"#));
        let (body, meta) = Body::any(&json!({ "x": { "_meta": 1 } })).unwrap();
        assert!(meta.is_none());
        assert_eq!(sent(&body, None, &[]).as_deref(), Some(r#"{"x":{"_meta":1}}"#));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for value in [json!(1), json!([1]), json!("x"), json!(true)] {
            assert!(Body::tool("t", &value).is_err(), "{value}");
            assert!(Body::any(&value).is_err(), "{value}");
        }
        let keys = BTreeMap::from([((1, 2), 3)]);
        assert!(Body::tool("t", &keys).is_err(), "keys that are no texts");
    }
}
