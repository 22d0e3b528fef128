//! A server that runs as a child process, and is spoken to over its standard input and output.
//!
//! [`ChildProcess`] says what to start and how. What it starts is looked after by one thread, the *keeper*: it drains
//! standard error, sees the exit at once, and ends and reaps the process when the connection closes. It needs no
//! runtime, so that a connection which is dropped after its runtime has gone leaves nothing behind either.
//!
//! # How a child ends
//!
//! When the write side of the connection closes, or the connection is dropped:
//!
//! 1. the child's standard input ends, and it has [two seconds](ChildProcess::stdin_grace) to exit;
//! 2. its process group gets SIGTERM, and has [two seconds](ChildProcess::term_grace) more;
//! 3. its process group gets SIGKILL.
//!
//! A child that exits in time ends this at once, and is reaped. Processes of its group that outlive it get SIGTERM
//! then, and SIGKILL when their grace has passed. A process that left the group, as a daemon does, is not followed.
//!
//! # What it says besides messages
//!
//! Lines on standard output that cannot be messages are log lines: they are skipped, counted, and kept together with
//! those of standard error, of which the last 64 lines or 16 KiB stand in [`ChildExited`], the cause of whatever failed
//! because the child ended.
//!
//! Linux in full. Other Unix systems find out about exits by asking every 10 ms, and are untested.
//!
//! Spec: [stdio, shutdown](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown)

mod restart;

#[cfg(unix)]
mod command;
#[cfg(unix)]
mod connect;
#[cfg(unix)]
mod environment;
#[cfg(unix)]
mod exited;
#[cfg(unix)]
mod group;
#[cfg(unix)]
mod keeper;
#[cfg(unix)]
mod ladder;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
mod source;
#[cfg(unix)]
mod tail;
#[cfg(unix)]
mod transport;
#[cfg(unix)]
mod watch;

pub use self::restart::Restart;

#[cfg(unix)]
pub use self::{
    command::ChildProcess,
    exited::ChildExited,
    log::{LogLine, OnLine, Origin, Stderr},
    process::{Ended, Exited, Process},
    source::ChildSource,
    transport::{ChildSink, ChildTransport},
};
