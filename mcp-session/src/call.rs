//! A call of ours, as the future of its result.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::core::{CallSlot, Core, Current, Inbox, Shared, Waiting};
use crate::engine::{CallId, CallSpec, Moment, Origin};
use crate::error::CallError;
use crate::method::MethodName;
use crate::params::CallParams;

/// The result of a call, as raw JSON.
///
/// # Cancel safety
///
/// Dropping the future cancels the call and tells the peer; if its request was not written yet, it never is.
#[must_use = "the call is made when it is awaited"]
pub struct CallFuture {
    shared: Arc<Shared>,
    method: MethodName,
    stage: Stage,
    /// Most calls have none.
    callbacks: Option<Box<Callbacks>>,
}

/// Who is told what is said about a call.
#[derive(Default)]
struct Callbacks {
    progress: Option<OnProgress>,
    note: Option<OnNote>,
}

impl fmt::Debug for CallFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").field("method", &self.method).field("stage", &self.stage).finish_non_exhaustive()
    }
}

#[derive(Debug)]
enum Stage {
    Unmade(Unmade),
    Pending(CallId),
    Over,
}

struct Unmade {
    params: Made,
    spec: CallSpec,
}

enum Made {
    Already(CallParams),
    /// When the token for progress is known.
    WithToken(Box<dyn Fn(i64) -> CallParams + Send + Sync>),
}

/// Takes the parameters of a progress notification.
type OnProgress = Box<dyn FnMut(&RawValue) + Send>;

/// Takes the method and the parameters of a notification.
type OnNote = Box<dyn FnMut(&str, Option<&RawValue>) + Send>;

impl fmt::Debug for Unmade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unmade").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl CallFuture {
    pub(crate) fn new(shared: Arc<Shared>, origin: Origin, method: MethodName, params: CallParams) -> Self {
        let limits = shared.limits();
        let spec = CallSpec { idle: limits.call_idle, total: limits.call_total, ..CallSpec::new(origin) };
        let unmade = Unmade { params: Made::Already(params), spec };
        Self { shared, method, stage: Stage::Unmade(unmade), callbacks: None }
    }

    /// Limits how long the call may be silent; progress restarts it. `None` is for ever. The default is
    /// [`Limits::call_idle`](crate::limits::Limits::call_idle).
    pub fn timeout(self, idle: impl Into<Option<Duration>>) -> Self {
        self.with_spec(|spec| spec.idle = idle.into())
    }

    /// Limits how long the call may be silent until the first notification about it arrives, where that is something else
    /// than [`timeout`](Self::timeout), which counts from then on. The default is that it is not.
    pub fn begins_within(self, first: impl Into<Option<Duration>>) -> Self {
        self.with_spec(|spec| spec.first = first.into())
    }

    /// Limits how long the call may take altogether. `None` is for ever. The default is
    /// [`Limits::call_total`](crate::limits::Limits::call_total).
    pub fn max_time(self, total: impl Into<Option<Duration>>) -> Self {
        self.with_spec(|spec| spec.total = total.into())
    }

    /// Lets the call take as long as it takes, and be silent for as long: for one that stays open, or that a person
    /// answers. It settles all the same when the connection closes.
    pub fn untimed(self) -> Self {
        self.timeout(None).max_time(None)
    }

    /// Makes it the call that opens the session: it is never cancelled, and the session ends when it does not succeed
    /// in `within`.
    pub fn opening(self, within: Duration) -> Self {
        self.with_spec(|spec| (spec.opens, spec.idle, spec.total) = (true, None, Some(within)))
    }

    /// Asks for progress. `params` makes the parameters of the call from the token that the peer reports progress with,
    /// which belongs into their `_meta`; `callback` is given the parameters of each notification, in order, before the
    /// call resolves. It is called while the call is polled, so that a call that nobody polls reports nothing; when
    /// more than [`Limits::inbox`](crate::limits::Limits::inbox) wait, the oldest are given up and counted.
    pub fn with_progress<P: Into<CallParams>>(
        mut self,
        params: impl Fn(i64) -> P + Send + Sync + 'static,
        callback: impl FnMut(&RawValue) + Send + 'static,
    ) -> Self {
        if let Stage::Unmade(unmade) = &mut self.stage {
            unmade.params = Made::WithToken(Box::new(move |token| params(token).into()));
        }
        self.callbacks.get_or_insert_default().progress = Some(Box::new(callback));
        self
    }

    /// Takes the notifications of the subscription that this call is: those whose `_meta` names its id.
    ///
    /// `callback` is given the method and the parameters of each, in order, before the call resolves. As with progress
    /// it is called while the call is polled. When more than [`Limits::inbox`](crate::limits::Limits::inbox) wait, the
    /// oldest are given up and counted; of those that say that the same list or the same resource has changed, one
    /// waits.
    ///
    /// Such a call stays pending for as long as the subscription lasts, so that it wants to be
    /// [`untimed`](Self::untimed). It fails by [`CallError::EndedByPeer`] when the peer ends the subscription by a cancel
    /// instead of a result.
    ///
    /// Spec: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions)
    pub fn with_notes(mut self, callback: impl FnMut(&str, Option<&RawValue>) + Send + 'static) -> Self {
        self.callbacks.get_or_insert_default().note = Some(Box::new(callback));
        self.with_spec(|spec| spec.listens = true)
    }

    /// Polls for the result as text, which is JSON.
    ///
    /// It is what awaiting the future gives, without another pass over the text: a [`RawValue`] is only made of what
    /// serde has parsed. Of no use after either of them was ready.
    ///
    /// # Errors
    ///
    /// As awaiting it.
    pub fn poll_text(&mut self, cx: &mut Context<'_>) -> Poll<Result<Box<str>, CallError>> {
        self.poll_text_with(cx, None)
    }

    /// The same, with parameters that stay with the caller: the JSON of one object. They are sent instead of those that
    /// the call was made with, if it has not been placed yet; so they are the same each time, and need not be copied
    /// into the call.
    ///
    /// # Errors
    ///
    /// As awaiting it.
    pub fn poll_text_with(&mut self, cx: &mut Context<'_>, params: Option<&[u8]>) -> Poll<Result<Box<str>, CallError>> {
        match self.stage {
            Stage::Unmade(_) => self.poll_place(cx, params),
            Stage::Pending(call) => self.poll_outcome(call, cx),
            Stage::Over => Poll::Pending,
        }
    }

    /// Places the call as soon as there is room for its frame.
    fn poll_place(&mut self, cx: &Context<'_>, params: Option<&[u8]>) -> Poll<Result<Box<str>, CallError>> {
        let Stage::Unmade(unmade) = &self.stage else { return Poll::Pending };
        let told = self.callbacks.as_deref();
        let (progress, notes) = told.map_or((false, false), |told| (told.progress.is_some(), told.note.is_some()));
        let inbox = Inbox::new(progress, notes, unmade.spec.first);
        let now = self.shared.now();
        match self.shared.act(|core| unmade.place(core, now, &self.method, params, inbox, cx)) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(call)) => {
                self.stage = Stage::Pending(call);
                Poll::Pending
            }
            Poll::Ready(Err(error)) => {
                self.stage = Stage::Over;
                Poll::Ready(Err(error))
            }
        }
    }

    fn poll_outcome(&mut self, call: CallId, cx: &Context<'_>) -> Poll<Result<Box<str>, CallError>> {
        let (waiting, outcome) = self.shared.look(|core| {
            let Some(slot) = core.calls.get_mut(call.0) else { return Default::default() };
            let waiting = slot.inbox.as_mut().map(|inbox| inbox.take());
            if slot.outcome.is_none() {
                slot.wake_by(cx.waker());
                return (waiting, None);
            }
            (waiting, core.calls.remove(call.0, |slot| slot.outcome.take()).flatten())
        });
        if let Some(waiting) = waiting {
            self.tell(waiting);
        }
        let Some(outcome) = outcome else { return Poll::Pending };
        self.stage = Stage::Over;
        Poll::Ready(outcome)
    }

    /// Hands what was said about the call to its callbacks.
    fn tell(&mut self, waiting: VecDeque<Waiting>) {
        let Some(Callbacks { progress, note }) = self.callbacks.as_deref_mut() else { return };
        for waiting in waiting {
            match (waiting, &mut *progress, &mut *note) {
                (Waiting::Progress(params), Some(callback), _) => callback(&params),
                (Waiting::Subscribed(told), _, Some(callback)) => callback(&told.method, told.params.as_deref()),
                (Waiting::Progress(_) | Waiting::Subscribed(_), ..) => {}
            }
        }
    }

    fn with_spec(mut self, set: impl FnOnce(&mut CallSpec)) -> Self {
        if let Stage::Unmade(unmade) = &mut self.stage {
            set(&mut unmade.spec);
        }
        self
    }
}

impl Unmade {
    fn place(
        &self,
        core: &mut Core,
        now: Moment,
        method: &MethodName,
        params: Option<&[u8]>,
        inbox: Option<Box<Inbox>>,
        cx: &Context<'_>,
    ) -> Poll<Result<CallId, CallError>> {
        if core.wait_for_room(self.spec.origin, cx.waker()) {
            return Poll::Pending;
        }
        let placed = core.engine.call(now, self.spec);
        let made;
        let params = match (&self.params, &placed) {
            (Made::Already(made), _) => params.or_else(|| made.as_bytes()),
            (Made::WithToken(make), Ok(call)) => {
                made = make(call.to_wire());
                made.as_bytes()
            }
            (Made::WithToken(_), Err(_)) => None,
        };
        if let Ok(call) = placed {
            let mut slot = CallSlot::new(method.clone(), self.spec.idle, self.spec.total, inbox);
            slot.wake_by(cx.waker());
            core.calls.push(call.0, slot);
        }
        core.pump(now, &Current::Call(method.as_str(), params));
        Poll::Ready(placed.map_err(|refused| CallError::refused(method.to_shared(), refused, core.cause.clone())))
    }
}

impl Future for CallFuture {
    type Output = Result<Box<RawValue>, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_text(cx).map(|text| {
            RawValue::from_string(text?.into()).map_err(|error| CallError::Malformed {
                method: self.method.to_shared(),
                detail: error.to_string().into(),
            })
        })
    }
}

impl Drop for CallFuture {
    fn drop(&mut self) {
        if let Stage::Pending(call) = self.stage {
            let now = self.shared.now();
            self.shared.act(|core| {
                core.engine.cancel(now, call);
                core.pump(now, &Current::Nothing);
                core.calls.remove(call.0, |_| ());
            });
        }
    }
}
