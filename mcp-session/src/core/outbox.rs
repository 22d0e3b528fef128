//! What goes out on the exchanges of a session that has many: each has an outbox, until somebody reads it.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use super::{Core, Current};
use crate::engine::{CallId, Dropped, ExchangeId, Input, Moment};
use crate::few::Few;
use crate::line::Line;
use crate::said::{Said, What};

/// The outboxes of all exchanges.
#[derive(Debug, Default)]
pub(crate) struct Outboxes {
    boxes: Few<ExchangeId, Outbox>,
    /// What has to be put into the log before anybody reads it, in order.
    unstored: VecDeque<(ExchangeId, Item)>,
    /// Something of these is being put into the log.
    storing: Option<ExchangeId>,
}

/// What comes next on its way to the log.
pub(crate) enum Next {
    Said(Unstored),
    /// Nothing for the log; somebody is to be woken.
    Other(Option<Waker>),
    Nothing,
}

/// A message that has to be put into the log.
#[derive(Debug)]
pub(crate) struct Unstored {
    pub(crate) exchange: ExchangeId,
    pub(crate) said: Said,
}

/// What waits in an outbox.
#[derive(Debug)]
enum Item {
    Said(Said),
    /// Its reader is sent away here, to come back for the rest.
    Leave,
}

/// Who reads an outbox. A later reader takes the place of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader(u32);

#[derive(Debug)]
struct Outbox {
    ready: Line<Item>,
    /// Bytes in `ready`.
    bytes: usize,
    /// Whether it may be logged.
    is_stored: bool,
    is_logged: bool,
    /// Whether something was said, from which the stream could be resumed.
    has_begun: bool,
    is_closed: bool,
    reader: Option<Reader>,
    readers: u32,
    waker: Option<Waker>,
}

/// What a reader finds.
#[derive(Debug)]
pub(crate) enum Found {
    Said(Said),
    /// There will be no more, and the outbox is gone.
    Closed,
    /// The reader is to come back for the rest.
    Leave,
    /// Somebody else reads it now.
    Lost,
}

impl Outboxes {
    /// Opens an outbox, and says who reads it.
    pub(crate) fn open(&mut self, exchange: ExchangeId, is_stored: bool) -> Reader {
        let reader = Reader(0);
        let outbox = Outbox {
            ready: Line::default(),
            bytes: 0,
            is_stored,
            is_logged: false,
            has_begun: false,
            is_closed: false,
            reader: Some(reader),
            readers: 0,
            waker: None,
        };
        self.boxes.insert(exchange, outbox);
        reader
    }

    /// What goes into it is put into the log, unless nothing more does. What nobody has read yet is, too; before that
    /// may come an event to resume the stream from.
    pub(crate) fn log(&mut self, exchange: ExchangeId, is_primed: bool) {
        let Some(outbox) = self.boxes.get_mut(&exchange).filter(|outbox| !outbox.is_closed) else { return };
        outbox.is_logged = true;
        outbox.bytes = 0;
        let prime = is_primed.then(|| Item::Said(Said::new(Vec::new(), What::Prime)));
        let mut has_begun = false;
        // Nobody can come back to a stream that has not begun.
        let items = prime.into_iter().chain(outbox.ready.take_all()).filter(|item| {
            has_begun |= matches!(item, Item::Said(_));
            has_begun
        });
        self.unstored.extend(items.map(|item| (exchange, item)));
        outbox.has_begun = has_begun;
    }

    /// Whether what goes into it is put into the log.
    pub(crate) fn is_logged(&self, exchange: ExchangeId) -> bool {
        self.boxes.get(&exchange).is_some_and(|outbox| outbox.is_logged)
    }

    /// Puts a message in, and says who is to be woken. It is dropped when nobody can ever read it.
    pub(crate) fn push(&mut self, exchange: ExchangeId, said: Said) -> Option<Waker> {
        let outbox = self.boxes.get_mut(&exchange)?;
        outbox.has_begun = true;
        if outbox.is_logged {
            self.unstored.push_back((exchange, Item::Said(said)));
            return None;
        }
        outbox.push(Item::Said(said))
    }

    /// Sends the reader of a stream away once it has read what was said so far, if it can come back to it.
    pub(crate) fn send_away(&mut self, exchange: ExchangeId) {
        let Some(outbox) = self.boxes.get_mut(&exchange).filter(|outbox| outbox.is_stored) else { return };
        if !outbox.is_logged {
            outbox.ready.push_back(Item::Leave);
        } else if outbox.has_begun && outbox.reader.is_some() {
            self.unstored.push_back((exchange, Item::Leave));
        }
    }

    /// Whether something has to be put into the log.
    pub(crate) fn has_unstored(&self) -> bool {
        !self.unstored.is_empty() && self.storing.is_none()
    }

    /// Takes what is to be put into the log next. It is given back by [`stored`](Self::stored).
    pub(crate) fn next_unstored(&mut self) -> Next {
        match self.unstored.pop_front() {
            None => Next::Nothing,
            Some((exchange, Item::Said(said))) => {
                self.storing = Some(exchange);
                Next::Said(Unstored { exchange, said })
            }
            Some((exchange, Item::Leave)) => {
                let outbox = self.boxes.get_mut(&exchange).filter(|outbox| outbox.reader.is_some());
                Next::Other(outbox.and_then(|outbox| outbox.push(Item::Leave)))
            }
        }
    }

    /// It is in the log, at this place; or nowhere. Says who is to be woken, and whether it is lost.
    pub(crate) fn stored(&mut self, unstored: Unstored, place: Option<u64>) -> (Option<Waker>, bool) {
        self.storing = None;
        let Unstored { exchange, mut said } = unstored;
        said.place = place;
        match self.boxes.get_mut(&exchange) {
            Some(outbox) if outbox.reader.is_some() => (outbox.push(Item::Said(said)), false),
            _ => (None, place.is_none()),
        }
    }

    /// Nothing more goes in. Says whether it is gone already, and who is to be woken.
    pub(crate) fn close(&mut self, exchange: ExchangeId) -> (bool, Option<Waker>) {
        let Some(outbox) = self.boxes.get_mut(&exchange) else { return (true, None) };
        outbox.is_closed = true;
        if outbox.reader.is_some() {
            return (false, outbox.waker.take());
        }
        self.boxes.remove(&exchange);
        (true, None)
    }

    /// Reads the next message.
    pub(crate) fn poll(&mut self, exchange: ExchangeId, reader: Reader, cx: &Context<'_>) -> Poll<Found> {
        let is_logging = self.is_logging(exchange);
        let Some(outbox) = self.boxes.get_mut(&exchange) else { return Poll::Ready(Found::Lost) };
        if outbox.reader != Some(reader) {
            return Poll::Ready(Found::Lost);
        }
        match outbox.ready.pop_front() {
            Some(Item::Said(said)) => {
                outbox.bytes -= said.json.len();
                return Poll::Ready(Found::Said(said));
            }
            Some(Item::Leave) => {
                outbox.forget_reader();
                return Poll::Ready(Found::Leave);
            }
            None => {}
        }
        if outbox.is_closed && !is_logging {
            self.boxes.remove(&exchange);
            return Poll::Ready(Found::Closed);
        }
        match &mut outbox.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => outbox.waker = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Takes an outbox away of which everything was read and that nothing more goes into. Whether it was one.
    pub(crate) fn take_done(&mut self, exchange: ExchangeId) -> bool {
        let is_done = self.boxes.get(&exchange).is_some_and(|outbox| outbox.is_closed && outbox.ready.is_empty());
        is_done && self.boxes.remove(&exchange).is_some()
    }

    fn is_logging(&self, exchange: ExchangeId) -> bool {
        self.storing == Some(exchange) || self.unstored.iter().any(|(of, _)| *of == exchange)
    }

    /// A reader leaves. `None` when it was not the reader any more; else whether the outbox was closed and is gone, and
    /// how many messages nobody will read.
    pub(crate) fn leave(&mut self, exchange: ExchangeId, reader: Reader) -> Option<(bool, usize)> {
        let outbox = self.boxes.get_mut(&exchange).filter(|outbox| outbox.reader == Some(reader))?;
        let lost = outbox.forget_reader();
        let is_closed = outbox.is_closed;
        if is_closed {
            self.boxes.remove(&exchange);
        }
        Some((is_closed, lost))
    }

    /// Somebody reads an outbox from now on. The one who did so before is to be woken.
    pub(crate) fn attach(&mut self, exchange: ExchangeId) -> Option<(Reader, Option<Waker>)> {
        let outbox = self.boxes.get_mut(&exchange).filter(|outbox| outbox.is_logged)?;
        let before = outbox.waker.take();
        outbox.forget_reader();
        outbox.readers = outbox.readers.wrapping_add(1);
        let reader = Reader(outbox.readers);
        outbox.reader = Some(reader);
        Some((reader, before))
    }

    /// How many bytes wait for a reader on an exchange.
    pub(crate) fn waiting(&self, exchange: impl FnOnce() -> Option<ExchangeId>) -> usize {
        if self.boxes.is_empty() {
            // A session over a pipe has none, and need not look for the exchange.
            return 0;
        }
        exchange().and_then(|exchange| self.boxes.get(&exchange)).map_or(0, |outbox| outbox.bytes)
    }

    /// Takes the request of a call out, if nobody has read it and it is not in the log. Whether it could.
    pub(crate) fn withdraw(&mut self, call: CallId) -> bool {
        let is_it = |item: &Item| matches!(item, Item::Said(said) if said.what == What::Call(call));
        for outbox in self.boxes.values_mut() {
            if let Some(Item::Said(said)) = outbox.ready.remove_first(is_it) {
                outbox.bytes -= said.json.len();
                return true;
            }
        }
        let at = self.unstored.iter().position(|(_, item)| is_it(item));
        at.is_some_and(|at| self.unstored.remove(at).is_some())
    }

    /// Drops everything, and counts it.
    pub(crate) fn discard(&mut self) -> usize {
        let is_said = |item: &Item| matches!(item, Item::Said(_));
        let mut dropped = self.unstored.drain(..).filter(|(_, item)| is_said(item)).count();
        for outbox in self.boxes.values_mut() {
            dropped += outbox.ready.take_all().filter(is_said).count();
            outbox.bytes = 0;
        }
        dropped
    }
}

impl Core {
    /// Reads the next message of an exchange.
    pub(crate) fn read(&mut self, exchange: ExchangeId, reader: Reader, cx: &Context<'_>) -> Poll<Found> {
        let found = self.outboxes.poll(exchange, reader, cx);
        if matches!(found, Poll::Ready(Found::Said(_))) {
            self.made_room();
        }
        found
    }

    /// Reads the next message of an exchange beside others.
    pub(crate) fn read_in_session(
        &mut self,
        now: Moment,
        exchange: ExchangeId,
        reader: Reader,
        cx: &Context<'_>,
    ) -> Poll<Found> {
        let found = self.read(exchange, reader, cx);
        match &found {
            Poll::Ready(Found::Said(Said { what: What::Call(call), .. })) => {
                self.engine.sent(*call);
            }
            Poll::Ready(Found::Closed) => self.feed(now, Input::ExchangeClosed(exchange), &Current::Nothing),
            Poll::Ready(Found::Leave) => self.feed(now, Input::Detached(exchange), &Current::Nothing),
            _ => {}
        }
        found
    }

    /// A reader leaves.
    pub(crate) fn leave(&mut self, now: Moment, exchange: ExchangeId, reader: Reader) {
        let Some((is_closed, lost)) = self.outboxes.leave(exchange, reader) else { return };
        self.engine.discarded(lost as u64);
        self.wakers.append(&mut self.room);
        let input = if is_closed { Input::ExchangeClosed(exchange) } else { Input::Detached(exchange) };
        self.feed(now, input, &Current::Nothing);
    }

    /// What is to be put into the log next.
    pub(crate) fn next_unstored(&mut self) -> Option<Unstored> {
        loop {
            match self.outboxes.next_unstored() {
                Next::Said(unstored) => return Some(unstored),
                Next::Other(reader) => self.wakers.push(reader),
                Next::Nothing => return None,
            }
        }
    }

    /// Somebody reads an exchange from now on, if it can be resumed.
    pub(crate) fn attach(&mut self, now: Moment, exchange: ExchangeId) -> Option<Reader> {
        let (reader, before) = self.outboxes.attach(exchange)?;
        self.wakers.push(before);
        self.feed(now, Input::Attached(exchange), &Current::Nothing);
        Some(reader)
    }

    /// A message was put into the log, at this place.
    pub(crate) fn stored(&mut self, unstored: Unstored, place: Option<u64>) {
        let (reader, is_lost) = self.outboxes.stored(unstored, place);
        self.wakers.push(reader);
        if is_lost {
            self.engine.dropped(Dropped::NotWritable);
        }
    }
}

impl Outbox {
    fn push(&mut self, item: Item) -> Option<Waker> {
        if let Item::Said(said) = &item {
            self.bytes += said.json.len();
        }
        self.ready.push_back(item);
        self.waker.take()
    }

    /// Nobody reads it, and how much of what was said is lost by that. What has a place can be read in the log.
    fn forget_reader(&mut self) -> usize {
        self.reader = None;
        self.waker = None;
        self.bytes = 0;
        let is_lost = |item: &Item| matches!(item, Item::Said(said) if said.place.is_none());
        self.ready.take_all().filter(is_lost).count()
    }
}
