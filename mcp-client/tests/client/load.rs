//! Much at once, and pipes that hold next to nothing.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Connection, Era};
use mcp_server::{Context, Server as Application};
use mcp_session::transports::memory::{End, Link};
use mcp_types::logging::LoggingLevel;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{LEGACY, NO_CONTENT, client, connected};

const CALLS: usize = 200;
const NOTES: usize = 2_000;
const ANSWER: usize = 256 << 10;

/// The pipe holds a quarter of an answer, and the reader is given ten bytes at a time as long as there are few.
#[tokio::test(start_paused = true)]
async fn two_hundred_calls_at_a_time_have_each_its_large_answer() {
    for era in [LEGACY, Era::Modern] {
        let (connection, mut server) = connected(client(), era).await;
        let calls: Vec<_> = (0..CALLS)
            .map(|number| {
                let call = connection.request_raw("vendor/large", &json!({ "number": number }));
                tokio::spawn(async move { (number, call.await.unwrap()) })
            })
            .collect();
        let mut requests = Vec::new();
        for _ in 0..CALLS {
            requests.push(server.asked("vendor/large").await);
        }
        // The last one that came is answered first, so that no call is settled by its place.
        for request in requests.iter().rev() {
            let result = large(request["params"]["number"].as_u64().unwrap());
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request["id"]);
            let (pieces, rest) = line.as_bytes().split_at(100);
            for piece in pieces.chunks(10) {
                server.0.send_bytes(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            server.0.send_bytes(rest).await.unwrap();
        }
        for call in calls {
            let (number, result) = call.await.unwrap();
            assert!(result.get() == large(number as u64), "the answer to {number} is another one");
        }
        assert_eq!(connection.meters().unwrap().pending_slots, 0);
    }
}

fn large(number: u64) -> String {
    format!(r#"{{"number":{number},"text":"{}"}}"#, format!("{number} ").repeat(ANSWER / 4))
}

#[tokio::test(start_paused = true)]
async fn notifications_are_written_in_the_order_in_which_they_were_sent() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let sending = tokio::spawn(async move {
        for number in 0..NOTES {
            connection.notify("notifications/vendor", &json!({ "number": number })).await.unwrap();
        }
        connection
    });
    for number in 0..NOTES {
        assert_eq!(server.asked("notifications/vendor").await["params"]["number"], number);
    }
    sending.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn progress_is_told_in_the_order_in_which_it_was_written_however_much_there_is() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let call = connection.call_tool("slow", &()).on_progress({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress.progress)
    });
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        let token = &request["params"]["_meta"]["progressToken"];
        let mut lines = String::new();
        for number in 0..NOTES {
            let params = json!({ "progressToken": token, "progress": number });
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
            lines.push_str(&format!("{note}\n"));
        }
        server.0.send_bytes(lines.as_bytes()).await.unwrap();
        server.answer(&request, NO_CONTENT).await;
    });
    result.unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.iter().copied().eq((0..NOTES).map(|number| number as f64)), "{} of {NOTES}", seen.len());
}

#[tokio::test(start_paused = true)]
async fn other_notifications_reach_their_callback_in_order() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let client = client().on_notification(move |note| {
        drop(told.send(note.into_inner()));
        async {}
    });
    let (_connection, mut server) = connected(client, LEGACY).await;
    for number in 0..NOTES {
        let params = json!({ "number": number });
        server.send(json!({ "jsonrpc": "2.0", "method": "notifications/vendor", "params": params })).await;
        // No more than wait for a callback before the oldest is dropped.
        let note = heard.recv().await.unwrap();
        let params: Value = serde_json::from_str(note.params.unwrap().get()).unwrap();
        assert_eq!(params["number"], number);
    }
}

/// Neither side waits for the other to read before it reads itself.
#[tokio::test(start_paused = true)]
async fn notes_before_an_answer_pass_a_pipe_of_any_width() {
    for bytes in [1, 2, 7, 64] {
        let link = || Link::new().capacity(NonZeroUsize::new(bytes).unwrap());
        for era in [LEGACY, Era::Modern, Era::Detect] {
            for (ours, theirs) in [link().bytes(), link().pair()] {
                let seen = talks(narrow(ours, theirs, era).await).await;
                assert_eq!(seen, [1.0, 2.0, 3.0], "{bytes} bytes, {era:?}");
            }
        }
    }
}

async fn narrow(ours: End, theirs: End, era: Era) -> Connection {
    let server = Application::new("s", "1").tool("talks", "Says much before it answers.", async |context: Context| {
        for step in 1..=3 {
            context.log(LoggingLevel::Error, None, "a message that is longer than the pipe is wide").await;
            context.progress(f64::from(step), None, None).await;
        }
        "x".repeat(1 << 10)
    });
    tokio::spawn(server.serve(theirs));
    client().with_era(era).connect(ours).await.unwrap()
}

/// What was told of the progress of four calls that are made at once; it is the same for all.
async fn talks(connection: Connection) -> Vec<f64> {
    let calls: Vec<_> = (0..4)
        .map(|_| {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let told = Arc::clone(&seen);
            let call =
                connection.call_tool("talks", &()).on_progress(move |note| told.lock().unwrap().push(note.progress));
            tokio::spawn(async move {
                let result = call.timeout(Duration::from_secs(10)).await.unwrap();
                assert_eq!(result.content[0].as_text().unwrap().len(), 1 << 10);
                std::mem::take(&mut *seen.lock().unwrap())
            })
        })
        .collect();
    let mut all = Vec::new();
    for call in calls {
        all.push(call.await.unwrap());
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    all.remove(0)
}
