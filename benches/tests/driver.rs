//! The driver and the clients against the floors: real processes, and nothing counted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Stdio};

use benches::drive::{Era, Request, Server, cold_start};

const FLOORS: [&str; 2] = [env!("CARGO_BIN_EXE_floor-stdio"), env!("CARGO_BIN_EXE_floor-stdio-tokio")];

#[test]
fn calls_are_answered_one_by_one_and_many_at_a_time() {
    for floor in FLOORS {
        for era in [Era::Legacy, Era::Modern] {
            let mut server = Server::start(Command::new(floor), era).unwrap();
            for (window, calls) in [(1, 20), (64, 1000)] {
                let load = server.call(&Request::echo(era, 100), calls, window).unwrap();
                assert_eq!(load.notifications, 0);
            }
            assert!(!server.cpu_time().unwrap().is_zero());
            server.finish().unwrap();
        }
    }
}

#[test]
fn messages_longer_than_a_pipe_holds_get_through() {
    for floor in FLOORS {
        let mut server = Server::start(Command::new(floor), Era::Legacy).unwrap();
        server.call(&Request::echo(Era::Legacy, 1_000_000), 6, 3).unwrap();
        server.finish().unwrap();
    }
}

#[test]
fn notifications_are_taken_without_an_answer() {
    let mut server = Server::start(Command::new(FLOORS[0]), Era::Legacy).unwrap();
    assert_eq!(server.notify(5000).unwrap().notifications, 0);
    server.finish().unwrap();
}

#[test]
fn a_server_that_starts_is_a_server_that_answers() {
    for era in [Era::Legacy, Era::Modern] {
        assert!(cold_start(Command::new(FLOORS[0]), era).is_ok_and(|took| !took.is_zero()));
    }
    // It repeats the request, which is no answer.
    let echoing = Server::start(Command::new("cat"), Era::Legacy);
    assert!(echoing.unwrap_err().to_string().contains("the opening was answered with"));
    assert!(Server::start(Command::new("true"), Era::Legacy).is_err());
}

#[test]
fn clients_make_their_calls() {
    let ours = env!("CARGO_BIN_EXE_client");
    let clients: [(&str, &[&str]); 3] =
        [(env!("CARGO_BIN_EXE_floor-client"), &[]), (ours, &["legacy"]), (ours, &["modern"])];
    for (client, era) in clients {
        let status = Command::new(client).args(era).args([FLOORS[0], "--calls", "20"]).status().unwrap();
        assert!(status.success(), "{client} {era:?}: {status}");
        // A modern client ignores requests of its server, so it would wait for an answer as long as a call may take.
        if era != ["modern"] {
            let repeating =
                Command::new(client).args(era).args(["cat", "--calls", "20"]).stderr(Stdio::null()).status();
            assert!(!repeating.unwrap().success(), "{client} {era:?} takes its own requests for answers");
        }
    }
}

#[test]
fn a_client_and_a_server_meet_in_memory() {
    for case in ["pair-legacy", "pair-modern"] {
        let counted = Command::new(env!("CARGO_BIN_EXE_counted")).args(["serve", case, "--calls", "20"]).status();
        assert!(counted.unwrap().success(), "{case}");
    }
}
