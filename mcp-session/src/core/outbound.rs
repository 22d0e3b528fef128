//! Writes what goes out: into the one buffer of a pipe, or into the outbox of an exchange.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::jsonrpc::{self, ErrorCode, ErrorObject, Id};
use mcp_types::meta::{PROTOCOL_VERSION, SUBSCRIPTION_ID};
use mcp_types::method;
use mcp_types::version::{Era, Version};

use super::{Core, Current, PIPE};
use crate::engine::{CallId, Change, Claim, ErrorId, ExchangeId, Head, No, Refusal, Verdict};
use crate::framing::FrameKind;
use crate::said::{Said, Terminal, What};
use crate::service::Answer;

impl Core {
    /// Writes an answer where its verdict sends it.
    pub(crate) fn answer(&mut self, verdict: Verdict, id: &Id, answer: &Answer) {
        let write = |out: &mut Vec<u8>| match answer {
            Ok(body) => jsonrpc::write_result(out, id, body.as_bytes()),
            Err(error) => jsonrpc::write_error(out, jsonrpc::ErrorId::Known(id), error),
        };
        let how = answer.as_ref().map_or_else(|error| Terminal::Error(error.code), |_| Terminal::Result);
        match verdict {
            Verdict::Write(exchange) | Verdict::Collect(exchange) | Verdict::Store(exchange) => {
                self.write_answer(exchange, how, write);
            }
            // What was dropped has been counted, and what the session answered is written.
            Verdict::Drop(_) | Verdict::Answered => {}
        }
    }

    /// Writes a notification, when its verdict says so.
    pub(crate) fn note(&mut self, verdict: Verdict, method: &str, params: Option<&[u8]>) {
        if let Verdict::Write(exchange) | Verdict::Store(exchange) = verdict {
            self.write_note(exchange, method, params);
        }
    }

    /// An answer goes to its exchange, or to what its batch has collected.
    fn write_answer(&mut self, exchange: ExchangeId, how: Terminal, write: impl FnOnce(&mut Vec<u8>)) {
        match self.batches.get_mut(&exchange) {
            Some(collected) => {
                if !collected.is_empty() {
                    collected.push(b',');
                }
                write(collected);
            }
            None if exchange == PIPE => {
                let pipe = self.pipe();
                write(pipe.begin());
                pipe.commit(FrameKind::Answer);
                let answers = pipe.unwritten_answers();
                self.engine.unwritten_answers(answers);
            }
            None => self.say(exchange, What::Answer(how), write),
        }
    }

    /// Anything else goes to its exchange.
    pub(super) fn write(&mut self, exchange: ExchangeId, what: What, write: impl FnOnce(&mut Vec<u8>)) {
        if exchange != PIPE {
            return self.say(exchange, what, write);
        }
        let pipe = self.pipe();
        write(pipe.begin());
        pipe.commit(match what {
            What::Call(call) => FrameKind::Call(call.0),
            What::Answer(_) => FrameKind::Answer,
            What::Note | What::Prime => FrameKind::Note,
        });
    }

    fn say(&mut self, exchange: ExchangeId, what: What, write: impl FnOnce(&mut Vec<u8>)) {
        let mut json = Vec::new();
        write(&mut json);
        let reader = self.outboxes.push(exchange, Said::new(json, what));
        self.wakers.push(reader);
    }

    pub(super) fn transmit(&mut self, exchange: ExchangeId, head: Head, current: &Current<'_>) {
        match head {
            Head::Pong(id) => {
                self.write_answer(exchange, Terminal::Result, |out| jsonrpc::write_result(out, &id, b"{}"));
            }
            Head::Refused(id, refusal) => {
                let error = error_of(&refusal);
                let how = match refusal.no {
                    No::Overloaded => Terminal::Overloaded,
                    No::Closing => Terminal::Closing,
                    _ => Terminal::Error(error.code),
                };
                self.write_answer(exchange, how, |out| jsonrpc::write_error(out, jsonrpc::ErrorId::Known(&id), &error));
            }
            Head::Malformed(id, malformed) => {
                let error = malformed.to_error_object();
                let id = match &id {
                    ErrorId::Known(id) => jsonrpc::ErrorId::Known(id),
                    ErrorId::Absent => jsonrpc::ErrorId::Absent,
                    ErrorId::Null => jsonrpc::ErrorId::Null,
                };
                let how = Terminal::Error(error.code);
                self.write_answer(exchange, how, |out| jsonrpc::write_error(out, id, &error));
            }
            Head::ListenEnd(id) => {
                let mut body = br#"{"resultType":"complete","_meta":{"#.to_vec();
                write_subscription(&mut body, &id);
                if let Some(info) = &self.server_info {
                    body.push(b',');
                    body.extend_from_slice(info);
                }
                body.extend_from_slice(b"}}");
                self.write_answer(exchange, Terminal::Result, |out| jsonrpc::write_result(out, &id, &body));
            }
            Head::Changed(id, change) => {
                let mut params = br#"{"_meta":{"#.to_vec();
                write_subscription(&mut params, &id);
                params.extend_from_slice(b"}}");
                self.write_note(exchange, method_of(change), Some(&params));
            }
            Head::Updated(id, uri) => {
                let mut params = br#"{"_meta":{"#.to_vec();
                write_subscription(&mut params, &id);
                params.extend_from_slice(br#"},"uri":"#);
                jsonrpc::write_string(&mut params, &uri);
                params.push(b'}');
                self.write_note(exchange, method::NOTIFICATIONS_RESOURCES_UPDATED, Some(&params));
            }
            Head::LegacyUpdated(uri) => {
                let mut params = br#"{"uri":"#.to_vec();
                jsonrpc::write_string(&mut params, &uri);
                params.push(b'}');
                self.write_note(exchange, method::NOTIFICATIONS_RESOURCES_UPDATED, Some(&params));
            }
            Head::LegacyChanged(change) => self.write_note(exchange, method_of(change), None),
            Head::CancelCall(call) => self.write_cancel(exchange, call),
            Head::Call(call) => self.write_call(exchange, call, current),
        }
    }

    fn write_call(&mut self, exchange: ExchangeId, call: CallId, current: &Current<'_>) {
        if let Current::Call(method, params) = current {
            if exchange != PIPE
                && let Some(slot) = self.calls.get_mut(call.0)
            {
                slot.carrier = exchange;
            }
            let write = |out: &mut Vec<u8>| jsonrpc::write_request(out, call.to_wire(), method, *params);
            self.write(exchange, What::Call(call), write);
        }
    }

    /// Takes a call back that nobody has read, or tells the peer of it.
    pub(super) fn withdraw(&mut self, call: CallId) {
        if self.outgoing.as_mut().is_some_and(|pipe| pipe.withdraw(call.0)) || self.outboxes.withdraw(call) {
            return;
        }
        let carrier = self.calls.get_mut(call.0).map(|slot| slot.carrier);
        self.write_cancel(carrier.unwrap_or(PIPE), call);
    }

    fn write_cancel(&mut self, exchange: ExchangeId, call: CallId) {
        let params = format!(r#"{{"requestId":{}}}"#, call.to_wire());
        self.write_note(exchange, method::NOTIFICATIONS_CANCELLED, Some(params.as_bytes()));
    }

    fn write_note(&mut self, exchange: ExchangeId, method: &str, params: Option<&[u8]>) {
        self.write(exchange, What::Note, |out| jsonrpc::write_notification(out, method, params));
    }

    /// What every result of this side says of it in its metadata: `"key":value` as JSON.
    pub(crate) fn set_server_info(&mut self, member: Option<Arc<[u8]>>) {
        self.server_info = member;
    }
}

fn write_subscription(out: &mut Vec<u8>, id: &Id) {
    jsonrpc::write_string(out, SUBSCRIPTION_ID);
    out.push(b':');
    id.write_json(out);
}

const fn method_of(change: Change) -> &'static str {
    match change {
        Change::Tools => method::NOTIFICATIONS_TOOLS_LIST_CHANGED,
        Change::Prompts => method::NOTIFICATIONS_PROMPTS_LIST_CHANGED,
        Change::Resources => method::NOTIFICATIONS_RESOURCES_LIST_CHANGED,
    }
}

fn error_of(refusal: &Refusal) -> ErrorObject {
    let why = |why: &str| serde_json::json!({ "reason": why });
    match refusal.no {
        No::InitializeFirst => {
            ErrorObject::new(ErrorCode::INVALID_REQUEST, "the session is not initialized: send `initialize` first")
        }
        No::BadMeta => {
            let field = if let Claim::Partial(field) = refusal.claim { field } else { PROTOCOL_VERSION };
            ErrorObject::new(ErrorCode::INVALID_PARAMS, Cow::Owned(format!("`_meta` lacks a valid `{field}`")))
        }
        No::UnsupportedVersion => {
            let supported: Vec<_> = Version::ALL
                .iter()
                .filter(|version| version.era() == Era::Modern)
                .map(|version| version.as_str())
                .collect();
            let requested = if let Claim::Unsupported(requested) = &refusal.claim { &**requested } else { "" };
            ErrorObject::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
                .with_value(&serde_json::json!({ "supported": supported, "requested": requested }))
        }
        No::MethodNotFound => ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "Method not found"),
        No::DuplicateId => ErrorObject::new(ErrorCode::INVALID_REQUEST, "a request with this id is in flight"),
        No::AlreadyInitialized => ErrorObject::new(ErrorCode::INVALID_REQUEST, "the session is initialized already"),
        No::Overloaded => {
            ErrorObject::new(ErrorCode::INTERNAL_ERROR, "too many requests").with_value(&why("overloaded"))
        }
        No::Closing => {
            ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the session is closing").with_value(&why("closing"))
        }
        No::Internal => ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error"),
    }
}
