use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderName, HeaderValue, Response};
use http_body::{Body, Frame};

use super::super::headers::HeaderParams;
use super::*;

type Header<'a> = (&'a str, &'a str);

/// An exchange that is never asked for more than the headers of its one tool.
#[derive(Clone, Debug)]
struct Tools;

/// No body at all.
#[derive(Debug)]
struct Nothing;

impl Body for Nothing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        std::task::Poll::Ready(None)
    }
}

impl Exchange for Tools {
    type Body = Nothing;
    type Future = Ready<Response<Nothing>>;

    fn header_params(&self, tool: &str) -> Option<Arc<HeaderParams>> {
        let schema = serde_json::json!({"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
        (tool == "sql").then(|| HeaderParams::of(&schema.into()).ok().map(Arc::new)).flatten()
    }

    fn post(&self, _: Parts, _: Post<'_>) -> Self::Future {
        ready(Response::new(Nothing))
    }

    fn get(&self, _: Parts, _: Get) -> Self::Future {
        ready(Response::new(Nothing))
    }

    fn delete(&self, _: Parts, _: SessionId) -> Self::Future {
        ready(Response::new(Nothing))
    }

    fn open_sse(&self, _: Parts) -> Self::Future {
        ready(Response::new(Nothing))
    }

    fn post_sse(&self, _: Parts, _: SessionId, _: &Bytes) -> Self::Future {
        ready(Response::new(Nothing))
    }
}

const ID: &str = "0123456789abcdef0123456789abcdef";
const BOTH: &str = "application/json, text/event-stream";

fn headers(of: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in of {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap_or_else(|_| panic!("{name}"));
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| panic!("{value}")));
    }
    headers
}

fn with_judge<T>(headers: &HeaderMap, modern_only: bool, then: impl FnOnce(&Judge<'_, Tools>) -> T) -> T {
    then(&Judge {
        exchange: &Tools,
        uri: &Uri::from_static("/mcp"),
        headers,
        limits: &ScanLimits::default(),
        modern_only,
        stateless: false,
    })
}

/// Where a body belongs, or status, code and id of the refusal.
fn place(of: &[(&str, &str)], body: &[u8], modern_only: bool) -> String {
    let headers = headers(of);
    let frame = Bytes::copy_from_slice(body);
    let verdict =
        with_judge(&headers, modern_only, |judge| judge.post(&frame, Acceptable::of(&headers)).map(|post| post.place));
    match verdict {
        Ok(Place::Modern) => "modern".to_owned(),
        Ok(Place::Stateless { version }) => format!("alone {version:?}"),
        Ok(Place::Opening) => "opening".to_owned(),
        Ok(Place::Session { version, .. }) => format!("session {}", version.map_or("-", Version::as_str)),
        Err(refusal) => refused(refusal, &headers),
    }
}

fn refused(refusal: Refusal, headers: &HeaderMap) -> String {
    let response = refusal.in_version(version_of(headers)).into_response(http::Version::HTTP_11);
    let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap_or_default();
    let id = body.get("id").map_or_else(|| "no id".to_owned(), ToString::to_string);
    format!("{} {} {id}", response.status().as_u16(), body["error"]["code"])
}

/// A modern request, with another `_meta` if one is given.
fn request(method: &str, params: &str, meta: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{meta}}}}}"#)
}

const META: &str =
    r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const V: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const OLD: (&str, &str) = ("MCP-Protocol-Version", "2025-06-18");
const SESSION: (&str, &str) = ("Mcp-Session-Id", ID);
const LIST: (&str, &str) = ("Mcp-Method", "tools/list");

#[test]
fn modern_requests() {
    let list = |meta: &str| request("tools/list", "", meta);
    let meta = |version: &str| META.replace("2026-07-28", version);
    let call = request("tools/call", r#""name":"sql","arguments":{"region":"eu"},"#, META);
    let call_headers = [V, ("Mcp-Method", "tools/call"), ("Mcp-Name", "sql")];
    let with = |more: &[(&'static str, &'static str)]| [&call_headers, more].concat();
    const VX: (&str, &str) = ("MCP-Protocol-Version", "v999.0.0");
    #[rustfmt::skip]
    let rows: Vec<(Vec<Header<'_>>, String, &str)> = vec![
        (vec![V, LIST],                             list(META),                     "modern"),
        // What sessions have is passed over.
        (vec![V, LIST, SESSION],                    list(META),                     "modern"),
        (vec![V, LIST, ("Mcp-Session-Id", "?"), ("Last-Event-ID", "?")], list(META), "modern"),
        (vec![V],                                   list(META),                     "400 -32020 1"),
        (vec![LIST],                                list(META),                     "400 -32020 1"),
        (vec![V, V, LIST],                          list(META),                     "400 -32020 1"),
        (vec![("MCP-Protocol-Version", "é"), LIST], list(META),                     "400 -32020 1"),
        (vec![("MCP-Protocol-Version", "\t2026-07-28  "), LIST], list(META),        "modern"),
        (vec![V, ("Mcp-Method", "ping")],           list(META),                     "400 -32020 1"),
        // What `_meta` lacks.
        (vec![V, LIST],                             list("{}"),                     "400 -32602 1"),
        (vec![V, LIST],                             list("[]"),                     "400 -32602 1"),
        (vec![V, LIST],                             r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.into(), "400 -32602 1"),
        (vec![V, LIST],                             list(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#), "400 -32602 1"),
        (vec![V, LIST],                             list(r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#), "400 -32602 1"),
        (vec![V, LIST],                             list(&META.replace("\"2026-07-28\"", "7")), "400 -32602 1"),
        (vec![V, LIST],                             list(&META.replace("{}", "true")), "400 -32602 1"),
        (vec![V, LIST],                             list(&META.replace("{}", r#"{},"progressToken":{}"#)), "400 -32602 1"),
        (vec![V, LIST],                             list(&META.replace("{}", r#"{},"progressToken":7,"io.modelcontextprotocol/clientInfo":null"#)), "modern"),
        // A header that is missing goes before what `_meta` lacks, and that before a header that differs.
        (vec![V],                                   list("{}"),                     "400 -32020 1"),
        (vec![V, ("Mcp-Method", "ping")],           list("{}"),                     "400 -32602 1"),
        // Revisions.
        (vec![VX, LIST],                            list(&meta("v999.0.0")),        "400 -32022 1"),
        (vec![VX],                                  list(&meta("v999.0.0")),        "400 -32022 1"),
        (vec![VX],                                  list("{}"),                     "400 -32022 1"),
        (vec![V, LIST],                             list(&meta("v999.0.0")),        "400 -32020 1"),
        (vec![VX, LIST],                            list(META),                     "400 -32020 1"),
        (vec![],                                    list(&meta("v999.0.0")),        "400 -32022 1"),
        (vec![OLD],                                 list(&meta("2025-06-18")),      "400 -32022 1"),
        (vec![OLD],                                 list(META),                     "400 -32020 1"),
        (vec![OLD, SESSION],                        list(META),                     "400 -32020 1"),
        (vec![V, LIST],                             list(&meta("2025-06-18")),      "400 -32020 1"),
        // Arguments that are mirrored.
        (with(&[("Mcp-Param-Region", "eu")]),       call.clone(),                   "modern"),
        (with(&[("Mcp-Param-Region", "us")]),       call.clone(),                   "400 -32020 1"),
        (with(&[("Mcp-Param-Region", "eu"), ("Mcp-Param-Other", "\u{e9}")]), call.clone(), "modern"),
        (with(&[]),                                 call.clone(),                   "400 -32020 1"),
        (with(&[]),                                 call.replace("eu", "\\u0065u"), "400 -32020 1"),
        // Methods of the other era are refused by who knows the methods.
        (vec![V, ("Mcp-Method", "initialize")],     request("initialize", "", META), "modern"),
        (vec![V, ("Mcp-Method", "no/such")],        request("no/such", "", META),   "modern"),
        // Who sends this without a header has forgotten it.
        (vec![],                                    r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.into(), "400 -32020 1"),
    ];
    for (of, body, expected) in rows {
        assert_eq!(place(&of, body.as_bytes(), false), expected, "{of:?} {body}");
        if !of.contains(&SESSION) {
            assert_eq!(place(&of, body.as_bytes(), true), expected, "modern only: {of:?} {body}");
        }
    }
}

#[test]
fn messages_of_sessions() {
    let message = |method: &str| format!(r#"{{"jsonrpc":"2.0","id":"a","method":"{method}"}}"#);
    let list = message("tools/list");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":5,"result":{}}"#;
    let batch = format!("[{list},{note}]");
    const OLDEST: (&str, &str) = ("MCP-Protocol-Version", "2025-03-26");
    const LATEST: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");
    const ODD: (&str, &str) = ("MCP-Protocol-Version", "tomorrow");
    let initialize = message("initialize");
    #[rustfmt::skip]
    let rows: &[(&[Header<'_>], &str, &str, &str)] = &[
        // headers, body, verdict, verdict of a server of the modern era alone
        (&[],                               &initialize,    "opening",              r#"400 -32020 "a""#),
        (&[OLD],                            &initialize,    "opening",              r#"400 -32022 "a""#),
        (&[("Mcp-Session-Id", "stale")],    &initialize,    "opening",              r#"400 -32020 "a""#),
        (&[ODD],                            &initialize,    r#"400 -32022 "a""#,    r#"400 -32022 "a""#),
        (&[SESSION],                        &list,          "session -",            r#"400 -32020 "a""#),
        (&[SESSION, OLD],                   &list,          "session 2025-06-18",   r#"400 -32022 "a""#),
        (&[OLD, ("mcp-SESSION-id", ID)],    &list,          "session 2025-06-18",   r#"400 -32022 "a""#),
        (&[],                               &list,          r#"400 -32600 "a""#,    r#"400 -32020 "a""#),
        (&[OLD],                            &list,          r#"400 -32600 "a""#,    r#"400 -32022 "a""#),
        (&[("Mcp-Session-Id", "stale")],    &list,          r#"404 -32600 "a""#,    r#"400 -32020 "a""#),
        (&[("Mcp-Session-Id", "é")],        &list,          r#"400 -32600 "a""#,    r#"400 -32020 "a""#),
        (&[SESSION, SESSION],               &list,          r#"400 -32600 "a""#,    r#"400 -32020 "a""#),
        (&[SESSION, ODD],                   &list,          r#"400 -32600 "a""#,    r#"400 -32022 "a""#),
        (&[SESSION, OLD, OLD],              &list,          r#"400 -32020 "a""#,    r#"400 -32020 "a""#),
        (&[SESSION],                        note,           "session -",            "modern"),
        (&[SESSION, OLD],                   note,           "session 2025-06-18",   "400 -32022 null"),
        (&[],                               note,           "400 -32600 null",      "modern"),
        (&[LATEST],                         note,           "400 -32600 no id",     "400 -32022 no id"),
        (&[SESSION, ODD],                   note,           "400 -32600 null",      "400 -32022 null"),
        (&[V],                              note,           "modern",               "modern"),
        (&[V, ("Mcp-Method", "x")],         note,           "400 -32020 no id",     "400 -32020 no id"),
        (&[SESSION],                        answer,         "session -",            "400 -32600 null"),
        (&[],                               answer,         "400 -32600 null",      "400 -32600 null"),
        (&[V],                              answer,         "400 -32600 no id",     "400 -32600 no id"),
        (&[SESSION],                        &batch,         "session -",            "400 -32600 null"),
        (&[SESSION, OLDEST],                &batch,         "session 2025-03-26",   "400 -32600 null"),
        (&[SESSION, OLD],                   &batch,         "400 -32600 null",      "400 -32600 null"),
        (&[SESSION, LATEST],                &batch,         "400 -32600 no id",     "400 -32600 no id"),
        (&[V],                              &batch,         "400 -32600 no id",     "400 -32600 no id"),
        (&[],                               &batch,         "400 -32600 null",      "400 -32600 null"),
        (&[SESSION],                        "[]",           "400 -32600 null",      "400 -32600 null"),
    ];
    for (of, body, expected, modern_only) in rows {
        assert_eq!(place(of, body.as_bytes(), false), *expected, "{of:?} {body}");
        assert_eq!(place(of, body.as_bytes(), true), *modern_only, "modern only: {of:?} {body}");
    }
}

#[test]
fn what_is_no_message() {
    let modern = request("tools/list", "", META);
    let with_mark = format!("\u{feff}{modern}");
    #[rustfmt::skip]
    let rows: &[(&[u8], &str)] = &[
        (b"",                                                                   "400 -32700 no id"),
        (b"{",                                                                  "400 -32700 no id"),
        (b"\xff\xfe",                                                           "400 -32700 no id"),
        (b"17",                                                                 "400 -32600 no id"),
        (b"{}",                                                                 "400 -32600 no id"),
        (br#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#,                  "400 -32600 7"),
        (br#"{"id":7,"method":"tools/list"}"#,                                  "400 -32600 7"),
        (br#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,               "400 -32600 no id"),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}"#,     "400 -32602 7"),
        (br#"{"jsonrpc":"2.0","id":7,"method":5}"#,                             "400 -32600 7"),
        (br#"{"jsonrpc":"2.0","method":5}"#,                                    "400 -32600 no id"),
        (br#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#,                  "400 -32600 no id"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"a\":\"\xff\"}}", "400 -32700 7"),
        (with_mark.as_bytes(),                                                  "modern"),
    ];
    for (body, expected) in rows {
        assert_eq!(place(&[V, LIST], body, false), *expected, "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn streams_and_ends_of_sessions() {
    const GOOD: &[(&str, &str)] = &[SESSION, ("Accept", "text/event-stream")];
    let get = |more: &[(&str, &str)], of: &[(&str, &str)], modern_only: bool| {
        let headers = headers(&[of, more].concat());
        with_judge(&headers, modern_only, |judge| match judge.get(Acceptable::of(&headers)) {
            Ok(get) => format!("{:?} {:?}", get.version, get.after.map(|id| id.to_string())),
            Err(refusal) => refused(refusal, &headers),
        })
    };
    #[rustfmt::skip]
    let rows: &[(&[Header<'_>], &[Header<'_>], &str)] = &[
        (GOOD, &[],                                                 "None None"),
        (GOOD, &[OLD],                                              "Some(2025-06-18) None"),
        (GOOD, &[("Last-Event-ID", "3-17")],                        r#"None Some("3-17")"#),
        (GOOD, &[("Last-Event-ID", " 3-17\t")],                     r#"None Some("3-17")"#),
        (GOOD, &[("Last-Event-ID", "garbage")],                     "400 -32600 null"),
        (GOOD, &[("Last-Event-ID", "")],                            "400 -32600 null"),
        (GOOD, &[("Last-Event-ID", "3-17"), ("Last-Event-ID", "3-17")], "400 -32600 null"),
        (GOOD, &[V],                                                "405 -32600 no id"),
        (GOOD, &[("MCP-Protocol-Version", "tomorrow")],             "400 -32600 null"),
        (&[SESSION], &[],                                           "None None"),
        (&[SESSION], &[("Accept", BOTH)],                           "None None"),
        (&[SESSION], &[("Accept", "application/json")],             "406 -32600 null"),
        (&[], &[],                                                  "400 -32600 null"),
        (&[("Mcp-Session-Id", "stale")], &[],                       "404 -32600 null"),
    ];
    for (of, more, expected) in rows {
        assert_eq!(get(more, of, false), *expected, "{of:?} {more:?}");
        assert!(get(more, of, true).starts_with("405"), "{of:?} {more:?}");
    }
    let delete = |of: &[(&str, &str)]| {
        let headers = headers(of);
        with_judge(&headers, false, |judge| match judge.delete() {
            Ok(session) => session.to_string(),
            Err(refusal) => refused(refusal, &headers),
        })
    };
    assert_eq!(delete(&[SESSION]), ID);
    assert_eq!(delete(&[SESSION, OLD]), ID);
    assert_eq!(delete(&[SESSION, V]), "405 -32600 no id");
    assert_eq!(delete(&[]), "400 -32600 null");
    assert_eq!(delete(&[("Mcp-Session-Id", "stale")]), "404 -32600 null");
}

#[test]
fn refusals_say_what_is_missing() {
    let text = |of: &[(&str, &str)], body: &str| {
        let headers = headers(of);
        let frame = Bytes::copy_from_slice(body.as_bytes());
        with_judge(&headers, false, |judge| match judge.post(&frame, Acceptable::of(&headers)) {
            Ok(post) => format!("{post:?}"),
            Err(refusal) => refusal.error().message.clone().into_owned(),
        })
    };
    let list = request("tools/list", "", META);
    #[rustfmt::skip]
    let rows = [
        (vec![V], list.clone(),                             "Header mismatch: Mcp-Method is missing"),
        (vec![LIST], list.clone(),                          "Header mismatch: Mcp-Protocol-Version is missing"),
        (vec![V, LIST], list.replace(META, "{}"),           "`_meta` lacks `io.modelcontextprotocol/protocolVersion`"),
        (vec![("MCP-Protocol-Version", "x"), LIST], list.replace("2026-07-28", "x"), "Unsupported protocol version"),
        (vec![SESSION, SESSION], list.replace(META, "{}"),  "Mcp-Session-Id stands there more than once"),
        (vec![], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.into(), "Mcp-Session-Id is missing: a session begins with `initialize`"),
    ];
    for (of, body, expected) in rows {
        assert_eq!(text(&of, &body), expected);
    }
}

#[test]
fn without_sessions_each_message_stands_alone() {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let batch = format!("[{list}]");
    let of = |version| [("mcp-protocol-version", version)];
    let (old, new, modern) = (of("2025-06-18"), of("2025-11-25"), of("2026-07-28"));
    let known = [("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", "stale")];
    #[rustfmt::skip]
    let rows: [(&[Header<'_>], &str, &str); 10] = [
        (&[],       list,       "2025-03-26"),
        (&old,      list,       "2025-06-18"),
        (&known,    list,       "2025-11-25"),
        (&[],       initialize, "2025-03-26"),
        (&new,      note,       "2025-11-25"),
        (&new,      response,   "2025-11-25"),
        (&[],       &batch,     "2025-03-26"),
        (&new,      &batch,     "400"),
        (&of("x"),  list,       "400"),
        (&modern,   list,       "400"),
    ];
    for (of, body, expected) in rows {
        let (headers, frame) = (headers(of), Bytes::copy_from_slice(body.as_bytes()));
        let (limits, uri) = (ScanLimits::default(), Uri::from_static("/mcp"));
        let judge = Judge {
            exchange: &Tools,
            uri: &uri,
            headers: &headers,
            limits: &limits,
            modern_only: false,
            stateless: true,
        };
        let said = match judge.post(&frame, Acceptable::of(&headers)) {
            Ok(Post { place: Place::Stateless { version }, .. }) => format!("{version:?}"),
            Ok(post) => format!("{:?}", post.place),
            Err(refusal) => refusal.status().as_u16().to_string(),
        };
        assert_eq!(said, expected, "{of:?} {body}");
        assert!(judge.get(Acceptable::of(&headers)).is_err_and(|refusal| refusal.status() == 405 || expected == "400"));
        assert!(judge.delete().is_err_and(|refusal| refusal.status() == 405 || expected == "400"));
    }
}

#[test]
fn messages_of_http_and_sse_name_their_session_in_the_target() {
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    #[rustfmt::skip]
    let rows = [
        ("/messages?sessionId=0123456789abcdef0123456789abcdef",        message,    "ok"),
        ("/messages?a=b&sessionId=0123456789abcdef0123456789abcdef",    message,    "ok"),
        ("/messages?sessionId=stale",                                   message,    "404"),
        ("/messages?session=0123456789abcdef0123456789abcdef",          message,    "400"),
        ("/messages",                                                   message,    "400"),
        ("/messages?sessionId=0123456789abcdef0123456789abcdef",        "{",        "400"),
    ];
    let (headers, limits) = (HeaderMap::new(), ScanLimits::default());
    for (target, body, expected) in rows {
        let uri = Uri::from_static(target);
        let judge = Judge {
            exchange: &Tools,
            uri: &uri,
            headers: &headers,
            limits: &limits,
            modern_only: false,
            stateless: false,
        };
        let said = match judge.sse(&Bytes::from_static(body.as_bytes())) {
            Ok(id) => {
                assert_eq!(id.to_string(), ID);
                "ok".to_owned()
            }
            Err(refusal) => refusal.status().as_u16().to_string(),
        };
        assert_eq!(said, expected, "{target} {body}");
    }
}
