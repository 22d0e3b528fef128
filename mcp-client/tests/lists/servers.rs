//! Lists of a server that is built with the other half of this project.

use std::time::Duration;

use mcp_client::{Client, Connection, Era, ListError};
use mcp_server::{Args, Report, ServeError, Server};
use mcp_session::transports::memory;
use mcp_types::result::CacheScope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::peer::ERAS;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The language of the code.
    language: Language,
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

#[derive(Deserialize, JsonSchema)]
struct City {
    city: String,
}

async fn review(Args(review): Args<Review>) -> String {
    format!("{:?} {:?} {}", review.language, review.lines, review.strict)
}

async fn weather(Args(City { city }): Args<City>) -> String {
    format!("rain in {city}")
}

fn server() -> Server {
    Server::new("s", "1").tool("a", "Does a.", async || "a").tool("b", "Does b.", async || "b")
}

async fn connected(server: &Server, era: Era) -> (Connection, JoinHandle<Result<Report, ServeError>>) {
    let (ours, theirs) = memory::bytes();
    let running = tokio::spawn(server.serve(theirs));
    (Client::new("test", "1").with_era(era).connect(ours).await.unwrap(), running)
}

#[tokio::test(start_paused = true)]
async fn the_tools_of_a_server_are_listed_in_both_eras() {
    for era in ERAS {
        let (connection, running) = connected(&server(), era).await;
        let listing = connection.tools().all().await.unwrap();
        assert_eq!(listing.items.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["a", "b"]);
        assert!(listing.bad.is_empty());
        connection.close().await;
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn many_pages_are_one_list() {
    let mut server = Server::new("s", "1").with_page_size(7);
    for number in 0..100 {
        server = server.resource(format!("a:{number}"), format!("n{number}"), async move || "x");
    }
    for era in ERAS {
        let (connection, _running) = connected(&server, era).await;
        let listing = connection.resources().all().await.unwrap();
        let expected: Vec<_> = (0..100).map(|number| format!("a:{number}")).collect();
        assert_eq!(listing.items.into_iter().map(|resource| resource.uri).collect::<Vec<_>>(), expected);
        let first = connection.resources().page().await.unwrap().unwrap();
        let rest = connection.resources().starting_at(first.next_cursor.unwrap()).all().await.unwrap();
        assert_eq!((first.items.len(), rest.items.len()), (7, 93));
        let bogus = connection.resources().starting_at("zzz").all().await.unwrap_err();
        assert!(matches!(bogus, ListError::Call(error) if error.is_peer()));
    }
}

#[tokio::test(start_paused = true)]
async fn prompts_resources_and_completion_work_in_both_eras() {
    let server = Server::new("s", "1")
        .prompt("review", "Reviews code.", review)
        .resource("app://motd", "motd", async || "be kind")
        .resource_template("weather://{city}/today", "weather", weather);
    for era in ERAS {
        let (connection, _running) = connected(&server, era).await;
        assert_eq!(connection.prompts().all().await.unwrap().items[0].name, "review");
        let arguments = json!({ "language": "rust", "lines": 3, "strict": true });
        let prompt = connection.get_prompt("review", &arguments).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Rust Some(3) true"));
        let completed = connection.complete_prompt("review", "language", "py").await.unwrap();
        assert_eq!(completed.completion.values, ["python"]);
        let read = connection.read_resource("app://motd").await.unwrap();
        assert_eq!(serde_json::to_value(&read.contents[0]).unwrap()["text"], "be kind");
        let template = connection.resource_templates().next().await.unwrap().unwrap();
        assert_eq!(template.uri_template, "weather://{city}/today");
        let read = connection.read_resource("weather://Oslo/today").await.unwrap();
        assert_eq!(serde_json::to_value(&read.contents[0]).unwrap()["text"], "rain in Oslo");
        assert!(connection.read_resource("app://nothing").await.unwrap_err().is_peer());
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_has_not_is_known_without_asking_it() {
    let (ours, theirs) = memory::bytes();
    let running = tokio::spawn(server().serve(theirs));
    let connection = Client::new("test", "1").connect(ours).await.unwrap();
    assert!(matches!(connection.prompts().all().await, Err(ListError::NotSupported { .. })));
    connection.close().await;
    let report = running.await.unwrap().unwrap();
    assert_eq!(report.tally.received, 1, "the question for the era");
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_tools_is_seen_at_once_though_the_list_was_kept() {
    let (ours, theirs) = memory::bytes();
    let server = server().with_cache(Duration::from_secs(3_600), CacheScope::Public);
    let tools = server.tools();
    let running = tokio::spawn(server.serve(theirs));
    let connection = Client::new("test", "1").connect(ours).await.unwrap();
    let mut changes = connection.subscribe().tools().await.unwrap();
    assert_eq!(changes.honoured().tools_list_changed, Some(true));
    assert_eq!(connection.tools().all().await.unwrap().items.len(), 2);
    tools.remove("a");
    changes.next().await.unwrap();
    assert_eq!(connection.tools().all().await.unwrap().items.len(), 1);
    connection.close().await;
    assert_eq!(changes.next().await, None);
    running.await.unwrap().unwrap();
}
