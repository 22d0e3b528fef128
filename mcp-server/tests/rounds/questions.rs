//! What is asked, how it looks on the wire, and what comes of it.

use std::collections::BTreeSet;

use mcp_server::{AskError, Context, Elicited, Server, ToolError};
use mcp_types::content::Content;
use mcp_types::elicitation::{BooleanSchema, ElicitFormParams, ElicitUrlParams, EnumOption, EnumSchema, FormSchema};
use mcp_types::sampling::{CreateMessageParams, IncludeContext, SamplingMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Client, named, questions, text};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Person {
    /// Your name
    pub(crate) name: String,
}

async fn greet(ctx: Context) -> Result<String, AskError> {
    Ok(match ctx.elicit::<Person>("who", "Who are you?").await? {
        Elicited::Accepted(person) => format!("hello {}", person.name),
        other => other.action().to_owned(),
    })
}

fn form() -> Value {
    json!({"mode": "form", "message": "Who are you?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string", "description": "Your name"}}, "required": ["name"]}})
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_is_answered_by_its_question_and_made_again() {
    let mut client = Client::modern(&Server::new("s", "1").tool("greet", "", greet));
    let asked = client.call("greet").await;
    assert_eq!(
        asked,
        json!({"resultType": "input_required", "inputRequests": {"who": {"method": "elicitation/create", "params": form()}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}})
    );
    let result = client.retry("greet", &asked, json!({"who": named("Ada")})).await;
    assert_eq!((text(&result), &result["resultType"]), ("hello Ada", &json!("complete")));
    for action in ["decline", "cancel"] {
        assert_eq!(text(&client.retry("greet", &asked, json!({"who": {"action": action}})).await), action);
    }
    let (rest, report) = client.finish().await;
    assert_eq!((rest, report.tally.answered), (Vec::new(), 4));
}

#[tokio::test(start_paused = true)]
async fn a_legacy_client_is_sent_a_request() {
    let mut client = Client::legacy(&Server::new("s", "1").tool("greet", "", greet)).await;
    for (answer, expected) in [
        (named("Ada"), "hello Ada"),
        (json!({"action": "decline"}), "decline"),
        (json!({"action": "cancel"}), "cancel"),
    ] {
        let call = client.request("tools/call", json!({"name": "greet"})).await;
        let request = client.asked("elicitation/create").await;
        assert_eq!(request["params"], form());
        client.respond(&request, answer).await;
        assert_eq!(text(&client.answer_to(call).await), expected);
    }
}

async fn several(ctx: Context) -> Result<String, AskError> {
    let (person, page, told, roots) = tokio::join!(
        ctx.elicit::<Person>("z", "Who?"),
        ctx.elicit_url("a", "Sign", "https://a.example/sign"),
        ctx.sample("m", CreateMessageParams::new(vec![SamplingMessage::user("Say")], 10)),
        ctx.roots("b"),
    );
    Ok(format!("{} {} {} {}", person?.action(), page?.action(), told?.model, roots?[0].uri))
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_asked_together_are_one_round() {
    let server = Server::new("s", "1").tool("several", "", several);
    let mut client = Client::modern(&server);
    let asked = client.call("several").await;
    assert_eq!(questions(&asked), ["z", "a", "m", "b"]);
    let requests = &asked["inputRequests"];
    assert_eq!(requests["a"]["params"], json!({"mode": "url", "message": "Sign", "url": "https://a.example/sign"}));
    assert_eq!(
        requests["m"],
        json!({"method": "sampling/createMessage",
            "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Say"}}], "maxTokens": 10}})
    );
    assert_eq!(requests["b"], json!({"method": "roots/list"}));
    let message = json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m1"});
    let roots = json!({"roots": [{"uri": "file:///r"}]});
    let answers = json!({"z": named("Ada"), "a": {"action": "accept"}, "m": message, "b": roots});
    assert_eq!(text(&client.retry("several", &asked, answers.clone()).await), "accept accept m1 file:///r");

    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "several"})).await;
    for (method, key) in
        [("elicitation/create", "z"), ("elicitation/create", "a"), ("sampling/createMessage", "m"), ("roots/list", "b")]
    {
        let request = client.asked(method).await;
        if key == "a" {
            assert_eq!(request["params"]["elicitationId"].as_str().unwrap().len(), 32, "{request}");
        }
        client.respond(&request, answers[key].clone()).await;
    }
    assert_eq!(text(&client.answer_to(call).await), "accept accept m1 file:///r");
}

#[tokio::test(start_paused = true)]
async fn what_was_told_before_a_question_comes_before_it() {
    async fn told(ctx: Context) -> Result<String, AskError> {
        ctx.progress(1.0, None, None).await;
        greet(ctx).await
    }
    let server = Server::new("s", "1").tool("told", "", told);
    let params = json!({"name": "told", "_meta": {"progressToken": 5}});
    let mut client = Client::modern(&server);
    let call = client.request("tools/call", params.clone()).await;
    assert_eq!(client.asked("notifications/progress").await["params"]["progressToken"], 5);
    assert_eq!(questions(&client.answer_to(call).await), ["who"]);

    let mut client = Client::legacy(&server).await;
    client.request("tools/call", params).await;
    client.asked("notifications/progress").await;
    client.asked("elicitation/create").await;
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Deep {
    #[expect(dead_code, reason = "it cannot be asked for")]
    person: Person,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Colours {
    colours: BTreeSet<Colour>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    Red,
    Green,
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_asked_fails_in_both_eras() {
    async fn twice(ctx: Context) -> Result<String, ToolError> {
        let (first, second) = tokio::join!(ctx.elicit::<Person>("k", "1"), ctx.roots("k"));
        assert!(first.is_ok());
        Err(second.unwrap_err().into())
    }
    async fn deep(ctx: Context) -> Result<String, ToolError> {
        Ok(format!("{:?}", ctx.elicit::<Deep>("k", "?").await?))
    }
    async fn raw(ctx: Context) -> Result<String, ToolError> {
        let form = ElicitFormParams::new("?", json!({"type": "object", "properties": {"list": {"type": "array"}}}));
        Ok(format!("{:?}", ctx.elicit_form("k", form).await?))
    }
    async fn page(ctx: Context) -> Result<String, ToolError> {
        Ok(format!("{:?}", ctx.elicit_url("k", "?", "not a url").await?))
    }
    async fn unpaired(ctx: Context) -> Result<String, ToolError> {
        let result = mcp_types::content::ToolResultContent::new("7", Vec::new());
        let message = SamplingMessage::new(mcp_types::content::Role::User, vec![result.into()]);
        Ok(format!("{:?}", ctx.sample("k", CreateMessageParams::new(vec![message], 1)).await?))
    }
    let server = Server::new("s", "1")
        .tool("twice", "", twice)
        .tool("deep", "", deep)
        .tool("raw", "", raw)
        .tool("page", "", page)
        .tool("unpaired", "", unpaired);
    let rows = [("deep", "`person`"), ("raw", "`list`"), ("page", "not a URL"), ("unpaired", "`7`")];
    let mut modern = Client::modern(&server);
    let mut legacy = Client::legacy(&server).await;
    for (tool, names) in rows {
        for client in [&mut modern, &mut legacy] {
            let result = client.call(tool).await;
            assert_eq!(result["isError"], true, "{result}");
            assert!(text(&result).contains(names), "{result}");
        }
    }
    // The question that was asked first is not spoilt by the second.
    let asked = modern.call("twice").await;
    let result = modern.retry("twice", &asked, json!({"k": named("x")})).await;
    assert!(text(&result).contains("`k` is used twice"), "{result}");
    let call = legacy.request("tools/call", json!({"name": "twice"})).await;
    let request = legacy.asked("elicitation/create").await;
    legacy.respond(&request, named("x")).await;
    assert!(text(&legacy.answer_to(call).await).contains("`k` is used twice"));
}

#[tokio::test(start_paused = true)]
async fn older_clients_are_asked_in_their_words() {
    async fn classed(ctx: Context) -> Result<String, AskError> {
        let classes = [EnumOption::titled_as("1", "First"), EnumOption::titled_as("2", "Second")];
        let form = FormSchema::new()
            .with_required("class", EnumSchema::new(classes))
            .with_optional("window", BooleanSchema::new().with_default(true));
        let answer = ctx.elicit_form("class", ElicitFormParams::new("Which?", &form)).await?;
        Ok(serde_json::to_string(&answer.accepted()).unwrap_or_default())
    }
    async fn colours(ctx: Context) -> Result<String, AskError> {
        let answer = ctx.elicit::<Colours>("c", "Which?").await?.accepted();
        Ok(format!("{:?}", answer.map(|answer| answer.colours)))
    }
    async fn page(ctx: Context) -> Result<String, AskError> {
        let page = ElicitUrlParams::new("m", "https://a.example").with_elicitation_id("mine");
        Ok(ctx.elicit_page("p", page).await?.action().to_owned())
    }
    async fn talk(ctx: Context) -> Result<String, AskError> {
        let message =
            SamplingMessage::new(mcp_types::content::Role::User, vec![Content::text("a"), Content::text("b")]);
        let asked = CreateMessageParams::new(vec![message], 1).with_include_context(IncludeContext::AllServers);
        Ok(ctx.sample("t", asked).await?.model)
    }
    let server = Server::new("s", "1")
        .tool("greet", "", greet)
        .tool("classed", "", classed)
        .tool("colours", "", colours)
        .tool("page", "", page)
        .tool("talk", "", talk);
    let declared = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let mut client = Client::legacy_with(&server, "2025-06-18", declared.clone()).await;
    let call = client.request("tools/call", json!({"name": "classed"})).await;
    let request = client.asked("elicitation/create").await;
    let class = &request["params"]["requestedSchema"]["properties"]["class"];
    assert_eq!(*class, json!({"type": "string", "enum": ["1", "2"], "enumNames": ["First", "Second"]}));
    client.respond(&request, json!({"action": "accept", "content": {"class": "2"}})).await;
    assert_eq!(text(&client.answer_to(call).await), r#"{"class":"2","window":true}"#);
    for (tool, what) in [("page", "page"), ("colours", "several choices")] {
        let result = client.call(tool).await;
        assert!(text(&result).contains("does not support") && text(&result).contains(what), "{result}");
    }
    client.request("tools/call", json!({"name": "talk"})).await;
    let request = client.asked("sampling/createMessage").await;
    let text_of = |text| json!({"role": "user", "content": {"type": "text", "text": text}});
    assert_eq!(request["params"], json!({"messages": [text_of("a"), text_of("b")], "maxTokens": 1}));

    let mut client = Client::legacy_with(&server, "2025-03-26", declared).await;
    assert!(text(&client.call("greet").await).contains("does not support elicitation"));

    let mut client = Client::legacy(&server).await;
    client.request("tools/call", json!({"name": "page"})).await;
    assert_eq!(client.asked("elicitation/create").await["params"]["elicitationId"], "mine");
    let mut client = Client::modern(&server);
    assert_eq!(client.call("page").await["inputRequests"]["p"]["params"].get("elicitationId"), None);
    let asked = client.call("colours").await;
    let result =
        client.retry("colours", &asked, json!({"c": {"action": "accept", "content": {"colours": ["Red"]}}})).await;
    assert_eq!(text(&result), "Some({Red})");
}
