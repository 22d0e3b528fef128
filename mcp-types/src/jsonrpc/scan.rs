//! The one pass over a frame: what stands where. What it means is told by `classify`.

use std::borrow::Cow;

use super::classify::{VERSION, Verdict, classify, is_settled_id, read_id};
use super::id::Id;
use super::lexer::{Lexer, NotJson, Span};
use super::malformed::{Fault, Malformed, Subject};
use super::message::{Batch, Message, Meta, Notification, Params, Request, Scanned};
use super::names::{ErrorMember, Member, MetaMember, Param};

/// What a frame may demand.
///
/// ```
/// use mcp_types::jsonrpc::ScanLimits;
///
/// let limits = ScanLimits::default().with_depth(32);
/// assert_eq!((limits.depth, limits.id_len, limits.method_len), (32, 256, 256));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanLimits {
    /// How many objects and arrays may be nested, the message itself included. Default 128.
    pub depth: usize,
    /// Bytes of an id: of its text when it is a string, of its digits when it is a number. Default 256.
    pub id_len: usize,
    /// Bytes of a method. Default 256.
    pub method_len: usize,
}

impl ScanLimits {
    /// Sets how many objects and arrays may be nested.
    #[must_use]
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets how many bytes an id may have.
    #[must_use]
    pub const fn with_id_len(mut self, id_len: usize) -> Self {
        self.id_len = id_len;
        self
    }

    /// Sets how many bytes a method may have.
    #[must_use]
    pub const fn with_method_len(mut self, method_len: usize) -> Self {
        self.method_len = method_len;
        self
    }
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { depth: 128, id_len: 256, method_len: 256 }
    }
}

/// Reads one frame: one JSON text, which may stand between whitespace and after a byte order mark.
///
/// # Errors
///
/// [`Malformed`] when the frame is not a message. The id is in it whenever it could be read: also
/// when it stands behind the fault, as long as the text is JSON; and when the text is not JSON or not
/// UTF-8, if the id is well-formed itself and stands where the structure can still be trusted.
pub fn scan<'a>(frame: &'a [u8], limits: &ScanLimits) -> Result<Scanned<'a>, Malformed> {
    let frame = match frame {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest,
        _ => frame,
    };
    match std::str::from_utf8(frame) {
        Ok(text) => scan_text(text, limits),
        Err(error) => Err(scan_not_utf8(frame, error.valid_up_to(), limits)),
    }
}

fn scan_text<'a>(text: &'a str, limits: &ScanLimits) -> Result<Scanned<'a>, Malformed> {
    let mut lexer = Lexer::new(text, limits.depth);
    lexer.skip_whitespace();
    match lexer.peek() {
        Some(b'{') => scan_object(lexer, limits),
        Some(b'[') => scan_batch(lexer, limits),
        _ => Err(not_an_object(lexer)),
    }
}

fn scan_object<'a>(mut lexer: Lexer<'a>, limits: &ScanLimits) -> Result<Scanned<'a>, Malformed> {
    let mut members = Members::default();
    if let Err(NotJson) = members.read(&mut lexer) {
        return Err(not_json(&members, &lexer, limits));
    }
    match classify(&members, &lexer, limits)? {
        Verdict::Request(id, method) => Ok(Scanned::Message(Message::Request(request(id, method, &members.captured)))),
        Verdict::Notification(method) => {
            Ok(Scanned::Message(Message::Notification(notification(method, &members.captured))))
        }
        Verdict::Response(response) => Ok(Scanned::Message(Message::Response(response))),
    }
}

#[inline(never)]
fn request<'a>(id: Id, method: Cow<'a, str>, params: &Params<'a>) -> Request<'a> {
    Request { id, method, params: *params }
}

#[inline(never)]
fn notification<'a>(method: Cow<'a, str>, params: &Params<'a>) -> Notification<'a> {
    Notification { method, params: *params }
}

/// Validates an array. That an element is too deep is found when that element is scanned.
fn scan_batch<'a>(mut lexer: Lexer<'a>, limits: &ScanLimits) -> Result<Scanned<'a>, Malformed> {
    lexer.allow_depth(limits.depth.saturating_add(1));
    let mut elements = lexer.clone();
    match lexer.count_elements().and_then(|len| lexer.end().map(|()| len)) {
        Ok(len) => {
            elements.skip_byte();
            elements.skip_whitespace();
            Ok(Scanned::Batch(Batch::new(elements, len)))
        }
        Err(NotJson) => Err(Malformed::new(Fault::NotJson, Subject::Unknown, lexer.complaint())),
    }
}

#[cold]
fn not_an_object(mut lexer: Lexer<'_>) -> Malformed {
    match lexer.value(0).and_then(|()| lexer.end()) {
        Ok(()) => Malformed::new(Fault::NotAMessage, Subject::Unknown, "expected an object, found another value"),
        Err(NotJson) => Malformed::new(Fault::NotJson, Subject::Unknown, lexer.complaint()),
    }
}

#[cold]
fn not_json(members: &Members<'_>, lexer: &Lexer<'_>, limits: &ScanLimits) -> Malformed {
    let id = members
        .id
        .filter(|id| is_settled_id(lexer.text(), *id))
        .and_then(|id| members.readable_id(lexer.text(), id, limits));
    let subject = members.subject_so_far();
    Malformed::new(Fault::NotJson, subject, lexer.complaint()).with_id(id)
}

/// Looks for the id in a frame with bad bytes.
///
/// Each bad sequence is replaced by as many question marks. Inside a string they do no harm, so the
/// rest of the frame can be trusted; elsewhere they stop the scan. An id that was itself changed is
/// not the sender's id.
#[cold]
fn scan_not_utf8(frame: &[u8], bad_at: usize, limits: &ScanLimits) -> Malformed {
    let mut patched = String::with_capacity(frame.len());
    for chunk in frame.utf8_chunks() {
        patched.push_str(chunk.valid());
        patched.extend(chunk.invalid().iter().map(|_| '?'));
    }
    let mut malformed = Malformed::new(Fault::NotUtf8, Subject::Unknown, format!("bad sequence at byte {bad_at}"));
    let mut lexer = Lexer::new(&patched, limits.depth);
    lexer.skip_whitespace();
    if lexer.peek() == Some(b'{') {
        let mut members = Members::default();
        let whole = members.read(&mut lexer).is_ok();
        malformed.subject = if whole { members.subject() } else { members.subject_so_far() };
        malformed.id = members
            .id
            .filter(|id| whole || is_settled_id(&patched, *id))
            .filter(|id| std::str::from_utf8(&frame[id.start..id.end]).is_ok())
            .and_then(|id| members.readable_id(&patched, id, limits));
    }
    malformed
}

/// How a message begins as nearly everybody writes it, and the quote of its next name.
const USUAL_START: &str = r#"{"jsonrpc":"2.0",""#;

/// What the pass over an object found. Values are raw JSON; nothing is judged yet.
#[derive(Default)]
pub(super) struct Members<'a> {
    pub(super) jsonrpc: Option<&'a str>,
    pub(super) id: Option<Span>,
    /// There is a second id, and it differs: none of them is the sender's id for sure.
    pub(super) ambiguous_id: bool,
    pub(super) method: Option<&'a str>,
    pub(super) params: Option<ParamsKind>,
    pub(super) captured: Params<'a>,
    pub(super) result: Option<&'a str>,
    pub(super) error: Option<&'a str>,
    pub(super) error_code: Option<&'a str>,
    pub(super) error_message: Option<&'a str>,
    pub(super) error_data: Option<&'a str>,
    pub(super) duplicate: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ParamsKind {
    Object,
    Null,
    Other,
}

impl<'a> Members<'a> {
    /// Reads the object that is the whole text. What was read before a failure stays readable.
    fn read(&mut self, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
        // Most begin alike, which takes 20 instructions to see and 120 to read.
        let start = lexer.position();
        if lexer.allows_depth(1) && lexer.eat_text(USUAL_START) {
            self.jsonrpc = Some(VERSION);
            // Where a brace is expected the comma stands then, and a name behind either of them.
            lexer.back_to(start + USUAL_START.len() - ",\"".len());
        }
        lexer.object(1, Member::find, |lexer, name| self.member(lexer, name))?;
        lexer.end()
    }

    #[inline]
    fn member(&mut self, lexer: &mut Lexer<'a>, name: Option<Member>) -> Result<(), NotJson> {
        let (slot, name) = match name {
            Some(Member::Jsonrpc) => (&mut self.jsonrpc, "jsonrpc"),
            Some(Member::Method) => (&mut self.method, "method"),
            Some(Member::Result) => (&mut self.result, "result"),
            Some(Member::Id) => return self.read_id(lexer),
            Some(Member::Params) => return self.read_params(lexer),
            Some(Member::Error) => return self.read_error(lexer),
            None => return lexer.value(1),
        };
        if slot.is_some() {
            self.duplicate = Some(name);
        }
        // Known to have one before the value is whole, in case it never is.
        *slot = Some("");
        *slot = Some(lexer.raw_value(1)?);
        Ok(())
    }

    #[inline]
    fn read_id(&mut self, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
        let start = lexer.position();
        lexer.value(1)?;
        let id = Span { start, end: lexer.position() };
        if let Some(first) = self.id.replace(id) {
            self.duplicate = Some("id");
            self.ambiguous_id |= lexer.text()[first.start..first.end] != *lexer.since(start);
        }
        Ok(())
    }

    #[inline]
    fn read_params(&mut self, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
        if self.params.is_some() {
            self.duplicate = Some("params");
            self.captured = Params::default();
        }
        match lexer.peek() {
            Some(b'{') => {
                self.params = Some(ParamsKind::Object);
                read_params(&mut self.captured, lexer)
            }
            other => {
                let null = other == Some(b'n');
                self.params = Some(if null { ParamsKind::Null } else { ParamsKind::Other });
                lexer.value(1)
            }
        }
    }

    #[cold]
    fn read_error(&mut self, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
        if self.error.is_some() {
            self.duplicate = Some("error");
        }
        self.error = Some("");
        let start = lexer.position();
        if lexer.peek() == Some(b'{') {
            lexer.object(2, ErrorMember::find, |lexer, name| {
                let slot = match name {
                    Some(ErrorMember::Code) => &mut self.error_code,
                    Some(ErrorMember::Message) => &mut self.error_message,
                    Some(ErrorMember::Data) => &mut self.error_data,
                    None => return lexer.value(2),
                };
                *slot = Some(lexer.raw_value(2)?);
                Ok(())
            })?;
        } else {
            lexer.value(1)?;
        }
        self.error = Some(lexer.since(start));
        Ok(())
    }

    /// The id as far as one can be read and told.
    pub(super) fn readable_id(&self, text: &str, id: Span, limits: &ScanLimits) -> Option<Id> {
        if self.ambiguous_id {
            return None;
        }
        read_id(&text[id.start..id.end], limits).ok()
    }
}

#[inline]
fn read_params<'a>(params: &mut Params<'a>, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
    let start = lexer.position();
    lexer.object(2, Param::find, |lexer, name| {
        let slot = match name {
            Some(Param::Meta) => {
                params.meta = Meta::default();
                return read_meta(&mut params.meta, lexer);
            }
            Some(Param::Name) => &mut params.name,
            Some(Param::Arguments) => &mut params.arguments,
            Some(Param::Uri) => &mut params.uri,
            Some(Param::RequestId) => &mut params.request_id,
            Some(Param::ProgressToken) => &mut params.progress_token,
            Some(Param::Progress) => &mut params.progress,
            Some(Param::ProtocolVersion) => &mut params.protocol_version,
            Some(Param::Notifications) => &mut params.notifications,
            Some(Param::Cursor) => &mut params.cursor,
            Some(Param::Level) => &mut params.level,
            Some(Param::InputResponses) => &mut params.input_responses,
            Some(Param::RequestState) => &mut params.request_state,
            None => return lexer.value(2),
        };
        *slot = Some(lexer.raw_value(2)?);
        Ok(())
    })?;
    params.raw = Some(lexer.since(start));
    Ok(())
}

#[inline(never)]
fn read_meta<'a>(meta: &mut Meta<'a>, lexer: &mut Lexer<'a>) -> Result<(), NotJson> {
    let start = lexer.position();
    if lexer.peek() == Some(b'{') {
        lexer.object(3, MetaMember::find, |lexer, name| {
            let slot = match name {
                Some(MetaMember::ProgressToken) => &mut meta.progress_token,
                Some(MetaMember::ProtocolVersion) => &mut meta.protocol_version,
                Some(MetaMember::ClientInfo) => &mut meta.client_info,
                Some(MetaMember::ClientCapabilities) => &mut meta.client_capabilities,
                Some(MetaMember::LogLevel) => &mut meta.log_level,
                Some(MetaMember::SubscriptionId) => &mut meta.subscription_id,
                None => return lexer.value(3),
            };
            *slot = Some(lexer.raw_value(3)?);
            Ok(())
        })?;
    } else {
        lexer.value(2)?;
    }
    meta.raw = Some(lexer.since(start));
    Ok(())
}

/// Finds a member of an object by its name; the last one, if there are several.
///
/// `object` is raw JSON that has been scanned before. `None` when it is not an object or has no such member.
///
/// ```
/// use mcp_types::jsonrpc::member;
///
/// assert_eq!(member(r#"{"taskId":"t-1","a":{"taskId":2}}"#, "taskId"), Some(r#""t-1""#));
/// assert_eq!(member(r#"{"a":{"taskId":2}}"#, "taskId"), None);
/// assert_eq!(member("[1]", "taskId"), None);
/// ```
pub fn member<'a>(object: &'a str, wanted: &str) -> Option<&'a str> {
    let mut found = None;
    let mut lexer = Lexer::new(object, usize::MAX);
    let find = |text: &[u8]| {
        let rest = text.strip_prefix(b"\"")?.strip_prefix(wanted.as_bytes())?;
        rest.starts_with(b"\":").then_some((wanted.len() + 3, ()))
    };
    lexer
        .object(1, find, |lexer, name| {
            let value = lexer.raw_value(1)?;
            if name.is_some() {
                found = Some(value);
            }
            Ok(())
        })
        .ok()?;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_however_their_names_are_written() {
        #[rustfmt::skip]
        let rows = [
            (r#"{"id":1}"#,                     Some("1")),
            (r#"{ "x" : 2 , "id" : 1 }"#,       Some("1")),
            ("{\n\t\"id\"\n:\n1}",             Some("1")),
            (r#"{"\u0069d":1}"#,                Some("1")),
            (r#"{ "i\u0064" : 1 }"#,            Some("1")),
            (r#"{"id":1,"id":2}"#,              Some("2")),
            (r#"{"idx":1}"#,                    None),
            (r#"{"id\"":1}"#,                   None),
            (r#"{"id\":":1}"#,                  None),
            (r#"{"\"id":1}"#,                   None),
            (r#"{"id "  :1}"#,                  None),
            (r#"{}"#,                           None),
            (r#"{"id"1}"#,                      None),
        ];
        for (object, expected) in rows {
            assert_eq!(member(object, "id"), expected, "{object}");
        }
    }
}
