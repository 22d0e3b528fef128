//! The driver over HTTP against the floor and against our server: real processes, and nothing counted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use benches::drive::http::{HttpServer, cold_start};
use benches::drive::{Era, Request};

const SERVERS: [&str; 2] = [env!("CARGO_BIN_EXE_floor-http"), env!("CARGO_BIN_EXE_http")];

#[test]
fn calls_are_answered_one_by_one_and_over_many_connections() {
    for program in SERVERS {
        for era in [Era::Legacy, Era::Modern] {
            let mut server = HttpServer::start(Command::new(program), era).unwrap();
            let echo = Request::echo(era, 100);
            assert_eq!(server.call(&echo, 20).unwrap().us.len(), 20);
            server.call_in_parallel(&echo, 300, 32).unwrap();
            assert!(!server.cpu_time().unwrap().is_zero());
            server.finish().unwrap();
        }
    }
}

#[test]
fn sessions_and_streams_are_left_open() {
    for program in SERVERS {
        for era in [Era::Legacy, Era::Modern] {
            let mut server = HttpServer::start(Command::new(program), era).unwrap();
            server.open_sessions(5).unwrap();
            server.open_streams(5).unwrap();
            // Calls go on beside them.
            server.call(&Request::echo(era, 100), 5).unwrap();
            assert!(server.resident().unwrap() > 0);
            server.finish().unwrap();
        }
    }
}

#[test]
fn a_tool_is_found_among_many() {
    let mut command = Command::new(SERVERS[1]);
    command.arg("1000");
    let mut server = HttpServer::start(command, Era::Modern).unwrap();
    server.call(&Request::echo(Era::Modern, 100), 5).unwrap();
    server.finish().unwrap();
}

#[test]
fn a_server_that_starts_is_a_server_that_answers() {
    assert!(cold_start(Command::new(SERVERS[0]), Era::Modern).is_ok_and(|took| !took.is_zero()));
    // It says nothing, so that nobody knows where it listens.
    let silent = HttpServer::start(Command::new("true"), Era::Modern);
    assert!(silent.unwrap_err().to_string().contains("it listens nowhere"));
}
