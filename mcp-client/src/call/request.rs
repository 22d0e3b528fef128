//! What is asked, and how: enough to ask it again.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_session::{CallFuture, CallParams};
use mcp_types::meta::{PROGRESS_TOKEN, ProgressToken};
use mcp_types::progress::ProgressParams;
use mcp_types::{Object, method};
use serde_json::value::RawValue;

use super::body::Body;
use super::meta::of_request;
use crate::decode::decode;
use crate::link::Link;
use crate::shared::Shared;

/// A request, without the session that carries it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(super) method: Cow<'static, str>,
    pub(super) body: Body,
    pub(super) options: Options,
}

/// How a call is made.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// `None` is the default limit, `Some(None)` is none.
    pub(super) idle: Option<Option<Duration>>,
    pub(super) total: Option<Option<Duration>>,
    pub(super) on_progress: Option<OnProgress>,
    pub(super) meta: Option<Object>,
    pub(super) is_handed_over: bool,
}

/// It is shared by the rounds of a call, which follow each other.
type OnProgress = Arc<Mutex<dyn FnMut(ProgressParams) + Send>>;

/// What a round adds to the parameters.
pub(super) type Added = Vec<(&'static str, Box<RawValue>)>;

impl Options {
    pub(super) fn set_progress(&mut self, callback: impl FnMut(ProgressParams) + Send + 'static) {
        self.on_progress = Some(Arc::new(Mutex::new(callback)));
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("idle", &self.idle).field("total", &self.total).finish_non_exhaustive()
    }
}

impl Request {
    /// Makes the call in a session. It may take as long as is left of the whole.
    pub(super) fn place(&self, shared: &Shared, link: &Link, added: &Added, left: Option<Duration>) -> CallFuture {
        let own_token = self.options.meta.as_ref().and_then(|meta| meta.get(PROGRESS_TOKEN));
        let by_default = || shared.callbacks().progress.is_some();
        let call = if self.options.on_progress.is_some() || own_token.is_some() || by_default() {
            self.with_progress(shared, link, added)
        } else {
            let own = match &self.options.meta {
                Some(meta) => of_request(link.meta.as_deref(), Some(meta), None),
                None => None,
            };
            let meta = own.as_deref().or_else(|| link.meta.as_deref().map(|meta| meta.text()));
            let params = self.body.params(meta, added);
            match &self.method {
                Cow::Borrowed(method) => link.peer.call(*method, params),
                Cow::Owned(method) => link.peer.call(method.clone(), params),
            }
        };
        let call = match self.options.idle {
            Some(idle) => call.timeout(idle),
            None => call,
        };
        match (left, self.options.total) {
            (Some(left), _) => call.max_time(left),
            (None, Some(total)) => call.max_time(total),
            (None, None) => call,
        }
    }

    #[cold]
    fn with_progress(&self, shared: &Shared, link: &Link, added: &Added) -> CallFuture {
        let (body, base, own) = (self.body.clone(), link.meta.clone(), self.options.meta.clone());
        let added = added.clone();
        let params = move |token| {
            let meta = of_request(base.as_deref(), own.as_ref(), Some(token));
            body.params(meta.as_deref(), &added)
        };
        // Who has chosen a token is told of progress with it, whatever stands on the wire.
        let own_token = self.options.meta.as_ref().and_then(|meta| meta.get(PROGRESS_TOKEN));
        let own_token = own_token.and_then(|token| ProgressToken::parse(&token.to_string()));
        let (callback, default) = (self.options.on_progress.clone(), shared.callbacks().progress.clone());
        let told = move |params: &RawValue| match decode::<ProgressParams>(params.get()) {
            Ok(mut progress) => {
                progress.progress_token = own_token.clone().unwrap_or(progress.progress_token);
                match (&callback, &default) {
                    (Some(callback), _) => (callback.lock().unwrap_or_else(PoisonError::into_inner))(progress),
                    (None, Some(default)) => default(progress),
                    (None, None) => {}
                }
            }
            Err(wrong) => tracing::debug!(%wrong, "progress cannot be read"),
        };
        link.peer.call(self.method.to_string(), CallParams::default()).with_progress(params, told)
    }

    /// Whether a server may answer it with questions.
    pub(super) fn may_need_input(&self) -> bool {
        //= 2026-07-28/basic/patterns/mrtr#supported-requests
        //# Servers MUST NOT send `InputRequiredResult` on any other client requests
        matches!(&*self.method, method::TOOLS_CALL | method::PROMPTS_GET | method::RESOURCES_READ)
    }

    /// Whether the caller answers the questions.
    pub(super) fn hands_over(&self, shared: &Shared) -> bool {
        self.options.is_handed_over || shared.config.rounds.is_handed_over()
    }

    /// The limits: how long it may be silent, and how long it may take.
    pub(super) fn limits(&self, shared: &Shared) -> (Option<Duration>, Option<Duration>) {
        let limits = &shared.config.limits;
        (self.options.idle.unwrap_or(limits.call_idle), self.options.total.unwrap_or(limits.call_total))
    }
}
