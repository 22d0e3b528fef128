//! Descriptors that another process may share, of every kind that standard input and output can be.
#![cfg(all(target_os = "linux", feature = "tokio"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test is no session: it has its own tasks")]

use std::fs::{self, File};
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use mcp_session::transport::{Frames, Incoming, Sink, Source, Transport};
use mcp_session::transports::stdio::{Stdio, StdioSink, StdioSource};

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Frame(String),
    Tail(String),
    Ended,
    Other(String),
}

fn frame(text: &str) -> Seen {
    Seen::Frame(text.to_owned())
}

/// Waits no longer than anything here may take.
async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), what).await.unwrap()
}

async fn next(source: &mut StdioSource) -> Seen {
    let incoming = within(poll_fn(|cx| source.poll_next(cx))).await;
    let text = String::from_utf8(source.frame().to_vec()).unwrap();
    match incoming {
        Incoming::Frame => Seen::Frame(text),
        Incoming::Tail => Seen::Tail(text),
        Incoming::Ended => Seen::Ended,
        other => Seen::Other(format!("{other:?}")),
    }
}

async fn write(sink: &mut StdioSink, text: &str) -> io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let count = within(poll_fn(|cx| sink.poll_write(cx, Frames::new(rest)))).await?;
        rest = &rest[count..];
    }
    within(poll_fn(|cx| sink.poll_flush(cx))).await
}

async fn close(sink: &mut StdioSink) -> io::Result<()> {
    within(poll_fn(|cx| sink.poll_close(cx))).await
}

fn null() -> OwnedFd {
    File::options().read(true).write(true).open("/dev/null").unwrap().into()
}

fn input(fd: impl Into<OwnedFd>) -> StdioSource {
    Stdio::from_fds(fd.into(), null()).unwrap().split().0
}

fn output(fd: impl Into<OwnedFd>) -> StdioSink {
    Stdio::from_fds(null(), fd.into()).unwrap().split().1
}

/// Which of the three ways of reading or writing was taken.
fn kind(half: &impl std::fmt::Debug) -> String {
    let text = format!("{half:?}");
    ["Pipe", "Socket", "Thread"].into_iter().find(|kind| text.contains(&format!("({kind}("))).unwrap().to_owned()
}

fn blocks(fd: &impl AsRawFd) -> bool {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).unwrap();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
    i64::from_str_radix(flags.trim(), 8).unwrap() & O_NONBLOCK == 0
}

/// As the kernel writes it for most architectures.
const O_NONBLOCK: i64 = 0o4000;

/// A path of its own for each test.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("mcp-session-{}-{name}", std::process::id()))
}

#[tokio::test]
async fn a_pipe_is_read_to_its_end() {
    let (read, mut writer) = io::pipe().unwrap();
    let mut source = input(read);
    assert_eq!(kind(&source), "Pipe");
    writer.write_all(b"{}\n[").unwrap();
    assert_eq!(next(&mut source).await, frame("{}"));
    let reader = tokio::spawn(async move { (next(&mut source).await, next(&mut source).await) });
    tokio::task::yield_now().await;
    drop(writer);
    assert_eq!(reader.await.unwrap(), (Seen::Tail("[".to_owned()), Seen::Ended));
}

#[tokio::test]
async fn a_pipe_whose_writer_has_left_before_is_read_to_its_end() {
    for written in ["", "1\n"] {
        let (read, mut writer) = io::pipe().unwrap();
        writer.write_all(written.as_bytes()).unwrap();
        drop(writer);
        let mut source = input(read);
        if !written.is_empty() {
            assert_eq!(next(&mut source).await, frame("1"));
        }
        assert_eq!(next(&mut source).await, Seen::Ended);
    }
}

#[tokio::test]
async fn a_pipe_is_written_and_closed() {
    let (mut reader, written) = io::pipe().unwrap();
    let mut sink = output(written);
    assert_eq!(kind(&sink), "Pipe");
    write(&mut sink, "1\n2\n").await.unwrap();
    close(&mut sink).await.unwrap();
    let mut all = String::new();
    reader.read_to_string(&mut all).unwrap();
    assert_eq!(all, "1\n2\n");
}

#[tokio::test]
async fn a_pipe_nobody_reads_is_broken() {
    let (reader, written) = io::pipe().unwrap();
    let mut sink = output(written);
    drop(reader);
    assert_eq!(write(&mut sink, "1\n").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn a_description_that_is_shared_stays_blocking() {
    let (read, written) = io::pipe().unwrap();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let shared: Vec<OwnedFd> =
        [read.as_fd(), written.as_fd(), ours.as_fd()].map(|fd| fd.try_clone_to_owned().unwrap()).into();
    let _pipes = Stdio::from_fds(read.into(), written.into()).unwrap().split();
    let _socket = Stdio::from_fds(ours.try_clone().unwrap().into(), ours.into()).unwrap().split();
    for fd in &shared {
        assert!(blocks(fd));
    }
}

#[tokio::test]
async fn two_sockets_end_each_for_itself() {
    let (input_ours, mut input_theirs) = UnixStream::pair().unwrap();
    let (output_ours, mut output_theirs) = UnixStream::pair().unwrap();
    let (mut source, mut sink) = Stdio::from_fds(input_ours.into(), output_ours.into()).unwrap().split();
    assert_eq!((kind(&source), kind(&sink)), ("Socket".to_owned(), "Socket".to_owned()));
    let reader = tokio::spawn(async move {
        assert_eq!(next(&mut source).await, frame("1"));
        assert_eq!(next(&mut source).await, Seen::Ended);
    });
    tokio::task::yield_now().await;
    input_theirs.write_all(b"1\n").unwrap();
    input_theirs.shutdown(Shutdown::Write).unwrap();
    reader.await.unwrap();
    write(&mut sink, "2\n").await.unwrap();
    close(&mut sink).await.unwrap();
    let mut all = String::new();
    output_theirs.read_to_string(&mut all).unwrap();
    assert_eq!(all, "2\n");
}

#[tokio::test]
async fn one_socket_can_be_read_after_its_output_was_closed() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let (mut source, mut sink) = Stdio::from_fds(ours.try_clone().unwrap().into(), ours.into()).unwrap().split();
    write(&mut sink, "1\n").await.unwrap();
    close(&mut sink).await.unwrap();
    let mut all = String::new();
    theirs.read_to_string(&mut all).unwrap();
    assert_eq!(all, "1\n");
    theirs.write_all(b"2\n").unwrap();
    assert_eq!(next(&mut source).await, frame("2"));
}

#[tokio::test]
async fn a_full_socket_makes_its_writer_wait_and_loses_nothing() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut sink = output(ours);
    let text = format!("{}\n", "x".repeat(4 << 20));
    let expected = text.len();
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        theirs.read_to_end(&mut all).map(|_| all.len())
    });
    write(&mut sink, &text).await.unwrap();
    close(&mut sink).await.unwrap();
    assert_eq!(reader.join().unwrap().unwrap(), expected);
}

#[tokio::test]
async fn a_socket_nobody_reads_is_broken() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut sink = output(ours);
    drop(theirs);
    assert_eq!(write(&mut sink, "1\n").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn files_are_read_and_written_by_threads() {
    let (from, to) = (path("from"), path("to"));
    let long = "x".repeat(300_000);
    fs::write(&from, format!("1\n{long}\n2")).unwrap();
    let (read, written) = (File::open(&from).unwrap(), File::create(&to).unwrap());
    let (mut source, mut sink) = Stdio::from_fds(read.into(), written.into()).unwrap().split();
    assert_eq!((kind(&source), kind(&sink)), ("Thread".to_owned(), "Thread".to_owned()));
    assert_eq!(next(&mut source).await, frame("1"));
    assert_eq!(next(&mut source).await, frame(&long));
    assert_eq!(next(&mut source).await, Seen::Tail("2".to_owned()));
    assert_eq!(next(&mut source).await, Seen::Ended);
    write(&mut sink, &format!("{long}\n")).await.unwrap();
    assert_eq!(fs::read_to_string(&to).unwrap().len(), 300_001, "a flush waits for the thread");
    write(&mut sink, "end\n").await.unwrap();
    close(&mut sink).await.unwrap();
    assert!(fs::read_to_string(&to).unwrap().ends_with("x\nend\n"));
    fs::remove_file(from).unwrap();
    fs::remove_file(to).unwrap();
}

#[tokio::test]
async fn a_full_disk_is_a_local_reason() {
    let mut sink = output(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(write(&mut sink, "1\n").await.unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(close(&mut sink).await.unwrap_err().kind(), ErrorKind::StorageFull);
}

#[tokio::test]
async fn a_directory_cannot_be_read() {
    let mut source = input(File::open(std::env::temp_dir()).unwrap());
    let seen = next(&mut source).await;
    assert!(
        matches!(&seen, Seen::Other(text) if text.starts_with("Gone") && text.contains("IsADirectory")),
        "{seen:?}"
    );
    assert_eq!(next(&mut source).await, Seen::Ended);
}

#[tokio::test]
async fn a_pipe_with_a_name_is_read_to_its_end() {
    let path = path("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Opened both ways at first, because opening one way waits for the other.
    let both = File::options().read(true).write(true).open(&path).unwrap();
    let read = File::open(&path).unwrap();
    let mut writer = File::options().write(true).open(&path).unwrap();
    drop(both);
    fs::remove_file(&path).unwrap();
    writer.write_all(b"1\n").unwrap();
    drop(writer);
    let mut source = input(read);
    assert_eq!(next(&mut source).await, frame("1"));
    assert_eq!(next(&mut source).await, Seen::Ended);
}

#[test]
fn without_a_runtime_threads_do_the_work_even_on_what_does_not_block() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    // As another process that shares the socket may have left it.
    ours.set_nonblocking(true).unwrap();
    let (mut source, mut sink) = Stdio::from_fds(ours.try_clone().unwrap().into(), ours.into()).unwrap().split();
    assert_eq!((kind(&source), kind(&sink)), ("Thread".to_owned(), "Thread".to_owned()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    theirs.write_all(b"1\n").unwrap();
    assert_eq!(runtime.block_on(next(&mut source)), frame("1"));
    let text = format!("{}\n", "x".repeat(4 << 20));
    let expected = text.len();
    let mut also_theirs = theirs.try_clone().unwrap();
    also_theirs.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let reader = std::thread::spawn(move || {
        let mut all = vec![0; expected];
        also_theirs.read_exact(&mut all).map(|()| all.len())
    });
    runtime.block_on(write(&mut sink, &text)).unwrap();
    assert_eq!(reader.join().unwrap().unwrap(), expected);
    theirs.shutdown(Shutdown::Write).unwrap();
    assert_eq!(runtime.block_on(next(&mut source)), Seen::Ended);
}

#[test]
fn a_thread_goes_on_where_a_partial_write_stopped() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (written, read) = runtime.block_on(async {
        let (sender, receiver) = tokio::net::unix::pipe::pipe().unwrap();
        (sender.into_nonblocking_fd().unwrap(), receiver.into_blocking_fd().unwrap())
    });
    // Outside the runtime, so that a thread writes; to a pipe that does not block, so that it takes parts.
    let mut sink = output(written);
    assert_eq!(kind(&sink), "Thread");
    let text = (0..100_000).map(|number| number.to_string() + " ").collect::<String>() + "\n";
    let reader = std::thread::spawn(move || {
        let (mut file, mut all, mut piece) = (File::from(read), Vec::new(), [0; 10_007]);
        while let Ok(count @ 1..) = file.read(&mut piece) {
            all.extend_from_slice(&piece[..count]);
        }
        all
    });
    runtime.block_on(write(&mut sink, &text)).unwrap();
    runtime.block_on(close(&mut sink)).unwrap();
    assert!(reader.join().unwrap() == text.as_bytes(), "bytes were lost or repeated");
}
