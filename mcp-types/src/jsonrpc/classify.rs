//! From what stands in an object to a message, or to the first thing that is wrong with it.

use std::borrow::Cow;

use super::id::Id;
use super::lexer::{Lexer, Span};
use super::malformed::{Fault, Malformed, Subject};
use super::message::{PeerError, Response, ResponseOutcome};
use super::scan::{Members, ParamsKind, ScanLimits};
use super::text::read_string;

/// How `jsonrpc` usually stands in a text.
pub(super) const VERSION: &str = r#""2.0""#;

/// What an object is, without its params: those are large, and moved only once.
pub(super) enum Verdict<'a> {
    Request(Id, Cow<'a, str>),
    Notification(Cow<'a, str>),
    Response(Response<'a>),
}

/// The text was JSON and an object. The order of the checks is the order of [`Fault`].
#[inline]
pub(super) fn classify<'a>(
    members: &Members<'a>,
    lexer: &Lexer<'a>,
    limits: &ScanLimits,
) -> Result<Verdict<'a>, Malformed> {
    judge(members, lexer, limits).map_err(|wrong| malformed(wrong, members, lexer, limits))
}

#[inline]
fn judge<'a>(members: &Members<'a>, lexer: &Lexer<'a>, limits: &ScanLimits) -> Result<Verdict<'a>, Wrong> {
    let subject = members.subject();
    let usual = !lexer.too_deep() && members.duplicate.is_none() && members.jsonrpc == Some(VERSION);
    if !usual {
        check_envelope(members, lexer, subject)?;
    }
    let raw_id = members.id.map(|id| &lexer.text()[id.start..id.end]);
    match subject {
        Subject::Request => {
            let id = read_id(raw_id.unwrap_or("null"), limits)?;
            let method = read_method(members, lexer, limits)?;
            check_params(members)?;
            Ok(Verdict::Request(id, method))
        }
        Subject::Notification => {
            let method = read_method(members, lexer, limits)?;
            check_params(members)?;
            Ok(Verdict::Notification(method))
        }
        Subject::Response => read_response(members, raw_id, limits).map(Verdict::Response),
        Subject::Unknown => {
            Err(Wrong(Fault::NotAMessage, "expected `method`, `result` or `error`, found none of them".into()))
        }
    }
}

/// What is wrong, before the id is looked for.
struct Wrong(Fault, Cow<'static, str>);

#[cold]
fn malformed(Wrong(fault, detail): Wrong, members: &Members<'_>, lexer: &Lexer<'_>, limits: &ScanLimits) -> Malformed {
    let id = members.id.and_then(|id| members.readable_id(lexer.text(), id, limits));
    Malformed::new(fault, members.likely_subject(), detail).with_id(id)
}

#[inline(never)]
fn check_envelope(members: &Members<'_>, lexer: &Lexer<'_>, subject: Subject) -> Result<(), Wrong> {
    if lexer.too_deep() {
        return Err(Wrong(Fault::TooDeep, "more containers than the limit".into()));
    }
    if let Some(name) = members.duplicate {
        return Err(Wrong(Fault::DuplicateMember, format!("`{name}` stands there twice").into()));
    }
    if subject == Subject::Unknown {
        // That it is no message at all says more than that it has no version.
        return Ok(());
    }
    let found = match members.jsonrpc {
        Some(VERSION) => return Ok(()),
        Some(raw) if read_string(raw).is_some_and(|version| version == "2.0") => return Ok(()),
        Some(raw) => kind(raw),
        None => "nothing",
    };
    Err(Wrong(Fault::BadVersion, format!("expected `jsonrpc` to be \"2.0\", found {found}").into()))
}

fn read_response<'a>(
    members: &Members<'a>,
    raw_id: Option<&'a str>,
    limits: &ScanLimits,
) -> Result<Response<'a>, Wrong> {
    let id = match raw_id {
        None | Some("null") => None,
        Some(raw) => Some(read_id(raw, limits)?),
    };
    // A `null` beside the other member is how some peers write an absent one.
    let outcome = match (members.result, members.error) {
        (Some(result), None | Some("null")) => ResponseOutcome::Result(result),
        (None | Some("null"), Some(error)) if error != "null" => ResponseOutcome::Error(read_error(members, error)?),
        (Some(_), Some(_)) => {
            return Err(Wrong(Fault::BadResponse, "both `result` and `error` are there".into()));
        }
        (None, _) => {
            return Err(Wrong(Fault::BadResponse, "expected an error, found null".into()));
        }
    };
    Ok(Response { id, outcome })
}

fn read_error<'a>(members: &Members<'a>, raw: &'a str) -> Result<PeerError<'a>, Wrong> {
    match raw.as_bytes().first() {
        Some(b'{') => Ok(PeerError::from_members(members.error_code, members.error_message, members.error_data)),
        Some(b'"') => Ok(PeerError::from_text(raw)),
        _ => Err(Wrong(Fault::BadResponse, format!("expected `error` to be an object, found {}", kind(raw)).into())),
    }
}

/// Reads an id from its raw JSON.
#[inline]
pub(super) fn read_id(raw: &str, limits: &ScanLimits) -> Result<Id, ReadIdError> {
    // The usual id is an integer; `-0` is a text of its own.
    if raw.len() <= limits.id_len
        && let Ok(number) = raw.parse()
        && (number != 0 || raw == "0")
    {
        return Ok(Id::Int(number));
    }
    read_other_id(raw, limits)
}

#[inline(never)]
fn read_other_id(raw: &str, limits: &ScanLimits) -> Result<Id, ReadIdError> {
    // An escape of six bytes stands for at least one; what is longer need not be decoded.
    let longest = match raw.as_bytes().first() {
        Some(b'"') => limits.id_len.saturating_mul(6).saturating_add(2),
        _ => limits.id_len,
    };
    let is_id = matches!(raw.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
    if is_id && raw.len() > longest {
        return Err(ReadIdError::TooLong(limits.id_len));
    }
    match Id::parse(raw) {
        Some(Id::Str(text)) if text.len() > limits.id_len => Err(ReadIdError::TooLong(limits.id_len)),
        Some(id) => Ok(id),
        None => Err(ReadIdError::NotAnId(kind(raw))),
    }
}

/// Why there is no id.
pub(super) enum ReadIdError {
    TooLong(usize),
    NotAnId(&'static str),
}

impl From<ReadIdError> for Wrong {
    #[cold]
    fn from(error: ReadIdError) -> Self {
        match error {
            ReadIdError::TooLong(limit) => Self(Fault::IdTooLong, format!("the limit is {limit} bytes").into()),
            ReadIdError::NotAnId(found) => {
                Self(Fault::BadId, format!("expected a string or a number, found {found}").into())
            }
        }
    }
}

/// Whether the text goes on after the id as it must: `{"id":1` may have been cut off inside `12`.
pub(super) fn is_settled_id(text: &str, id: Span) -> bool {
    let rest = text[id.end..].trim_start_matches([' ', '\n', '\r', '\t']);
    rest.starts_with([',', '}'])
}

#[inline]
fn read_method<'a>(members: &Members<'a>, lexer: &Lexer<'a>, limits: &ScanLimits) -> Result<Cow<'a, str>, Wrong> {
    let raw = members.method.unwrap_or("null");
    // The usual method needs no decoding.
    if !lexer.saw_escape()
        && let Some(method) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
        && method.len() <= limits.method_len
    {
        return Ok(Cow::Borrowed(method));
    }
    decode_method(raw, limits)
}

#[inline(never)]
fn decode_method<'a>(raw: &'a str, limits: &ScanLimits) -> Result<Cow<'a, str>, Wrong> {
    let too_long = || Wrong(Fault::MethodTooLong, format!("the limit is {} bytes", limits.method_len).into());
    if raw.starts_with('"') && raw.len() > limits.method_len.saturating_mul(6).saturating_add(2) {
        return Err(too_long());
    }
    let Some(method) = read_string(raw) else {
        return Err(Wrong(Fault::BadMethod, format!("expected a string, found {}", kind(raw)).into()));
    };
    if method.len() > limits.method_len {
        return Err(too_long());
    }
    Ok(method)
}

fn check_params(members: &Members<'_>) -> Result<(), Wrong> {
    match members.params {
        None | Some(ParamsKind::Null | ParamsKind::Object) => Ok(()),
        Some(ParamsKind::Other) => Err(Wrong(Fault::BadParams, "expected an object, found another value".into())),
    }
}

/// What a raw value is, in words.
fn kind(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'"') if read_string(raw).is_none() => "a string with half of a surrogate pair",
        Some(b'"') => "another string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

impl Members<'_> {
    /// What the object was meant to be, by those of its members that could be read.
    pub(super) fn subject_so_far(&self) -> Subject {
        match self.subject() {
            // The id may have been about to come.
            Subject::Notification => Subject::Unknown,
            subject => subject,
        }
    }

    /// The same, when that is all there will be: what has an id and params was meant to ask, though it does not say what.
    fn likely_subject(&self) -> Subject {
        match self.subject() {
            Subject::Unknown if self.id.is_some() && self.params.is_some() => Subject::Request,
            subject => subject,
        }
    }

    /// What the object was meant to be, by its members.
    pub(super) fn subject(&self) -> Subject {
        let answers = |member: Option<&str>| member.is_some_and(|raw| raw != "null");
        // `"method": null` beside an answer is how some peers write an absent one.
        let method = self.method.filter(|raw| *raw != "null" || !(answers(self.result) || answers(self.error)));
        if method.is_some() {
            if self.id.is_some() { Subject::Request } else { Subject::Notification }
        } else if self.result.is_some() || self.error.is_some() {
            Subject::Response
        } else {
            Subject::Unknown
        }
    }
}
