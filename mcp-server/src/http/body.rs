//! The body of a request, read whole into one buffer, within a size and a time.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

/// How much of a body is read and for how long it is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Bytes.
    pub(crate) size: usize,
    /// From one piece to the next.
    pub(crate) idle: Duration,
    /// For the whole.
    pub(crate) total: Duration,
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBody {
    /// It is longer than the limit.
    TooLarge,
    /// It did not come in time.
    TooSlow,
    /// The client is gone in the middle of it.
    CutOff,
}

impl BodyLimits {
    /// Whether a body says of itself that it is too long: then nothing of it is read.
    pub(crate) fn refuses(&self, headers: &HeaderMap) -> bool {
        let said = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        // A length that is no number has been refused by who read the head of the request.
        said.and_then(|text| text.parse::<u64>().ok()).is_some_and(|length| length > self.size as u64)
    }
}

pin_project! {
    /// Reads a body.
    ///
    /// A body that comes in one piece is not copied. The timer is made when a piece has to be waited for.
    pub(crate) struct ReadBody<B> {
        #[pin]
        body: B,
        read: Read,
        limits: BodyLimits,
        started: Option<Instant>,
        #[pin]
        timer: Option<Sleep>,
    }
}

/// What has been read so far.
enum Read {
    Nothing,
    One(Bytes),
    Many(BytesMut),
}

impl<B: Body> ReadBody<B> {
    pub(crate) const fn new(body: B, limits: BodyLimits) -> Self {
        Self { body, read: Read::Nothing, limits, started: None, timer: None }
    }
}

impl<B: Body> Future for ReadBody<B> {
    type Output = Result<Bytes, NoBody>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.body.as_mut().poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers say nothing to us.
                    let Ok(mut data) = frame.into_data() else { continue };
                    if data.remaining() > this.limits.size - this.read.len() {
                        return Poll::Ready(Err(NoBody::TooLarge));
                    }
                    if data.has_remaining() {
                        this.read.add(&mut data);
                        this.timer.set(None);
                    }
                }
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(NoBody::CutOff)),
                Poll::Ready(None) => return Poll::Ready(Ok(this.read.take())),
                Poll::Pending => {
                    if this.timer.is_none() {
                        let now = Instant::now();
                        let whole = *this.started.get_or_insert(now) + this.limits.total;
                        this.timer.set(Some(sleep_until(whole.min(now + this.limits.idle))));
                    }
                    if let Some(timer) = this.timer.as_mut().as_pin_mut() {
                        ready!(timer.poll(cx));
                    }
                    return Poll::Ready(Err(NoBody::TooSlow));
                }
            }
        }
    }
}

impl Read {
    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(piece) => piece.len(),
            Self::Many(pieces) => pieces.len(),
        }
    }

    fn add(&mut self, data: &mut impl Buf) {
        let length = data.remaining();
        match self {
            Self::Nothing => *self = Self::One(data.copy_to_bytes(length)),
            Self::One(first) => {
                let mut pieces = BytesMut::with_capacity(2 * (first.len() + length));
                pieces.extend_from_slice(first);
                pieces.extend_from_slice(&data.copy_to_bytes(length));
                *self = Self::Many(pieces);
            }
            Self::Many(pieces) => pieces.extend_from_slice(&data.copy_to_bytes(length)),
        }
    }

    fn take(&mut self) -> Bytes {
        match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => Bytes::new(),
            Self::One(piece) => piece,
            Self::Many(pieces) => pieces.freeze(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::collections::VecDeque;
    use std::io;

    /// What a body does next.
    enum Step {
        Data(&'static [u8]),
        Trailers,
        Breaks,
        Waits(Duration),
        Stalls,
    }

    pin_project! {
        struct Script {
            steps: VecDeque<Step>,
            #[pin]
            wait: Option<Sleep>,
        }
    }

    impl Body for Script {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
            let mut this = self.project();
            loop {
                if let Some(wait) = this.wait.as_mut().as_pin_mut() {
                    ready!(wait.poll(cx));
                    this.wait.set(None);
                }
                return Poll::Ready(match this.steps.pop_front() {
                    None => None,
                    Some(Step::Data(data)) => Some(Ok(Frame::data(Bytes::from_static(data)))),
                    Some(Step::Trailers) => Some(Ok(Frame::trailers(HeaderMap::new()))),
                    Some(Step::Breaks) => Some(Err(io::ErrorKind::ConnectionReset.into())),
                    Some(Step::Stalls) => {
                        this.steps.push_front(Step::Stalls);
                        return Poll::Pending;
                    }
                    Some(Step::Waits(time)) => {
                        this.wait.set(Some(sleep_until(Instant::now() + time)));
                        continue;
                    }
                });
            }
        }
    }

    /// What a body does, and what is read of it.
    type Row = (Vec<Step>, Result<&'static [u8], NoBody>);

    const SECOND: Duration = Duration::from_secs(1);
    const LIMITS: BodyLimits = BodyLimits { size: 8, idle: Duration::from_secs(10), total: Duration::from_secs(25) };

    async fn read(steps: impl IntoIterator<Item = Step>) -> Result<Bytes, NoBody> {
        ReadBody::new(Script { steps: steps.into_iter().collect(), wait: None }, LIMITS).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_whole() {
        use Step::{Breaks, Data, Stalls, Trailers, Waits};
        #[rustfmt::skip]
        let rows: [Row; 12] = [
            (vec![],                                            Ok(b"")),
            (vec![Data(b"12345678")],                           Ok(b"12345678")),
            (vec![Data(b"1234"), Data(b""), Data(b"5678")],     Ok(b"12345678")),
            (vec![Data(b"1"), Waits(9 * SECOND), Data(b"2"), Data(b"3"), Trailers], Ok(b"123")),
            (vec![Data(b"123456789")],                          Err(NoBody::TooLarge)),
            (vec![Data(b"12345678"), Data(b"9"), Stalls],       Err(NoBody::TooLarge)),
            (vec![Data(b"12345678"), Data(b"")],                Ok(b"12345678")),
            (vec![Data(b"1"), Breaks],                          Err(NoBody::CutOff)),
            (vec![Breaks],                                      Err(NoBody::CutOff)),
            (vec![Stalls],                                      Err(NoBody::TooSlow)),
            (vec![Data(b"1"), Stalls],                          Err(NoBody::TooSlow)),
            (vec![Data(b"1"), Waits(11 * SECOND), Data(b"2")],  Err(NoBody::TooSlow)),
        ];
        for (row, (steps, expected)) in rows.into_iter().enumerate() {
            assert_eq!(read(steps).await.as_deref(), expected.as_deref(), "row {row}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_comes_to_an_end() {
        let drip = |times| (0..times).flat_map(|_| [Step::Data(b"x"), Step::Waits(6 * SECOND)]);
        let start = Instant::now();
        assert_eq!(read(drip(4)).await.unwrap(), "xxxx");
        assert_eq!(start.elapsed().as_secs(), 24);
        let start = Instant::now();
        assert_eq!(read(drip(5)).await, Err(NoBody::TooSlow));
        assert_eq!(start.elapsed().as_secs(), 25, "the limit of the whole");
        // Pieces without a byte do not count as progress.
        let empty = [Step::Data(b""), Step::Waits(6 * SECOND), Step::Data(b""), Step::Waits(6 * SECOND)];
        let start = Instant::now();
        assert_eq!(read(empty).await, Err(NoBody::TooSlow));
        assert_eq!(start.elapsed().as_secs(), 10);
    }

    #[tokio::test]
    async fn one_piece_is_not_copied() {
        static PIECE: &[u8] = b"12345678";
        assert_eq!(read([Step::Data(PIECE)]).await.unwrap().as_ptr(), PIECE.as_ptr());
    }

    #[test]
    fn a_length_over_the_limit_is_refused_at_once() {
        let refuses = |length: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_LENGTH, length.parse().unwrap());
            LIMITS.refuses(&headers)
        };
        assert!(!LIMITS.refuses(&HeaderMap::new()));
        assert!(!refuses("8"));
        assert!(refuses("9"));
        assert!(refuses("5368709120"));
    }
}
