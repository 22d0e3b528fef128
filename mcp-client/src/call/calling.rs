//! The state of a call: straight through one session as a rule, and on a longer way where that is not enough.

use std::borrow::Cow;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_session::CallFuture;
use mcp_types::Object;
use mcp_types::input::InputRequiredResult;
use tokio::time::Instant;

use super::body::Body;
use super::request::{Added, Options, Params, Request};
use super::rounds::{Kind, kind};
use super::slow::{SlowCall, Start};
use crate::decode::decode;
use crate::error::CallError;
use crate::link::Link;
use crate::shared::{Shared, Way};

pub(super) struct Calling {
    shared: Arc<Shared>,
    /// Not here while the call is on the longer way, which has it then.
    request: Option<Request>,
    stage: Stage,
}

enum Stage {
    /// Nothing was sent. What a round of input adds is there when the caller answered one.
    Unmade(Added),
    /// Under way in a session.
    Direct {
        call: CallFuture,
        params: Params,
        link: Arc<Link>,
        since: Option<Instant>,
        was_polled: bool,
    },
    /// Waiting for a session, or in rounds of input.
    Slow(SlowCall, Cow<'static, str>),
    /// The parameters cannot be written.
    Wrong(Box<str>),
    Over,
}

/// How a call ended.
pub(super) enum Settled {
    /// With its result.
    Complete(Box<str>),
    /// With questions, which the caller wants to see.
    InputRequired(Box<str>),
}

impl Calling {
    pub(super) fn new(
        shared: &Arc<Shared>,
        method: Cow<'static, str>,
        body: Result<(Body, Option<Object>), Box<str>>,
    ) -> Self {
        let (body, meta, stage) = match body {
            Ok((body, meta)) => (body, meta, Stage::Unmade(Added::new())),
            Err(wrong) => (Body::default(), None, Stage::Wrong(wrong)),
        };
        let options = meta.map(|meta| Box::new(Options { meta: Some(meta), ..Options::default() }));
        Self { shared: Arc::clone(shared), request: Some(Request { method, body, options }), stage }
    }

    /// The same request with the answers to its questions.
    pub(super) fn again(shared: Arc<Shared>, request: Request, added: Added) -> Self {
        Self { shared, request: Some(request), stage: Stage::Unmade(added) }
    }

    pub(super) fn method(&self) -> &str {
        match (&self.request, &self.stage) {
            (Some(request), _) => &request.method,
            (None, Stage::Slow(_, method)) => method,
            // Taken, to be asked again.
            (None, _) => "",
        }
    }

    /// The request, as long as nothing was sent.
    pub(super) fn request_mut(&mut self) -> Option<&mut Request> {
        let is_unmade = matches!(self.stage, Stage::Unmade(_));
        self.request.as_mut().filter(|_| is_unmade)
    }

    /// The request and where it was made, to ask it again. Only after the call has settled with questions.
    pub(super) fn take_request(&mut self) -> Option<(Arc<Shared>, Box<Request>)> {
        Some((Arc::clone(&self.shared), Box::new(self.request.take()?)))
    }

    /// The error for who did not want to see questions.
    #[cold]
    pub(super) fn input_required(&self, json: &str) -> CallError {
        match decode::<InputRequiredResult>(json) {
            Ok(result) => CallError::InputRequired { method: self.method().into(), result: Box::new(result) },
            Err(wrong) => CallError::malformed(self.method(), wrong),
        }
    }

    /// `is_complete` may know a result that is complete when it sees one; then its type is not looked for.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        mut is_complete: impl FnMut(&str) -> bool,
    ) -> Poll<Result<Settled, CallError>> {
        if let Stage::Unmade(added) = &mut self.stage {
            let added = std::mem::take(added);
            self.stage = self.begin(added);
        }
        loop {
            let settled = match &mut self.stage {
                Stage::Direct { call, params, was_polled, .. } => {
                    let here = self.request.as_ref().filter(|_| *params == Params::Here);
                    let params = here.and_then(|request| request.body.closed());
                    let Poll::Ready(outcome) = call.poll_text_with(cx, params) else {
                        *was_polled = true;
                        return Poll::Pending;
                    };
                    match self.direct(outcome, &mut is_complete) {
                        Some(settled) => settled,
                        None => continue,
                    }
                }
                Stage::Slow(slow, _) => {
                    let Poll::Ready((request, settled)) = slow.as_mut().poll(cx) else { return Poll::Pending };
                    self.request = Some(*request);
                    settled
                }
                Stage::Wrong(detail) => {
                    let detail = std::mem::take(detail);
                    Err(CallError::Arguments { method: self.method().into(), detail })
                }
                Stage::Unmade(_) | Stage::Over => return Poll::Pending,
            };
            self.stage = Stage::Over;
            return Poll::Ready(settled);
        }
    }

    fn begin(&mut self, added: Added) -> Stage {
        let Some(request) = &mut self.request else { return Stage::Over };
        match self.shared.way() {
            // A session that is over says why.
            Way::Link(link) | Way::None(Some(link)) => {
                let since = (link.is_modern() && request.may_need_input()).then(Instant::now);
                let (call, params) = request.place_here(&self.shared, &link, &added);
                Stage::Direct { call, params, link, since, was_polled: false }
            }
            Way::Wait | Way::None(None) => self.slow(Start::Waiting { than: None, added }),
        }
    }

    fn slow(&mut self, start: Start) -> Stage {
        let Some(request) = self.request.take() else { return Stage::Over };
        let method = request.method.clone();
        Stage::Slow(super::slow::go_on(Arc::clone(&self.shared), Box::new(request), start), method)
    }

    /// What follows from the answer of a session. `None` when the call goes another way.
    fn direct(
        &mut self,
        outcome: Result<Box<str>, mcp_session::CallError>,
        is_complete: &mut impl FnMut(&str) -> bool,
    ) -> Option<Result<Settled, CallError>> {
        let Stage::Direct { link, since, was_polled, .. } = &self.stage else { return None };
        match outcome {
            // What was refused at once was not sent: it may wait for the next session.
            Err(error) if error.is_connection_closed() && !was_polled && self.shared.restarts_by_itself() => {
                let than = Some(Arc::clone(link));
                self.stage = self.slow(Start::Waiting { than, added: Added::new() });
                None
            }
            Err(error) => Some(Err(error.into())),
            Ok(json) if is_complete(&json) || !link.is_modern() => Some(Ok(Settled::Complete(json))),
            Ok(json) => match kind(&json) {
                Kind::Complete => Some(Ok(Settled::Complete(json))),
                Kind::InputRequired => {
                    let request = self.request.as_ref()?;
                    if !request.may_need_input() {
                        return Some(Err(CallError::malformed(self.method(), "it asks for input, which it may not")));
                    }
                    if request.hands_over(&self.shared) {
                        return Some(Ok(Settled::InputRequired(json)));
                    }
                    let since = since.unwrap_or_else(Instant::now);
                    self.stage = self.slow(Start::Asked { json, since });
                    None
                }
                Kind::Other(kind) => {
                    Some(Err(CallError::malformed(self.method(), format!("a result of the unknown type {kind:?}"))))
                }
            },
        }
    }
}
