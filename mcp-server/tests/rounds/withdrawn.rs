//! Which questions count at the end of a poll, and what becomes of everything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_server::{AskError, Context, Server};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::questions::Person;
use crate::support::{Client, named, questions, text};

/// Sets its flag when it is dropped.
struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_cannot_swallow_a_round() {
    let dropped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&dropped);
    let stubborn = move |ctx: Context| {
        let flag = Flag(Arc::clone(&seen));
        async move {
            let _flag = flag;
            let answer = ctx.elicit::<Person>("k", "?").await.ok();
            let answer = answer.and_then(mcp_server::Elicited::accepted);
            answer.map_or_else(|| "swallowed".to_owned(), |person| person.name)
        }
    };
    let mut client = Client::modern(&Server::new("s", "1").tool("stubborn", "", stubborn));
    let asked = client.call("stubborn").await;
    assert_eq!(questions(&asked), ["k"]);
    assert!(dropped.load(Ordering::Relaxed), "the handler is gone before its answer");
    assert_eq!(text(&client.retry("stubborn", &asked, json!({"k": named("x")})).await), "x");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_waits_for_any_more_is_not_asked() {
    async fn loser(ctx: Context) -> Result<String, AskError> {
        tokio::select! {
            biased;
            _ = ctx.elicit::<Person>("lost", "?") => Ok("answered".to_owned()),
            () = std::future::ready(()) => {
                Ok(ctx.elicit::<Person>("kept", "?").await?.action().to_owned())
            }
        }
    }
    async fn result(ctx: Context) -> &'static str {
        tokio::select! {
            biased;
            _ = ctx.elicit::<Person>("lost", "?") => "answered",
            () = std::future::ready(()) => "done without",
        }
    }
    let server = Server::new("s", "1").tool("loser", "", loser).tool("result", "", result);
    let mut client = Client::modern(&server);
    let asked = client.call("loser").await;
    assert_eq!(questions(&asked), ["kept"]);
    assert_eq!(text(&client.retry("loser", &asked, json!({"kept": {"action": "cancel"}})).await), "cancel");
    assert_eq!(text(&client.call("result").await), "done without");

    // A capability that is not there does not matter either, when the question is given up.
    let mut client = Client::modern_with(&server, json!({}));
    assert_eq!(text(&client.call("result").await), "done without");

    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "loser"})).await;
    let request = client.asked("elicitation/create").await;
    assert_eq!(request["params"]["message"], "?");
    client.respond(&request, json!({"action": "cancel"})).await;
    assert_eq!(text(&client.answer_to(call).await), "cancel");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_waits_first_asks_when_it_comes_to_it() {
    async fn late(ctx: Context) -> Result<String, AskError> {
        tokio::time::sleep(Duration::from_secs(5)).await; // tidy: waits for a handler that is slow to ask
        Ok(ctx.elicit::<Person>("k", "?").await?.action().to_owned())
    }
    let mut client = Client::modern(&Server::new("s", "1").tool("late", "", late));
    let asked = client.call("late").await;
    assert_eq!(questions(&asked), ["k"]);
    assert_eq!(text(&client.retry("late", &asked, json!({"k": {"action": "decline"}})).await), "decline");
}

#[tokio::test(start_paused = true)]
async fn a_task_of_the_handler_may_ask_for_it() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let delegating = move |ctx: Context| {
        let tell = tell.clone();
        async move {
            let (send, receive) = oneshot::channel();
            let asking = ctx.clone();
            tokio::spawn(async move {
                tokio::task::yield_now().await;
                match asking.elicit::<Person>("k", "?").await {
                    Ok(answer) => drop(send.send(answer.action())),
                    Err(error) => drop(tell.send(error.to_string())),
                }
            });
            receive.await.unwrap_or("the task ended")
        }
    };
    let server = Server::new("s", "1").tool("delegating", "", delegating);
    let mut client = Client::modern(&server);
    let asked = client.call("delegating").await;
    assert_eq!(questions(&asked), ["k"]);
    // The task that outlives the handler is not left waiting.
    assert_eq!(told.recv().await.unwrap(), "the call is over");
    assert_eq!(text(&client.retry("delegating", &asked, json!({"k": {"action": "decline"}})).await), "decline");

    let mut client = Client::legacy(&server).await;
    let call = client.request("tools/call", json!({"name": "delegating"})).await;
    let request = client.asked("elicitation/create").await;
    client.respond(&request, json!({"action": "cancel"})).await;
    assert_eq!(text(&client.answer_to(call).await), "cancel");
}

#[tokio::test(start_paused = true)]
async fn a_context_that_outlives_its_call_asks_nobody() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let keeping = move |ctx: Context| {
        let tell = tell.clone();
        async move {
            tell.send(ctx).unwrap();
            "kept"
        }
    };
    let server = Server::new("s", "1").tool("keeping", "", keeping);
    for client in [&mut Client::modern(&server), &mut Client::legacy(&server).await] {
        assert_eq!(text(&client.call("keeping").await), "kept");
        let context = told.recv().await.unwrap();
        let error = context.elicit::<Person>("k", "?").await.unwrap_err();
        assert!(matches!(error, AskError::CallOver), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_call_withdraws_what_it_asks() {
    async fn ask(ctx: Context) -> Result<String, AskError> {
        Ok(ctx.elicit::<Person>("k", "?").await?.action().to_owned())
    }
    let mut client = Client::legacy(&Server::new("s", "1").tool("ask", "", ask)).await;
    let call = client.request("tools/call", json!({"name": "ask"})).await;
    let request = client.asked("elicitation/create").await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}})).await;
    assert_eq!(client.asked("notifications/cancelled").await["params"]["requestId"], request["id"]);
    let (rest, report) = client.finish().await;
    assert_eq!((rest, report.tally.cancelled), (Vec::new(), 1));
}
