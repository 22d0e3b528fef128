//! One run of a handler: what it asked, which answers there are, and how the round ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_session::{Answer, Body, Peer};
use mcp_types::input::{InputRequest, InputRequests, InputResponses};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, read_string, write_string};
use mcp_types::method;
use mcp_types::version::{Era, Version};
use mcp_types::{ClientCapabilities, RawJson};
use serde_json::json;

use super::error::AskError;
use super::keeper::{Digest, Kept, Purpose};
use super::needs::merge;
use crate::call::Call;
use crate::conversation::Shared;
use crate::identity::encode;

/// One run of a handler.
#[derive(Debug)]
pub(crate) struct Round {
    conversation: Shared,
    peer: Peer,
    version: Version,
    /// What the client of a modern request can do, as it was sent.
    capabilities: Box<str>,
    /// Whether what is served is something that may ask.
    may_ask: bool,
    /// What a state has to have been made for.
    purpose: Digest,
    is_blocking: AtomicBool,
    run: Mutex<Run>,
}

#[derive(Debug, Default)]
struct Run {
    /// What was kept from earlier rounds, and what this one adds.
    kept: Kept,
    /// What the client answered this time, asked for or not.
    responses: InputResponses,
    /// The keys that were used in this run.
    keys: Vec<Box<str>>,
    open: Vec<Open>,
    /// Wakes who polls the handler.
    waker: Option<Waker>,
    /// Wake the threads of a blocking handler that wait for something.
    threads: Vec<Waker>,
    /// The answer of a round for which a thread was unwound.
    set_aside: Option<Answer>,
    is_over: bool,
}

/// A question that has no answer.
#[derive(Debug)]
struct Open {
    key: Box<str>,
    why: Unanswered,
    waker: Waker,
}

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The client was not asked yet.
    Ask(InputRequest),
    /// The client did not say that it can answer this.
    Lacks(Box<ClientCapabilities>),
    /// The answer does not fit, for this reason.
    Misfit(String),
}

impl Round {
    /// Begins the round of a call.
    ///
    /// # Errors
    ///
    /// When what the client sent for it cannot be used.
    pub(crate) fn of(call: &Call<'_>) -> Result<Self, ErrorObject> {
        let mut round = Self {
            conversation: Shared::clone(call.conversation),
            peer: call.context.peer().clone(),
            version: call.version,
            capabilities: match call.version.era() {
                Era::Modern => call.request.params.meta.client_capabilities.unwrap_or("{}").into(),
                Era::Legacy => Box::default(),
            },
            may_ask: MAY_ASK.contains(&&*call.request.method),
            purpose: Digest::default(),
            is_blocking: AtomicBool::new(false),
            run: Mutex::default(),
        };
        if call.version.era() == Era::Modern && round.may_ask {
            let params = &call.request.params;
            let asked = &*call.request.method;
            let target = if asked == method::RESOURCES_READ { params.uri } else { params.name }.unwrap_or_default();
            let principal = call.context.principal();
            let purpose = Purpose { principal: principal.name(), method: asked, target, arguments: call.arguments };
            round.purpose = call.conversation.keeper.digest(&purpose);
            round.take_responses(params.input_responses, params.request_state)?;
        }
        Ok(round)
    }

    fn take_responses(&mut self, responses: Option<&str>, state: Option<&str>) -> Result<(), ErrorObject> {
        let run = self.run.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(raw) = responses.filter(|raw| *raw != "null") {
            run.responses = serde_json::from_str(raw).map_err(|_| invalid("`inputResponses` has to be an object"))?;
            // Without a state nothing is known of earlier rounds but that there was one.
            run.kept.rounds = 1;
        }
        if let Some(raw) = state.filter(|raw| *raw != "null") {
            let text = read_string(raw).ok_or_else(|| invalid("`requestState` has to be a string"))?;
            let found = self.conversation.keeper.find(&text, self.purpose);
            run.kept = found.map_err(|fault| invalid(fault.to_string()))?;
        }
        Ok(())
    }

    /// Whether what is served is something that may ask.
    pub(super) const fn may_ask(&self) -> bool {
        self.may_ask
    }

    pub(super) const fn version(&self) -> Version {
        self.version
    }

    pub(super) const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// What the client said it can do.
    pub(crate) fn client_capabilities(&self) -> ClientCapabilities {
        let decoded = match self.version.era() {
            Era::Modern => serde_json::from_str(&self.capabilities).ok(),
            Era::Legacy => self.conversation.client_capabilities.get().and_then(|raw| raw.decode().ok()),
        };
        decoded.unwrap_or_default()
    }

    /// Takes a key for a question or a step.
    ///
    /// # Errors
    ///
    /// When it is taken, or the call is over.
    pub(super) fn register(&self, key: &str) -> Result<(), AskError> {
        let mut run = self.lock();
        if run.is_over {
            return Err(AskError::CallOver);
        }
        if run.keys.iter().any(|used| **used == *key) {
            return Err(AskError::DuplicateKey { key: key.into() });
        }
        run.keys.push(key.into());
        Ok(())
    }

    /// The answer that the client gave by this key, now or in an earlier round.
    //= 2026-07-28/basic/patterns/mrtr#error-handling
    //# the server **SHOULD** ignore any information it does not recognize or need.
    pub(super) fn response(&self, key: &str) -> Option<RawJson> {
        let mut run = self.lock();
        let Some(answer) = run.responses.get(key).cloned() else { return find(&run.kept.answers, key) };
        run.kept.answers.retain(|(other, _)| **other != *key);
        run.kept.answers.push((key.into(), answer.clone()));
        Some(answer)
    }

    /// What became of a step in an earlier round.
    pub(super) fn step(&self, key: &str) -> Option<RawJson> {
        find(&self.lock().kept.steps, key)
    }

    pub(super) fn keep_step(&self, key: Box<str>, result: RawJson) {
        self.lock().kept.steps.push((key, result));
    }

    /// Records that a question has no answer. Whoever polls the handler will see it.
    ///
    /// # Errors
    ///
    /// When the call is over.
    pub(super) fn record(&self, key: &str, why: Unanswered, waker: &Waker) -> Result<(), AskError> {
        let mut run = self.lock();
        if run.is_over {
            return Err(AskError::CallOver);
        }
        run.open.push(Open { key: key.into(), why, waker: waker.clone() });
        // The handler may be waiting for a task of its own, which asks.
        let (handler, threads) = (run.waker.take(), std::mem::take(&mut run.threads));
        drop(run);
        handler.into_iter().chain(threads).for_each(Waker::wake);
        Ok(())
    }

    /// Whether the call is over; if not, `waker` is woken when it is.
    pub(super) fn is_over(&self, key: &str, waker: &Waker) -> bool {
        let mut run = self.lock();
        if run.is_over {
            return true;
        }
        let open = run.open.iter_mut().find(|open| *open.key == *key && !open.waker.will_wake(waker));
        let before = open.map(|open| std::mem::replace(&mut open.waker, waker.clone()));
        drop(run);
        drop(before);
        false
    }

    /// Forgets a question that nobody waits for any more.
    pub(super) fn withdraw(&self, key: &str) {
        let withdrawn: Vec<_> = self.lock().open.extract_if(.., |open| *open.key == *key).collect();
        drop(withdrawn);
    }

    /// Called when a poll of the handler has ended pending: the answer to the call, if a question was recorded.
    ///
    /// Only after the poll, so that whatever is asked in it is asked in one round.
    pub(crate) fn end_of_poll(&self, waker: &Waker) -> Option<Answer> {
        let mut run = self.lock();
        if run.open.is_empty() {
            let is_known = run.waker.as_ref().is_some_and(|known| known.will_wake(waker));
            let before = if is_known { None } else { run.waker.replace(waker.clone()) };
            drop(run);
            drop(before);
            return None;
        }
        Some(self.answer(&mut run))
    }

    pub(super) fn begin_blocking(&self) {
        self.is_blocking.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_blocking(&self) -> bool {
        self.is_blocking.load(Ordering::Relaxed)
    }

    /// Called when a poll on a thread of a blocking handler has ended pending: whether the thread is to be unwound. The
    /// answer to the call is set aside meanwhile.
    pub(super) fn set_aside(&self, waker: &Waker) -> bool {
        let mut run = self.lock();
        if run.set_aside.is_none() {
            if run.open.is_empty() {
                if !run.threads.iter().any(|known| known.will_wake(waker)) {
                    run.threads.push(waker.clone());
                }
                return false;
            }
            run.set_aside = Some(self.answer(&mut run));
        }
        // The others wait in vain, too: one for the answer, perhaps, and another one for that thread.
        let threads = std::mem::take(&mut run.threads);
        drop(run);
        threads.into_iter().for_each(Waker::wake);
        true
    }

    /// A thread of a blocking handler does not wait any more.
    pub(super) fn goes_on(&self, waker: &Waker) {
        let known: Vec<_> = self.lock().threads.extract_if(.., |known| known.will_wake(waker)).collect();
        drop(known);
    }

    pub(super) fn take_set_aside(&self) -> Option<Answer> {
        self.lock().set_aside.take()
    }

    /// Ends the run. Questions that outlive the handler fail.
    fn end(&self) {
        let mut run = self.lock();
        run.is_over = true;
        let (handler, threads) = (run.waker.take(), std::mem::take(&mut run.threads));
        let open = std::mem::take(&mut run.open);
        drop(run);
        drop((handler, threads));
        open.into_iter().for_each(|open| open.waker.wake());
    }

    fn answer(&self, run: &mut Run) -> Answer {
        let misfit = run.open.iter().find_map(|open| match &open.why {
            Unanswered::Misfit(why) => Some(invalid(format!("the answer to `{}` does not fit: {why}", open.key))),
            _ => None,
        });
        if let Some(error) = misfit {
            return Err(error);
        }
        let mut missing = ClientCapabilities::new();
        let mut asked = InputRequests::new();
        for open in &run.open {
            match &open.why {
                Unanswered::Ask(request) => asked.insert(&*open.key, request.clone()),
                Unanswered::Lacks(capabilities) => merge(&mut missing, (**capabilities).clone()),
                Unanswered::Misfit(_) => {}
            }
        }
        if missing != ClientCapabilities::new() {
            return Err(lacking(&missing));
        }
        let limit = self.conversation.config.session.limits.input_rounds;
        if run.kept.rounds >= limit {
            return Err(internal(format!("the call asked for more than {limit} rounds of input")));
        }
        self.ask(&asked, run)
    }

    /// Writes the result that asks.
    //= 2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
    //# Servers **MUST** include at least one of `inputRequests` or `requestState` in every
    //# `InputRequiredResult` response.
    fn ask(&self, asked: &InputRequests, run: &Run) -> Answer {
        let mut out = br#"{"resultType":"input_required","inputRequests":"#.to_vec();
        out.extend_from_slice(&encode(asked));
        // Answers of this round come with the next request: a call that knows nothing else needs no state.
        if !run.kept.answers.is_empty() || !run.kept.steps.is_empty() {
            let kept = Kept { rounds: run.kept.rounds + 1, ..run.kept.clone() };
            let state =
                self.conversation.keeper.keep(kept, self.purpose).map_err(|error| internal(error.to_string()))?;
            out.extend_from_slice(br#","requestState":"#);
            write_string(&mut out, &state);
        }
        out.extend_from_slice(br#","_meta":{"#);
        out.extend_from_slice(self.conversation.identity.member());
        out.extend_from_slice(b"}}");
        Ok(Body::from_json(out))
    }

    // Nothing under this lock calls out, so that a panic leaves everything in order. Nor is a waker dropped under it: it
    // may be the last thing that holds a task, in which a question of this round is asked.
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//= 2026-07-28/basic/patterns/mrtr#supported-requests
//# Servers **MUST NOT** send `InputRequiredResult` responses on any other client requests.
const MAY_ASK: [&str; 3] = [method::TOOLS_CALL, method::PROMPTS_GET, method::RESOURCES_READ];

/// A round whose handler lives. It ends with the handler.
#[derive(Debug)]
pub(crate) struct Running(Option<Arc<Round>>);

impl Running {
    pub(crate) const fn new(round: Option<Arc<Round>>) -> Self {
        Self(round)
    }

    /// The round, if anything of the handler can ask.
    pub(crate) fn round(&self) -> Option<&Round> {
        self.0.as_deref()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(round) = &self.0 {
            round.end();
        }
    }
}

fn find(entries: &[(Box<str>, RawJson)], key: &str) -> Option<RawJson> {
    entries.iter().find(|(other, _)| **other == *key).map(|(_, json)| json.clone())
}

fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, message)
}

fn internal(message: String) -> ErrorObject {
    tracing::error!(reason = message, "a call cannot ask its client");
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, message)
}

//= 2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
//# Servers **MUST NOT** send an `inputRequests` that the client has not declared support for in
//# its capabilities.
fn lacking(missing: &ClientCapabilities) -> ErrorObject {
    let error = ErrorObject::new(
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        "the client did not declare a capability that this request needs",
    );
    error.with_value(&json!({ "requiredCapabilities": missing }))
}
