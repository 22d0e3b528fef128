//! `prompts/list` and `prompts/get`.

use mcp_server::{Args, Context, Prompt, PromptError, ProtocolError, Server, State};
use mcp_types::content::{AudioContent, EmbeddedResource, ImageContent, ResourceContents, Role};
use mcp_types::logging::LoggingLevel;
use mcp_types::prompts::{GetPromptResult, PromptArgument, PromptMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error, dressed};

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The language of the code.
    language: Language,
    /// How many lines at most.
    lines: Option<u32>,
    #[serde(default)]
    strict: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    Rust,
    Python,
}

async fn review(Args(review): Args<Review>) -> String {
    format!("{:?} {:?} {}", review.language, review.lines, review.strict)
}

async fn several() -> [PromptMessage; 3] {
    let notes = ResourceContents::text("a:b", "notes").with_mime_type("text/plain");
    [
        PromptMessage::assistant("ready"),
        PromptMessage::new(Role::User, ImageContent::new("QQ==", "image/png")),
        PromptMessage::new(Role::User, EmbeddedResource::new(notes)),
    ]
}

async fn fail() -> Result<&'static str, PromptError> {
    std::fs::read_to_string("/nowhere/secret")?;
    Ok("read")
}

async fn refuse() -> Result<&'static str, ProtocolError> {
    Err(ProtocolError::invalid_params("not today"))
}

fn server() -> Server {
    Server::new("s", "1")
        .prompt("review", "Reviews code.", review)
        .add_prompt(Prompt::new("several", several).with_title("Several"))
}

async fn each_era(server: &Server, mut check: impl AsyncFnMut(Era, Client)) {
    for era in [Era::Legacy, Era::Modern] {
        check(era, Client::ready(server, era).await).await;
    }
}

fn get(name: &str, arguments: &Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

#[tokio::test(start_paused = true)]
async fn prompts_are_listed_with_the_arguments_that_follow_from_their_types() {
    let prompts = json!([
        {
            "name": "review",
            "description": "Reviews code.",
            "arguments": [
                {"name": "language", "description": "The language of the code.", "required": true},
                {"name": "lines", "description": "How many lines at most.", "required": false},
                {"name": "strict", "required": false},
            ],
        },
        {"name": "several", "title": "Several"},
    ]);
    each_era(&server(), async |era, mut client| {
        let mut expected = json!({"prompts": prompts});
        if era == Era::Modern {
            expected["ttlMs"] = 0.into();
            expected["cacheScope"] = "private".into();
        }
        assert_eq!(client.ask("prompts/list", json!({})).await["result"], dressed(era, expected));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn arguments_are_texts_that_are_read_as_what_the_type_wants() {
    each_era(&server(), async |era, mut client| {
        let arguments = json!({"language": "rust", "lines": "12", "strict": "true"});
        let message = json!({"role": "user", "content": {"type": "text", "text": "Rust Some(12) true"}});
        let expected = json!({"description": "Reviews code.", "messages": [message]});
        let answer = client.ask("prompts/get", get("review", &arguments)).await;
        assert_eq!(answer["result"], dressed(era, expected));
        // A form sends what was left empty as an empty text.
        let arguments = json!({"language": "python", "lines": "", "other": "x"});
        let answer = client.ask("prompts/get", get("review", &arguments)).await;
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Python None false");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_a_prompt_is_named() {
    each_era(&server(), async |_, mut client| {
        #[rustfmt::skip]
        let rows = [
            (json!({}),                                                 "`name` is missing"),
            (json!({"name": 7}),                                        "expected `name` to be a string, found a number"),
            (json!({"name": "none"}),                                   "Unknown prompt: none"),
            (json!({"name": "review"}),                                 "the prompt `review` needs the argument `language`"),
            (get("review", &json!([])),                                 "expected `arguments` to be an object"),
            (get("review", &json!({"language": 3})),                    "invalid argument `language`: expected a string"),
            (get("review", &json!({"language": "c"})),                  "invalid argument `language`: unknown variant `c`"),
            (get("review", &json!({"language": "rust", "lines": "x"})), "invalid argument `lines`: expected u32, found `x`"),
        ];
        for (params, names) in rows {
            assert_error(&client.ask("prompts/get", params).await, -32602, names);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_may_have_several_messages() {
    each_era(&server(), async |era, mut client| {
        let resource = json!({"uri": "a:b", "mimeType": "text/plain", "text": "notes"});
        let expected = json!({"messages": [
            {"role": "assistant", "content": {"type": "text", "text": "ready"}},
            {"role": "user", "content": {"type": "image", "data": "QQ==", "mimeType": "image/png"}},
            {"role": "user", "content": {"type": "resource", "resource": resource}},
        ]});
        let answer = client.ask("prompts/get", json!({"name": "several"})).await;
        assert_eq!(answer["result"], dressed(era, expected));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn old_clients_get_no_content_that_they_do_not_know() {
    let server = Server::new("s", "1")
        .prompt("audio", "", async || PromptMessage::new(Role::User, AudioContent::new("QQ==", "audio/wav")));
    let mut client = Client::new(&server, Era::Legacy);
    client.initialize("2024-11-05").await;
    let answer = client.ask("prompts/get", json!({"name": "audio"})).await;
    let content = json!({"type": "text", "text": "[audio: audio/wav]"});
    assert_eq!(answer["result"], json!({"description": "", "messages": [{"role": "user", "content": content}]}));
}

#[tokio::test(start_paused = true)]
async fn failures_are_protocol_errors_that_tell_nothing_of_the_inside() {
    let server = Server::new("s", "1").prompt("fail", "", fail).prompt("refuse", "", refuse);
    each_era(&server, async |_, mut client| {
        let answer = client.ask("prompts/get", json!({"name": "fail"})).await;
        assert_eq!(answer["error"], json!({"code": -32603, "message": "internal error"}));
        assert_error(&client.ask("prompts/get", json!({"name": "refuse"})).await, -32602, "not today");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_result_may_say_all_by_itself() {
    let full = async || {
        let mut result = GetPromptResult::new(vec![PromptMessage::user("x")]).with_description("its own");
        result.meta.get_or_insert_default().insert("a".to_owned(), 1.into());
        result
    };
    let server = Server::new("s", "1").prompt("full", "that of the prompt", full);
    each_era(&server, async |era, mut client| {
        let message = json!({"role": "user", "content": {"type": "text", "text": "x"}});
        let expected = json!({"description": "its own", "messages": [message], "_meta": {"a": 1}});
        let answer = client.ask("prompts/get", json!({"name": "full"})).await;
        assert_eq!(answer["result"], dressed(era, expected));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn arguments_that_were_told_by_hand_are_looked_at() {
    let told =
        Prompt::new("told", async |Args(all): Args<std::collections::BTreeMap<String, String>>| format!("{all:?}"))
            .with_arguments([PromptArgument::new("a").with_required(true), PromptArgument::new("b")]);
    let server = Server::new("s", "1").add_prompt(told);
    each_era(&server, async |_, mut client| {
        let answer = client.ask("prompts/get", get("told", &json!({"b": "2"}))).await;
        assert_error(&answer, -32602, "the prompt `told` needs the argument `a`");
        let answer = client.ask("prompts/get", get("told", &json!({"a": "1", "c": "3"}))).await;
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], r#"{"a": "1", "c": "3"}"#);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_takes_what_a_tool_takes() {
    async fn tell(State(name): State<&'static str>, context: Context) -> String {
        context.progress(1.0, None, None).await;
        context.log(LoggingLevel::Info, None, "noted").await;
        name.to_owned()
    }
    let server = Server::new("s", "1").with_state("me").prompt("tell", "", tell);
    let mut client = Client::ready(&server, Era::Legacy).await;
    client.request(1, "prompts/get", json!({"name": "tell", "_meta": {"progressToken": "p"}})).await;
    assert_eq!(client.recv().await["params"], json!({"progressToken": "p", "progress": 1}));
    assert_eq!(client.recv().await["params"], json!({"level": "info", "data": "noted"}));
    assert_eq!(client.recv().await["result"]["messages"][0]["content"]["text"], "me");
    // A level that was set holds for prompts too.
    assert_eq!(client.ask("logging/setLevel", json!({"level": "error"})).await["result"], json!({}));
    assert_eq!(client.ask("prompts/get", json!({"name": "tell"})).await["id"], 1);

    // A modern client hears of what its request names.
    let mut client = Client::ready(&server, Era::Modern).await;
    assert_eq!(client.ask("prompts/get", json!({"name": "tell"})).await["id"], 1);
    let meta = json!({"io.modelcontextprotocol/logLevel": "debug"});
    client.request(1, "prompts/get", json!({"name": "tell", "_meta": meta})).await;
    assert_eq!(client.recv().await["method"], "notifications/message");
    assert_eq!(client.recv().await["id"], 1);
}

#[tokio::test]
async fn a_prompt_may_block() {
    let server = Server::new("s", "1").add_prompt(Prompt::blocking("slow", || "blocked"));
    let mut client = Client::ready(&server, Era::Modern).await;
    let answer = client.ask("prompts/get", json!({"name": "slow"})).await;
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "blocked");
}

#[tokio::test(start_paused = true)]
async fn prompts_come_and_go_while_the_server_runs() {
    let server = server();
    let mut client = Client::ready(&server, Era::Legacy).await;
    assert!(!server.prompts().add(Prompt::new("new", async || "new")));
    let note = json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"});
    assert_eq!(client.recv().await, note);
    assert_eq!(client.ask("prompts/get", json!({"name": "new"})).await["result"]["messages"][0]["role"], "user");
    assert!(server.prompts().remove("new"));
    assert_eq!(client.recv().await, note);
    assert_error(&client.ask("prompts/get", json!({"name": "new"})).await, -32602, "Unknown prompt: new");
}
