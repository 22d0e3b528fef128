//! The service: from a request of HTTP to an exchange, or to a refusal.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use mcp_session::limits::Limits;
use mcp_types::jsonrpc::ScanLimits;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::answer::Refusal;
use super::body::{BodyLimits, NoBody, ReadBody};
use super::cap::{Cap, Permit};
use super::config::{HttpConfig, scan_limits};
use super::exchange::Exchange;
use super::judge::{Judge, version_of};
use super::negotiate::{Acceptable, is_encoded, is_json};

/// Lets in what is in order and hands it to an [`Exchange`]; answers everything else. Cloning is cheap, and clones
/// share their limits.
#[derive(Clone, Debug)]
pub struct Front<E> {
    shared: Arc<Shared>,
    exchange: E,
}

#[derive(Debug)]
struct Shared {
    config: HttpConfig,
    body: BodyLimits,
    scan: ScanLimits,
    exchanges: Cap,
}

impl<E: Exchange> Front<E> {
    /// Puts a front before an exchange. Of the limits, those of bodies and messages count here.
    #[must_use]
    pub fn new(exchange: E, config: HttpConfig, limits: &Limits) -> Self {
        let exchanges = Cap::new(config.exchanges);
        let shared = Shared { body: config.body(limits), scan: scan_limits(limits), exchanges, config };
        Self { shared: Arc::new(shared), exchange }
    }

    /// How many requests are under way, those with an open stream included.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.shared.exchanges.taken()
    }

    /// Looks at the head of a request.
    fn admit<B: Body>(&self, request: Request<B>) -> Result<State<B, E>, (Refusal, http::Version)> {
        let (head, body) = request.into_parts();
        let http = head.version;
        self.admitted(head, body).map_err(|(refusal, version)| (refusal.in_version(version), http))
    }

    fn admitted<B: Body>(&self, head: Parts, body: B) -> Result<State<B, E>, (Refusal, Option<mcp_types::Version>)> {
        let refused = |refusal| (refusal, version_of(&head.headers));
        let endpoint = self.shared.check(&head).map_err(refused)?;
        let permit = self.shared.exchanges.enter().ok_or_else(|| refused(self.shared.overloaded()))?;
        let acceptable = Acceptable::of(&head.headers);
        if head.method == Method::POST {
            self.shared.check_post(&head, acceptable).map_err(refused)?;
            let body = ReadBody::new(body, self.shared.body);
            let front = self.clone();
            return Ok(State::Reading { body, reader: Some(Reader { front, head, endpoint, acceptable, permit }) });
        }
        if endpoint == Endpoint::SseStream {
            let future = self.exchange.open_sse(head);
            return Ok(State::Answering { future, permit: Some(permit) });
        }
        let judge = self.judge(&head);
        let future = if head.method == Method::GET {
            let get = judge.get(acceptable).map_err(refused)?;
            self.exchange.get(head, get)
        } else {
            let session = judge.delete().map_err(refused)?;
            self.exchange.delete(head, session)
        };
        Ok(State::Answering { future, permit: Some(permit) })
    }

    fn judge<'a>(&'a self, head: &'a Parts) -> Judge<'a, E> {
        let Shared { config, scan, .. } = &*self.shared;
        Judge {
            exchange: &self.exchange,
            uri: &head.uri,
            headers: &head.headers,
            limits: scan,
            modern_only: config.modern_only,
            stateless: config.is_stateless(),
        }
    }
}

impl Shared {
    fn check(&self, head: &Parts) -> Result<Endpoint, Refusal> {
        let path = head.uri.path().trim_end_matches('/');
        let endpoint = match &self.config.sse {
            Some(sse) if sse.stream.ends_with(path) && !path.is_empty() => Endpoint::SseStream,
            Some(sse) if sse.messages.ends_with(path) && !path.is_empty() => Endpoint::SseMessages,
            _ if self.config.path.as_deref().is_none_or(|only| only == path) => Endpoint::Streamable,
            _ => return Err(Refusal::http(StatusCode::NOT_FOUND, "Nothing is served under this path")),
        };
        if let Err(forbidden) = self.config.allowed.check(&head.uri, &head.headers) {
            tracing::warn!(setting = forbidden.setting(), "{forbidden}");
            return Err(Refusal::http(StatusCode::FORBIDDEN, forbidden.to_string()));
        }
        if header_bytes(head) > self.config.header_bytes {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            return Err(Refusal::http(status, format!("The head has more than {} bytes", self.config.header_bytes)));
        }
        let (is_served, methods) = match head.method {
            _ if endpoint == Endpoint::SseStream => (head.method == Method::GET, "GET"),
            _ if endpoint == Endpoint::SseMessages => (head.method == Method::POST, "POST"),
            _ if self.config.modern_only || self.config.is_stateless() => (head.method == Method::POST, "POST"),
            Method::POST | Method::GET | Method::DELETE => (true, ""),
            _ => (false, "GET, POST, DELETE"),
        };
        if is_served { Ok(endpoint) } else { Err(Refusal::method(methods)) }
    }

    fn check_post(&self, head: &Parts, acceptable: Acceptable) -> Result<(), Refusal> {
        if !acceptable.json() && !acceptable.events() {
            let message = "Answers are application/json or text/event-stream, of which none is accepted";
            return Err(Refusal::http(StatusCode::NOT_ACCEPTABLE, message));
        }
        if !is_json(&head.headers) {
            return Err(Refusal::http(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "The body has to be application/json in UTF-8",
            ));
        }
        if is_encoded(&head.headers) {
            return Err(Refusal::http(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body may not have a content coding"));
        }
        if self.body.refuses(&head.headers) { Err(self.no_body(NoBody::TooLarge)) } else { Ok(()) }
    }

    fn no_body(&self, why: NoBody) -> Refusal {
        let (status, message) = match why {
            NoBody::TooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("The body has more than {} bytes", self.body.size).into())
            }
            NoBody::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The body did not come in time".into()),
            // Nobody reads it: the connection is gone. A status is needed all the same.
            NoBody::CutOff => (StatusCode::BAD_REQUEST, std::borrow::Cow::Borrowed("The body was cut off")),
        };
        Refusal::http(status, message).closing()
    }

    fn overloaded(&self) -> Refusal {
        Refusal::overloaded("Too many requests are under way", self.config.retry_after)
    }
}

fn header_bytes(head: &Parts) -> usize {
    let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    head.headers.iter().fold(target, |sum, (name, value)| sum + name.as_str().len() + value.len())
}

/// What is asked, as far as the path says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endpoint {
    Streamable,
    SseStream,
    SseMessages,
}

/// What is needed once the body is there.
struct Reader<E> {
    front: Front<E>,
    head: Parts,
    endpoint: Endpoint,
    acceptable: Acceptable,
    permit: Permit,
}

impl<E: Exchange> Reader<E> {
    /// Judges what was read. Also gives back the place that it takes.
    fn finish(self, body: Result<Bytes, NoBody>) -> Result<(E::Future, Permit), (Refusal, http::Version)> {
        let Self { front, head, endpoint, acceptable, permit } = self;
        let http = head.version;
        let version = version_of(&head.headers);
        let refused = |refusal: Refusal| (refusal.in_version(version), http);
        let frame = body.map_err(|why| refused(front.shared.no_body(why)))?;
        if endpoint == Endpoint::SseMessages {
            let session = front.judge(&head).sse(&frame).map_err(refused)?;
            return Ok((front.exchange.post_sse(head, session, &frame), permit));
        }
        let post = front.judge(&head).post(&frame, acceptable).map_err(refused)?;
        Ok((front.exchange.post(head, post), permit))
    }
}

fn refuse(refusal: Refusal, http: http::Version) -> Response<Bytes> {
    tracing::debug!(status = refusal.status().as_u16(), error = %refusal.error(), "refused a request");
    refusal.into_response(http)
}

impl<B: Body, E: Exchange> Service<Request<B>> for Front<E> {
    type Response = Response<FrontBody<E::Body>>;
    type Error = Infallible;
    type Future = FrontFuture<B, E>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> FrontFuture<B, E> {
        let state = match self.admit(request) {
            Ok(state) => state,
            Err((refusal, http)) => State::Refused { response: Some(refuse(refusal, http)) },
        };
        FrontFuture { state }
    }
}

pin_project! {
    /// A response of a [`Front`] to come.
    ///
    /// # Cancel safety
    ///
    /// Dropping it while the body is read means that nothing has happened. Later it means that the client is gone.
    pub struct FrontFuture<B, E: Exchange> {
        #[pin]
        state: State<B, E>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<B, E: Exchange> {
        Refused { response: Option<Response<Bytes>> },
        Reading { #[pin] body: ReadBody<B>, reader: Option<Reader<E>> },
        Answering { #[pin] future: E::Future, permit: Option<Permit> },
    }
}

impl<B: Body, E: Exchange> Future for FrontFuture<B, E> {
    type Output = Result<Response<FrontBody<E::Body>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            match state.as_mut().project() {
                StateProj::Refused { response } => {
                    let response = response.take().expect("a future is not polled after it was ready");
                    return Poll::Ready(Ok(response.map(FrontBody::own)));
                }
                StateProj::Reading { body, reader } => {
                    let read = ready!(body.poll(cx));
                    let reader = reader.take().expect("a body is read once");
                    match reader.finish(read) {
                        Ok((future, permit)) => state.set(State::Answering { future, permit: Some(permit) }),
                        Err((refusal, http)) => {
                            state.set(State::Refused { response: Some(refuse(refusal, http)) });
                        }
                    }
                }
                StateProj::Answering { future, permit } => {
                    let response = ready!(future.poll(cx));
                    let permit = permit.take();
                    return Poll::Ready(Ok(response.map(|body| FrontBody::theirs(body, permit))));
                }
            }
        }
    }
}

impl<B, E: Exchange> fmt::Debug for FrontFuture<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::Refused { .. } => "Refused",
            State::Reading { .. } => "Reading",
            State::Answering { .. } => "Answering",
        })
    }
}

pin_project! {
    /// The body of a response of a [`Front`]: that of its exchange, or that of a refusal. Its exchange counts as under
    /// way until it is dropped.
    #[derive(Debug)]
    pub struct FrontBody<B> {
        #[pin]
        body: Whose<B>,
        permit: Option<Permit>,
    }
}

pin_project! {
    #[project = WhoseProj]
    #[derive(Debug)]
    enum Whose<B> {
        Own { bytes: Bytes },
        Theirs { #[pin] body: B },
    }
}

impl<B> FrontBody<B> {
    pub(super) const fn own(bytes: Bytes) -> Self {
        Self { body: Whose::Own { bytes }, permit: None }
    }

    const fn theirs(body: B, permit: Option<Permit>) -> Self {
        Self { body: Whose::Theirs { body }, permit }
    }
}

impl<B: Body<Data = Bytes, Error = Infallible>> Body for FrontBody<B> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.project().body.project() {
            WhoseProj::Own { bytes } if bytes.is_empty() => Poll::Ready(None),
            WhoseProj::Own { bytes } => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            WhoseProj::Theirs { body } => body.poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            Whose::Own { bytes } => bytes.is_empty(),
            Whose::Theirs { body } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Whose::Own { bytes } => SizeHint::with_exact(bytes.len() as u64),
            Whose::Theirs { body } => body.size_hint(),
        }
    }
}
