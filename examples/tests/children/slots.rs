//! Calls that are given up.

use std::fs;
use std::future::poll_fn;
use std::path::PathBuf;
use std::task::Poll;

use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use crate::support::{ERAS, client, connected, server, text, within};

#[tokio::test]
async fn calls_that_are_dropped_leave_no_slot_and_no_handler() {
    for (number, era) in ERAS.into_iter().enumerate() {
        let report =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("dropped-{number}-{}", std::process::id()));
        let child = server().arg("--report-file").arg(&report);
        let (connection, _process) = connected(&client(era), child).await;
        let slots = || connection.meters().unwrap().pending_slots;

        // Before it is polled, and after it was polled but not written.
        drop(connection.call_tool("sleep", &json!({ "ms": 600_000 })));
        let mut unwritten = Box::pin(connection.call_tool("sleep", &json!({ "ms": 600_000 })).into_future());
        assert!(poll_fn(|cx| Poll::Ready(unwritten.as_mut().poll(cx).is_pending())).await);
        assert_eq!(slots(), 1, "{era:?}");
        drop(unwritten);
        assert_eq!(slots(), 0, "{era:?}");

        // While the server is at work on it.
        for _ in 0..50 {
            let (tell, mut told) = unbounded_channel();
            let call = connection
                .call_tool("progress", &json!({ "steps": 100_000 }))
                .on_progress(move |progress| drop(tell.send(progress)));
            tokio::select! {
                result = call => panic!("it has ended: {result:?}"),
                told = within(told.recv()) => assert!(told.is_some()),
            }
            assert_eq!(slots(), 0, "{era:?}");
        }

        // When it has been answered, and nobody has taken the answer.
        let answered = tokio::spawn(connection.call_tool("echo", &json!({ "text": "taken by nobody" })).into_future());
        assert_eq!(text(&connection, "echo", &json!({ "text": "hello" })).await, "hello");
        drop(answered.await);
        assert_eq!(slots(), 0, "{era:?}");

        within(connection.close()).await;
        let report: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
        assert_eq!(report["tasks_alive"], 0, "{report}");
        let requests = &report["requests"];
        let count = |name: &str| requests[name].as_u64().unwrap();
        // The first two were never sent.
        assert_eq!(count("cancelled"), 50, "{report}");
        assert_eq!(count("received"), count("answered") + count("cancelled") + count("never_started"), "{report}");
    }
}
