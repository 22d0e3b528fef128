//! A response to come.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Response;
use http::request::Parts;
use mcp_session::ReplyStream;

use crate::http::answer::Refusal;
use crate::http::answering::Answering;
use crate::http::http_body::HttpBody;
use crate::http::said::Ahead;
use crate::http::single::Single;

/// A response to come. Dropping it means that the client is gone.
pub(crate) struct Reply(Form);

#[expect(clippy::large_enum_variant, reason = "most of them are exchanges that stand alone, which are the large ones")]
enum Form {
    Ready(Option<Response<HttpBody>>),
    Alone(Answering<Single>),
    InSession(Answering<Ahead<ReplyStream>>),
    Later(Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>),
}

impl Reply {
    pub(crate) const fn ready(response: Response<HttpBody>) -> Self {
        Self(Form::Ready(Some(response)))
    }

    pub(crate) fn refused(refusal: Refusal, head: &Parts) -> Self {
        tracing::debug!(status = refusal.status().as_u16(), error = %refusal.error(), "refused a request");
        let refusal = refusal.in_version(crate::http::judge::version_of(&head.headers));
        Self::ready(refusal.into_response(head.version).map(HttpBody::whole))
    }

    pub(super) const fn alone(answering: Answering<Single>) -> Self {
        Self(Form::Alone(answering))
    }

    pub(super) const fn in_session(answering: Answering<Ahead<ReplyStream>>) -> Self {
        Self(Form::InSession(answering))
    }

    pub(super) fn later(response: impl Future<Output = Response<HttpBody>> + Send + 'static) -> Self {
        Self(Form::Later(Box::pin(response)))
    }
}

impl Future for Reply {
    type Output = Response<HttpBody>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response<HttpBody>> {
        match &mut self.0 {
            Form::Ready(response) => Poll::Ready(response.take().expect("a future is not polled after it was ready")),
            Form::Alone(answering) => answering.poll_response(cx),
            Form::InSession(answering) => answering.poll_response(cx),
            Form::Later(response) => response.as_mut().poll(cx),
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Form::Ready(_) => "Ready",
            Form::Alone(_) => "Alone",
            Form::InSession(_) => "InSession",
            Form::Later(_) => "Later",
        })
    }
}
