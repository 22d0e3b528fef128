//! What a service hears of notifications before their callbacks run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test plays several sides at once")]

use std::future::pending;
use std::sync::{Arc, Mutex};

use mcp_session::engine::{Config, Role};
use mcp_session::transports::memory;
use mcp_session::{Answering, Body, Context, Note, NoteFuture, Peer, Service, Session};
use mcp_types::jsonrpc::Request;

/// Writes down what happens. No callback of it ever ends.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Diary {
    fn write(&self, what: &str, method: &str) {
        self.0.lock().unwrap().push(format!("{what} {method}"));
    }
}

impl Service for Diary {
    fn serve(&self, request: &Request<'_>, _: Context) -> Answering {
        self.write("serve", &request.method);
        Answering::Ready(Ok(Body::from_json(b"{}".to_vec())))
    }

    fn heard(&self, method: &str, params: Option<&str>) {
        self.write(params.unwrap_or("hear"), method);
        assert!(method != "panics", "as asked");
    }

    fn notified(&self, note: Note, _: &Peer) -> Option<NoteFuture> {
        self.write("notify", &note.method);
        Some(Box::pin(pending()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_hears_of_notifications_in_the_order_of_everything_while_a_callback_runs() {
    let (end, mut wire) = memory::raw();
    let diary = Arc::new(Diary::default());
    let (_handle, driver) = Session::new(Config::new(Role::Server)).open(Arc::clone(&diary), end);
    let run = tokio::spawn(driver);
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    for line in [
        &format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#),
        r#"{"jsonrpc":"2.0","method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"b"}"#,
        r#"{"jsonrpc":"2.0","method":"panics"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"c","params":{"d":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"e"}"#,
    ] {
        wire.send(line).await.unwrap();
    }
    for id in 0..3 {
        assert_eq!(wire.recv().await.unwrap(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    wire.close_write();
    run.await.unwrap().unwrap();
    // The callback of the first begins when input is dry, and those of the others would begin after its end.
    let mut diary = std::mem::take(&mut *diary.0.lock().unwrap());
    let notified: Vec<_> = diary.extract_if(.., |entry| entry.starts_with("notify ")).collect();
    assert_eq!(notified, ["notify a"]);
    assert_eq!(diary, ["serve initialize", "hear a", "serve b", "hear panics", r#"{"d":1} c"#, "serve e"]);
}
