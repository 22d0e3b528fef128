//! Standard input and output can be descriptors of any kind.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Signal, geteuid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{EVERYTHING, Ending, Program, call, conversation, scratch, text};

fn server(input: impl Into<Stdio>, output: impl Into<Stdio>) -> Program {
    let mut command = Command::new(EVERYTHING);
    Program::start_as_it_is(command.arg("--stdio").stdin(input).stdout(output).stderr(Stdio::piped()))
}

fn echo(id: i64, say: &str) -> Value {
    call(id, "echo", json!({"text": say}))
}

/// The texts of all answers but that of the handshake.
fn texts(lines: &str) -> Vec<String> {
    let answers = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.skip(1).map(|answer| text(&answer).to_owned()).collect()
}

/// Whether a descriptor is in blocking mode; every duplicate of it is in the same.
fn blocks(fd: &impl AsRawFd) -> bool {
    const O_NONBLOCK: i64 = 0o4000;
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).unwrap();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
    i64::from_str_radix(flags.trim(), 8).unwrap() & O_NONBLOCK == 0
}

#[tokio::test]
async fn sockets_as_node_gives_them() {
    let (mut to_input, input) = UnixStream::pair().unwrap();
    let (mut from_output, output) = UnixStream::pair().unwrap();
    let (input_here, output_here) = (input.try_clone().unwrap(), output.try_clone().unwrap());
    let program = server(OwnedFd::from(input), OwnedFd::from(output));
    to_input.write_all(conversation(&[echo(1, "over sockets")]).as_bytes()).unwrap();
    let mut lines = BufReader::new(&mut from_output).lines();
    let greeting = lines.next().unwrap().unwrap();
    let answer = lines.next().unwrap().unwrap();
    assert_eq!(texts(&format!("{greeting}\n{answer}")), ["over sockets"]);
    assert!(blocks(&input_here) && blocks(&output_here));
    to_input.shutdown(Shutdown::Write).unwrap();
    assert_eq!(program.ended().await.status.code(), Some(0));
}

#[tokio::test]
async fn one_socket_both_ways() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let program = server(OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
    ours.write_all(conversation(&[call(1, "sleep", json!({"ms": 200}))]).as_bytes()).unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    let mut said = String::new();
    ours.read_to_string(&mut said).unwrap();
    assert_eq!(texts(&said), ["slept 200 ms"]);
    assert_eq!(program.ended().await.status.code(), Some(0));
}

#[tokio::test]
async fn files_both_ways() {
    let (input, output) = (scratch("input"), scratch("output"));
    fs::write(&input, conversation(&[call(1, "sleep", json!({"ms": 100})), echo(2, "from a file")])).unwrap();
    let program = server(File::open(&input).unwrap(), File::create(&output).unwrap());
    let Ending { status, stderr, .. } = program.ended().await;
    let said = fs::read_to_string(&output).unwrap();
    assert_eq!(texts(&said), ["from a file", "slept 100 ms"]);
    assert_eq!((status.code(), &*stderr), (Some(0), ""));
    for path in [input, output] {
        fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn an_input_that_is_empty_ends_at_once() {
    let ending = server(Stdio::null(), Stdio::piped()).ended().await;
    assert_eq!((ending.status.code(), ending.rest.len(), &*ending.stderr), (Some(0), 0, ""));
}

/// A terminal: the side that a person sits at, and the side that a program reads and writes.
fn terminal() -> (File, File) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap().into_string().unwrap();
    (person.into(), OpenOptions::new().read(true).write(true).open(name).unwrap())
}

#[tokio::test]
async fn a_terminal_as_input() {
    /// What a terminal makes of Ctrl-D at the start of a line: the end of input.
    const END: &[u8] = b"\x04";
    let (mut person, program_side) = terminal();
    let mut program = server(program_side.try_clone().unwrap(), Stdio::piped());
    person.write_all(conversation(&[echo(1, "typed")]).as_bytes()).unwrap();
    assert!(program.recv().await["result"].is_object());
    assert_eq!(text(&program.recv().await), "typed");
    assert!(program.threads().contains(&"mcp-stdin".to_owned()));
    person.write_all(END).unwrap();
    assert_eq!(program.ended().await.status.code(), Some(0));
    assert!(blocks(&program_side));
}

#[tokio::test]
async fn a_terminal_as_output() {
    let (person, program_side) = terminal();
    let mut program = server(Stdio::piped(), program_side);
    program.send_bytes(conversation(&[echo(1, "shown")]).as_bytes()).await;
    let mut lines = BufReader::new(person).lines();
    let said: Vec<_> = (0..2).map(|_| lines.next().unwrap().unwrap()).collect();
    assert_eq!(texts(&said.join("\n")), ["shown"]);
    assert_eq!(program.finish().await.status.code(), Some(0));
}

#[tokio::test]
async fn a_full_disk_is_an_error_that_says_why() {
    let mut program = server(Stdio::piped(), OpenOptions::new().write(true).open("/dev/full").unwrap());
    program.send_bytes(conversation(&[]).as_bytes()).await;
    let Ending { status, stderr, .. } = program.ended().await;
    assert_eq!(status.code(), Some(1));
    assert!(stderr.contains("No space left on device") && !stderr.contains("panicked"), "{stderr}");
}

#[tokio::test]
async fn output_and_errors_may_be_one_pipe_and_stay_in_blocking_mode() {
    let (input, mut to_input) = io::pipe().unwrap();
    let (from_output, output) = io::pipe().unwrap();
    let mut command = Command::new(EVERYTHING);
    command.arg("--stdio").stdin(input.try_clone().unwrap()).stdout(output.try_clone().unwrap());
    let program = Program::start_as_it_is(command.stderr(output.try_clone().unwrap()));
    drop(command);
    to_input.write_all(conversation(&[echo(1, "2>&1")]).as_bytes()).unwrap();
    let mut lines = BufReader::new(from_output).lines();
    let said: Vec<_> = (0..2).map(|_| lines.next().unwrap().unwrap()).collect();
    assert_eq!(texts(&said.join("\n")), ["2>&1"]);
    assert!(blocks(&input) && blocks(&output));
    drop(to_input);
    assert_eq!(program.ended().await.status.code(), Some(0));
    assert!(blocks(&input) && blocks(&output));
}

#[tokio::test]
async fn what_a_tool_prints_is_not_on_the_wire() {
    let mut program = Program::everything(&[]);
    program.initialize().await;
    program.send(&call(1, "print", json!({"text": "{\"stray\":true}"}))).await;
    assert_eq!(text(&program.recv().await), "printed");
    let ending = program.finish().await;
    assert_eq!((ending.status.code(), ending.rest.len()), (Some(0), 0));
    assert_eq!(ending.stderr, "{\"stray\":true}\n");
}

/// A program that may not open its own pipes once more, because they belong to somebody else.
///
/// Only root can make one: elsewhere there is nothing to see.
fn under_another_user() -> Option<Program> {
    const NOBODY: &str = "65534";
    if !geteuid().is_root() {
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", EVERYTHING, "--stdio"]);
    Some(Program::start(&mut command))
}

#[tokio::test]
async fn pipes_that_cannot_be_opened_again_have_threads() {
    let Some(mut program) = under_another_user() else { return };
    program.initialize().await;
    let threads = program.threads();
    assert!(["mcp-stdin", "mcp-stdout"].iter().all(|name| threads.iter().any(|thread| thread == name)), "{threads:?}");
    program.send(&call(1, "sleep", json!({"ms": 200}))).await;
    let ending = program.finish().await;
    assert_eq!(ending.rest.iter().map(text).collect::<Vec<_>>(), ["slept 200 ms"]);
    assert_eq!((ending.status.code(), &*ending.stderr), (Some(0), ""));
}

#[tokio::test]
async fn a_read_under_way_keeps_no_process() {
    let (_person, program_side) = terminal();
    for program in [Some(server(program_side, Stdio::piped())), under_another_user()].into_iter().flatten() {
        let mut program = program;
        while !program.threads().contains(&"mcp-stdin".to_owned()) {
            tokio::task::yield_now().await;
        }
        if program.takes_input() {
            program.initialize().await;
        }
        let began = Instant::now();
        program.signal(Signal::TERM);
        let ending = program.ended().await;
        assert_eq!((ending.status.code(), &*ending.stderr), (Some(0), ""));
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
}
