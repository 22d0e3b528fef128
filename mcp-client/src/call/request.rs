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
    /// `None` are those that say nothing: most calls have none of their own.
    pub(super) options: Option<Box<Options>>,
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

/// Where the parameters of a call are that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Params {
    /// In the request.
    Here,
    /// In the call.
    InCall,
}

static NO_OPTIONS: Options = Options { idle: None, total: None, on_progress: None, meta: None, is_handed_over: false };

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
    pub(super) fn options(&self) -> &Options {
        self.options.as_deref().unwrap_or(&NO_OPTIONS)
    }

    /// Makes the call in a session. It may take as long as is left of the whole.
    pub(super) fn place(&self, shared: &Shared, link: &Link, added: &Added, left: Option<Duration>) -> CallFuture {
        let call = if self.reports(shared) {
            self.with_progress(shared, link, added)
        } else {
            let own = self.own_meta(link);
            let params = self.body.params(own.as_deref().or_else(|| link.meta_text()), added);
            link.peer.call(self.method.clone(), params)
        };
        self.limited(call, left)
    }

    /// Makes the call in a session, and leaves its parameters here, where they are [completed](Body::closed), unless
    /// they depend on the call.
    pub(super) fn place_here(&mut self, shared: &Shared, link: &Link, added: &Added) -> (CallFuture, Params) {
        if self.reports(shared) {
            return (self.place(shared, link, added, None), Params::InCall);
        }
        let own = self.own_meta(link);
        self.body.close(own.as_deref().or_else(|| link.meta_text()), added);
        let call = link.peer.call(self.method.clone(), CallParams::default());
        (self.limited(call, None), Params::Here)
    }

    /// Whether progress is asked for.
    fn reports(&self, shared: &Shared) -> bool {
        let options = self.options();
        let has_token = || options.meta.as_ref().is_some_and(|meta| meta.contains_key(PROGRESS_TOKEN));
        options.on_progress.is_some() || has_token() || shared.callbacks().progress.is_some()
    }

    /// The metadata of this request, if it adds any to that of all.
    fn own_meta(&self, link: &Link) -> Option<Box<RawValue>> {
        let own = self.options().meta.as_ref()?;
        of_request(link.meta.as_deref(), Some(own), None)
    }

    fn limited(&self, call: CallFuture, left: Option<Duration>) -> CallFuture {
        let Some(options) = &self.options else {
            return match left {
                Some(left) => call.max_time(left),
                None => call,
            };
        };
        let call = match options.idle {
            Some(idle) => call.timeout(idle),
            None => call,
        };
        match (left, options.total) {
            (Some(left), _) => call.max_time(left),
            (None, Some(total)) => call.max_time(total),
            (None, None) => call,
        }
    }

    #[cold]
    fn with_progress(&self, shared: &Shared, link: &Link, added: &Added) -> CallFuture {
        let (body, base, own) = (self.body.clone(), link.meta.clone(), self.options().meta.clone());
        let added = added.clone();
        let params = move |token| {
            let meta = of_request(base.as_deref(), own.as_ref(), Some(token));
            body.params(meta.as_deref(), &added)
        };
        // Who has chosen a token is told of progress with it, whatever stands on the wire.
        let own_token = self.options().meta.as_ref().and_then(|meta| meta.get(PROGRESS_TOKEN));
        let own_token = own_token.and_then(|token| ProgressToken::parse(&token.to_string()));
        let (callback, default) = (self.options().on_progress.clone(), shared.callbacks().progress.clone());
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
        self.options().is_handed_over || shared.config.rounds.is_handed_over()
    }

    /// The limits: how long it may be silent, and how long it may take.
    pub(super) fn limits(&self, shared: &Shared) -> (Option<Duration>, Option<Duration>) {
        let limits = &shared.config.limits;
        let options = self.options();
        (options.idle.unwrap_or(limits.call_idle), options.total.unwrap_or(limits.call_total))
    }
}
