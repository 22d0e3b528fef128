//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::time::Duration;

use mcp_server::{Args, Blob, Json, Resource, ResourceError, ResourceTemplate, Server, Uri};
use mcp_types::content::{Annotations, ResourceContents};
use mcp_types::resources::ReadResourceResult;
use mcp_types::result::CacheScope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, dressed};

#[derive(Deserialize, JsonSchema)]
struct Page {
    book: String,
    number: u32,
}

async fn page(Uri(uri): Uri, Args(page): Args<Page>) -> String {
    format!("{} {} {uri}", page.book, page.number)
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    path: String,
}

async fn file(Args(place): Args<Place>) -> Result<String, ResourceError> {
    match &*place.path {
        "gone" => Err(ResourceError::not_found()),
        "missing" => Ok(std::fs::read_to_string("/nowhere/at/all")?),
        "broken" => Err(std::io::Error::other("the password is 1234").into()),
        "odd" => Err(ResourceError::invalid_params("an odd path")),
        path => Ok(path.to_owned()),
    }
}

fn server() -> Server {
    let described = Resource::new("app://text", "text", async || "a text")
        .with_title("Text")
        .with_description("A text.")
        .with_size(6)
        .with_annotations(Annotations::new().with_priority(0.5));
    Server::new("s", "1")
        .add_resource(described)
        .resource("app://bytes", "bytes", async || vec![104_u8, 105])
        .resource("app://json", "json", async || Json([1, 2]))
        .resource("app://logo", "logo", async || Blob::new(b"hi", "image/png"))
        .resource("app://none", "none", async || None::<String>)
        .add_resource(Resource::new("app://page", "page", async || "<p>").with_mime_type("text/html"))
        .resource_template("book://{book}/{number}", "page", page)
        .resource_template("file:///{+path}", "file", file)
}

async fn each_era(server: &Server, mut check: impl AsyncFnMut(Era, Client)) {
    for era in [Era::Legacy, Era::Modern] {
        check(era, Client::ready(server, era).await).await;
    }
}

/// A result that may be cached, with what this era adds to it.
fn cacheable(era: Era, mut result: Value) -> Value {
    if era == Era::Modern {
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
    }
    dressed(era, result)
}

async fn read(client: &mut Client, uri: &str) -> Value {
    client.ask("resources/read", json!({"uri": uri})).await
}

fn assert_not_found(era: Era, answer: &Value, uri: &str) {
    let code = if era == Era::Legacy { -32002 } else { -32602 };
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer["error"]["message"], format!("Resource not found: {uri}"));
    assert_eq!(answer["error"]["data"], json!({"uri": uri}));
}

#[tokio::test(start_paused = true)]
async fn resources_and_templates_are_listed_apart() {
    each_era(&server(), async |era, mut client| {
        let resources = json!([
            {"uri": "app://text", "name": "text", "title": "Text", "description": "A text.", "mimeType": "text/plain",
                "size": 6, "annotations": {"priority": 0.5}},
            {"uri": "app://bytes", "name": "bytes", "mimeType": "application/octet-stream"},
            {"uri": "app://json", "name": "json", "mimeType": "application/json"},
            {"uri": "app://logo", "name": "logo"},
            {"uri": "app://none", "name": "none", "mimeType": "text/plain"},
            {"uri": "app://page", "name": "page", "mimeType": "text/html"},
        ]);
        let list = client.ask("resources/list", json!({})).await;
        assert_eq!(list["result"], cacheable(era, json!({"resources": resources})));
        let templates = json!([
            {"uriTemplate": "book://{book}/{number}", "name": "page", "mimeType": "text/plain"},
            {"uriTemplate": "file:///{+path}", "name": "file", "mimeType": "text/plain"},
        ]);
        let list = client.ask("resources/templates/list", json!({})).await;
        assert_eq!(list["result"], cacheable(era, json!({"resourceTemplates": templates})));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn contents_are_of_the_kind_that_was_returned() {
    each_era(&server(), async |era, mut client| {
        for (uri, member, content, kind) in [
            ("app://text", "text", "a text", "text/plain"),
            ("app://bytes", "blob", "aGk=", "application/octet-stream"),
            ("app://json", "text", "[1,2]", "application/json"),
            ("app://logo", "blob", "aGk=", "image/png"),
            ("app://page", "text", "<p>", "text/html"),
            ("book://b/7", "text", "b 7 book://b/7", "text/plain"),
        ] {
            let contents = json!([{"uri": uri, "mimeType": kind, member: content}]);
            assert_eq!(read(&mut client, uri).await["result"], cacheable(era, json!({"contents": contents})));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_may_have_several_contents_or_say_all_by_itself() {
    let several = async || vec![ResourceContents::text("a:1", "1"), ResourceContents::blob("a:2", "Mg==")];
    let full = async || {
        ReadResourceResult::new(vec![ResourceContents::text("a:full", "")])
            .with_ttl_ms(5)
            .with_cache_scope(CacheScope::Public)
    };
    let server = Server::new("s", "1").resource("a:several", "several", several).resource("a:full", "full", full);
    each_era(&server, async |era, mut client| {
        let contents = json!([{"uri": "a:1", "text": "1"}, {"uri": "a:2", "blob": "Mg=="}]);
        assert_eq!(read(&mut client, "a:several").await["result"], cacheable(era, json!({"contents": contents})));
        let mut expected = cacheable(era, json!({"contents": [{"uri": "a:full", "text": ""}]}));
        if era == Era::Modern {
            expected["ttlMs"] = 5.into();
            expected["cacheScope"] = "public".into();
        }
        assert_eq!(read(&mut client, "a:full").await["result"], expected);
    })
    .await;
}

//= 2026-07-28/server/resources#error-handling
//# If the requested resource does not exist, servers **MUST** return a JSON-RPC error with
//# code `-32602` (Invalid Params).
#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_not_found() {
    each_era(&server(), async |era, mut client| {
        for uri in ["app://other", "app://text/", "app://none", "book://b/7/8", "file:///gone", "file:///missing", "x:"]
        {
            assert_not_found(era, &read(&mut client, uri).await, uri);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn failures_are_protocol_errors_that_tell_nothing_of_the_inside() {
    each_era(&server(), async |_, mut client| {
        let answer = read(&mut client, "file:///broken").await;
        assert_eq!(answer["error"], json!({"code": -32603, "message": "internal error"}));
        assert_error(&read(&mut client, "file:///odd").await, -32602, "an odd path");
        assert_error(&read(&mut client, "book://b/x").await, -32602, "invalid argument `number`: expected u32");
        assert_error(&client.ask("resources/read", json!({})).await, -32602, "`uri` is missing");
        assert_error(&client.ask("resources/read", json!({"uri": 7})).await, -32602, "expected `uri` to be a string");
    })
    .await;
}

//= 2026-07-28/server/resources#security-considerations
//# Servers **MUST** validate all resource URIs
#[tokio::test(start_paused = true)]
async fn odd_uris_are_refused_by_name_or_not_found() {
    each_era(&server(), async |era, mut client| {
        for uri in ["", "book", "../etc", "/etc/passwd", "book://a b/7", "book://é/7", "book://%/7", "book://\u{0}/7"]
        {
            let answer = read(&mut client, uri).await;
            assert_error(&answer, -32602, &format!("`{uri}` is no URI"));
            assert_eq!(answer["error"]["data"], json!({"uri": uri}));
        }
        let long = format!("book://{}", "x".repeat(100_000));
        let shown = format!("{}…", &long[..256]);
        assert_not_found(era, &read(&mut client, &long).await, &shown);
        let long = "é".repeat(100_000);
        assert_error(&read(&mut client, &long).await, -32602, &"é".repeat(256));
        // Decoded once, and as UTF-8 or not at all.
        let text = |answer: Value| answer["result"]["contents"][0]["text"].clone();
        assert_eq!(text(read(&mut client, "book://%C3%A9%2541/7").await), "é%41 7 book://%C3%A9%2541/7");
        assert_not_found(era, &read(&mut client, "book://%FF/7").await, "book://%FF/7");
    })
    .await;
}

//= 2026-07-28/server/resources#security-considerations
//# Servers **MUST** sanitize file paths to prevent directory traversal attacks
#[tokio::test(start_paused = true)]
async fn no_value_leads_out_of_a_folder() {
    each_era(&server(), async |era, mut client| {
        for uri in [
            "file:///..",
            "file:///../etc/passwd",
            "file:///a/../../b",
            "file:///a/..",
            "file:///./a",
            "file:////etc/passwd",
            "file:///%2Fetc/passwd",
            "file:///%2e%2e/etc",
            "file:///a%2F..%2Fb",
            "file:///a%5C..%5Cb",
            "file:///a%00",
            "book://../7",
            "book://%2E%2E/7",
            "book://a%2Fb/7",
            "book://a%5Cb/7",
        ] {
            assert_not_found(era, &read(&mut client, uri).await, uri);
        }
        let text = |answer: Value| answer["result"]["contents"][0]["text"].clone();
        assert_eq!(text(read(&mut client, "file:///a/b..c/%252e%252e").await), "a/b..c/%2e%2e");
    })
    .await;
    // Who asks for them gets them.
    let any = ResourceTemplate::new("file:///{+path}", "file", file).with_any_values();
    let mut client = Client::ready(&Server::new("s", "1").add_resource_template(any), Era::Modern).await;
    assert_eq!(read(&mut client, "file:///a/%2E%2E").await["result"]["contents"][0]["text"], "a/..");
}

#[tokio::test(start_paused = true)]
async fn what_is_said_most_literally_is_meant() {
    // The most general comes first, so that the order does not make the test pass.
    let server = Server::new("s", "1")
        .resource_template("a://{+rest}", "rest", async || "rest")
        .resource_template("a://{x}/{y}", "two", async || "two")
        .resource_template("a://{y}/list", "list", async || "list")
        .resource_template("a://b/{y}", "of b", async || "of b")
        .resource("a://b/fixed", "fixed", async || "fixed");
    let mut client = Client::ready(&server, Era::Modern).await;
    for (uri, expected) in [
        ("a://b/fixed", "fixed"),
        ("a://c/list", "list"),
        ("a://b/list", "list"),
        ("a://b/c", "of b"),
        ("a://c/d", "two"),
        ("a://c/d/e", "rest"),
    ] {
        assert_eq!(read(&mut client, uri).await["result"]["contents"][0]["text"], expected, "{uri}");
    }
}

#[tokio::test(start_paused = true)]
async fn contents_may_be_cached_as_was_said() {
    let minute = Duration::from_secs(60);
    let server = Server::new("s", "1")
        .with_cache_of(mcp_server::Cached::Contents, minute, CacheScope::Private)
        .add_resource(Resource::new("a:1", "1", async || "1").with_cache(Duration::from_millis(7), CacheScope::Public))
        .resource("a:2", "2", async || "2");
    let mut client = Client::ready(&server, Era::Modern).await;
    for (uri, ttl, scope) in [("a:1", 7, "public"), ("a:2", 60_000, "private")] {
        let result = &read(&mut client, uri).await["result"];
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&ttl.into(), &scope.into()));
    }
    let list = &client.ask("resources/list", json!({})).await["result"];
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&0.into(), &"private".into()));
}

#[tokio::test]
async fn a_resource_may_block() {
    let server = Server::new("s", "1")
        .add_resource(Resource::blocking("a:1", "1", || "blocked"))
        .add_resource_template(ResourceTemplate::blocking("b:{x}", "x", |Uri(uri): Uri| uri));
    let mut client = Client::ready(&server, Era::Modern).await;
    assert_eq!(read(&mut client, "a:1").await["result"]["contents"][0]["text"], "blocked");
    assert_eq!(read(&mut client, "b:2").await["result"]["contents"][0]["text"], "b:2");
}

#[test]
#[should_panic(expected = "the template `a:{x*}`: the expression `{x*}` is not supported")]
fn a_template_that_cannot_be_matched_is_not_added() {
    drop(Server::new("s", "1").resource_template("a:{x*}", "x", async || ""));
}
