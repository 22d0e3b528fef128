//! From a scanned message to what the engine has to know of it.

use std::borrow::Cow;

use mcp_types::jsonrpc::{Id, Message, Meta, Request};
use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION};
use mcp_types::method;
use mcp_types::version::{Era, Version};

use crate::engine::{CallId, Claim, Frame, MethodKind, Progress, RequestHead};

/// What the engine has to know of a message of `bytes` bytes.
pub(crate) fn frame_of(message: &Message<'_>, bytes: usize) -> Frame {
    match message {
        Message::Request(request) => Frame::Request(request_of(request, bytes)),
        Message::Response(response) => Frame::Response {
            call: response.id.as_ref().and_then(CallId::from_wire),
            is_text: matches!(response.id, Some(Id::Str(_))),
        },
        Message::Notification(note) => match &*note.method {
            method::NOTIFICATIONS_CANCELLED => Frame::Cancelled { id: note.params.request_id.and_then(Id::parse) },
            method::NOTIFICATIONS_PROGRESS => {
                let token = note.params.progress_token.and_then(Id::parse);
                let progress = note.params.progress.and_then(|raw| raw.parse().ok()).and_then(Progress::new);
                Frame::Progress { call: token.as_ref().and_then(CallId::from_wire), progress }
            }
            _ if note.params.meta.subscription_id.is_some() => {
                let id = note.params.meta.subscription_id.and_then(Id::parse);
                Frame::Subscribed { call: id.as_ref().and_then(CallId::from_wire) }
            }
            _ => Frame::Note { modern: claim_of(&note.params.meta) == Claim::Modern },
        },
    }
}

fn request_of(request: &Request<'_>, bytes: usize) -> RequestHead {
    let known = method::lookup(&request.method).filter(|info| info.kind == method::Kind::Request);
    let has = |era: Era| known.is_some_and(|info| info.from_client.has_era(era));
    let kind = match (&*request.method, has(Era::Legacy), has(Era::Modern)) {
        (method::INITIALIZE, ..) => MethodKind::Initialize,
        (method::PING, ..) => MethodKind::Ping,
        (_, true, true) => MethodKind::Both,
        (_, true, false) => MethodKind::LegacyOnly,
        (_, false, true) => MethodKind::ModernOnly,
        (_, false, false) => MethodKind::Other,
    };
    let mut head = RequestHead::new(
        request.id.clone(),
        known.map_or_else(|| Cow::Owned(request.method.clone().into_owned()), |info| Cow::Borrowed(info.name)),
        kind,
    );
    head.claim = claim_of(&request.params.meta);
    head.bytes = bytes;
    if kind == MethodKind::Initialize {
        head.version = request.params.protocol_version.and_then(string_of).map(|text| Version::negotiate_legacy(&text));
    }
    head
}

fn claim_of(meta: &Meta<'_>) -> Claim {
    let Some(raw) = meta.protocol_version else {
        let is_modern = meta.client_capabilities.is_some() || meta.client_info.is_some();
        return if is_modern { Claim::Partial(PROTOCOL_VERSION) } else { Claim::None };
    };
    let Some(version) = string_of(raw) else { return Claim::Partial(PROTOCOL_VERSION) };
    if Version::parse(&version).is_none_or(|version| version.era() != Era::Modern) {
        return Claim::Unsupported(version.into());
    }
    let is_object = |raw: &str| raw.starts_with('{');
    if !meta.client_capabilities.is_some_and(is_object) {
        return Claim::Partial(CLIENT_CAPABILITIES);
    }
    match meta.client_info {
        Some(info) if !is_object(info) && info != "null" => Claim::Partial(CLIENT_INFO),
        _ => Claim::Modern,
    }
}

/// The text of a raw JSON string; `None` for anything else.
fn string_of(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(raw).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}
