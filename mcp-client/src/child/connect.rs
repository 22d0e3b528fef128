//! A program as something to connect to.

use std::future::ready;
use std::io;

use super::command::ChildProcess;
use super::restart::Restart;
use super::transport::ChildTransport;
use crate::connect::{Connect, Guard};

/// Each opening starts the program; the connection counts as closed when nothing is left of it.
impl Connect for ChildProcess {
    type Transport = ChildTransport;

    fn open(&mut self) -> impl Future<Output = io::Result<ChildTransport>> + Send {
        ready(self.spawn())
    }

    fn can_reopen(&self) -> bool {
        true
    }

    fn restart(&self) -> Restart {
        self.restart_policy()
    }

    fn guard(transport: &ChildTransport) -> Option<Guard> {
        Some(Guard::new(transport.process().ended()))
    }
}
