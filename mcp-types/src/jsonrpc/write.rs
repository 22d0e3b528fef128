//! Appending messages to a buffer. Whoever frames them adds what stands between two.

use super::error::ErrorObject;
use super::id::Id;
use super::text::text_run;

const VERSION: &[u8] = br#"{"jsonrpc":"2.0""#;

/// The id of an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an id is known, left out or null; there is no fourth way")]
pub enum ErrorId<'a> {
    /// The id of the request that failed.
    Known(&'a Id),
    /// It could not be read, and the revision lets it be left out (from 2025-11-25).
    Absent,
    /// It could not be read, and the revision asks for the member.
    Null,
}

/// Appends a string as JSON, quotes included. Runs that need no escape are copied as they are.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    if text_run(text.as_bytes()) == text.len() {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_escaped(out, text.as_bytes());
    }
    out.push(b'"');
}

#[inline(never)]
fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(text_run(rest));
        out.extend_from_slice(plain);
        let [byte, after @ ..] = special else {
            return;
        };
        write_escape(out, *byte);
        rest = after;
    }
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Appends a response up to its result: `{"jsonrpc":"2.0","id":7,"result":`. The result and a `}`
/// have to follow.
pub fn write_response_head(out: &mut Vec<u8>, id: &Id) {
    out.extend_from_slice(VERSION);
    out.extend_from_slice(b",\"id\":");
    id.write_json(out);
    out.extend_from_slice(b",\"result\":");
}

/// Appends a response. `body` is the JSON of the result.
pub fn write_result(out: &mut Vec<u8>, id: &Id, body: &[u8]) {
    out.reserve(body.len() + 64);
    write_response_head(out, id);
    out.extend_from_slice(body);
    out.push(b'}');
}

/// Appends an error response.
pub fn write_error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    out.extend_from_slice(VERSION);
    match id {
        ErrorId::Known(id) => {
            out.extend_from_slice(b",\"id\":");
            id.write_json(out);
        }
        ErrorId::Absent => {}
        ErrorId::Null => out.extend_from_slice(b",\"id\":null"),
    }
    out.extend_from_slice(b",\"error\":");
    error.write_json(out);
    out.push(b'}');
}

/// Appends a request. `params` is a JSON object.
pub fn write_request(out: &mut Vec<u8>, id: i64, method: &str, params: Option<&[u8]>) {
    out.reserve(params.map_or(0, <[u8]>::len) + method.len() + 64);
    out.extend_from_slice(VERSION);
    out.extend_from_slice(b",\"id\":");
    out.extend_from_slice(itoa::Buffer::new().format(id).as_bytes());
    write_method_and_params(out, method, params);
}

/// Appends a notification. `params` is a JSON object.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: Option<&[u8]>) {
    out.reserve(params.map_or(0, <[u8]>::len) + method.len() + 48);
    out.extend_from_slice(VERSION);
    write_method_and_params(out, method, params);
}

fn write_method_and_params(out: &mut Vec<u8>, method: &str, params: Option<&[u8]>) {
    out.extend_from_slice(b",\"method\":");
    write_string(out, method);
    if let Some(params) = params {
        out.extend_from_slice(b",\"params\":");
        out.extend_from_slice(params);
    }
    out.push(b'}');
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::error::ErrorCode;
    use super::*;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn messages_are_written() {
        let id = Id::from("a\"b");
        let error = ErrorObject::new(ErrorCode(-1), "no");
        #[rustfmt::skip]
        let rows = [
            (written(|out| write_result(out, &Id::from(7), b"{}")),               r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
            (written(|out| write_result(out, &id, b"[1]")),                       r#"{"jsonrpc":"2.0","id":"a\"b","result":[1]}"#),
            (written(|out| write_error(out, ErrorId::Known(&id), &error)),        r#"{"jsonrpc":"2.0","id":"a\"b","error":{"code":-1,"message":"no"}}"#),
            (written(|out| write_error(out, ErrorId::Absent, &error)),            r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}"#),
            (written(|out| write_error(out, ErrorId::Null, &error)),              r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}"#),
            (written(|out| write_request(out, -1, "ping", None)),                 r#"{"jsonrpc":"2.0","id":-1,"method":"ping"}"#),
            (written(|out| write_request(out, 1, "a/b", Some(b"{\"x\":1}"))),     r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":1}}"#),
            (written(|out| write_notification(out, "n", None)),                   r#"{"jsonrpc":"2.0","method":"n"}"#),
            (written(|out| write_notification(out, "n\n", Some(b"{}"))),          r#"{"jsonrpc":"2.0","method":"n\n","params":{}}"#),
        ];
        for (written, expected) in rows {
            assert_eq!(written, expected);
        }
    }

    proptest! {
        #[test]
        fn strings_are_written_as_serde_writes_them(
            text in prop_oneof![any::<String>(), "[ -~]{0,80}", "[\\x00-\\x7f]{0,80}", "[a\"\\\\é😀\\n]{0,60}"],
        ) {
            prop_assert_eq!(written(|out| write_string(out, &text)), serde_json::to_string(&text).unwrap());
        }
    }
}
