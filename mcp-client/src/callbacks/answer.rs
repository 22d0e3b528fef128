//! Answers what the server asks: by a request in the legacy era, in the result of a call in the modern one.

use std::pin::Pin;
use std::sync::Arc;

use mcp_session::{Answer, Answering, Body, Context, HandlerFuture, Note, NoteFuture, Peer, Service};
use mcp_types::elicitation::ElicitParams;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request};
use mcp_types::roots::ListRootsResult;
use mcp_types::sampling::CreateMessageParams;
use mcp_types::version::Era;
use mcp_types::{RawJson, Version, method};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Callback, FromServer, OnSample, notes};
use crate::decode::decode;
use crate::shared::Shared;

/// The result of a callback, as JSON.
pub(crate) type AnswerFuture = Pin<Box<dyn Future<Output = Result<RawJson, ErrorObject>> + Send>>;

/// The service that a connection is to its server.
#[derive(Debug)]
pub(crate) struct Serving(pub(crate) Arc<Shared>);

impl Service for Serving {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let version = context.negotiated().unwrap_or(Version::LATEST_LEGACY);
        match answer(&self.0, &request.method, request.params.raw, version) {
            Ok(answering) => {
                Answering::Future(HandlerFuture::new(async move { answering.await.map(|json| body(&json)) as Answer }))
            }
            Err(error) => Answering::Ready(Err(error)),
        }
    }

    fn heard(&self, method: &str, params: Option<&str>) {
        self.0.hub.heard(method, params);
    }

    fn notified(&self, notification: Note, _peer: &Peer) -> Option<NoteFuture> {
        notes::deliver(&self.0, notification)
    }
}

fn body(json: &RawJson) -> Body {
    Body::from_json(json.get().as_bytes().to_vec())
}

/// Answers one question of the server by the callback for it.
///
/// # Errors
///
/// What a request is answered with when there is no callback, or the question is not one that this client has said it
/// answers.
pub(crate) fn answer(
    shared: &Arc<Shared>,
    asked: &str,
    params: Option<&str>,
    version: Version,
) -> Result<AnswerFuture, ErrorObject> {
    let callbacks = shared.callbacks();
    if !has_method(asked, version) {
        return Err(unknown(asked));
    }
    match asked {
        method::ELICITATION_CREATE if callbacks.elicit_form.is_some() || callbacks.elicit_url.is_some() => {
            elicit(shared, read(asked, params)?)
        }
        method::SAMPLING_CREATE_MESSAGE => match &callbacks.sample {
            Some(sample) => create_message(shared, sample, read(asked, params)?),
            None => Err(unknown(asked)),
        },
        method::ROOTS_LIST => match &callbacks.roots {
            Some(roots) => {
                let listed = RawJson::encode(&ListRootsResult::new(roots.get())).map_err(internal);
                Ok(Box::pin(std::future::ready(listed)))
            }
            None => Err(unknown(asked)),
        },
        _ => Err(unknown(asked)),
    }
}

/// Whether a server may ask for this in a revision. The modern one asks in its results for what a legacy one asks by
/// a request.
fn has_method(asked: &str, version: Version) -> bool {
    version.era() == Era::Modern || method::lookup(asked).is_some_and(|info| info.from_server.contains(version))
}

fn elicit(shared: &Arc<Shared>, params: ElicitParams) -> Result<AnswerFuture, ErrorObject> {
    let callbacks = shared.callbacks();
    match params {
        ElicitParams::Form(form) => match &callbacks.elicit_form {
            Some(callback) => Ok(run(shared, callback, form, Ok)),
            None => Err(undeclared("form")),
        },
        ElicitParams::Url(url) => match &callbacks.elicit_url {
            Some(callback) => Ok(run(shared, callback, url, Ok)),
            None => Err(undeclared("url")),
        },
        _ => Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, "this mode of elicitation is not known here")),
    }
}

//= 2025-11-25/client/elicitation#error-handling
//# Server sends an `elicitation/create` request with a mode not declared in client capabilities: `-32602` (Invalid params)
fn undeclared(mode: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, format!("elicitation by {mode} is not declared here"))
}

fn create_message(
    shared: &Arc<Shared>,
    sample: &OnSample,
    params: CreateMessageParams,
) -> Result<AnswerFuture, ErrorObject> {
    //= 2026-07-28/client/sampling#tools-in-sampling
    //# Clients MUST return an error if this field is provided but `ClientCapabilities.sampling.tools` is not declared
    if params.needs_tools() && !shared.callbacks().samples_with_tools {
        return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, "sampling with tools is not declared here"));
    }
    if let Err(unpaired) = params.check_tools() {
        return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, unpaired.to_string()));
    }
    Ok(run(shared, sample, params, std::convert::identity))
}

/// Runs a callback.
fn run<P: 'static, R: 'static, T: Serialize>(
    shared: &Arc<Shared>,
    callback: &Callback<P, R>,
    params: P,
    outcome: impl FnOnce(R) -> Result<T, ErrorObject> + Send + 'static,
) -> AnswerFuture {
    let answering = callback(FromServer::new(params, Arc::clone(shared)));
    Box::pin(async move { RawJson::encode(&outcome(answering.await)?).map_err(internal) })
}

fn read<T: DeserializeOwned>(asked: &str, params: Option<&str>) -> Result<T, ErrorObject> {
    decode(params.unwrap_or("{}"))
        .map_err(|wrong| ErrorObject::new(ErrorCode::INVALID_PARAMS, format!("the params of `{asked}`: {wrong}")))
}

//= 2025-11-25/client/roots#error-handling
//# Client does not support roots: `-32601` (Method not found)
fn unknown(asked: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {asked}"))
}

fn internal(_: serde_json::Error) -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the answer cannot be written as JSON")
}
