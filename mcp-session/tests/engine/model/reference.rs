//! A session on a pipe, told by hand: it shares nothing with the table.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mcp_session::engine::{Reason, Served};

use super::{Op, Side};
use crate::support::Fixture;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Open,
    Closing,
    Dead,
}

/// The whole of a session on a pipe, told by hand.
#[derive(Debug, Default)]
pub(super) struct Model {
    side: Side,
    read_ended: bool,
    way: Way,
    why: Option<Reason>,
    draining: bool,
    closing: bool,
    awaiting: bool,
    over: bool,
    announced: bool,
    asked: bool,
    running: BTreeMap<i64, Served>,
    queue: VecDeque<i64>,
    dying: BTreeSet<Served>,
    /// Whether the call was sent.
    calls: BTreeMap<u64, bool>,
    calls_made: u64,
    pub(super) says: Vec<String>,
}

impl Model {
    pub(super) fn new(side: Side) -> Self {
        Self { side, ..Self::default() }
    }

    fn say(&mut self, what: impl Into<String>) {
        self.says.push(what.into());
    }

    fn is_alive(&self, id: i64) -> bool {
        self.running.contains_key(&id) || self.queue.contains(&id)
    }

    pub(super) fn take(&mut self, op: Op, f: &Fixture) {
        // The engine's names for requests are taken as they are; what becomes of them is not.
        let served = |id: i64| f.served(id).ok();
        match op {
            Op::Request(_) if self.over || self.way != Way::Open => {}
            Op::Request(id) if self.is_alive(id) || self.closing => self.say("refused"),
            Op::Request(id) if self.running.is_empty() => {
                self.say(format!("start {id}"));
                self.running.extend(served(id).map(|served| (id, served)));
            }
            Op::Request(id) if self.queue.is_empty() => {
                self.say(format!("enqueue {id}"));
                self.queue.push_back(id);
            }
            Op::Request(_) => self.say("refused"),
            Op::Finish(id) => {
                self.dying.retain(|dying| Some(*dying) != served(id));
                self.writes(self.running.contains_key(&id));
                self.running.remove(&id);
            }
            Op::Note(id) => self.writes(self.running.contains_key(&id)),
            Op::PeerCancels(id) if self.is_alive(id) => self.cancels(id),
            Op::Gone(id) => self.dying.retain(|dying| Some(*dying) != served(id)),
            Op::Call if self.way != Way::Open || self.read_ended || self.closing => self.say("no call"),
            Op::CallBy(_) if self.way != Way::Open || self.read_ended => self.say("no call"),
            Op::Call | Op::CallBy(_) => {
                self.calls_made += 1;
                self.calls.insert(self.calls_made, false);
            }
            Op::Sent(call) => self.calls.iter_mut().filter(|it| *it.0 == call).for_each(|it| *it.1 = true),
            Op::Response(call) => self.settles(|it, _| it == call, "answered"),
            Op::CancelCall(call) => self.settles(|it, _| it == call, "cancelled"),
            Op::ReadEnds if !self.read_ended => self.read_ends(),
            Op::PeerGone => {
                self.read_ended = true;
                self.ends(self.why.filter(|_| self.awaiting).unwrap_or(Reason::PeerGone));
            }
            Op::Fails(local) if !self.over => {
                let why = if local { Reason::WriteFailed } else { Reason::WriteBroken };
                self.why = Some(why);
                self.way = Way::Dead;
                self.cancels_all();
                self.settles(|_, sent| !sent, &format!("closed {why:?}"));
                self.awaiting = true;
            }
            Op::Close if self.draining => self.ends(Reason::Aborted),
            Op::Close if self.side == Side::Client => {
                self.client_closes();
                self.closing = true;
            }
            Op::Close => {
                self.draining = !self.over;
                self.closing = true;
                self.why = self.why.or(Some(Reason::Closed));
            }
            Op::Abort => {
                self.ends(Reason::Aborted);
                self.closing = true;
            }
            Op::HandlesDropped if self.side == Side::Client => self.client_closes(),
            Op::Closed if self.way == Way::Closing => self.ends(self.why.unwrap()),
            Op::Timeout if self.over => self.dying.clear(),
            Op::Timeout if self.awaiting => self.ends(self.why.unwrap()),
            _ => {}
        }
        self.afterwards(f);
    }

    fn writes(&mut self, known: bool) {
        self.say(if known { "write" } else { "drop" });
    }

    fn read_ends(&mut self) {
        self.read_ended = true;
        if self.over {
            return;
        }
        let why = match self.why {
            Some(why) if self.awaiting || (self.side == Side::Drains && self.draining) => why,
            _ => Reason::ReadEnded,
        };
        self.settles(|_, _| true, &format!("closed {why:?}"));
        if self.awaiting {
            return;
        }
        self.why = self.why.or(Some(Reason::ReadEnded));
        if self.side == Side::Drains {
            self.draining = true;
        } else {
            self.cancels_all();
            self.closes_way();
        }
    }

    fn client_closes(&mut self) {
        if self.over || self.closing {
            return;
        }
        self.settles(|_, _| true, "closed Closed");
        self.cancels_all();
        self.why = self.why.or(Some(Reason::Closed));
        self.closes_way();
    }

    fn afterwards(&mut self, f: &Fixture) {
        while self.running.is_empty()
            && let Some(id) = self.queue.pop_front()
        {
            self.say(format!("start {id}"));
            self.running.extend(f.served(id).ok().map(|served| (id, served)));
        }
        if self.awaiting && !self.over && !self.calls.values().any(|sent| *sent) {
            self.ends(self.why.unwrap());
        }
        if self.draining && self.way == Way::Open && self.running.is_empty() {
            let why = self.why.unwrap();
            self.settles(|_, _| true, &format!("closed {why:?}"));
            self.closes_way();
        }
        if self.over && self.dying.is_empty() && !self.announced {
            self.announced = true;
            self.say(format!("finished {:?}", self.why.unwrap()));
        }
    }

    fn closes_way(&mut self) {
        if self.way == Way::Open {
            self.way = Way::Closing;
            self.asks_to_close();
        }
    }

    fn asks_to_close(&mut self) {
        if !self.asked {
            self.asked = true;
            self.say("close");
        }
    }

    fn ends(&mut self, why: Reason) {
        if self.over {
            return;
        }
        self.settles(|_, _| true, &format!("closed {why:?}"));
        self.cancels_all();
        self.asks_to_close();
        self.way = Way::Dead;
        self.why = Some(why);
        self.over = true;
    }

    fn settles(&mut self, which: impl Fn(u64, bool) -> bool, how: &str) {
        let settled: Vec<_> = self.calls.extract_if(.., |call, sent| which(*call, *sent)).collect();
        self.says.extend(settled.iter().map(|(call, _)| format!("settle c{call} {how}")));
    }

    fn cancels(&mut self, id: i64) {
        self.say(format!("cancel {id}"));
        self.dying.extend(self.running.remove(&id));
        self.queue.retain(|queued| *queued != id);
    }

    fn cancels_all(&mut self) {
        let all: Vec<_> = self.running.keys().chain(&self.queue).copied().collect();
        for id in all {
            self.cancels(id);
        }
    }
}
