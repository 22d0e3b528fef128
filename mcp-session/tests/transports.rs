//! The transports in memory and over streams: what a session sees of each fault.
#![cfg(feature = "tokio")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test is no session: it has its own tasks")]

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_session::transport::{Frames, Incoming, Sink, Source, TooLarge, Transport};
use mcp_session::transports::memory::{self, End, Faults, Link, MemorySink, MemorySource};
use tokio::time::Instant;

/// What a session would see of a source.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Frame(String),
    Tail(String),
    TooLarge(TooLarge),
    Ended,
    Gone(ErrorKind),
}

fn see(source: &impl Source, incoming: Incoming) -> Seen {
    let text = || String::from_utf8(source.frame().to_vec()).unwrap();
    match incoming {
        Incoming::Frame => Seen::Frame(text()),
        Incoming::Tail => Seen::Tail(text()),
        Incoming::TooLarge(what) => Seen::TooLarge(what),
        Incoming::Ended => Seen::Ended,
        Incoming::Gone(error) => Seen::Gone(error.kind()),
    }
}

fn frame(text: &str) -> Seen {
    Seen::Frame(text.to_owned())
}

/// Waits no longer than anything here may take.
async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), what).await.unwrap()
}

async fn next(source: &mut impl Source) -> Seen {
    let incoming = within(poll_fn(|cx| source.poll_next(cx))).await;
    see(source, incoming)
}

/// Polls once: `None` when nothing has come.
fn look(source: &mut impl Source) -> Option<Seen> {
    match source.poll_next(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(incoming) => Some(see(source, incoming)),
        Poll::Pending => None,
    }
}

async fn write(sink: &mut impl Sink, text: &str) -> io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let count = within(poll_fn(|cx| sink.poll_write(cx, Frames::new(rest)))).await?;
        assert!(count > 0, "a sink never takes nothing");
        rest = &rest[count..];
    }
    Ok(())
}

/// Writes once: `None` when the sink has to wait.
fn offer(sink: &mut impl Sink, text: &str) -> Option<Result<usize, ErrorKind>> {
    match sink.poll_write(&mut Context::from_waker(Waker::noop()), Frames::new(text.as_bytes())) {
        Poll::Ready(outcome) => Some(outcome.map_err(|error| error.kind())),
        Poll::Pending => None,
    }
}

/// One direction of a connection, and the end that reads.
struct Way {
    sink: MemorySink,
    source: MemorySource,
    faults: Faults,
    /// The other direction, kept so that nothing closes by itself.
    _back: (MemorySource, MemorySink),
}

fn way((from, to): (End, End)) -> Way {
    let faults = from.faults();
    let (back_source, sink) = from.split();
    let (source, back_sink) = to.split();
    Way { sink, source, faults, _back: (back_source, back_sink) }
}

/// Both kinds of connection: each fault looks the same on either.
fn ways() -> [Way; 2] {
    [way(memory::bytes()), way(memory::pair())]
}

#[tokio::test]
async fn frames_arrive_in_order_and_are_lent_until_the_next_poll() {
    for mut way in ways() {
        write(&mut way.sink, "1\n22\n333\n").await.unwrap();
        assert_eq!(next(&mut way.source).await, frame("1"));
        assert_eq!(next(&mut way.source).await, frame("22"));
        assert_eq!(next(&mut way.source).await, frame("333"));
        assert_eq!(look(&mut way.source), None);
        assert_eq!(way.source.frame(), b"");
    }
}

#[tokio::test]
async fn a_reader_that_waits_is_woken_by_a_frame() {
    for mut way in ways() {
        let reader = tokio::spawn(async move { next(&mut way.source).await });
        tokio::task::yield_now().await;
        write(&mut way.sink, "1\n").await.unwrap();
        assert_eq!(reader.await.unwrap(), frame("1"));
    }
}

#[tokio::test]
async fn a_dropped_end_closes_both_directions() {
    for (ours, theirs) in [memory::bytes(), memory::pair()] {
        let (mut source, mut sink) = ours.split();
        let (their_source, mut their_sink) = theirs.split();
        write(&mut their_sink, "last\n").await.unwrap();
        drop((their_source, their_sink));
        assert_eq!(next(&mut source).await, frame("last"));
        assert_eq!(next(&mut source).await, Seen::Ended);
        assert_eq!(next(&mut source).await, Seen::Ended);
        assert_eq!(offer(&mut sink, "1\n"), Some(Err(ErrorKind::BrokenPipe)));
    }
}

#[tokio::test]
async fn closing_the_sink_is_a_half_close() {
    for (ours, theirs) in [memory::bytes(), memory::pair()] {
        let (mut source, mut sink) = ours.split();
        let (mut their_source, mut their_sink) = theirs.split();
        poll_fn(|cx| sink.poll_close(cx)).await.unwrap();
        assert_eq!(next(&mut their_source).await, Seen::Ended);
        assert_eq!(offer(&mut sink, "1\n"), Some(Err(ErrorKind::BrokenPipe)));
        write(&mut their_sink, "answer\n").await.unwrap();
        assert_eq!(next(&mut source).await, frame("answer"));
    }
}

#[tokio::test]
async fn half_close_ends_the_reader_after_what_is_under_way() {
    for mut way in ways() {
        write(&mut way.sink, "1\n").await.unwrap();
        way.faults.outgoing.half_close();
        assert_eq!(offer(&mut way.sink, "2\n"), Some(Err(ErrorKind::BrokenPipe)));
        assert_eq!(next(&mut way.source).await, frame("1"));
        assert_eq!(next(&mut way.source).await, Seen::Ended);
    }
}

#[tokio::test]
async fn half_close_reaches_a_reader_that_waits() {
    for mut way in ways() {
        let reader = tokio::spawn(async move { next(&mut way.source).await });
        tokio::task::yield_now().await;
        way.faults.outgoing.half_close();
        assert_eq!(reader.await.unwrap(), Seen::Ended);
    }
}

#[tokio::test]
async fn cut_loses_what_is_under_way_in_both_directions() {
    for (ours, theirs) in [memory::bytes(), memory::pair()] {
        let faults = ours.faults();
        let (mut source, mut sink) = ours.split();
        let (mut their_source, mut their_sink) = theirs.split();
        write(&mut sink, "1\n").await.unwrap();
        faults.cut();
        for source in [&mut source, &mut their_source] {
            assert_eq!(next(source).await, Seen::Gone(ErrorKind::ConnectionReset));
            assert_eq!(next(source).await, Seen::Ended);
        }
        for sink in [&mut sink, &mut their_sink] {
            assert_eq!(offer(sink, "2\n"), Some(Err(ErrorKind::BrokenPipe)));
        }
    }
}

#[tokio::test]
async fn a_reset_reader_does_not_fail_the_writer() {
    for mut way in ways() {
        write(&mut way.sink, "1\n").await.unwrap();
        way.faults.outgoing.reset_reader();
        assert_eq!(next(&mut way.source).await, Seen::Gone(ErrorKind::ConnectionReset));
        for _ in 0..100 {
            write(&mut way.sink, &format!("{}\n", "x".repeat(10_000))).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_broken_writer_does_not_end_the_reader() {
    for mut way in ways() {
        write(&mut way.sink, "1\n").await.unwrap();
        way.faults.outgoing.break_writer(ErrorKind::StorageFull);
        assert_eq!(offer(&mut way.sink, "2\n"), Some(Err(ErrorKind::StorageFull)));
        assert_eq!(offer(&mut way.sink, "3\n"), Some(Err(ErrorKind::StorageFull)));
        assert_eq!(next(&mut way.source).await, frame("1"));
        assert_eq!(look(&mut way.source), None);
        drop(way.sink);
        assert_eq!(next(&mut way.source).await, Seen::Ended);
    }
}

#[tokio::test]
async fn a_stalled_writer_waits_until_it_is_resumed() {
    for mut way in ways() {
        way.faults.outgoing.stall();
        assert_eq!(offer(&mut way.sink, "1\n"), None);
        let writer = tokio::spawn(async move {
            write(&mut way.sink, "1\n").await.unwrap();
            way.sink
        });
        tokio::task::yield_now().await;
        assert!(!writer.is_finished());
        assert_eq!(look(&mut way.source), None);
        way.faults.outgoing.resume();
        let _sink = writer.await.unwrap();
        assert_eq!(next(&mut way.source).await, frame("1"));
    }
}

#[tokio::test]
async fn a_stalled_writer_learns_that_the_reader_has_left() {
    for mut way in ways() {
        way.faults.outgoing.stall();
        let writer = tokio::spawn(async move { write(&mut way.sink, "1\n").await });
        tokio::task::yield_now().await;
        drop(way.source);
        assert_eq!(writer.await.unwrap().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}

#[tokio::test]
async fn a_torn_frame_arrives_as_the_tail() {
    for cut in 0..=5 {
        for mut way in ways() {
            write(&mut way.sink, "first\n").await.unwrap();
            way.faults.outgoing.torn(cut);
            let torn = offer(&mut way.sink, "0123\n45\n");
            assert_eq!(torn, Some(if cut == 0 { Err(ErrorKind::BrokenPipe) } else { Ok(cut) }));
            assert_eq!(offer(&mut way.sink, "x\n"), Some(Err(ErrorKind::BrokenPipe)));
            assert_eq!(next(&mut way.source).await, frame("first"));
            match cut {
                0 => {}
                5 => assert_eq!(next(&mut way.source).await, frame("0123")),
                _ => assert_eq!(next(&mut way.source).await, Seen::Tail("0123"[..cut].to_owned())),
            }
            assert_eq!(next(&mut way.source).await, Seen::Ended);
        }
    }
}

#[tokio::test]
async fn a_frame_under_way_is_completed_before_the_next_is_torn() {
    let mut way = way(Link::new().capacity(NonZeroUsize::new(3).unwrap()).bytes());
    assert_eq!(offer(&mut way.sink, "01234\n"), Some(Ok(3)));
    way.faults.outgoing.torn(2);
    let writer = tokio::spawn(async move { write(&mut way.sink, "34\n567\n").await });
    assert_eq!(next(&mut way.source).await, frame("01234"));
    assert_eq!(next(&mut way.source).await, Seen::Tail("56".to_owned()));
    assert_eq!(next(&mut way.source).await, Seen::Ended);
    assert_eq!(writer.await.unwrap().unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn a_slow_reader_gets_a_little_a_poll() {
    let mut way = way(memory::bytes());
    way.faults.outgoing.slow(NonZeroUsize::new(2));
    write(&mut way.sink, "01234\n").await.unwrap();
    for left in [4, 2] {
        assert_eq!(look(&mut way.source), None);
        assert_eq!(way.faults.outgoing.under_way(), left);
    }
    assert_eq!(look(&mut way.source), Some(frame("01234")));
    write(&mut way.sink, "56789\n").await.unwrap();
    assert_eq!(next(&mut way.source).await, frame("56789"), "it is woken for the rest");
    way.faults.outgoing.slow(None);
    write(&mut way.sink, "5\n6\n").await.unwrap();
    assert_eq!(next(&mut way.source).await, frame("5"));
    assert_eq!(look(&mut way.source), Some(frame("6")));
}

#[tokio::test]
async fn a_capacity_of_one_byte_is_enough() {
    let link = Link::new().capacity(NonZeroUsize::MIN);
    for mut way in [way(link.bytes()), way(link.pair())] {
        let writer = tokio::spawn(async move {
            for index in 0..100 {
                write(&mut way.sink, &format!("frame {index}\nand another\n")).await.unwrap();
            }
        });
        for index in 0..100 {
            assert_eq!(next(&mut way.source).await, frame(&format!("frame {index}")));
            assert_eq!(next(&mut way.source).await, frame("and another"));
        }
        assert_eq!(next(&mut way.source).await, Seen::Ended);
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn a_full_direction_makes_its_writer_wait() {
    let link = Link::new().capacity(NonZeroUsize::new(8).unwrap());
    let mut bytes = way(link.bytes());
    assert_eq!(offer(&mut bytes.sink, "01234\n56789\n"), Some(Ok(8)));
    assert_eq!(offer(&mut bytes.sink, "789\n"), None);
    let mut pair = way(link.pair());
    assert_eq!(offer(&mut pair.sink, "01234\n56789\n"), Some(Ok(6)), "whole frames only");
    assert_eq!(offer(&mut pair.sink, "56789\n"), None);
    assert_eq!(next(&mut pair.source).await, frame("01234"));
    assert_eq!(offer(&mut pair.sink, "56789\n"), Some(Ok(6)));
}

#[tokio::test]
async fn frames_over_the_limit_are_reported_through_the_byte_framer() {
    let mut way = way(Link::new().max_frame(20).bytes());
    let large = r#"{"id":7,"params":"xxxxxxxxxxxxxxxxxxxx"}"#;
    write(&mut way.sink, &format!("{large}\n1\n")).await.unwrap();
    let size = large.len() as u64;
    let what = TooLarge { size, limit: 20, id: Some(b"7"[..].into()), has_id: true, ..TooLarge::default() };
    assert_eq!(next(&mut way.source).await, Seen::TooLarge(what));
    assert_eq!(next(&mut way.source).await, frame("1"));
}

#[tokio::test]
async fn the_raw_end_speaks_lines_and_bytes() {
    let (end, mut raw) = memory::raw();
    let (mut source, mut sink) = end.split();
    raw.send("{}").await.unwrap();
    raw.send_bytes(b"[1").await.unwrap();
    assert_eq!(next(&mut source).await, frame("{}"));
    assert_eq!(look(&mut source), None);
    raw.send_bytes(b"]\n").await.unwrap();
    assert_eq!(next(&mut source).await, frame("[1]"));
    write(&mut sink, "a\nb\n").await.unwrap();
    assert_eq!(raw.recv().await.as_deref(), Some("a"));
    assert!(!raw.is_closed());
    drop(sink);
    assert!(raw.is_closed());
    assert_eq!(raw.recv().await.as_deref(), Some("b"));
    assert_eq!(raw.recv().await, None);
    raw.close_write();
    assert_eq!(next(&mut source).await, Seen::Ended);
    assert_eq!(raw.send("late").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn the_raw_end_closes_its_read_side_alone() {
    let (end, mut raw) = memory::raw();
    let (mut source, mut sink) = end.split();
    raw.close_read();
    assert_eq!(offer(&mut sink, "1\n"), Some(Err(ErrorKind::BrokenPipe)));
    assert_eq!(raw.recv().await, None);
    raw.send("2").await.unwrap();
    assert_eq!(next(&mut source).await, frame("2"));
    assert!(!raw.is_unheard());
    drop(source);
    assert!(raw.is_unheard());
    assert_eq!(raw.send("3").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[tokio::test(start_paused = true)]
async fn latency_holds_frames_back_and_keeps_their_order() {
    for mut way in ways() {
        let start = Instant::now();
        way.faults.outgoing.latency(Duration::from_secs(5));
        write(&mut way.sink, "1\n").await.unwrap();
        tokio::time::advance(Duration::from_secs(3)).await;
        way.faults.outgoing.latency(Duration::ZERO);
        write(&mut way.sink, "2\n").await.unwrap();
        assert_eq!(look(&mut way.source), None);
        drop(way.sink);
        assert_eq!(next(&mut way.source).await, frame("1"));
        assert_eq!(start.elapsed().as_secs(), 5);
        assert_eq!(next(&mut way.source).await, frame("2"));
        assert_eq!(next(&mut way.source).await, Seen::Ended);
        assert_eq!(start.elapsed().as_secs(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn frames_with_latency_arrive_one_by_one() {
    for mut way in ways() {
        let start = Instant::now();
        way.faults.outgoing.latency(Duration::from_secs(5));
        for index in 0..3 {
            write(&mut way.sink, &format!("{index}\n")).await.unwrap();
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        for index in 0..3 {
            assert_eq!(next(&mut way.source).await, frame(&index.to_string()));
            assert_eq!(start.elapsed().as_secs(), 5 + index);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_does_not_wait_for_latency() {
    for mut way in ways() {
        let start = Instant::now();
        way.faults.outgoing.latency(Duration::from_secs(5));
        write(&mut way.sink, "1\n").await.unwrap();
        let reader = tokio::spawn(async move { next(&mut way.source).await });
        tokio::task::yield_now().await;
        way.faults.cut();
        assert_eq!(reader.await.unwrap(), Seen::Gone(ErrorKind::ConnectionReset));
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

mod streams {
    use std::pin::Pin;

    use mcp_session::transports::io::Stream;
    use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_stream_carries_frames_both_ways() {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let (read, write_half) = tokio::io::split(ours);
        let (mut source, mut sink) = Stream::new(read, write_half).split();
        theirs.write_all(b"{}\r\n[").await.unwrap();
        assert_eq!(next(&mut source).await, frame("{}"));
        write(&mut sink, "answer\n").await.unwrap();
        poll_fn(|cx| sink.poll_close(cx)).await.unwrap();
        poll_fn(|cx| sink.poll_close(cx)).await.unwrap();
        let mut all = String::new();
        theirs.read_to_string(&mut all).await.unwrap();
        assert_eq!(all, "answer\n");
        theirs.shutdown().await.unwrap();
        assert_eq!(next(&mut source).await, Seen::Tail("[".to_owned()));
        assert_eq!(next(&mut source).await, Seen::Ended);
        assert_eq!(source.frame(), b"", "the tail is lent until the next poll");
        assert_eq!(offer(&mut sink, "late\n"), Some(Err(ErrorKind::BrokenPipe)));
    }

    #[tokio::test]
    async fn a_read_error_means_gone() {
        let read = scripted(vec![Ok(b"1\n2".to_vec()), Err(ErrorKind::ConnectionReset)]);
        let (mut source, _sink) = Stream::new(read, tokio::io::sink()).split();
        assert_eq!(next(&mut source).await, frame("1"));
        assert_eq!(next(&mut source).await, Seen::Gone(ErrorKind::ConnectionReset));
        assert_eq!(next(&mut source).await, Seen::Ended);
    }

    #[tokio::test]
    async fn an_interrupted_read_is_repeated() {
        let read = scripted(vec![Err(ErrorKind::Interrupted), Ok(b"1\n".to_vec())]);
        let (mut source, _sink) = Stream::new(read, tokio::io::sink()).split();
        assert_eq!(next(&mut source).await, frame("1"));
        assert_eq!(next(&mut source).await, Seen::Ended);
    }

    #[tokio::test]
    async fn a_write_of_nothing_is_an_error() {
        let (_source, mut sink) = Stream::new(tokio::io::empty(), Nothing).split();
        assert_eq!(offer(&mut sink, "1\n"), Some(Err(ErrorKind::WriteZero)));
    }

    /// Gives the steps one after the other, then the end of input.
    fn scripted(steps: Vec<Result<Vec<u8>, ErrorKind>>) -> Scripted {
        Scripted(steps.into())
    }

    struct Scripted(std::collections::VecDeque<Result<Vec<u8>, ErrorKind>>);

    impl tokio::io::AsyncRead for Scripted {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            space: &mut tokio::io::ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            match self.0.pop_front() {
                Some(Ok(bytes)) => space.put_slice(&bytes),
                Some(Err(kind)) => return Poll::Ready(Err(kind.into())),
                None => {}
            }
            Poll::Ready(Ok(()))
        }
    }

    /// Takes no byte.
    struct Nothing;

    impl AsyncWrite for Nothing {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(0))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }
}
