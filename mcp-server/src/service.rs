//! Which request goes where.

use std::borrow::Cow;

use mcp_session::engine::{Change, Changes};
use mcp_session::{Answer, Answering, Body, Context, Service};
use mcp_types::RawJson;
use mcp_types::capabilities::{ServerCapabilities, ToolsCapability};
use mcp_types::discover::DiscoverResult;
use mcp_types::initialize::InitializeResult;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject, Request, read_string};
use mcp_types::listen::{AcknowledgedParams, SubscriptionFilter};
use mcp_types::meta::{LOG_LEVEL, PROGRESS_TOKEN, ProgressToken};
use mcp_types::method;
use mcp_types::version::{Era, Version};
use serde::Deserialize;

use crate::call::{Call, Ending, Rejection};
use crate::context::read_level;
use crate::conversation::Shared;
use crate::identity::encode;
use crate::server::Config;
use crate::tool::{ToolEnding, ToolOutcome};

/// Routes the requests of one session.
#[derive(Debug)]
pub(crate) struct Routes {
    conversation: Shared,
}

impl Service for Routes {
    fn serve(&self, request: &Request<'_>, context: Context) -> Answering {
        let version = self.version_of(request);
        if let Err(error) = check_meta(request, version) {
            return Answering::Ready(Err(error));
        }
        let has_tools = self.conversation.tools.is_declared();
        let answer = match (&*request.method, version.era()) {
            (method::TOOLS_CALL, _) if has_tools => return self.call_tool(request, &context, version),
            //= 2026-07-28/server/tools#capabilities
            //# Servers that declare the `tools` capability **MUST** respond to `tools/list` requests
            (method::TOOLS_LIST, _) if has_tools => self.list_tools(request, version),
            (method::INITIALIZE, Era::Legacy) => self.initialize(request, &context),
            (method::LOGGING_SET_LEVEL, Era::Legacy) => self.set_level(request),
            (method::SERVER_DISCOVER, Era::Modern) => Ok(self.discover(version)),
            (method::SUBSCRIPTIONS_LISTEN, Era::Modern) => match self.listen(request) {
                Ok(listen) => return listen,
                Err(error) => Err(error),
            },
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

    fn call_tool(&self, request: &Request<'_>, context: &Context, version: Version) -> Answering {
        let Some(name) = request.params.name.and_then(read_string) else {
            return Answering::Ready(Err(expected("name", "a string", request.params.name)));
        };
        let Some(tool) = self.conversation.tools.find(&name) else {
            return Answering::Ready(Err(invalid(format!("Unknown tool: {name}"))));
        };
        let arguments = match request.params.arguments {
            None | Some("null") => "{}",
            Some(object) if object.starts_with('{') => object,
            other => return Answering::Ready(Err(expected("arguments", "an object", other))),
        };
        let call = Call { arguments, request, context, conversation: &self.conversation, version, tool: Some(&tool) };
        match tool.call(&call) {
            Ok(handler) => Answering::Future(handler),
            Err(Rejection::Failure(failure)) => {
                Answering::Ready(ToolEnding::of(&call).answer(ToolOutcome::from(failure)))
            }
            Err(Rejection::Error(error)) => Answering::Ready(Err(error)),
        }
    }

    fn list_tools(&self, request: &Request<'_>, version: Version) -> Answer {
        // There is one page, so no cursor was ever given out.
        if request.params.cursor.is_some_and(|cursor| cursor != "null") {
            return Err(invalid("unknown `cursor`"));
        }
        let tools = self.conversation.tools.list(version);
        let mut open = Vec::with_capacity(tools.len() + 256);
        open.extend_from_slice(b"{\"tools\":");
        open.extend_from_slice(&tools);
        Ok(self.conversation.identity.end_cacheable(open, version, &self.config().cache))
    }

    fn initialize(&self, request: &Request<'_>, context: &Context) -> Answer {
        let asked = request.params.protocol_version;
        let Some(asked_text) = asked.and_then(read_string) else {
            return Err(expected("protocolVersion", "a string", asked));
        };
        let version = context.negotiated().unwrap_or_else(|| Version::negotiate_legacy(&asked_text));
        let version = *self.conversation.negotiated.get_or_init(|| version);
        if let Some(client) = request.params.raw.and_then(|raw| serde_json::from_str::<Greeting>(raw).ok())
            && let Some(info) = client.client_info
        {
            self.conversation.client_info.get_or_init(|| info);
        }
        let mut result = InitializeResult::new(version, self.capabilities(), self.config().info.clone());
        result.instructions.clone_from(&self.config().instructions);
        Ok(Body::from_json(encode(&result)))
    }

    fn discover(&self, version: Version) -> Body {
        let mut result = DiscoverResult::new(self.capabilities()).with_server_info(&self.config().info);
        result.instructions.clone_from(&self.config().instructions);
        result.ttl_ms = Some(self.config().cache.ttl_ms);
        result.cache_scope = Some(self.config().cache.scope.clone());
        debug_assert_eq!(version.era(), Era::Modern, "legacy revisions have no discovery");
        Body::from_json(encode(&result))
    }

    fn set_level(&self, request: &Request<'_>) -> Answer {
        let raw = request.params.level;
        let severity = raw.and_then(read_level).and_then(|level| level.severity());
        let Some(severity) = severity else { return Err(expected("level", "a log level", raw)) };
        self.conversation.set_log_level(severity);
        Ok(Body::from_json(b"{}".to_vec()))
    }

    fn listen(&self, request: &Request<'_>) -> Result<Answering, ErrorObject> {
        let raw = request.params.notifications;
        let Some(object) = raw.filter(|raw| raw.starts_with('{')) else {
            return Err(expected("notifications", "an object", raw));
        };
        let asked: SubscriptionFilter = serde_json::from_str(object)
            .map_err(|error| invalid(format!("`notifications` is not a filter: {error}")))?;
        //= 2026-07-28/basic/patterns/subscriptions#acknowledgment
        //# Notification types the server does not support are omitted.
        let mut honoured = SubscriptionFilter::new();
        let mut wants = Changes::NONE;
        if asked.tools_list_changed == Some(true) && self.conversation.tools.is_declared() {
            honoured = honoured.with_tools_list_changed(true);
            wants = wants.with(Change::Tools);
        }
        let acknowledged = encode(&AcknowledgedParams::new(&request.id, honoured));
        Ok(Answering::Listen { wants, acknowledged })
    }

    fn capabilities(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::new().with_logging(mcp_types::Object::new());
        if self.conversation.tools.is_declared() {
            capabilities = capabilities.with_tools(ToolsCapability::new().with_list_changed(true));
        }
        capabilities
    }
}

/// What is kept of an `initialize`, whatever else it says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Greeting {
    client_info: Option<RawJson>,
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
