//! What those are told for whom there is no place.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use tower_service::Service;

use crate::http::answer::Refusal;
use crate::http::front::FrontBody;

/// Answers everything by 503, and asks to come again after this time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedAway(pub(super) Duration);

impl<B> Service<Request<B>> for TurnedAway {
    type Response = Response<FrontBody<String>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let refusal = Refusal::overloaded("Too many connections are open", self.0).closing();
        ready(Ok(refusal.into_response(request.version()).map(FrontBody::own)))
    }
}
