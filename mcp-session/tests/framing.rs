//! Bytes to frames, however they are cut into pieces.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_session::framing::{Line, Lines, MAX_ID};
use mcp_session::transport::TooLarge;
use proptest::prelude::*;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Got {
    Frame(String),
    Tail(String),
    TooLarge(TooLarge),
}

fn frame(text: &str) -> Got {
    Got::Frame(text.to_owned())
}

fn tail(text: &str) -> Got {
    Got::Tail(text.to_owned())
}

fn too_large(size: u64, id: Option<&str>, has_method: bool) -> Got {
    Got::TooLarge(TooLarge { size, id: id.map(|id| id.as_bytes().into()), has_method, ..TooLarge::default() })
}

/// What most tests look at; the rest has one of its own.
fn plain(what: TooLarge, max_frame: usize) -> Got {
    assert_eq!(what.limit, max_frame as u64);
    Got::TooLarge(TooLarge { limit: 0, has_id: false, has_outcome: false, ..what })
}

/// Reads the input in pieces of at most `piece` bytes, and checks that `is_buffered` is never wrong.
fn cut(input: &[u8], piece: usize, max_frame: usize) -> Vec<Got> {
    let mut lines = Lines::new(max_frame);
    let mut got = Vec::new();
    let text = |lines: &Lines| String::from_utf8(lines.frame().to_vec()).unwrap();
    let mut rest = input;
    while !rest.is_empty() {
        let space = lines.space();
        let count = piece.min(space.len()).min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        lines.filled(count);
        rest = &rest[count..];
        loop {
            let promised = lines.is_buffered();
            let line = lines.next_line();
            assert_eq!(line.is_some(), promised);
            match line {
                Some(Line::Frame) => got.push(Got::Frame(text(&lines))),
                Some(Line::TooLarge(what)) => got.push(plain(what, max_frame)),
                None => break,
            }
        }
    }
    match lines.finish() {
        Some(Line::Frame) => got.push(Got::Tail(text(&lines))),
        Some(Line::TooLarge(what)) => got.push(plain(what, max_frame)),
        None => {}
    }
    assert_eq!(lines.finish(), None, "the tail is given once");
    got
}

/// Every way to cut the input gives the same.
fn check(input: &[u8], max_frame: usize, expected: &[Got]) {
    for piece in (1..=input.len().min(40)).chain([input.len().max(1)]) {
        assert_eq!(cut(input, piece, max_frame), expected, "in pieces of {piece}");
    }
}

#[test]
fn lines_end_with_lf_or_crlf() {
    check(b"{\"a\":1}\n{\"b\":2}\r\n[3]\n", 100, &[frame("{\"a\":1}"), frame("{\"b\":2}"), frame("[3]")]);
}

#[test]
fn a_cr_within_a_line_ends_nothing() {
    check(b"{\"a\":\r1}\n", 100, &[frame("{\"a\":\r1}")]);
}

#[test]
fn characters_of_four_bytes_survive_any_cut() {
    check("{\"a\":\"😀é漢\"}\n\"😀\"\n".as_bytes(), 100, &[frame("{\"a\":\"😀é漢\"}"), frame("\"😀\"")]);
}

#[test]
fn blank_lines_are_skipped() {
    check(b"\n\r\n  \t\r\n1\n\n \n2\n\n", 100, &[frame("1"), frame("2")]);
}

#[test]
fn white_space_around_a_message_does_not_make_it_blank() {
    check(b"  1 \n", 100, &[frame("  1 ")]);
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_very_start_only() {
    check("\u{feff}1\n\u{feff}2\n".as_bytes(), 100, &[frame("1"), frame("\u{feff}2")]);
    check("\u{feff}\n\u{feff}2\n".as_bytes(), 100, &[frame("\u{feff}2")]);
    check("\n\u{feff}2\n".as_bytes(), 100, &[frame("\u{feff}2")]);
    check("\u{feff}1".as_bytes(), 100, &[tail("1")]);
}

#[test]
fn what_has_no_line_ending_is_the_tail() {
    check(b"1\n{\"a\":", 100, &[frame("1"), tail("{\"a\":")]);
    check(b"1\n2\r", 100, &[frame("1"), tail("2")]);
    check(b"1\n \t\r", 100, &[frame("1")]);
    check(b"", 100, &[]);
}

#[test]
fn the_limit_does_not_count_the_line_ending() {
    check(b"12345\n12345\r\n12345", 5, &[frame("12345"), frame("12345"), tail("12345")]);
    check(b"123456\n1\n", 5, &[too_large(6, None, false), frame("1")]);
    check(b"123456\r\n1\n", 5, &[too_large(6, None, false), frame("1")]);
    check(b"123456", 5, &[too_large(6, None, false)]);
    check(b"123456\r", 5, &[too_large(6, None, false)]);
}

#[test]
fn an_oversized_line_does_not_touch_its_neighbours() {
    let input = [b"1\n", &[b'x'; 90][..], b"\n2\n", &[b'y'; 70][..], b"\n3"].concat();
    check(&input, 5, &[frame("1"), too_large(90, None, false), frame("2"), too_large(70, None, false), tail("3")]);
}

/// The line with `filler` in the place of `%` is over the limit, and this is learnt of it.
fn learnt(line: &str, id: Option<&str>, has_method: bool) {
    let line = line.replace('%', &"x".repeat(200));
    let input = format!("{line}\n");
    check(input.as_bytes(), 64, &[too_large(line.len() as u64, id, has_method)]);
}

#[test]
fn the_id_of_an_oversized_frame_is_found_before_and_after_the_bulk() {
    learnt(r#"{"id":7,"method":"a","params":"%"}"#, Some("7"), true);
    learnt(r#"{"method":"a","params":{"x":"%"},"id":7}"#, Some("7"), true);
    learnt(r#"{ "id" : "seven" , "result" : [ "%" ] }"#, Some("\"seven\""), false);
    learnt(r#"{"params":"%","id":-1.5e3}"#, Some("-1.5e3"), false);
    learnt(r#"{"id":null,"x":"%"}"#, Some("null"), false);
    learnt(r#"{"x":"%","method":"a"}"#, None, true);
}

#[test]
fn only_members_of_the_outermost_object_count() {
    learnt(r#"{"params":{"id":1,"method":"a","x":"%"}}"#, None, false);
    learnt(r#"{"params":[{"id":1},"%"],"result":{"method":{}}}"#, None, false);
    learnt(r#"[{"id":1,"method":"a"},"%"]"#, None, false);
    learnt(r#"{"params":{"a":[[]],"b":{}},"x":"%","id":2}"#, Some("2"), false);
}

#[test]
fn strings_do_not_deceive() {
    learnt(r#"{"params":"\",\"id\":1,\"method\":\"%","id":2}"#, Some("2"), false);
    learnt(r#"{"params":{"x":"}}\\","y":"\"}%"},"id":2}"#, Some("2"), false);
    learnt(r#"{"x":"id","y":"method","z":"%"}"#, None, false);
    learnt(r#"{"id":"a\"b\\","x":"%"}"#, Some(r#""a\"b\\""#), false);
    learnt(r#"{"\u0069d":3,"m\u0065thod":"a","x":"%"}"#, Some("3"), true);
    learnt(r#"{"x\"id":3,"x":"%"}"#, None, false);
}

#[test]
fn an_id_that_cannot_be_one_is_not_kept() {
    learnt(r#"{"id":{"a":1},"x":"%"}"#, None, false);
    learnt(r#"{"id":[1],"x":"%"}"#, None, false);
    learnt(r#"{"id":nonsense,"x":"%"}"#, None, false);
    learnt(r#"{"id":1,"x":"%","id":{}}"#, None, false);
    learnt(r#"{"x":"%","id":1"#, None, false);
}

#[test]
fn what_an_oversized_frame_was_can_be_told_by_its_members() {
    let table = [
        (r#"{"id":null,"method":"a","x":"%"}"#, (true, true, false)),
        (r#"{"id":{"a":1},"x":"%"}"#, (true, false, false)),
        (r#"{"x":"%","method":"a"}"#, (false, true, false)),
        (r#"{"id":7,"result":{"error":"%"}}"#, (true, false, true)),
        (r#"{"error":"%"}"#, (false, false, true)),
        (r#"{"x":{"result":"%"}}"#, (false, false, false)),
    ];
    for (line, expected) in table {
        let mut lines = Lines::new(64);
        let line = format!("{}\n", line.replace('%', &"x".repeat(200)));
        let space = lines.space();
        space[..line.len()].copy_from_slice(line.as_bytes());
        lines.filled(line.len());
        let Some(Line::TooLarge(what)) = lines.next_line() else { panic!("{line} is not too large") };
        assert_eq!((what.has_id, what.has_method, what.has_outcome), expected, "{line}");
    }
}

#[test]
fn the_last_of_several_ids_counts() {
    learnt(r#"{"id":1,"x":"%","id":2}"#, Some("2"), false);
}

#[test]
fn an_id_is_kept_up_to_its_limit() {
    let longest = format!("\"{}\"", "i".repeat(MAX_ID));
    learnt(&format!("{{\"id\":{longest},\"x\":\"%\"}}"), Some(&longest), false);
    learnt(&format!("{{\"id\":\"{}\",\"x\":\"%\"}}", "i".repeat(MAX_ID + 1)), None, false);
    learnt(&format!("{{\"id\":{},\"x\":\"%\"}}", "1".repeat(MAX_ID + 1)), None, false);
}

#[test]
fn an_oversized_first_line_may_have_a_byte_order_mark() {
    let line = format!("{{\"id\":1,\"x\":\"{}\"}}", "x".repeat(100));
    let input = format!("\u{feff}{line}\n");
    check(input.as_bytes(), 64, &[too_large(line.len() as u64, Some("1"), false)]);
}

/// Objects whose strings look like structure.
fn any_json() -> impl Strategy<Value = Value> {
    let text = || "[a\\\\\"{}:,é\\[\\] ]{0,6}|id|method";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// With line breaks and indentation, or without any white space; never more than one line.
fn one_line(value: &Value, spaced: bool) -> String {
    if spaced { serde_json::to_string_pretty(value).unwrap().replace('\n', "\t") } else { value.to_string() }
}

proptest! {
    #[test]
    fn what_is_learnt_of_an_oversized_frame_is_what_a_parser_finds(
        value in any_json(),
        spaced in any::<bool>(),
        piece in 1_usize..20,
    ) {
        let line = one_line(&value, spaced);
        let id = value.get("id").filter(|id| !id.is_object() && !id.is_array()).map(Value::to_string);
        let expected = too_large(line.len() as u64, id.as_deref(), value.get("method").is_some());
        prop_assert_eq!(cut(format!("{line}\n").as_bytes(), piece, 0), [expected]);
    }

    #[test]
    fn any_cut_gives_the_lines_that_splitting_gives(input in "[ab\r\n é\u{feff}]{0,60}", piece in 1_usize..70) {
        let text = input.strip_prefix('\u{feff}').unwrap_or(&input);
        let mut lines: Vec<_> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let last = lines.pop().unwrap_or_default();
        let is_blank = |line: &str| line.bytes().all(|byte| b" \t\r".contains(&byte));
        let mut expected: Vec<_> = lines.into_iter().filter(|line| !is_blank(line)).map(frame).collect();
        if !is_blank(last) {
            expected.push(tail(last));
        }
        prop_assert_eq!(cut(input.as_bytes(), piece, 1_000), expected);
    }
}
