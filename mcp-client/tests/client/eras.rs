//! Which era a server is found to speak, by what it answers.

use std::io;
use std::sync::{Arc, Mutex};

use mcp_client::{Client, Connect, ConnectError, Connection, Era, Guard, Verdict};
use mcp_session::transports::memory::{self, End};
use mcp_types::Version;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::{DISCOVERED, INITIALIZED, LEGACY, NO_CONTENT, Server, client};

type Connecting = JoinHandle<Result<Connection, ConnectError>>;

fn connecting(client: Client) -> (Connecting, Server) {
    let (end, server) = memory::raw();
    (tokio::spawn(async move { client.connect(end).await }), Server(server))
}

fn verdict(version: &str) -> Verdict {
    serde_json::from_value(json!({ "version": version })).unwrap()
}

fn unsupported(supported: &[&str]) -> Value {
    json!({ "code": -32022, "message": "x", "data": { "supported": supported, "requested": "2026-07-28" } })
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_found_by_asking() {
    let (connecting, mut server) = connecting(client());
    let probe = server.asked("server/discover").await;
    assert_eq!(probe["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    server.answer(&probe, DISCOVERED).await;
    let connection = connecting.await.unwrap().unwrap();
    assert_eq!(connection.version(), Version::MODERN);
    assert_eq!(connection.server().unwrap().name, "s");
    assert!(connection.capabilities().unwrap().tools.is_some());
    let call = connection.call_tool("echo", &json!({ "text": "hi" }));
    let (result, ()) = tokio::join!(call, async {
        let request = server.asked("tools/call").await;
        assert_eq!(request["params"]["arguments"]["text"], "hi");
        assert!(request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_object());
        server.answer(&request, NO_CONTENT).await;
    });
    assert!(result.unwrap().content.is_empty());
}

#[tokio::test(start_paused = true)]
async fn any_other_answer_and_silence_mean_a_legacy_server() {
    let error = |code: i64| json!({ "error": { "code": code, "message": "no" } });
    let answers = [-32601, -32602, -32600, -32000, -32001, -32003, -32004, 0, 7].map(error);
    let strange = [
        json!({ "result": {} }),
        json!({ "result": [] }),
        json!({ "error": "boom" }),
        json!({ "result": 1, "error": 2 }),
    ];
    for answer in answers.into_iter().chain(strange).map(Some).chain([None]) {
        let (connecting, mut server) = connecting(client());
        let probe = server.asked("server/discover").await;
        if let Some(mut answer) = answer {
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = probe["id"].clone();
            server.send(answer).await;
        } else {
            server.asked("notifications/cancelled").await;
        }
        let initialize = server.initialize().await;
        assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
        let connection = connecting.await.unwrap().unwrap();
        assert_eq!(connection.version(), Version::LATEST_LEGACY);
        assert_eq!(connection.verdict(), Some(verdict("2025-11-25")));
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_modern_server_refuses_is_not_tried_in_the_legacy_way() {
    let error = |code: i64| json!({ "code": code, "message": "x" });
    for error in [error(-32020), error(-32021), error(-32022)] {
        let (connecting, mut server) = connecting(client());
        let probe = server.asked("server/discover").await;
        server.refuse(&probe, error.clone()).await;
        let refused = connecting.await.unwrap().unwrap_err();
        let ConnectError::Refused { error: got, report: Some(_) } = refused else { panic!("{refused:?}") };
        assert_eq!(json!(got.code), error["code"]);
        server.ended().await;
    }
}

//= 2026-07-28/basic/versioning#protocol-version-negotiation
//# The client SHOULD select a mutually supported version from the `supported` list and retry
#[tokio::test(start_paused = true)]
async fn a_server_that_lists_what_it_speaks_is_taken_at_its_word() {
    for (supported, spoken) in [
        (&["2027-01-01"][..], None),
        (&[], None),
        (&["2027-01-01", "2025-06-18", "2024-11-05"], Some("2025-06-18")),
        (&["2025-11-25"], Some("2025-11-25")),
    ] {
        let discovered = json!({ "supportedVersions": supported, "capabilities": {} });
        for answers_by_error in [true, false] {
            let (connecting, mut server) = connecting(client());
            let probe = server.asked("server/discover").await;
            if answers_by_error {
                server.refuse(&probe, unsupported(supported)).await;
            } else {
                server.answer(&probe, &discovered.to_string()).await;
            }
            match spoken {
                Some(spoken) => {
                    let initialize = server.initialize().await;
                    assert_eq!(initialize["params"]["protocolVersion"], spoken);
                    connecting.await.unwrap().unwrap();
                }
                None => {
                    let error = connecting.await.unwrap().unwrap_err();
                    assert!(
                        matches!(&error, ConnectError::Unsupported { offered, .. } if offered == supported),
                        "{error}"
                    );
                    server.ended().await;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_may_prefer_another_legacy_revision() {
    for (answered, agreed) in [
        ("2024-11-05", Some(Version::V2024_11_05)),
        ("2025-06-18", Some(Version::V2025_06_18)),
        ("2026-07-28", None),
        ("9999-01-01", None),
    ] {
        let (connecting, mut server) = connecting(client().with_era(LEGACY));
        let initialize = server.asked("initialize").await;
        server.answer(&initialize, &INITIALIZED.replace("2025-11-25", answered)).await;
        match agreed {
            Some(version) => {
                server.asked("notifications/initialized").await;
                assert_eq!(connecting.await.unwrap().unwrap().version(), version);
            }
            None => {
                let error = connecting.await.unwrap().unwrap_err();
                assert!(
                    matches!(&error, ConnectError::Unsupported { offered, .. } if *offered == [answered]),
                    "{error}"
                );
                server.ended().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_goes_wrong_says_how() {
    let (connecting1, mut server) = connecting(client().with_era(LEGACY));
    let initialize = server.asked("initialize").await;
    server.refuse(&initialize, json!({ "code": -32602, "message": "no" })).await;
    assert!(matches!(connecting1.await.unwrap(), Err(ConnectError::Refused { error, .. }) if &*error.message == "no"));
    server.ended().await;
    let (connecting2, mut server) = connecting(client().with_era(LEGACY));
    let initialize = server.asked("initialize").await;
    server.answer(&initialize, r#"{"protocolVersion":"2025-11-25","capabilities":7}"#).await;
    let error = connecting2.await.unwrap().unwrap_err();
    assert!(matches!(&error, ConnectError::Malformed { detail, .. } if detail.contains("`capabilities`")), "{error}");
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn c27_a_connection_that_closes_during_the_handshake_fails_it_with_the_cause() {
    for era in [LEGACY, Era::Detect] {
        let (connecting, mut server) = connecting(client().with_era(era));
        server.recv().await;
        server.0.faults().outgoing.reset_reader();
        let error = connecting.await.unwrap().unwrap_err();
        assert!(matches!(&error, ConnectError::Closed { cause: Some(_), report: Some(_), .. }), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_found_out_is_not_found_out_again() {
    let (connecting1, mut server) = connecting(client().with_verdict(verdict("2025-06-18")));
    server.initialize().await;
    assert_eq!(connecting1.await.unwrap().unwrap().verdict(), Some(verdict("2025-11-25")));
    // A modern server is asked all the same what it offers, and may take its time.
    let (connecting2, mut server) = connecting(client().with_verdict(verdict("2026-07-28")));
    let probe = server.asked("server/discover").await;
    tokio::time::advance(std::time::Duration::from_secs(20)).await;
    server.answer(&probe, DISCOVERED).await;
    assert!(connecting2.await.unwrap().unwrap().verdict().unwrap().is_modern());
}

#[tokio::test(start_paused = true)]
async fn a_verdict_that_is_wrong_is_found_out_anew() {
    let (connecting1, mut server) = connecting(client().with_verdict(verdict("2025-11-25")));
    let initialize = server.asked("initialize").await;
    server.refuse(&initialize, json!({ "code": -32601, "message": "Method not found" })).await;
    let probe = server.asked("server/discover").await;
    server.answer(&probe, DISCOVERED).await;
    assert!(connecting1.await.unwrap().unwrap().verdict().unwrap().is_modern());
    let (connecting2, mut server) = connecting(client().with_verdict(verdict("2026-07-28")));
    let probe = server.asked("server/discover").await;
    server.refuse(&probe, json!({ "code": -32601, "message": "Method not found" })).await;
    server.initialize().await;
    assert!(!connecting2.await.unwrap().unwrap().verdict().unwrap().is_modern());
    // And a server that refuses both is refusing.
    let (connecting3, mut server) = connecting(client().with_verdict(verdict("2025-11-25")));
    let initialize = server.asked("initialize").await;
    server.refuse(&initialize, json!({ "code": 5, "message": "go away" })).await;
    let probe = server.asked("server/discover").await;
    server.refuse(&probe, json!({ "code": 6, "message": "unknown" })).await;
    assert!(matches!(connecting3.await.unwrap(), Err(ConnectError::Refused { error, .. }) if error.code.0 == 5));
}

/// A way that can be opened more than once. Each opening waits for what the one before left behind.
struct Ways {
    ends: Vec<End>,
    gone: Arc<Mutex<Vec<oneshot::Receiver<()>>>>,
    opened: Arc<Mutex<Vec<&'static str>>>,
    reopens: bool,
}

/// A transport with something behind it.
struct Guarded {
    end: End,
    gone: Mutex<Option<oneshot::Receiver<()>>>,
    log: Arc<Mutex<Vec<&'static str>>>,
}

impl mcp_session::transport::Transport for Guarded {
    type Source = memory::MemorySource;
    type Sink = memory::MemorySink;

    fn traits(&self) -> mcp_session::transport::Traits {
        self.end.traits()
    }

    fn split(self) -> (Self::Source, Self::Sink) {
        self.end.split()
    }
}

impl Connect for Ways {
    type Transport = Guarded;

    async fn open(&mut self) -> io::Result<Guarded> {
        self.opened.lock().unwrap().push("opened");
        let end = self.ends.pop().ok_or(io::ErrorKind::NotFound)?;
        Ok(Guarded { end, gone: Mutex::new(self.gone.lock().unwrap().pop()), log: Arc::clone(&self.opened) })
    }

    fn can_reopen(&self) -> bool {
        self.reopens
    }

    fn guard(transport: &Guarded) -> Option<Guard> {
        let (gone, log) = (transport.gone.lock().unwrap().take()?, Arc::clone(&transport.log));
        Some(Guard::new(async move {
            drop(gone.await);
            log.lock().unwrap().push("gone");
        }))
    }
}

#[tokio::test(start_paused = true)]
async fn c26_a_server_that_dies_of_the_question_is_opened_once_more() {
    for reopens in [true, false] {
        let ((first, server1), (second, server2)) = (memory::raw(), memory::raw());
        let (mut server1, mut server2) = (Server(server1), Server(server2));
        let (leave, gone) = oneshot::channel();
        let opened = Arc::new(Mutex::new(Vec::new()));
        let gone = Arc::new(Mutex::new(vec![gone]));
        let ways = Ways { ends: vec![second, first], gone, opened: Arc::clone(&opened), reopens };
        let connecting = tokio::spawn(async move { client().connect(ways).await });
        server1.asked("server/discover").await;
        drop(server1);
        leave.send(()).unwrap();
        if reopens {
            server2.initialize().await;
            let connection = connecting.await.unwrap().unwrap();
            assert_eq!(connection.verdict(), Some(verdict("2025-11-25")), "it is kept");
            assert_eq!(*opened.lock().unwrap(), ["opened", "gone", "opened"]);
        } else {
            let error = connecting.await.unwrap().unwrap_err();
            assert!(error.is_connection_closed(), "{error}");
            assert_eq!(*opened.lock().unwrap(), ["opened", "gone"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c27_a_failed_connect_and_a_close_wait_for_what_stands_behind_the_transport() {
    let (end, server) = memory::raw();
    let mut server = Server(server);
    let (leave, gone) = oneshot::channel();
    let opened = Arc::new(Mutex::new(Vec::new()));
    let ways =
        Ways { ends: vec![end], gone: Arc::new(Mutex::new(vec![gone])), opened: Arc::clone(&opened), reopens: false };
    let connection = tokio::spawn(async move { client().with_era(LEGACY).connect(ways).await });
    server.initialize().await;
    let connection = connection.await.unwrap().unwrap();
    let mut closing = connection.close();
    server.ended().await;
    let early = tokio::time::timeout(std::time::Duration::from_secs(5), &mut closing).await;
    assert!(early.is_err(), "it is not gone yet");
    leave.send(()).unwrap();
    closing.await;
    assert_eq!(*opened.lock().unwrap(), ["opened", "gone"]);
}

#[tokio::test(start_paused = true)]
async fn a_way_that_cannot_be_opened_is_an_error_of_its_own() {
    let ways = Ways { ends: Vec::new(), gone: Arc::default(), opened: Arc::default(), reopens: true };
    let error = client().connect(ways).await.unwrap_err();
    assert!(matches!(&error, ConnectError::Open(cause) if cause.kind() == io::ErrorKind::NotFound), "{error}");
}
