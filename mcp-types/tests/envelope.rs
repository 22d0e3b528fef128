//! Which message a frame is, or what is wrong with it: a row per frame.

#![expect(clippy::unwrap_used, reason = "tests")]

use mcp_types::jsonrpc::{ErrorCode, Fault, Malformed, Message, ResponseOutcome, ScanLimits, Scanned, Subject, scan};

/// Puts the outcome of a scan into one line.
fn line(frame: impl AsRef<[u8]>) -> String {
    line_within(frame, &ScanLimits::default())
}

fn line_within(frame: impl AsRef<[u8]>, limits: &ScanLimits) -> String {
    match scan(frame.as_ref(), limits) {
        Ok(Scanned::Batch(batch)) => format!("batch {:?}", batch.iter().collect::<Vec<_>>()),
        Ok(Scanned::Message(Message::Request(request))) => {
            format!("request {} {:?} {}", request.id, request.method, request.params.raw.unwrap_or("-"))
        }
        Ok(Scanned::Message(Message::Notification(note))) => {
            format!("notification {:?} {}", note.method, note.params.raw.unwrap_or("-"))
        }
        Ok(Scanned::Message(Message::Response(response))) => {
            let id = response.id.map_or_else(|| "-".to_owned(), |id| id.to_string());
            match response.outcome {
                ResponseOutcome::Result(raw) => format!("result {id} {raw}"),
                ResponseOutcome::Error(error) => {
                    format!("error {id} {} {:?} {}", error.code, error.message, error.data.unwrap_or("-"))
                }
            }
        }
        Err(Malformed { fault, subject, id, .. }) => {
            let id = id.map_or_else(|| "-".to_owned(), |id| id.to_string());
            format!("{fault:?} {subject:?} {id}")
        }
    }
}

fn check<F: AsRef<[u8]>>(rows: impl IntoIterator<Item = (F, &'static str)>) {
    for (frame, expected) in rows {
        let shown = String::from_utf8_lossy(frame.as_ref()).into_owned();
        assert_eq!(line(frame), expected, "{shown}");
    }
}

#[test]
fn messages_are_told_apart_by_their_members() {
    #[rustfmt::skip]
    check([
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,                             r#"request 1 "ping" -"#),
        (r#"{"method":"ping","id":1,"jsonrpc":"2.0"}"#,                             r#"request 1 "ping" -"#),
        (r#" { "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" } "#,               r#"request 1 "ping" -"#),
        ("{\"jsonrpc\":\"2.0\",\r\n\t\"id\":1,\"method\":\"ping\"}\r\n",            r#"request 1 "ping" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[1]},"trace":null}"#, r#"request 1 "a" {"x":[1]}"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#,                  r#"request 1 "a" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{}}"#,                    r#"request 1 "a" {}"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,                    r#"request 1 "a" -"#),
        (r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}"#,        r#"notification "notifications/x" {"a":1}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#,                            r#"result 1 {"a":1}"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}"#,           r#"error 1 -1 "m" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[2]}}"#, r#"error 1 -1 "m" [2]"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":null,"result":{}}"#,                   "result 1 {}"),
    ]);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let frame = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    assert_eq!(line(frame), r#"request 1 "ping" -"#);
    assert_eq!(line("\u{feff}\u{feff}1"), "NotJson Unknown -");
}

#[test]
fn escaped_member_names_are_recognised() {
    #[rustfmt::skip]
    check([
        (r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"ping"}"#,                r#"request 1 "ping" -"#),
        (r#"{"jsonrpc":"2\u002e0","\u0069\u0064":"\u0031","method":"a\/b"}"#, r#"request "1" "a/b" -"#),
        (r#"{"jsonrpc":"2.0","i\u0064":1,"id":1,"method":"a"}"#,            "DuplicateMember Request 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","\ud800":1}"#,             r#"request 1 "a" -"#),
    ]);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","{}":1}}"#, r"\u0061".repeat(9999));
    assert_eq!(line(long), r#"request 1 "a" -"#);
}

#[test]
fn ids_are_kept_as_sent() {
    for id in ["\"1\"", "\"007\"", "\"\"", "-3", "0", "1.0", "1.5", "1e3", "1180591620717411303424"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
        assert_eq!(line(frame), format!("request {id} \"a\" -"));
    }
}

#[test]
fn broken_requests_name_their_id() {
    #[rustfmt::skip]
    check([
        // The version.
        (r#"{"id":99,"method":"tools/list"}"#,                              "BadVersion Request 99"),
        (r#"{"jsonrpc":"1.0","id":99,"method":"tools/list"}"#,              "BadVersion Request 99"),
        (r#"{"jsonrpc":2.0,"id":99,"method":"tools/list"}"#,                "BadVersion Request 99"),
        (r#"{"jsonrpc":null,"id":"a","method":"tools/list"}"#,              "BadVersion Request \"a\""),
        // The method. An empty one is a string.
        (r#"{"jsonrpc":"2.0","id":5,"method":"","params":{}}"#,             r#"request 5 "" {}"#),
        (r#"{"jsonrpc":"2.0","id":5,"method":1}"#,                          "BadMethod Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":null}"#,                       "BadMethod Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"\ud800"}"#,                   "BadMethod Request 5"),
        // The params.
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1,2]}"#, "BadParams Request 5"),
        (r#"{"jsonrpc":"2.0","method":"a","params":"x","id":5}"#,           "BadParams Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"a","params":false}"#,         "BadParams Request 5"),
        // The id.
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,                     "BadId Request -"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#,                     "BadId Request -"),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"a"}"#,                  "BadId Request -"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#,                      "BadId Request -"),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"a"}"#,                 "BadId Request -"),
        // Twice the same member. Of two different ids neither can be trusted.
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":5,"method":"a"}"#,        "DuplicateMember Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}"#,           "DuplicateMember Request 5"),
        (r#"{"jsonrpc":"2.0","params":{},"method":"a","params":{},"id":5}"#, "DuplicateMember Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"id":5,"method":"a"}"#,                 "DuplicateMember Request 5"),
        (r#"{"jsonrpc":"2.0","id":5,"id":"5","method":"a"}"#,               "DuplicateMember Request -"),
        // No message at all.
        (r#"{"jsonrpc":"2.0","id":7}"#,                                     "NotAMessage Unknown 7"),
        (r#"{"jsonrpc":"2.0","id":7,"params":{}}"#,                         "NotAMessage Request 7"),
        (r#"{"jsonrpc":"2.0","params":{}}"#,                                "NotAMessage Unknown -"),
        ("{}",                                                              "NotAMessage Unknown -"),
        ("42",                                                              "NotAMessage Unknown -"),
        ("\"text\"",                                                        "NotAMessage Unknown -"),
        ("null",                                                            "NotAMessage Unknown -"),
    ]);
}

#[test]
fn broken_notifications_are_known_as_such() {
    #[rustfmt::skip]
    check([
        (r#"{"jsonrpc":"2.0","method":1}"#,                  "BadMethod Notification -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":[]}"#,    "BadParams Notification -"),
        (r#"{"method":"a"}"#,                                "BadVersion Notification -"),
    ]);
}

#[test]
fn responses_are_read_leniently() {
    #[rustfmt::skip]
    check([
        (r#"{"jsonrpc":"2.0","id":"0","result":{}}"#,                                       r#"result "0" {}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#,                                       "result 1 null"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}"#,      r#"error 1 1 "x" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"},"result":null}"#,      r#"error 1 1 "x" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":null,"result":{}}"#,                            "result 1 {}"),
        (r#"{"jsonrpc":"2.0","id":1,"error":null,"result":null}"#,                          "result 1 null"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,                 r#"error - 1 "x" -"#),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#,                           r#"error - 1 "x" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":"x"}}"#,                 r#"error 1 0 "x" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,                                  r#"error 1 1 "" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":7}}"#,               r#"error 1 -32601 "7" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601.0,"message":"\ud800"}}"#,        "error 1 -32601 \"\u{fffd}\" -"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,                                          r#"error 1 0 "" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,                                      r#"error 1 0 "boom" -"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"text":"a\ud800b"}}"#,                        r#"result 1 {"text":"a\ud800b"}"#),
    ]);
}

#[test]
fn broken_responses_name_the_call() {
    #[rustfmt::skip]
    check([
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#, "BadResponse Response 1"),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#,                        "BadResponse Response 1"),
        (r#"{"jsonrpc":"2.0","id":1,"error":17}"#,                          "BadResponse Response 1"),
        (r#"{"jsonrpc":"2.0","id":1,"error":[]}"#,                          "BadResponse Response 1"),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"result":2}"#,               "DuplicateMember Response 1"),
        (r#"{"jsonrpc":"2.0","id":true,"result":1}"#,                       "BadId Response -"),
        (r#"{"id":1,"result":1}"#,                                          "BadVersion Response 1"),
    ]);
}

#[test]
fn text_that_is_not_json_names_an_id_it_has_passed() {
    #[rustfmt::skip]
    check([
        ("",                                                                "NotJson Unknown -"),
        ("   ",                                                             "NotJson Unknown -"),
        ("Starting…",                                                       "NotJson Unknown -"),
        (r#"{"jsonrpc":"2.0","#,                                            "NotJson Unknown -"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","#,                        "NotJson Request 7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x"}}"#,                       "NotJson Request 7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x"} x"#,                      "NotJson Request 7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":01}}"#,      "NotJson Request 7"),
        (r#"{"jsonrpc":"2.0","method":"x","params":{"a":tru},"id":7}"#,     "NotJson Unknown -"),
        (r#"{"jsonrpc":"2.0","method":"x","id":7"#,                         "NotJson Request -"),
        (r#"{"jsonrpc":"2.0","method":"x","id":7 ,"#,                       "NotJson Request 7"),
        (r#"{"jsonrpc":"2.0","method":"x","id":7x"#,                        "NotJson Request -"),
        (r#"{"jsonrpc":"2.0","method":"x","id":"7"#,                        "NotJson Unknown -"),
        (r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"x","#,                 "NotJson Request -"),
        (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"#,               "NotJson Response 7"),
        (r#"{"jsonrpc":"2.0","id":7,"error":{"code"#,                       "NotJson Response 7"),
        (r#"{"jsonrpc":"2.0","id":1}{"jsonrpc":"2.0","id":2}"#,             "NotJson Unknown 1"),
        ("[1,2",                                                            "NotJson Unknown -"),
        ("[1,]",                                                            "NotJson Unknown -"),
        ("[1] 2",                                                           "NotJson Unknown -"),
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\nb\"}",              "NotJson Request 7"),
    ]);
}

#[test]
fn bad_bytes_in_a_string_do_not_hide_the_id() {
    #[rustfmt::skip]
    check([
        (&b"\xff\xfe"[..],                                                                  "NotUtf8 Unknown -"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\",\"params\":{\"x\":\"\xff\"}}",    "NotUtf8 Request 7"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":\"\xe2\"},\"id\":7}",    "NotUtf8 Request 7"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\xf0\x9f\x98\"}",                     "NotUtf8 Response 7"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"a\"}",                         "NotUtf8 Request -"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"?\",\"method\":\"a\xff\"}",                        "NotUtf8 Request \"?\""),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\",\xff}",                           "NotUtf8 Request 7"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7\xff,\"method\":\"a\"}",                            "NotUtf8 Unknown -"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\xff\"id\":7}",                             "NotUtf8 Unknown -"),
        (b"{\"jsonrpc\":\"2.0\",\"i\xff\":7,\"method\":\"a\"}",                             "NotUtf8 Notification -"),
    ]);
}

#[test]
fn nesting_is_limited_and_the_id_behind_it_is_read() {
    let nested = |open: &str, close: &str, levels: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"a","params":{{"x":{}1{}}},"id":7}}"#,
            open.repeat(levels),
            close.repeat(levels)
        )
    };
    // The message and its params are two levels.
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"{"a":["#, "]}"), (" [ ", " ] ")] {
        let per_repeat = open.bytes().filter(|byte| b"[{".contains(byte)).count();
        let fits = nested(open, close, 126 / per_repeat);
        assert!(line(&fits).starts_with("request 7"), "{fits}");
        for levels in [126 / per_repeat + 1, 200, 5_000_000 / per_repeat] {
            assert_eq!(line(nested(open, close, levels)), "TooDeep Request 7");
        }
        let limits = ScanLimits::default().with_depth(1002);
        let fits = nested(open, close, 1000 / per_repeat);
        assert!(line_within(&fits, &limits).starts_with("request 7"), "{fits}");
        let too_deep = nested(open, close, 1000 / per_repeat + 1);
        assert_eq!(line_within(&too_deep, &limits), "TooDeep Request 7");
    }
    // Strings in the part that is passed over may hold brackets.
    assert_eq!(line(nested(r#"[["]","\"}"],"#, "]", 127)), "TooDeep Request 7");
    assert_eq!(line("[".repeat(1_000_000)), "NotJson Unknown -");
    // Even the message, its params and their `_meta` count.
    let frame = r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"_meta":{}}}"#;
    for (depth, expected) in [(0, "TooDeep Unknown -"), (1, "TooDeep Request 7"), (2, "TooDeep Request 7")] {
        assert_eq!(line_within(frame, &ScanLimits::default().with_depth(depth)), expected);
    }
    assert!(line_within(frame, &ScanLimits::default().with_depth(3)).starts_with("request 7"));
}

#[test]
fn lengths_are_limited() {
    let with = |id: &str, method: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
    let text = |len: usize| format!("\"{}\"", "x".repeat(len));
    let escaped = |len: usize| format!("\"{}\"", r"\u0061".repeat(len));
    #[rustfmt::skip]
    let rows = [
        (with(&text(256), "a"),                         true,  ""),
        (with(&escaped(256), "a"),                      true,  ""),
        (with(&"1".repeat(256), "a"),                   true,  ""),
        (with(&text(257), "a"),                         false, "IdTooLong Request -"),
        (with(&escaped(257), "a"),                      false, "IdTooLong Request -"),
        (with(&escaped(99999), "a"),                    false, "IdTooLong Request -"),
        (with(&"1".repeat(257), "a"),                   false, "IdTooLong Request -"),
        (with("7", &"m".repeat(256)),                   true,  ""),
        (with("7", &r"\u0061".repeat(256)),             true,  ""),
        (with("7", &"m".repeat(257)),                   false, "MethodTooLong Request 7"),
        (with("7", &r"\u0061".repeat(9999)),            false, "MethodTooLong Request 7"),
        (with(&format!("[{}1]", "1,".repeat(999)), "a"), false, "BadId Request -"),
    ];
    for (frame, fits, expected) in rows {
        let line = line(&frame);
        if fits {
            assert!(line.starts_with("request "), "{frame}: {line}");
        } else {
            assert_eq!(line, expected, "{frame}");
        }
    }
}

#[test]
fn the_members_that_routing_needs_are_captured() {
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"name":"n","uri":7,"arguments":{"a":{"name":"inner"}},
        "requestId":"r","progressToken":1.5,"protocolVersion":"v","notifications":[],"cursor":"","level":null,"other":{"uri":1},
        "_meta": {"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c"},
        "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","progressToken":"p",
        "io.modelcontextprotocol/subscriptionId":3,"vendor":{"progressToken":9}} }}"#;
    let Ok(Scanned::Message(Message::Request(request))) = scan(frame, &ScanLimits::default()) else {
        panic!("a request");
    };
    let params = request.params;
    assert!(params.raw.unwrap().starts_with(r#"{"name":"n""#) && params.raw.unwrap().ends_with("} }"));
    assert_eq!(params.name, Some("\"n\""));
    assert_eq!(params.uri, Some("7"));
    assert_eq!(params.arguments, Some(r#"{"a":{"name":"inner"}}"#));
    assert_eq!(params.request_id, Some("\"r\""));
    assert_eq!(params.progress_token, Some("1.5"));
    assert_eq!(params.protocol_version, Some("\"v\""));
    assert_eq!(params.notifications, Some("[]"));
    assert_eq!(params.cursor, Some("\"\""));
    assert_eq!(params.level, Some("null"));
    let meta = params.meta;
    assert!(meta.raw.unwrap().starts_with('{') && meta.raw.unwrap().ends_with(r#""vendor":{"progressToken":9}}"#));
    assert_eq!(meta.protocol_version, Some("\"2026-07-28\""));
    assert_eq!(meta.client_info, Some(r#"{"name":"c"}"#));
    assert_eq!(meta.client_capabilities, Some("{}"));
    assert_eq!(meta.log_level, Some("\"info\""));
    assert_eq!(meta.progress_token, Some("\"p\""));
    assert_eq!(meta.subscription_id, Some("3"));
}

#[test]
fn the_last_of_two_members_of_params_counts() {
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"name":1,"name":2,
        "_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"info"},"_meta":{"progressToken":2}}}"#;
    let Ok(Scanned::Message(Message::Request(request))) = scan(frame, &ScanLimits::default()) else {
        panic!("a request");
    };
    assert_eq!(request.params.name, Some("2"));
    assert_eq!(request.params.meta.progress_token, Some("2"));
    assert_eq!(request.params.meta.log_level, None);
}

#[test]
fn meta_of_another_type_is_kept_raw() {
    let frame = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":[{"progressToken":1}]}}"#;
    let Ok(Scanned::Message(Message::Request(request))) = scan(frame, &ScanLimits::default()) else {
        panic!("a request");
    };
    assert_eq!(request.params.meta.raw, Some(r#"[{"progressToken":1}]"#));
    assert_eq!(request.params.meta.progress_token, None);
}

#[test]
fn batches_hand_out_their_elements() {
    #[rustfmt::skip]
    check([
        ("[]",                          "batch []"),
        (" [ ] ",                       "batch []"),
        (r#"[1,"a",{"b":[]}]"#,         r#"batch ["1", "\"a\"", "{\"b\":[]}"]"#),
        (" [ {} , [ 1 , 2 ] ,null ] ",  r#"batch ["{}", "[ 1 , 2 ]", "null"]"#),
    ]);
    // One element that is too deep is its own fault, not that of the others.
    let deep = format!("[{}{},1]", "[".repeat(500), "]".repeat(500));
    let Ok(Scanned::Batch(batch)) = scan(deep.as_bytes(), &ScanLimits::default()) else {
        panic!("a batch");
    };
    assert_eq!((batch.len(), batch.iter().len(), batch.is_empty()), (2, 2, false));
    assert_eq!(batch.iter().map(str::len).collect::<Vec<_>>(), [1000, 1]);
}

#[test]
fn faults_have_codes_and_words() {
    let malformed =
        scan(br#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":tru}}"#, &ScanLimits::default()).unwrap_err();
    assert_eq!(malformed.fault.code(), ErrorCode::PARSE_ERROR);
    assert_eq!(malformed.to_string(), "not JSON: expected true, found 't' at byte 51");
    assert_eq!(malformed.to_error_object().code, ErrorCode::PARSE_ERROR);

    #[rustfmt::skip]
    let rows = [
        (Fault::NotUtf8, -32700), (Fault::NotJson, -32700), (Fault::Truncated, -32700), (Fault::TooLarge, -32600),
        (Fault::TooDeep, -32600), (Fault::NotAMessage, -32600), (Fault::BadVersion, -32600), (Fault::BadId, -32600),
        (Fault::IdTooLong, -32600), (Fault::BadMethod, -32600), (Fault::MethodTooLong, -32600),
        (Fault::DuplicateMember, -32600), (Fault::BadResponse, -32600), (Fault::BadParams, -32602),
    ];
    for (fault, code) in rows {
        assert_eq!(Malformed::new(fault, Subject::Unknown, "x").to_error_object().code.0, code);
    }
}
