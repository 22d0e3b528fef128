//! One TCP connection to a server.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout_at},
};

use super::{Answer, Event, Events, Head, Request, Site, WireError};
use crate::scenario::PATIENCE;

/// A connection on which requests are written and responses are read, one after the other. Dropping it closes it.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    /// What was read and not yet taken.
    read: Vec<u8>,
    left: Left,
    events: Events,
    /// The head of the response that is being read, or was read last.
    head: Option<Head>,
    patience: Duration,
}

/// What is left of the body of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    Bytes(u64),
    /// The size of a chunk comes next.
    Chunks,
    /// So many bytes of a chunk, and the end of its line.
    Chunk(u64),
    UntilClose,
}

impl Wire {
    /// Connects. Each wait lasts [`PATIENCE`] at most.
    ///
    /// # Errors
    /// Fails when nobody listens there.
    pub async fn open(site: &Site) -> Result<Self, WireError> {
        let stream = TcpStream::connect(site.authority()).await.map_err(WireError::Connect)?;
        stream.set_nodelay(true).map_err(WireError::Connect)?;
        Ok(Self {
            stream,
            read: Vec::new(),
            left: Left::Nothing,
            events: Events::new(),
            head: None,
            patience: PATIENCE,
        })
    }

    /// Changes how long each wait lasts at most.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The same in place.
    pub const fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The head of the response that is being read, or was read last.
    pub const fn current(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Writes a request.
    ///
    /// # Errors
    /// Fails when the connection is closed, or the server does not read.
    pub async fn send(&mut self, request: &Request) -> Result<(), WireError> {
        self.write(&request.bytes()).await
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// As [`Wire::send`].
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let deadline = Instant::now() + self.patience;
        match timeout_at(deadline, self.stream.write_all(bytes)).await {
            Ok(written) => written.map_err(WireError::Write),
            Err(_) => Err(WireError::TimedOut(self.patience)),
        }
    }

    /// Says that nothing more is written (FIN), and goes on reading.
    pub async fn end_writing(&mut self) {
        // Whoever has reset the connection does not wait for an end.
        drop(self.stream.shutdown().await);
    }

    /// Resets the connection (RST): what is under way in either direction is lost.
    pub fn reset(self) {
        // Without the option the connection is closed in order, which the server notices as well.
        rustix::net::sockopt::set_socket_linger(&self.stream, Some(Duration::ZERO)).ok();
    }

    /// Waits for the head of the next response. Interim responses are passed over.
    ///
    /// # Errors
    /// Fails when none comes, or when it is none.
    pub async fn head(&mut self) -> Result<Head, WireError> {
        loop {
            let end = self.read_until(b"\r\n\r\n").await?;
            let head = Head::parse(&self.read[..end]).map_err(WireError::NotHttp)?;
            self.read.drain(..end + 4);
            if (100..200).contains(&head.status) {
                continue;
            }
            self.left = body_of(&head)?;
            self.events = Events::new();
            self.head = Some(head.clone());
            return Ok(head);
        }
    }

    /// Waits for some of the body; `None` when it has ended as it should.
    ///
    /// # Errors
    /// Fails when nothing comes, or when the connection is closed in the middle.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        loop {
            match self.left {
                Left::Nothing | Left::Bytes(0) => return Ok(None),
                Left::Chunks => self.chunk().await?,
                Left::Chunk(0) => {
                    if self.read_until(b"\r\n").await? != 0 {
                        return Err(WireError::NotHttp("a chunk is longer than it says".to_owned()));
                    }
                    self.read.drain(..2);
                    self.left = Left::Chunks;
                }
                Left::Bytes(_) | Left::Chunk(_) | Left::UntilClose => {
                    if self.read.is_empty() && !self.fill().await? {
                        return match self.left {
                            Left::UntilClose => Ok(None),
                            _ => Err(WireError::CutOff),
                        };
                    }
                    return Ok(Some(self.take()));
                }
            }
        }
    }

    /// Reads the body to its end.
    ///
    /// # Errors
    /// As [`Wire::piece`].
    pub async fn body(&mut self) -> Result<Vec<u8>, WireError> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            body.extend(piece);
        }
        Ok(body)
    }

    /// Waits for a response and reads it to its end.
    ///
    /// # Errors
    /// As [`Wire::head`] and [`Wire::piece`].
    pub async fn answer(&mut self) -> Result<Answer, WireError> {
        Ok(Answer { head: self.head().await?, body: self.body().await? })
    }

    /// Waits for the next event; `None` when the stream has ended as it should.
    ///
    /// # Errors
    /// As [`Wire::piece`].
    pub async fn event(&mut self) -> Result<Option<Event>, WireError> {
        loop {
            if let Some(event) = self.events.next_event() {
                return Ok(Some(event));
            }
            if !self.more_events().await? {
                return Ok(None);
            }
        }
    }

    /// Waits for more of the stream of events; `false` when it has ended as it should.
    ///
    /// # Errors
    /// As [`Wire::piece`].
    pub async fn more_events(&mut self) -> Result<bool, WireError> {
        let piece = self.piece().await?;
        if let Some(piece) = &piece {
            self.events.push(piece);
        }
        Ok(piece.is_some())
    }

    /// How many comments have come in the stream of events.
    pub fn comments(&self) -> usize {
        self.events.comments()
    }

    /// Whether the server closes the connection within the patience, whatever it still sends.
    pub async fn is_closed_by_peer(&mut self) -> bool {
        loop {
            self.read.clear();
            match self.fill().await {
                Ok(true) => {}
                Ok(false) | Err(WireError::Read(_)) => return true,
                Err(_) => return false,
            }
        }
    }

    async fn chunk(&mut self) -> Result<(), WireError> {
        let end = self.read_until(b"\r\n").await?;
        let line = String::from_utf8_lossy(&self.read[..end]).into_owned();
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16)
            .map_err(|_| WireError::NotHttp(format!("no size of a chunk but {line:?}")))?;
        self.read.drain(..end + 2);
        if size > 0 {
            self.left = Left::Chunk(size);
            return Ok(());
        }
        // Trailers, up to an empty line.
        loop {
            let end = self.read_until(b"\r\n").await?;
            self.read.drain(..end + 2);
            if end == 0 {
                self.left = Left::Nothing;
                return Ok(());
            }
        }
    }

    /// What was read of the body so far.
    fn take(&mut self) -> Vec<u8> {
        let limit = match &mut self.left {
            Left::Bytes(left) | Left::Chunk(left) => {
                let taken = (*left).min(self.read.len() as u64);
                *left -= taken;
                usize::try_from(taken).unwrap_or(usize::MAX)
            }
            Left::Nothing | Left::Chunks | Left::UntilClose => self.read.len(),
        };
        self.read.drain(..limit).collect()
    }

    /// Reads until these bytes have come, and says where.
    async fn read_until(&mut self, wanted: &[u8]) -> Result<usize, WireError> {
        let mut from = 0;
        loop {
            let found = self.read[from..].windows(wanted.len()).position(|window| window == wanted);
            if let Some(at) = found {
                return Ok(from + at);
            }
            from = self.read.len().saturating_sub(wanted.len() - 1);
            if !self.fill().await? {
                return Err(if self.read.is_empty() { WireError::Closed } else { WireError::CutOff });
            }
        }
    }

    /// Reads more; `false` when the server has closed the connection.
    async fn fill(&mut self) -> Result<bool, WireError> {
        let deadline = Instant::now() + self.patience;
        match timeout_at(deadline, self.stream.read_buf(&mut self.read)).await {
            Ok(Ok(count)) => Ok(count > 0),
            Ok(Err(error)) => Err(WireError::Read(error)),
            Err(_) => Err(WireError::TimedOut(self.patience)),
        }
    }
}

fn body_of(head: &Head) -> Result<Left, WireError> {
    if matches!(head.status, 204 | 304) {
        return Ok(Left::Nothing);
    }
    if head.header("Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return Ok(Left::Chunks);
    }
    match head.header("Content-Length") {
        Some(length) => length
            .parse()
            .map(Left::Bytes)
            .map_err(|_| WireError::NotHttp(format!("no length of a body but {length:?}"))),
        None => Ok(Left::UntilClose),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use tokio::net::TcpListener;

    use super::*;

    /// A connection to somebody who says this, in these pieces, and closes.
    async fn hearing(pieces: &'static [&'static str]) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let site = Site::new(listener.local_addr().unwrap().to_string(), "/");
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        Wire::open(&site).await.unwrap()
    }

    #[tokio::test]
    async fn bodies_end_in_three_ways() {
        let mut wire = hearing(&[
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le",
            "ngth: 3\r\n\r\nabcHTTP/1.1 204 No Content\r\n\r",
            "\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n1",
            "\r\nd\r\n0\r\nTrailer: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end",
        ])
        .await;
        for expected in ["abc", "", "abcd", "to the end"] {
            assert_eq!(wire.answer().await.unwrap().body, expected.as_bytes());
        }
        assert!(matches!(wire.head().await, Err(WireError::Closed)));
    }

    #[tokio::test]
    async fn what_is_cut_off_is_noticed() {
        for cut in [
            &["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"],
            &["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab"],
            &["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
            &["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"],
            &["HTTP/1.1 200 OK\r\n"],
        ] {
            let came = hearing(cut).await.answer().await;
            assert!(matches!(came, Err(WireError::CutOff | WireError::Closed)), "{cut:?}: {came:?}");
        }
    }

    #[tokio::test]
    async fn events_are_read_over_chunks() {
        let mut wire = hearing(&[
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
            "6\r\ndata: \r\n4\r\nx\n\n:\r\n2\r\n\n\n\r\n0\r\n\r\n",
        ])
        .await;
        assert!(wire.head().await.unwrap().is_events());
        assert_eq!(wire.event().await.unwrap().unwrap().data, "x");
        assert_eq!(wire.event().await.unwrap(), None);
        assert_eq!(wire.comments(), 1);
    }
}
