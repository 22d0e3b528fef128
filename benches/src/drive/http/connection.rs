//! One connection that is kept.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::reply::{Head, Incoming, Reply};

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    incoming: Incoming,
    space: Vec<u8>,
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).context("connecting")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream, incoming: Incoming::default(), space: vec![0; READ] })
    }

    /// Sends a request, which must fit into what the system takes at once.
    pub(super) fn send(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).context("writing a request")
    }

    /// Waits for a response.
    pub(super) fn reply(&mut self) -> Result<Reply> {
        loop {
            if let Some(reply) = self.incoming.take()? {
                return Ok(reply);
            }
            self.fill()?;
        }
    }

    /// Waits for the first event of a response that goes on.
    pub(super) fn first_event(&mut self) -> Result<Head> {
        loop {
            if let Some(head) = self.incoming.begun()? {
                return Ok(head);
            }
            self.fill()?;
        }
    }

    /// Waits for the head of a response that goes on.
    pub(super) fn head(&mut self) -> Result<Head> {
        loop {
            if let Some((head, _)) = self.incoming.head()? {
                return Ok(head);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<()> {
        match self.stream.read(&mut self.space) {
            Ok(0) => bail!("the server has closed a connection"),
            Ok(length) => self.incoming.push(&self.space[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("reading a response"),
        }
        Ok(())
    }
}

const READ: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(60);
