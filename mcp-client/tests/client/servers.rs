//! A client and a server of this project: the same application code in both eras.

use std::sync::{Arc, Mutex};

use mcp_client::{CallError, Client, Connection, Era};
use mcp_server::{Args, AskError, Context, Elicited, Json, Server};
use mcp_session::engine::Reason;
use mcp_session::transports::memory;
use mcp_types::elicitation::ElicitResult;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::roots::Root;
use mcp_types::sampling::{CreateMessageParams, CreateMessageResult, SamplingMessage};
use mcp_types::{Content, Version};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{LEGACY, client};

const ERAS: [Era; 4] = [Era::Detect, Era::Modern, LEGACY, Era::Legacy(Version::V2025_06_18)];

#[derive(Deserialize, Serialize, JsonSchema, Debug, PartialEq)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Name {
    name: String,
}

fn server() -> Server {
    Server::new("s", "1")
        .tool("add", "Adds.", async |Args(numbers): Args<Numbers>| numbers.a + numbers.b)
        .tool("same", "Gives back.", async |Args(numbers): Args<Numbers>| Json(numbers))
        .tool("steps", "Takes steps.", async |context: Context| {
            for step in 1..=3 {
                context.progress(f64::from(step), Some(3.0), None).await;
            }
            "done"
        })
        .tool("greet", "Asks for a name.", async |context: Context| {
            let answer: Elicited<Name> = context.elicit("name", "who are you?").await?;
            Ok::<_, AskError>(match answer.accepted() {
                Some(Name { name }) => format!("hello {name}"),
                None => "hello".to_owned(),
            })
        })
        .tool("think", "Asks a model, and for roots.", async |context: Context| {
            let params = CreateMessageParams::new(vec![SamplingMessage::user("think")], 10);
            let (thought, roots) = tokio::join!(context.sample("thought", params), context.roots("roots"));
            Ok::<_, AskError>(format!("{} in {}", thought?.as_text().unwrap_or_default(), roots?[0].uri))
        })
}

async fn connected(client: Client, era: Era) -> Connection {
    let (ours, theirs) = memory::bytes();
    tokio::spawn(server().serve(theirs));
    client.with_era(era).connect(ours).await.unwrap()
}

fn text(result: &mcp_types::CallToolResult) -> &str {
    assert!(!result.is_failure(), "{result:?}");
    result.content[0].as_text().unwrap()
}

#[tokio::test(start_paused = true)]
async fn calls_of_both_eras() {
    for era in ERAS {
        let connection = connected(client(), era).await;
        let is_modern = connection.verdict().unwrap().is_modern();
        assert_eq!(is_modern, matches!(era, Era::Detect | Era::Modern));
        let numbers = Numbers { a: 19, b: 23 };
        assert_eq!(text(&connection.call_tool("add", &numbers).await.unwrap()), "42");
        let same = connection.call_tool("same", &numbers).await.unwrap();
        assert_eq!(same.structured::<Numbers>().unwrap(), numbers);
        let wrong = same.structured::<Name>().map(drop).unwrap_err();
        assert!(wrong.to_string().contains("missing field `name`"), "{wrong}");
        connection.ping().await.unwrap();
        let unknown = connection.call_tool("nope", &()).await.unwrap_err();
        assert!(matches!(&unknown, CallError::Peer { error, .. } if error.code == ErrorCode::INVALID_PARAMS));
        let report = connection.close().await;
        assert_eq!(report.reason, Reason::Closed);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_of_both_eras() {
    for era in ERAS {
        let connection = connected(client(), era).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let call = connection.call_tool("steps", &()).on_progress({
            let seen = Arc::clone(&seen);
            move |progress| seen.lock().unwrap().push(progress.progress)
        });
        call.await.unwrap();
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0]);
    }
}

/// The tool waits for the callback, and the callback for another tool of the same server.
#[tokio::test(start_paused = true)]
async fn a_callback_calls_the_server_that_waits_for_it() {
    for era in ERAS {
        let client = client().on_elicit(|form| async move {
            assert_eq!(form.message, "who are you?");
            let sum = form.connection().call_tool("add", &Numbers { a: 1, b: 2 }).await.unwrap();
            ElicitResult::accept([("name".to_owned(), json!(text(&sum)))].into_iter().collect())
        });
        let connection = connected(client, era).await;
        let greeting = connection.call_tool("greet", &()).await.unwrap();
        assert_eq!(text(&greeting), "hello 3");
    }
}

#[tokio::test(start_paused = true)]
async fn two_questions_at_once() {
    for era in ERAS {
        let client = client()
            .on_sample(|asked| async move {
                let said = format!("{} tokens", asked.max_tokens);
                Ok(CreateMessageResult::new("model", vec![Content::text(said)]))
            })
            .with_roots([Root::new("file:///a")]);
        let connection = connected(client, era).await;
        let thought = connection.call_tool("think", &()).await.unwrap();
        assert_eq!(text(&thought), "10 tokens in file:///a");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_refused() {
    for era in ERAS {
        let refuses = client()
            .on_sample(|_| async { Err(ErrorObject::new(ErrorCode(-1), "User rejected sampling request")) })
            .with_roots([]);
        let connection = connected(refuses, era).await;
        let outcome = connection.call_tool("think", &()).await;
        if connection.verdict().unwrap().is_modern() {
            let error = outcome.unwrap_err();
            assert!(
                matches!(&error, CallError::InputRefused { key, error, .. } if &**key == "thought" && error.code.0 == -1)
            );
        } else {
            assert!(outcome.unwrap().is_failure(), "the tool is told");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_not_declared_is_not_asked() {
    for era in ERAS {
        let connection = connected(client(), era).await;
        let outcome = connection.call_tool("greet", &()).await;
        if connection.verdict().unwrap().is_modern() {
            let error = outcome.unwrap_err();
            let missing = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
            assert!(matches!(&error, CallError::Peer { error, .. } if error.code == missing), "{error}");
        } else {
            assert!(outcome.unwrap().is_failure());
        }
    }
}
