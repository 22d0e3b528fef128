//! Whether what was posted is in order, and where it belongs. Pure: headers and bytes in, a verdict out.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri};
use mcp_types::jsonrpc::{
    Batch, ErrorCode, ErrorObject, Message, Meta, Notification, Request, ScanLimits, Scanned, read_string, scan,
};
use mcp_types::meta::{MetaError, RequestMeta};
use mcp_types::method;
use mcp_types::version::{Era, Version};

use super::answer::Refusal;
use super::exchange::{Exchange, Get, Place, Post};
use super::headers::{HeaderFault, HeaderMismatch, LAST_EVENT_ID, Mirror, PROTOCOL_VERSION, SESSION_ID, single};
use super::negotiate::Acceptable;
use super::session_id::SessionId;
use super::sse::EventId;

/// What a verdict depends on besides the body.
pub(super) struct Judge<'a, E> {
    pub(super) exchange: &'a E,
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    pub(super) limits: &'a ScanLimits,
    pub(super) modern_only: bool,
    pub(super) stateless: bool,
}

/// The revision that `MCP-Protocol-Version` names.
#[derive(Clone, Copy)]
enum Said<'a> {
    Nothing,
    Modern(&'a str),
    Legacy(Version, &'a str),
    Unknown(&'a str),
}

/// The revision that the headers name, if they name one that we know.
pub(super) fn version_of(headers: &HeaderMap) -> Option<Version> {
    single(headers, &PROTOCOL_VERSION).ok().flatten().and_then(Version::parse)
}

impl<E: Exchange> Judge<'_, E> {
    /// Judges the body of a POST.
    ///
    /// What is wrong in several ways is refused for the first of these: it is no message; a header is missing or
    /// cannot be read; `_meta` lacks something; a header contradicts the body; the revision is not ours.
    pub(super) fn post<'a>(&self, frame: &'a Bytes, acceptable: Acceptable) -> Result<Post<'a>, Refusal> {
        let scanned = scan(frame, self.limits).map_err(|malformed| Refusal::malformed(&malformed))?;
        let said = self.said();
        let place = match &scanned {
            Scanned::Batch(batch) => self.batch(batch, said?),
            Scanned::Message(Message::Request(request)) => {
                said.and_then(|said| self.request(request, said)).map_err(|refusal| refusal.of(&request.id))
            }
            Scanned::Message(Message::Notification(notification)) => self.notification(notification, said?),
            Scanned::Message(Message::Response(_)) => self.response(said?),
        }?;
        Ok(Post { message: scanned, frame, place, acceptable })
    }

    /// Judges a GET.
    pub(super) fn get(&self, acceptable: Acceptable) -> Result<Get, Refusal> {
        let version = self.legacy_version("POST")?;
        if !acceptable.events() {
            return Err(Refusal::http(
                StatusCode::NOT_ACCEPTABLE,
                "A stream is text/event-stream, which is not accepted",
            ));
        }
        let session = self.session()?;
        let after = match single(self.headers, &LAST_EVENT_ID).map_err(bad_request)? {
            None => None,
            Some(text) => match EventId::parse(text) {
                Some(id) => Some(id),
                None => return Err(Refusal::http(StatusCode::BAD_REQUEST, "Last-Event-ID is no event of this server")),
            },
        };
        Ok(Get::new(session, version, after))
    }

    /// Judges a DELETE.
    pub(super) fn delete(&self) -> Result<SessionId, Refusal> {
        self.legacy_version("POST")?;
        self.session()
    }

    /// Judges a message of HTTP+SSE. Its session is named by the target.
    pub(super) fn sse(&self, frame: &Bytes) -> Result<SessionId, Refusal> {
        scan(frame, self.limits).map_err(|malformed| Refusal::malformed(&malformed))?;
        let pairs = self.uri.query().unwrap_or_default().split('&');
        let id = pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == SSE_SESSION);
        let (_, id) = id.ok_or_else(|| invalid("The session is missing: its messages go where its stream says"))?;
        SessionId::parse(id).ok_or_else(no_such_session)
    }

    /// Of methods other than POST: the revision that is named. In a modern one there are none.
    fn legacy_version(&self, methods: &'static str) -> Result<Option<Version>, Refusal> {
        match self.said()? {
            _ if self.modern_only || self.stateless => Err(Refusal::method(methods)),
            //= 2026-07-28/basic/transports/streamable-http#earlier-streamable-http-revisions
            //# HTTP GET or DELETE to the MCP endpoint: respond with
            //# `405 Method Not Allowed`.
            Said::Modern(_) => Err(Refusal::method(methods)),
            Said::Unknown(_) => Err(unsupported_header()),
            Said::Legacy(version, _) => Ok(Some(version)),
            Said::Nothing => Ok(None),
        }
    }

    fn said(&self) -> Result<Said<'_>, Refusal> {
        let Some(text) = single(self.headers, &PROTOCOL_VERSION)? else { return Ok(Said::Nothing) };
        Ok(match Version::parse(text) {
            None => Said::Unknown(text),
            Some(version) if version.era() == Era::Modern => Said::Modern(text),
            Some(version) => Said::Legacy(version, text),
        })
    }

    fn request(&self, request: &Request<'_>, said: Said<'_>) -> Result<Place, Refusal> {
        let claimed = request.params.meta.protocol_version.filter(|raw| *raw != "null").map(Claimed::read);
        match (said, claimed) {
            (Said::Modern(text), claimed) => self.modern(request, text, claimed),
            //= 2026-07-28/basic/transports/streamable-http#protocol-version-header
            //# If the values do not match, the server **MUST** reject the request
            (Said::Legacy(_, text) | Said::Unknown(text), Some(claimed)) if !claimed.is(text) => {
                Err(mismatch(HeaderFault::Differs))
            }
            (Said::Legacy(_, text) | Said::Unknown(text), Some(_)) => Err(unsupported(text)),
            (Said::Legacy(_, text), None) if self.modern_only => Err(unsupported(text)),
            (Said::Legacy(version, _), None) => self.legacy(request, Some(version)),
            (Said::Unknown(_), None) if self.is_in_session() => Err(unsupported_header()),
            (Said::Unknown(text), None) => Err(unsupported(text)),
            // A revision that we do not speak may not ask for the header.
            (Said::Nothing, Some(Claimed::Text(text))) if !is_modern(&text) => Err(unsupported(&text)),
            (Said::Nothing, Some(_)) => Err(mismatch(HeaderFault::Missing)),
            (Said::Nothing, None) if self.modern_only || self.is_only_modern(&request.method) => {
                Err(mismatch(HeaderFault::Missing))
            }
            (Said::Nothing, None) => self.legacy(request, None),
        }
    }

    fn modern(&self, request: &Request<'_>, said: &str, claimed: Option<Claimed<'_>>) -> Result<Place, Refusal> {
        let params = &request.params;
        let mirror = Mirror::of_request(self.headers, &request.method, params)?;
        if let Some(Claimed::Text(text)) = &claimed
            && *text != said
        {
            return Err(mismatch(HeaderFault::Differs));
        }
        if !is_whole(&params.meta)
            && let Err(error) = RequestMeta::decode(&params.meta)
        {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, error.to_error_object()));
        }
        mirror.compare(&request.method, params)?;
        if request.method == method::TOOLS_CALL
            && let Some(tool) = params.name.and_then(read_string)
            && let Some(mirrored) = self.exchange.header_params(&tool)
        {
            mirrored.check(self.headers, params.arguments)?;
        }
        Ok(Place::Modern)
    }

    fn legacy(&self, request: &Request<'_>, version: Option<Version>) -> Result<Place, Refusal> {
        // A client whose session is gone may still send its id along; it opens a new one all the same.
        if request.method == method::INITIALIZE && !self.stateless {
            return Ok(Place::Opening);
        }
        self.in_session(version)
    }

    fn notification(&self, notification: &Notification<'_>, said: Said<'_>) -> Result<Place, Refusal> {
        match said {
            Said::Modern(_) => self.modern_notification(notification),
            Said::Nothing if self.modern_only => self.modern_notification(notification),
            Said::Legacy(_, text) | Said::Unknown(text) if self.modern_only => Err(unsupported(text)),
            said => self.of_session(said),
        }
    }

    /// Which headers a notification needs is not said; those that are there may not contradict it.
    fn modern_notification(&self, notification: &Notification<'_>) -> Result<Place, Refusal> {
        Mirror::of_notification(self.headers)?.compare(&notification.method, &notification.params)?;
        Ok(Place::Modern)
    }

    fn response(&self, said: Said<'_>) -> Result<Place, Refusal> {
        match said {
            //= 2026-07-28/basic/transports/streamable-http#sending-messages
            //# The client **MUST NOT** send JSON-RPC _responses_.
            Said::Modern(_) => Err(invalid("A client sends no responses in this revision")),
            _ if self.modern_only => Err(invalid("A client sends no responses in this revision")),
            said => self.of_session(said),
        }
    }

    fn batch(&self, batch: &Batch<'_>, said: Said<'_>) -> Result<Place, Refusal> {
        match said {
            _ if batch.is_empty() => Err(invalid("A batch holds one message at least")),
            // Revision 2025-03-26 has no header for itself.
            Said::Nothing if !self.modern_only => self.in_session(None),
            Said::Legacy(version, _) if version.batches() && !self.modern_only => self.in_session(Some(version)),
            _ => Err(invalid("Only revision 2025-03-26 has batches")),
        }
    }

    fn of_session(&self, said: Said<'_>) -> Result<Place, Refusal> {
        match said {
            Said::Unknown(_) => Err(unsupported_header()),
            Said::Legacy(version, _) => self.in_session(Some(version)),
            Said::Modern(_) | Said::Nothing => self.in_session(None),
        }
    }

    fn in_session(&self, version: Option<Version>) -> Result<Place, Refusal> {
        if self.stateless {
            //= 2025-11-25/basic/transports#protocol-version-header
            //# the server **SHOULD** assume protocol version `2025-03-26`
            return Ok(Place::Stateless { version: version.unwrap_or(Version::V2025_03_26) });
        }
        Ok(Place::Session { id: self.session()?, version })
    }

    fn session(&self) -> Result<SessionId, Refusal> {
        //= 2025-11-25/basic/transports#session-management
        //# Servers that require a session ID **SHOULD** respond to requests without an
        //# `MCP-Session-Id` header (other than initialization) with HTTP 400 Bad Request.
        let text = single(self.headers, &SESSION_ID).map_err(bad_request)?;
        let text = text.ok_or_else(|| invalid("Mcp-Session-Id is missing: a session begins with `initialize`"))?;
        SessionId::parse(text).ok_or_else(no_such_session)
    }

    fn is_in_session(&self) -> bool {
        !self.modern_only && self.headers.contains_key(SESSION_ID)
    }

    /// Whether whoever sends this can only have meant the modern era.
    fn is_only_modern(&self, name: &str) -> bool {
        !self.is_in_session() && method::is_modern_request(name) && !method::is_legacy_request(name)
    }
}

/// The answer to a session that does not exist, or does not exist any more.
//= 2025-11-25/basic/transports#session-management
//# The server **MAY** terminate the session at any time, after which it **MUST** respond
//# to requests containing that session ID with HTTP 404 Not Found.
pub(super) fn no_such_session() -> Refusal {
    Refusal::http(StatusCode::NOT_FOUND, "No such session: it has ended, or never began here")
}

/// The revision that the body of a request claims to be written in.
enum Claimed<'a> {
    Text(Cow<'a, str>),
    /// Something that names no revision.
    Other,
}

impl<'a> Claimed<'a> {
    fn read(raw: &'a str) -> Self {
        read_string(raw).map_or(Self::Other, Self::Text)
    }

    fn is(&self, said: &str) -> bool {
        matches!(self, Self::Text(text) if text == said)
    }
}

fn is_modern(text: &str) -> bool {
    Version::parse(text).is_some_and(|version| version.era() == Era::Modern)
}

/// Whether `_meta` has everything in its place, as far as first characters tell: nothing is decoded for it.
fn is_whole(meta: &Meta<'_>) -> bool {
    let begins = |raw: Option<&str>, with: &[char]| raw.is_none_or(|raw| raw == "null" || raw.starts_with(with));
    let is_there = |raw: Option<&str>, with: char| raw.is_some_and(|raw| raw.starts_with(with));
    is_there(meta.protocol_version, '"')
        && is_there(meta.client_capabilities, '{')
        && begins(meta.client_info, &['{'])
        && begins(meta.log_level, &['"'])
        && begins(meta.progress_token, &['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
}

fn mismatch(fault: HeaderFault) -> Refusal {
    HeaderMismatch::new(PROTOCOL_VERSION, fault).into()
}

fn unsupported(requested: &str) -> Refusal {
    let error = MetaError::UnsupportedVersion { requested: requested.into() };
    Refusal::new(StatusCode::BAD_REQUEST, error.to_error_object())
}

/// To a client with a session, whose revision has no code for it.
//= 2025-11-25/basic/transports#protocol-version-header
//# If the server receives a request with an invalid or unsupported
//# `MCP-Protocol-Version`, it **MUST** respond with `400 Bad Request`.
fn unsupported_header() -> Refusal {
    invalid("MCP-Protocol-Version names no revision of this server")
}

fn invalid(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, ErrorObject::new(ErrorCode::INVALID_REQUEST, message))
}

/// A header of sessions that cannot be read is no mismatch with a body.
fn bad_request(mismatch: HeaderMismatch) -> Refusal {
    let text = mismatch.to_string();
    let text = text.split_once(": ").map_or(&*text, |(_, fault)| fault).to_owned();
    Refusal::http(StatusCode::BAD_REQUEST, text)
}

/// What names the session in the target of a message of HTTP+SSE.
pub(super) const SSE_SESSION: &str = "sessionId";

#[cfg(test)]
mod tests;
