//! The scanner accepts what `serde_json` accepts, and finds the same texts in it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;

use mcp_types::jsonrpc::{Fault, Malformed, Message, ScanLimits, Scanned, read_string, scan};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use serde_json::value::RawValue;

/// Random JSON values, with many of the characters that a scanner can trip over.
fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![any::<String>(), "[a-z]{0,12}", r#"["\\/\n\t\u{1}é😀{}\[\],:]{0,40}"#, "[ -~]{60,90}",];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 64, 6, move |inner| {
        let name = prop_oneof![
            text.clone(),
            prop::sample::select(vec!["id", "method", "params", "_meta", "name", "result", "error"])
                .prop_map(str::to_owned),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn written(value: &Value, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(value).unwrap() } else { value.to_string() }
}

/// Small damage of the kinds that a strict reader has to notice.
#[derive(Clone, Debug)]
enum Damage {
    Remove(Index),
    Cut(Index),
    Put(Index, u8),
    Insert(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = vec![
        "\"", "\\", "\\u", "\\ud800", "\\x", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "E+", "01", "null",
        "nul", "true", " ", "\n", "\u{c}", "\u{0}", "\u{a0}", "é", "\u{feff}", "//",
    ];
    prop_oneof![
        any::<Index>().prop_map(Damage::Remove),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Put(at, byte)),
        (any::<Index>(), prop::sample::select(pieces)).prop_map(|(at, piece)| Damage::Insert(at, piece)),
    ]
}

fn damaged(text: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for damage in damages {
        let size = bytes.len().max(1);
        match *damage {
            Damage::Remove(at) if !bytes.is_empty() => drop(bytes.remove(at.index(size))),
            Damage::Remove(_) => {}
            Damage::Cut(at) => bytes.truncate(at.index(size)),
            Damage::Put(at, byte) if !bytes.is_empty() => bytes[at.index(size)] = byte,
            Damage::Put(..) => {}
            Damage::Insert(at, piece) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

fn accepts(frame: &[u8]) -> bool {
    let faults = [Fault::NotJson, Fault::NotUtf8];
    !matches!(scan(frame, &ScanLimits::default()), Err(Malformed { fault, .. }) if faults.contains(&fault))
}

fn serde_accepts(frame: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(frame).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn whole_texts_are_accepted(value in json(), pretty in any::<bool>()) {
        prop_assert!(accepts(written(&value, pretty).as_bytes()));
    }

    #[test]
    fn damaged_texts_are_accepted_where_serde_accepts_them(
        value in json(),
        pretty in any::<bool>(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let frame = damaged(&written(&value, pretty), &damages);
        // The one difference that is meant: a byte order mark.
        prop_assume!(!frame.starts_with(b"\xef\xbb\xbf"));
        prop_assert_eq!(accepts(&frame), serde_accepts(&frame), "{}", String::from_utf8_lossy(&frame));
    }

    #[test]
    fn damaged_arguments_are_accepted_where_serde_accepts_them(
        value in json(),
        place in prop::sample::select(vec!["params", "params.arguments", "params._meta", "result", "error", "other"]),
        damages in prop::collection::vec(damage(), 0..3),
    ) {
        let value = damaged(&value.to_string(), &damages);
        let (before, after): (String, &str) = match place.split_once('.') {
            Some((outer, inner)) => (format!(r#"{{"jsonrpc":"2.0","id":1,"{outer}":{{"{inner}":"#), "}}"),
            None => (format!(r#"{{"jsonrpc":"2.0","id":1,"{place}":"#), "}"),
        };
        let frame = [before.as_bytes(), &value, after.as_bytes()].concat();
        prop_assert_eq!(accepts(&frame), serde_accepts(&frame), "{}", String::from_utf8_lossy(&frame));
    }

    #[test]
    fn random_tokens_are_accepted_where_serde_accepts_them(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"a\"", "\"id\"", "\"params\"", "1", "-", "0", ".5", "e9", "null", "true", "\"\\\"\"", " ",
            ]),
            0..12,
        ),
    ) {
        let frame = tokens.concat();
        prop_assert_eq!(accepts(frame.as_bytes()), serde_accepts(frame.as_bytes()), "{}", frame);
    }

    #[test]
    fn values_are_found_where_serde_finds_them(
        params in prop::collection::vec((prop::sample::select(vec!["name", "arguments", "uri", "x"]), json()), 0..6),
        method in any::<String>(),
        pretty in any::<bool>(),
    ) {
        // An object that may name a member twice, which `Value` cannot hold.
        let params = params
            .iter()
            .map(|(name, value)| format!("\"{name}\" : {}", written(value, pretty)))
            .collect::<Vec<_>>()
            .join(" , ");
        let method_json = serde_json::to_string(&method).unwrap();
        let frame = format!(r#"{{"jsonrpc":"2.0","params":{{{params}}},"method":{method_json},"id":"x"}}"#);
        let limits = ScanLimits::default().with_method_len(usize::MAX);
        let Ok(Scanned::Message(Message::Request(request))) = scan(frame.as_bytes(), &limits) else {
            return Err(TestCaseError::fail(frame));
        };
        let members: HashMap<&str, &RawValue> = serde_json::from_str(request.params.raw.unwrap()).unwrap();
        let member = |name| members.get(name).map(|value| value.get());
        prop_assert_eq!(request.method, method);
        prop_assert_eq!(request.params.name, member("name"));
        prop_assert_eq!(request.params.arguments, member("arguments"));
        prop_assert_eq!(request.params.uri, member("uri"));
    }

    #[test]
    fn a_batch_has_the_elements_that_serde_finds(elements in prop::collection::vec(json(), 0..8), pretty in any::<bool>()) {
        let text = written(&Value::from(elements), pretty);
        let Ok(Scanned::Batch(batch)) = scan(text.as_bytes(), &ScanLimits::default()) else {
            return Err(TestCaseError::fail(text));
        };
        let expected: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(batch.len(), expected.len());
        prop_assert_eq!(batch.iter().collect::<Vec<_>>(), expected.iter().map(|raw| raw.get()).collect::<Vec<_>>());
    }

    #[test]
    fn strings_are_decoded_as_serde_decodes_them(text in r#"(\\(u[0-9a-fD]{4}|["\\/bfnrtx])|[a-zé😀]){0,12}"#) {
        let raw = format!("\"{text}\"");
        prop_assert_eq!(read_string(&raw).map(String::from), serde_json::from_str::<String>(&raw).ok(), "{}", raw);
    }

    #[test]
    fn any_bytes_can_be_scanned(bytes in prop::collection::vec(any::<u8>(), 0..64), depth in 0usize..6) {
        // Above all it must not panic.
        let accepted = scan(&bytes, &ScanLimits::default().with_depth(depth)).is_ok();
        prop_assert!(!accepted || serde_accepts(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)));
    }
}
