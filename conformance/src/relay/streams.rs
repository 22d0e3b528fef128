//! The two threads that copy, and what makes them stop.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    net::{SendFlags, send},
    stdio::{dup2_stdin, dup2_stdout, stdin},
};

use super::{Event, Events};

#[derive(Debug)]
pub(super) struct Streams {
    /// Dropped to have the thread stop that reads the input.
    stop: Option<UnixStream>,
    stopped: Receiver<()>,
    ignores_end: Arc<AtomicBool>,
}

impl Streams {
    pub(super) fn start(data: UnixStream, events: Events) -> io::Result<Self> {
        let (stop, wake) = UnixStream::pair()?;
        let (done, stopped) = channel();
        let ignores_end = Arc::new(AtomicBool::new(false));
        let input = Input { to: data.try_clone()?, wake, events: events.clone() };
        let ignores = Arc::clone(&ignores_end);
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            // The one who waits may be gone: then the process ends.
            let ended = input.copy();
            done.send(()).ok();
            if ended && !ignores.load(Ordering::SeqCst) {
                std::process::exit(0);
            }
        })?;
        thread::Builder::new().name("output".to_owned()).spawn(move || output(data, &events))?;
        Ok(Self { stop: Some(stop), stopped, ignores_end })
    }

    pub(super) fn ignore_end(&self) {
        self.ignores_end.store(true, Ordering::SeqCst);
    }

    /// Stops reading: nobody holds the read end of the client's pipe any more.
    pub(super) fn close_input(&mut self) -> io::Result<()> {
        self.stop = None;
        // The thread is gone already when the input has ended.
        self.stopped.recv().ok();
        dup2_stdin(File::open("/dev/null")?)?;
        Ok(())
    }
}

/// What became of bytes for the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    All,
    /// The input is not to be read any more, and what was left of it is dropped.
    Stopped,
    /// The run is gone.
    Broken,
}

struct Input {
    to: UnixStream,
    wake: UnixStream,
    events: Events,
}

impl Input {
    /// Copies until the input ends (true), or until it is told to stop.
    fn copy(self) -> bool {
        let mut piece = vec![0; 64 * 1_024];
        while let Some(read) = self.read(&mut piece) {
            let bytes = piece.get(..read).unwrap_or_default();
            let written = self.write(bytes);
            if written == Written::Stopped {
                break;
            }
            if bytes.is_empty() || written == Written::Broken {
                // The run may be gone too; then nobody is left to tell.
                drop(self.to.shutdown(Shutdown::Write));
                drop(self.events.say(&Event::InputEnded));
                return true;
            }
        }
        drop(self.to.shutdown(Shutdown::Write));
        false
    }

    /// Hands bytes to the run, which may not read them for as long as it likes.
    fn write(&self, mut bytes: &[u8]) -> Written {
        while !bytes.is_empty() {
            let mut both = [PollFd::new(&self.wake, PollFlags::IN), PollFd::new(&self.to, PollFlags::OUT)];
            if let Err(error) = poll(&mut both, None)
                && error != Errno::INTR
            {
                return Written::Broken;
            }
            if !both[0].revents().is_empty() {
                return Written::Stopped;
            }
            match send(&self.to, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Written::Broken,
            }
        }
        Written::All
    }

    /// How many bytes came; none when it was told to stop. A read that fails is the end.
    fn read(&self, piece: &mut [u8]) -> Option<usize> {
        loop {
            let stdin = stdin();
            let mut both = [PollFd::new(&self.wake, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
            if let Err(error) = poll(&mut both, None)
                && error != Errno::INTR
            {
                return Some(0);
            }
            if !both[0].revents().is_empty() {
                return None;
            }
            if both[1].revents().is_empty() {
                continue;
            }
            match rustix::io::read(stdin, &mut *piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return Some(read.unwrap_or(0)),
            }
        }
    }
}

/// Copies from the script to the client until either is gone.
fn output(mut from: UnixStream, events: &Events) {
    let mut piece = vec![0; 64 * 1_024];
    let mut stdout = io::stdout();
    loop {
        let read = from.read(&mut piece).unwrap_or(0);
        let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
            drop(events.say(&Event::OutputBroken));
            return;
        }
    }
    // The only way to close a standard stream without unsafe code.
    if let Ok(null) = File::create("/dev/null") {
        dup2_stdout(null).ok();
    }
}
