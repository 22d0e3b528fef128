//! What the keeper of a child, its transport and its handles share.

use std::collections::BTreeMap;
use std::io::{PipeReader, PipeWriter, Write};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::exited::ChildExited;
use super::tail::Tail;

#[derive(Debug)]
pub(super) struct Shared {
    program: Arc<str>,
    state: Mutex<State>,
    /// How often those who wait were woken: whoever waits since the last time needs no lock to see that it still does.
    wakes: AtomicUsize,
}

#[derive(Debug)]
struct State {
    id: u32,
    orders: Orders,
    /// Wakes the keeper while there is one.
    bell: Option<PipeWriter>,
    exit: Option<Exit>,
    has_ended: bool,
    tail: Tail,
    strays: u64,
    waiting: BTreeMap<u64, Waker>,
    next_key: u64,
}

/// What the keeper was told. Nothing is ever taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    /// The standard input of the child has ended.
    pub(super) end: bool,
    /// The child and its group are to be killed at once.
    pub(super) kill: bool,
}

/// The child has exited and is reaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// `None` when somebody else reaped it.
    pub(super) status: Option<ExitStatus>,
}

/// What can be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The child is reaped.
    Exited,
    /// Its group is gone too, and nothing is done for it any more.
    Ended,
}

impl Shared {
    /// With what the keeper is woken by.
    pub(super) fn new(program: Arc<str>) -> std::io::Result<(Arc<Self>, PipeReader)> {
        let (heard, bell) = std::io::pipe()?;
        let state = State {
            id: 0,
            orders: Orders::default(),
            bell: Some(bell),
            exit: None,
            has_ended: false,
            tail: Tail::default(),
            strays: 0,
            waiting: BTreeMap::new(),
            next_key: 0,
        };
        Ok((Arc::new(Self { program, state: Mutex::new(state), wakes: AtomicUsize::new(0) }), heard))
    }

    pub(super) fn started(&self, id: u32) {
        self.lock().id = id;
    }

    /// Tells the keeper that the standard input of the child has ended.
    pub(super) fn end(&self) {
        self.order(|orders| orders.end = true);
    }

    /// Tells the keeper to kill the child and its group.
    pub(super) fn kill(&self) {
        self.order(|orders| orders.kill = true);
    }

    fn order(&self, give: impl FnOnce(&mut Orders)) {
        let mut state = self.lock();
        let before = state.orders;
        give(&mut state.orders);
        // Each order rings once, so that the pipe never fills.
        if state.orders != before
            && let Some(bell) = &mut state.bell
            && let Err(error) = bell.write_all(&[0])
        {
            tracing::debug!(%error, "the keeper of a child cannot be woken");
        }
    }

    pub(super) fn orders(&self) -> Orders {
        self.lock().orders
    }

    pub(super) fn exited(&self, status: Option<ExitStatus>) {
        self.change(|state| state.exit = Some(Exit { status }));
    }

    pub(super) fn ended(&self) {
        self.change(|state| state.has_ended = true);
    }

    /// There is no keeper any more: nobody is to be woken.
    pub(super) fn left_alone(&self) {
        self.change(|state| {
            state.has_ended = true;
            state.bell = None;
        });
    }

    pub(super) fn keep_line(&self, line: String) {
        self.lock().tail.push(line);
    }

    /// Counts a line of standard output that is no message, and returns how many there were before.
    pub(super) fn count_stray(&self) -> u64 {
        let mut state = self.lock();
        let before = state.strays;
        state.strays += 1;
        before
    }

    pub(super) fn program(&self) -> &str {
        &self.program
    }

    pub(super) fn id(&self) -> u32 {
        self.lock().id
    }

    pub(super) fn exit(&self) -> Option<Exit> {
        self.lock().exit
    }

    pub(super) fn strays(&self) -> u64 {
        self.lock().strays
    }

    pub(super) fn tail(&self) -> String {
        self.lock().tail.text()
    }

    /// What is known about the end by now.
    pub(super) fn verdict(&self) -> ChildExited {
        let state = self.lock();
        let status = state.exit.and_then(|exit| exit.status);
        ChildExited::new(Arc::clone(&self.program), status, state.tail.text().into())
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let woken = std::mem::take(&mut state.waiting);
        self.wakes.fetch_add(1, Ordering::Release);
        // Wakers run foreign code, so they fire after the lock is released.
        drop(state);
        woken.into_values().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn has_reached(&self, stage: Stage) -> bool {
        match stage {
            Stage::Exited => self.exit.is_some() || self.has_ended,
            Stage::Ended => self.has_ended,
        }
    }
}

/// One who waits for a stage.
#[derive(Debug)]
pub(super) struct Waiting {
    shared: Arc<Shared>,
    stage: Stage,
    key: Option<u64>,
    /// Who is woken by the next change, and how many there were before.
    woken: Option<(Waker, usize)>,
}

impl Waiting {
    pub(super) const fn new(shared: Arc<Shared>, stage: Stage) -> Self {
        Self { shared, stage, key: None, woken: None }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some((waker, wakes)) = &self.woken
            && waker.will_wake(cx.waker())
            && *wakes == self.shared.wakes.load(Ordering::Acquire)
        {
            return Poll::Pending;
        }
        let mut state = self.shared.lock();
        if state.has_reached(self.stage) {
            return Poll::Ready(());
        }
        let key = *self.key.get_or_insert_with(|| {
            state.next_key += 1;
            state.next_key
        });
        let before = state.waiting.insert(key, cx.waker().clone());
        let wakes = self.shared.wakes.load(Ordering::Relaxed);
        // Dropping wakers may run foreign code, even code that waits for this child.
        drop(state);
        drop(before);
        self.woken = Some((cx.waker().clone(), wakes));
        Poll::Pending
    }

    pub(super) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.shared.lock().waiting.remove(&key);
            drop(waker);
        }
    }
}
