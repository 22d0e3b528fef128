//! Which request goes where.

mod completion;
mod lifecycle;
mod lists;
mod prompts;
mod resources;
mod subscriptions;
mod tools;

use std::borrow::Cow;

use mcp_session::{Answering, Context, HandlerFuture, Service};
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request, read_string};
use mcp_types::meta::{LOG_LEVEL, PROGRESS_TOKEN, ProgressToken};
use mcp_types::method;
use mcp_types::version::{Era, Version};

use crate::call::{Asked, Call, Rejection};
use crate::context::read_level;
use crate::conversation::Shared;
use crate::rounds::Asking;
use crate::server::Config;

/// Routes the requests of one session.
#[derive(Debug)]
pub(crate) struct Routes {
    conversation: Shared,
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Asker<'a> {
    request: &'a Request<'a>,
    context: &'a Context,
    version: Version,
}

impl Service for Routes {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let version = self.version_of(request);
        if let Err(error) = check_meta(request, version) {
            return Answering::Ready(Err(error));
        }
        let asker = Asker { request, context: &context, version };
        let (tools, prompts) = (&self.conversation.tools.0, &self.conversation.prompts.0);
        let resources = &self.conversation.resources;
        let caches = &self.config().caches;
        let answer = match (&*request.method, version.era()) {
            (method::TOOLS_CALL, _) if tools.is_declared() => return self.call_tool(asker),
            //= 2026-07-28/server/tools#capabilities
            //# Servers that declare the `tools` capability **MUST** respond to `tools/list` requests
            (method::TOOLS_LIST, _) if tools.is_declared() => self.list(tools, asker, &caches.tools),
            (method::PROMPTS_GET, _) if prompts.is_declared() => return self.get_prompt(asker),
            //= 2026-07-28/server/prompts#capabilities
            //# Servers that declare the `prompts` capability **MUST** respond to `prompts/list` requests
            (method::PROMPTS_LIST, _) if prompts.is_declared() => self.list(prompts, asker, &caches.prompts),
            (method::RESOURCES_READ, _) if resources.is_declared() => return self.read_resource(asker),
            //= 2026-07-28/server/resources#capabilities
            //# Servers that declare the `resources` capability **MUST** respond to `resources/list`
            (method::RESOURCES_LIST, _) if resources.is_declared() => {
                self.list(&resources.fixed, asker, &caches.resources)
            }
            (method::RESOURCES_TEMPLATES_LIST, _) if resources.is_declared() => {
                self.list(&resources.templates, asker, &caches.templates)
            }
            (method::RESOURCES_SUBSCRIBE, Era::Legacy) if resources.is_declared() => self.subscribe(asker),
            (method::RESOURCES_UNSUBSCRIBE, Era::Legacy) if resources.is_declared() => Self::unsubscribe(asker),
            (method::COMPLETION_COMPLETE, _) if self.completes() => return self.complete(asker),
            (method::INITIALIZE, Era::Legacy) => self.initialize(request, &context),
            (method::LOGGING_SET_LEVEL, Era::Legacy) => self.set_level(request),
            (method::SERVER_DISCOVER, Era::Modern) => Ok(self.discover(version)),
            (method::SUBSCRIPTIONS_LISTEN, Era::Modern) => return self.listen(request),
            (other, _) => Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {other}"))),
        };
        Answering::Ready(answer)
    }
}

impl Routes {
    pub(crate) const fn new(conversation: Shared) -> Self {
        Self { conversation }
    }

    fn config(&self) -> &Config {
        &self.conversation.config
    }

    /// The revision of a request. The session has refused what claims to be modern and is not.
    fn version_of(&self, request: &Request<'_>) -> Version {
        if request.params.meta.protocol_version.is_some() {
            return Version::MODERN;
        }
        self.conversation.negotiated.get().copied().unwrap_or(Version::LATEST_LEGACY)
    }

    /// A call of something with these arguments, which are the JSON of one object.
    fn call<'a>(&'a self, asker: Asker<'a>, asked: Asked<'a>, arguments: &'a str) -> Call<'a> {
        Call {
            arguments,
            request: asker.request,
            context: asker.context,
            conversation: &self.conversation,
            version: asker.version,
            asked,
            asking: Asking::default(),
        }
    }
}

/// The answering of a call that has no results for a language model to learn from.
fn answering(started: Result<HandlerFuture, Rejection>) -> Answering {
    match started {
        Ok(handler) => Answering::Future(handler),
        Err(Rejection::Failure(failure)) => Answering::Ready(Err(invalid(failure.to_string()))),
        Err(Rejection::Error(error)) => Answering::Ready(Err(error)),
    }
}

/// A parameter that has to be a string.
fn text<'a>(field: &str, raw: Option<&'a str>) -> Result<Cow<'a, str>, ErrorObject> {
    raw.and_then(read_string).ok_or_else(|| expected(field, "a string", raw))
}

/// The arguments of a request: the JSON of one object.
fn arguments<'a>(request: &Request<'a>) -> Result<&'a str, ErrorObject> {
    match request.params.arguments {
        None | Some("null") => Ok("{}"),
        Some(object) if object.starts_with('{') => Ok(object),
        other => Err(expected("arguments", "an object", other)),
    }
}

/// Looks at the optional members of a modern request's `_meta`; the session has looked at those that are required.
fn check_meta(request: &Request<'_>, version: Version) -> Result<(), ErrorObject> {
    let meta = &request.params.meta;
    if version.era() == Era::Legacy {
        return Ok(());
    }
    //= 2026-07-28/server/utilities/logging#error-handling
    //# the server **SHOULD** reject that
    //# request with a standard JSON-RPC error:
    if let Some(raw) = meta.log_level.filter(|raw| *raw != "null")
        && read_level(raw).is_none()
    {
        return Err(expected(LOG_LEVEL, "a log level", Some(raw)));
    }
    if let Some(raw) = meta.progress_token.filter(|raw| *raw != "null")
        && ProgressToken::parse(raw).is_none()
    {
        return Err(expected(PROGRESS_TOKEN, "a string or an integer", Some(raw)));
    }
    Ok(())
}

fn invalid(message: impl Into<Cow<'static, str>>) -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, message)
}

/// A parameter that is missing or is not what it has to be.
fn expected(field: &str, what: &str, found: Option<&str>) -> ErrorObject {
    let found = match found.and_then(|raw| raw.as_bytes().first()) {
        None => return invalid(format!("`{field}` is missing: expected {what}")),
        Some(b'"') => "another string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
    };
    invalid(format!("expected `{field}` to be {what}, found {found}"))
}
