//! Carries out what the engine says.

use mcp_types::jsonrpc::{Message, ResponseOutcome};
use serde_json::value::RawValue;

use super::slots::Pushed;
use super::{Arrived, Core, PIPE};
use crate::engine::{CallId, Delivery, Dropped, ExchangeId, Input, Moment, Output, Served, Settled};
use crate::error::CallError;
use crate::method::MethodName;
use crate::said::{Terminal, What};
use crate::service::Note;

/// What the engine is being told about: the bytes that belong to its outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Current<'a> {
    /// Nothing that has bytes.
    Nothing,
    /// A frame that has arrived.
    Arrived(&'a Message<'a>, &'a [u8]),
    /// A call that is being made.
    Call(&'a str, Option<&'a [u8]>),
}

impl Core {
    /// Takes the outputs of the engine until it waits.
    pub(crate) fn pump(&mut self, now: Moment, current: &Current<'_>) {
        let mut closed = Vec::new();
        loop {
            match self.engine.poll_output() {
                Output::Start(served) => self.start(served),
                Output::Enqueue(served) => self.enqueue(served, current),
                Output::Cancel(served) => self.cancel(served),
                Output::Settle(call, settled) => self.settle(call, settled, current),
                Output::Deliver(delivery) => self.deliver(delivery, current),
                Output::DropOldestNote => drop(self.notes.pop_front()),
                Output::Transmit(exchange, head) => self.transmit(exchange, head, current),
                Output::Withdraw(call) => self.withdraw(call),
                Output::Discard => self.discard(),
                Output::CloseExchange(PIPE) => self.ending = Some(PIPE),
                Output::CloseExchange(exchange) => {
                    self.close_batch(exchange);
                    let (is_closed, reader) = self.outboxes.close(exchange);
                    self.wakers.push(reader);
                    if is_closed {
                        closed.push(exchange);
                    }
                }
                // Who attaches takes what was kept out of the store.
                Output::Replay(_) => {}
                Output::Dropped(why) => trace_dropped(why),
                Output::Finished(reason) => {
                    tracing::info!(%reason, "session finished");
                    self.finished = Some(reason);
                    self.wakers.push(self.driver.take());
                    self.wakers.append(&mut self.room);
                }
                Output::Wait(deadline) => {
                    self.deadline = deadline;
                    if closed.is_empty() {
                        return;
                    }
                    self.engine.handle(now, Input::ExchangeClosed(closed.remove(0)));
                }
            }
        }
    }

    fn start(&mut self, served: Served) {
        if !self.queue.start(served) {
            self.arrived = Some(Arrived::Request(served));
        }
    }

    fn enqueue(&mut self, served: Served, current: &Current<'_>) {
        if let Current::Arrived(_, frame) = current {
            self.queue.push(served, frame);
        }
    }

    fn cancel(&mut self, served: Served) {
        self.queue.cancel(served);
        if let Some(task) = self.handlers.remove(&served) {
            task.abort();
        }
    }

    /// A handler has ended by itself.
    pub(crate) fn ended(&mut self, served: Served) {
        self.handlers.remove(&served);
    }

    fn settle(&mut self, call: CallId, settled: Settled, current: &Current<'_>) {
        let Some(slot) = self.calls.get_mut(call.0) else { return };
        let method = || slot.method.to_shared();
        let closed = |reason, cause| Err(CallError::ConnectionClosed { method: method(), reason, cause });
        let timed_out =
            |limit: Option<_>| Err(CallError::TimedOut { method: method(), limit: limit.unwrap_or_default() });
        let outcome = match settled {
            Settled::Answered => answer_of(&slot.method, current),
            Settled::Broken(detail) => Err(CallError::Malformed { method: method(), detail: detail.into() }),
            Settled::Closed(reason) => closed(Some(reason), self.cause.clone()),
            Settled::Idle => timed_out(slot.silence()),
            Settled::TookTooLong => timed_out(slot.total),
            Settled::Cancelled => closed(None, None),
            Settled::EndedByPeer => Err(CallError::EndedByPeer { method: method() }),
        };
        slot.outcome = Some(outcome);
        self.wakers.push(slot.waker.take());
    }

    fn deliver(&mut self, delivery: Delivery, current: &Current<'_>) {
        let Current::Arrived(Message::Notification(note), _) = current else { return };
        match delivery {
            Delivery::Progress(call) | Delivery::Subscribed(call) => {
                let limit = self.engine.limits().inbox;
                let Some(slot) = self.calls.get_mut(call.0) else { return };
                match slot.inbox.as_mut().map_or(Pushed::Unwanted, |inbox| inbox.push(note, limit)) {
                    Pushed::Kept => {}
                    Pushed::Overtaking => self.engine.dropped(Dropped::Overtaken),
                    Pushed::Unwanted if delivery == Delivery::Subscribed(call) => {
                        return self.engine.dropped(Dropped::UnknownSubscription);
                    }
                    Pushed::Unwanted => return,
                }
                self.wakers.push(slot.waker.take());
            }
            Delivery::Note => {
                let params = note.params.raw.and_then(|raw| RawValue::from_string(raw.to_owned()).ok());
                self.notes.push_back(Note { method: (&*note.method).into(), params });
                self.arrived = Some(Arrived::Note);
            }
        }
    }

    fn discard(&mut self) {
        let dropped = self.outgoing.as_mut().map_or(0, |pipe| pipe.discard_unbegun()) + self.outboxes.discard();
        let collected = self.batches.values().filter(|batch| !batch.is_empty()).count();
        self.batches.values_mut().for_each(Vec::clear);
        self.engine.discarded((dropped + collected) as u64);
        self.wakers.append(&mut self.room);
    }

    /// Writes what a batch has collected, as one array.
    fn close_batch(&mut self, exchange: ExchangeId) {
        let Some(collected) = self.batches.remove(&exchange) else { return };
        if collected.is_empty() {
            return;
        }
        let carrier = self.engine.carrier(exchange);
        self.write(carrier, What::Answer(Terminal::Result), |out| {
            out.push(b'[');
            out.extend_from_slice(&collected);
            out.push(b']');
        });
    }
}

fn answer_of(method: &MethodName, current: &Current<'_>) -> Result<Box<str>, CallError> {
    let Current::Arrived(Message::Response(response), _) = current else {
        return Err(CallError::Malformed { method: method.to_shared(), detail: "no response".into() });
    };
    match &response.outcome {
        ResponseOutcome::Result(raw) => Ok((*raw).into()),
        ResponseOutcome::Error(error) => {
            Err(CallError::Peer { method: method.to_shared(), error: Box::new(error.clone().into()) })
        }
    }
}

fn trace_dropped(why: Dropped) {
    tracing::debug!(why = why.name(), "dropped");
}
