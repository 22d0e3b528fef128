//! A call of ours, as the future of its result.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::core::{CallSlot, Core, Current, Shared};
use crate::engine::{CallId, CallSpec, Origin};
use crate::error::CallError;

/// The result of a call, as raw JSON.
///
/// # Cancel safety
///
/// Dropping the future cancels the call and tells the peer; if its request was not written yet, it never is.
#[must_use = "the call is made when it is awaited"]
pub struct CallFuture {
    shared: Arc<Shared>,
    stage: Stage,
    on_progress: Option<OnProgress>,
}

impl fmt::Debug for CallFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").field("stage", &self.stage).finish_non_exhaustive()
    }
}

#[derive(Debug)]
enum Stage {
    Unmade(Box<Unmade>),
    Pending(CallId),
    Over,
}

struct Unmade {
    method: Arc<str>,
    params: Params,
    spec: CallSpec,
}

enum Params {
    Fixed(Option<Box<RawValue>>),
    /// Made when the token for progress is known.
    WithToken(Box<dyn Fn(i64) -> Box<RawValue> + Send + Sync>),
}

/// Takes the parameters of a progress notification.
type OnProgress = Box<dyn FnMut(&RawValue) + Send>;

impl fmt::Debug for Unmade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unmade").field("method", &self.method).field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl CallFuture {
    pub(crate) fn new(shared: Arc<Shared>, origin: Origin, method: Arc<str>, params: Option<Box<RawValue>>) -> Self {
        let (idle, total) = shared.look(|core| (core.engine.limits().call_idle, core.engine.limits().call_total));
        let spec = CallSpec { idle, total, ..CallSpec::new(origin) };
        let params = Params::Fixed(params);
        Self { shared, stage: Stage::Unmade(Box::new(Unmade { method, params, spec })), on_progress: None }
    }

    /// Limits how long the call may be silent; progress restarts it.
    pub fn timeout(self, idle: Duration) -> Self {
        self.with_spec(|spec| spec.idle = Some(idle))
    }

    /// Limits how long the call may take altogether.
    pub fn max_time(self, total: Duration) -> Self {
        self.with_spec(|spec| spec.total = Some(total))
    }

    /// Makes it the call that opens the session: it is never cancelled, and the session ends when it does not succeed
    /// in `within`.
    pub fn opening(self, within: Duration) -> Self {
        self.with_spec(|spec| (spec.opens, spec.idle, spec.total) = (true, None, Some(within)))
    }

    /// Asks for progress. `params` makes the parameters of the call from the token that the peer reports progress with,
    /// which belongs into their `_meta`; `callback` is given the parameters of each notification, in order, before the
    /// call resolves. It is called while the call is polled, so that a call that nobody polls reports nothing; when
    /// many wait, the oldest are given up.
    pub fn with_progress(
        mut self,
        params: impl Fn(i64) -> Box<RawValue> + Send + Sync + 'static,
        callback: impl FnMut(&RawValue) + Send + 'static,
    ) -> Self {
        if let Stage::Unmade(unmade) = &mut self.stage {
            unmade.params = Params::WithToken(Box::new(params));
        }
        self.on_progress = Some(Box::new(callback));
        self
    }

    fn with_spec(mut self, set: impl FnOnce(&mut CallSpec)) -> Self {
        if let Stage::Unmade(unmade) = &mut self.stage {
            set(&mut unmade.spec);
        }
        self
    }

    /// Places the call as soon as there is room for its frame.
    fn place(core: &mut Core, shared: &Shared, unmade: &Unmade, cx: &Context<'_>) -> Poll<Result<CallId, CallError>> {
        if core.wait_for_room(cx.waker()) {
            return Poll::Pending;
        }
        let now = shared.now();
        let Unmade { method, params, spec } = unmade;
        let placed = core.engine.call(now, *spec);
        let made = match (params, &placed) {
            (Params::WithToken(make), Ok(call)) => Some(make(call.to_wire())),
            _ => None,
        };
        if let Ok(call) = placed {
            core.calls.insert(call, CallSlot::new(Arc::clone(method), spec.idle, spec.total, made.is_some()));
        }
        let params = match params {
            Params::Fixed(params) => params.as_ref(),
            Params::WithToken(_) => made.as_ref(),
        };
        core.pump(now, &Current::Call(method, params.map(|params| params.get().as_bytes())));
        Poll::Ready(placed.map_err(|refused| CallError::refused(method, refused)))
    }
}

impl Future for CallFuture {
    type Output = Result<Box<RawValue>, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Stage::Unmade(unmade) = &this.stage {
            match this.shared.act(|core| Self::place(core, &this.shared, unmade, cx)) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(call)) => this.stage = Stage::Pending(call),
                Poll::Ready(Err(error)) => {
                    this.stage = Stage::Over;
                    return Poll::Ready(Err(error));
                }
            }
        }
        let Stage::Pending(call) = this.stage else { return Poll::Pending };
        let (progress, outcome) = this.shared.look(|core| {
            let Some(slot) = core.calls.get_mut(&call) else { return Default::default() };
            let (progress, outcome) = (std::mem::take(&mut slot.progress), slot.outcome.take());
            match &outcome {
                Some(_) => drop(core.calls.remove(&call)),
                None => slot.waker = Some(cx.waker().clone()),
            }
            (progress, outcome)
        });
        if let Some(callback) = &mut this.on_progress {
            progress.iter().for_each(|params| callback(params));
        }
        match outcome {
            Some(outcome) => {
                this.stage = Stage::Over;
                Poll::Ready(outcome)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for CallFuture {
    fn drop(&mut self) {
        if let Stage::Pending(call) = self.stage {
            let now = self.shared.now();
            self.shared.act(|core| {
                core.engine.cancel(now, call);
                core.pump(now, &Current::Nothing);
                core.calls.remove(&call);
            });
        }
    }
}
