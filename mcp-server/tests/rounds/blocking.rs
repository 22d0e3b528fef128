//! Tools that block their thread and ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use mcp_server::{AskError, Context, Limits, Server};
use serde_json::json;

use crate::questions::Person;
use crate::support::{Client, named, questions, text};

fn name(ctx: &Context, key: &'static str) -> Result<String, AskError> {
    let answer = ctx.block_on(ctx.elicit::<Person>(key, "?"))?;
    Ok(answer.accepted().map_or_else(|| "nobody".to_owned(), |person| person.name))
}

/// Counts the stacks that were unwound.
struct Unwound(Arc<AtomicUsize>);

impl Drop for Unwound {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_blocking_tool_leaves_its_thread_where_it_has_to_ask() {
    let unwound = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&unwound);
    let greet = move |ctx: Context| {
        let _unwound = Unwound(Arc::clone(&seen));
        let first = name(&ctx, "first")?;
        Ok::<_, AskError>(format!("{first} {}", name(&ctx, "second")?))
    };
    // One thread serves all of it, so none hangs.
    let mut limits = Limits::default();
    limits.blocking_threads = 1;
    let server = Server::new("s", "1").with_limits(limits).blocking_tool("greet", "", greet);
    let mut client = Client::modern(&server);
    for _ in 0..3 {
        let first = client.call("greet").await;
        assert_eq!(questions(&first), ["first"]);
        let second = client.retry("greet", &first, json!({"first": named("Ada")})).await;
        assert_eq!(questions(&second), ["second"]);
        assert_eq!(text(&client.retry("greet", &second, json!({"second": named("Bob")})).await), "Ada Bob");
    }
    assert_eq!(unwound.load(Ordering::Relaxed), 9);
    let error = Client::modern_with(&server, json!({})).call("greet").await;
    assert_eq!(error["code"], -32021);

    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "greet"})).await;
    for answer in ["Ada", "Bob"] {
        let request = client.asked("elicitation/create").await;
        client.respond(&request, named(answer)).await;
    }
    assert_eq!(text(&client.answer_to(call).await), "Ada Bob");
}

#[tokio::test]
async fn a_thread_of_a_blocking_tool_may_ask_for_it() {
    fn threaded(ctx: Context) -> Result<String, AskError> {
        let other = ctx.clone();
        let asking = thread::spawn(move || name(&other, "k"));
        asking.join().unwrap_or_else(|_| Ok("the thread panicked".to_owned()))
    }
    fn scoped(ctx: Context) -> String {
        thread::scope(|scope| scope.spawn(|| name(&ctx, "k").unwrap()).join().unwrap())
    }
    let server = Server::new("s", "1").blocking_tool("threaded", "", threaded).blocking_tool("scoped", "", scoped);
    let mut client = Client::modern(&server);
    for tool in ["threaded", "scoped"] {
        let asked = client.call(tool).await;
        assert_eq!(questions(&asked), ["k"], "{tool}");
        assert_eq!(text(&client.retry(tool, &asked, json!({"k": named("x")})).await), "x");
    }
}

#[tokio::test]
async fn a_blocking_tool_that_panics_still_panics() {
    fn panics(ctx: Context) -> String {
        let name = name(&ctx, "k").unwrap();
        panic!("{name}");
    }
    let mut client = Client::modern(&Server::new("s", "1").blocking_tool("panics", "", panics));
    let asked = client.call("panics").await;
    assert_eq!(questions(&asked), ["k"]);
    assert_eq!(client.retry("panics", &asked, json!({"k": named("x")})).await["code"], -32603);
}
