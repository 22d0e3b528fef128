//! Tools that block several threads, one of which leads to a question.

use std::future::poll_fn;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use mcp_server::{AskError, Context, Server};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::questions::Person;
use crate::support::{Client, named, questions, text};

/// Is polled a second time: by then whoever polls it is known to wait.
async fn polled_twice() {
    let mut was_polled = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut was_polled, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits for a task that asks, with another thread that began to wait after this one.
fn waits_beside_another(ctx: Context) -> Result<String, AskError> {
    let (waits, mut has_waited) = mpsc::unbounded_channel();
    let (done, is_done) = oneshot::channel::<()>();
    let asking = ctx.clone();
    let asks = tokio::spawn(async move {
        has_waited.recv().await;
        asking.elicit::<Person>("k", "?").await
    });
    let other = ctx.clone();
    let answer = ctx.block_on(async {
        polled_twice().await;
        thread::spawn(move || {
            other.block_on(async {
                polled_twice().await;
                waits.send(()).unwrap_or_default();
                is_done.await.unwrap_or_default();
            });
        });
        asks.await.unwrap()
    })?;
    drop(done);
    Ok(answer.accepted().map_or_else(|| "nobody".to_owned(), |person| person.name))
}

#[tokio::test]
async fn a_question_unwinds_each_thread_that_waits() {
    let server = Server::new("s", "1").blocking_tool("waits", "", waits_beside_another);
    let mut client = Client::modern(&server);
    let rounds = async {
        for _ in 0..20 {
            let asked = client.call("waits").await;
            assert_eq!(questions(&asked), ["k"]);
            assert_eq!(text(&client.retry("waits", &asked, json!({"k": named("Ada")})).await), "Ada");
        }
    };
    tokio::time::timeout(Duration::from_secs(60), rounds).await.expect("a thread waits in vain");
}
