//! Standard input and output of this process.
//!
//! [`Stdio::take`] moves the wire aside: descriptors 0 and 1 are duplicated, close-on-exec, and then stand for
//! `/dev/null` and standard error. A stray `println!`, a logger or a child process cannot touch the wire afterwards.
//!
//! How it reads and writes depends on what the descriptors are. In no case is `O_NONBLOCK` set on a description that
//! another process may share, as after `2>&1` in a shell:
//!
//! - a pipe is reopened, which gives a description of our own, and waits in the runtime's poll;
//! - a socket waits in the runtime's poll, and each read and write asks not to block;
//! - anything else, such as a file, a terminal, or a pipe that cannot be reopened, has one thread that reads or
//!   writes. It is never joined: a read that blocks does not keep the process alive.

mod parent;
mod socket;
mod threads;

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rustix::stdio::{dup2_stdin, dup2_stdout};
use tokio::net::unix::pipe;

pub use self::parent::Parent;
use self::socket::Socket;
use self::threads::{ThreadSink, ThreadSource};
use super::io::{StreamSink, StreamSource};
use crate::framing::DEFAULT_MAX_FRAME;
use crate::transport::{Frames, Incoming, Sink, Source, Traits, Transport};

/// A transport over standard input and output, or over other descriptors that are shared with another process.
#[derive(Debug)]
pub struct Stdio {
    input: Input,
    output: Output,
    max_frame: usize,
}

#[derive(Debug)]
enum Input {
    Pipe(pipe::Receiver),
    Socket(Socket),
    Other(File),
}

#[derive(Debug)]
enum Output {
    Pipe(pipe::Sender),
    Socket(Socket),
    Other(File),
}

impl Stdio {
    /// Takes standard input and output of this process for the wire. They are not given back.
    ///
    /// From then on reading descriptor 0 gives the end of input, and writing descriptor 1 goes to standard error.
    /// What `std::io::stdin` has buffered before is lost to the wire.
    ///
    /// In a tokio runtime, pipes and sockets are registered with it; without one, threads do the work.
    ///
    /// # Errors
    /// `ResourceBusy` when they were taken before, else why a descriptor could not be duplicated, replaced or
    /// registered.
    ///
    /// # Panics
    /// In a tokio runtime that was built without I/O, when a descriptor is a pipe or a socket.
    pub fn take() -> io::Result<Self> {
        if TAKEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "standard input and output were taken before"));
        }
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(io::stderr())?;
        Self::from_fds(input, output)
    }

    /// Makes a transport of two descriptors that another process may share: `input` to read from, `output` to write
    /// to. They may be the same socket, in two duplicates.
    ///
    /// # Errors
    /// Why a descriptor could not be examined or registered.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    pub fn from_fds(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        let (input, output) = (File::from(input), File::from(output));
        let one_socket = identity(&input)? == identity(&output)?;
        Ok(Self { input: Input::new(input)?, output: Output::new(output, one_socket)?, max_frame: DEFAULT_MAX_FRAME })
    }

    /// Sets the largest frame that is accepted, in bytes. The default is 16 MiB.
    #[must_use]
    pub const fn with_max_frame(mut self, bytes: usize) -> Self {
        self.max_frame = bytes;
        self
    }
}

impl Transport for Stdio {
    type Source = StdioSource;
    type Sink = StdioSink;

    fn traits(&self) -> Traits {
        Traits::local()
    }

    fn split(self) -> (StdioSource, StdioSink) {
        let source = match self.input {
            Input::Pipe(pipe) => AnySource::Pipe(StreamSource::new(pipe, self.max_frame)),
            Input::Socket(socket) => AnySource::Socket(StreamSource::new(socket, self.max_frame)),
            Input::Other(file) => AnySource::Thread(ThreadSource::new(file, self.max_frame)),
        };
        let sink = match self.output {
            Output::Pipe(pipe) => AnySink::Pipe(StreamSink::new(pipe)),
            Output::Socket(socket) => AnySink::Socket(StreamSink::new(socket)),
            Output::Other(file) => AnySink::Thread(ThreadSink::new(file)),
        };
        (StdioSource(source), StdioSink(sink))
    }
}

impl Input {
    fn new(file: File) -> io::Result<Self> {
        if !in_runtime() {
            return Ok(Self::Other(file));
        }
        if let Some(path) = anonymous_pipe(&file)
            && let Ok(pipe) = pipe::OpenOptions::new().open_receiver(path)
        {
            return Ok(Self::Pipe(pipe));
        }
        if file.metadata()?.file_type().is_socket() && Socket::is_stream(&file) {
            return Ok(Self::Socket(Socket::for_reading(file.into())?));
        }
        Ok(Self::Other(file))
    }
}

impl Output {
    fn new(file: File, is_input_too: bool) -> io::Result<Self> {
        if !in_runtime() {
            return Ok(Self::Other(file));
        }
        if let Some(path) = anonymous_pipe(&file)
            && let Ok(pipe) = pipe::OpenOptions::new().open_sender(path)
        {
            return Ok(Self::Pipe(pipe));
        }
        if file.metadata()?.file_type().is_socket() && Socket::is_stream(&file) {
            return Ok(Self::Socket(Socket::for_writing(file.into(), is_input_too)?));
        }
        Ok(Self::Other(file))
    }
}

/// Returns the path by which a pipe can be opened once more.
///
/// A pipe that has a name in the file system is left to a thread: a description of it that was opened after its last
/// writer had left is never told of the end of input by the kernel's poll.
fn anonymous_pipe(file: &File) -> Option<PathBuf> {
    let path = Path::new("/proc/self/fd").join(file.as_raw_fd().to_string());
    let target = fs::read_link(&path).ok()?;
    target.to_str()?.starts_with("pipe:[").then_some(path)
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

fn in_runtime() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}

/// The half of [`Stdio`] that reads.
#[derive(Debug)]
pub struct StdioSource(AnySource);

#[derive(Debug)]
enum AnySource {
    Pipe(StreamSource<pipe::Receiver>),
    Socket(StreamSource<Socket>),
    Thread(ThreadSource),
}

impl Source for StdioSource {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        match &mut self.0 {
            AnySource::Pipe(source) => source.poll_next(cx),
            AnySource::Socket(source) => source.poll_next(cx),
            AnySource::Thread(source) => source.poll_next(cx),
        }
    }

    fn frame(&self) -> &[u8] {
        match &self.0 {
            AnySource::Pipe(source) => source.frame(),
            AnySource::Socket(source) => source.frame(),
            AnySource::Thread(source) => source.frame(),
        }
    }
}

/// The half of [`Stdio`] that writes.
#[derive(Debug)]
pub struct StdioSink(AnySink);

#[derive(Debug)]
enum AnySink {
    Pipe(StreamSink<pipe::Sender>),
    Socket(StreamSink<Socket>),
    Thread(ThreadSink),
}

impl Sink for StdioSink {
    fn poll_write(&mut self, cx: &mut Context<'_>, frames: Frames<'_>) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            AnySink::Pipe(sink) => sink.poll_write(cx, frames),
            AnySink::Socket(sink) => sink.poll_write(cx, frames),
            AnySink::Thread(sink) => sink.poll_write(cx, frames),
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            AnySink::Pipe(sink) => sink.poll_flush(cx),
            AnySink::Socket(sink) => sink.poll_flush(cx),
            AnySink::Thread(sink) => sink.poll_flush(cx),
        }
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            AnySink::Pipe(sink) => sink.poll_close(cx),
            AnySink::Socket(sink) => sink.poll_close(cx),
            AnySink::Thread(sink) => sink.poll_close(cx),
        }
    }
}

/// Whether the wire of this process is in use. Descriptors 0 and 1 belong to the process, so this does too.
static TAKEN: AtomicBool = AtomicBool::new(false);
