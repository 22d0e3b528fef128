//! One message and its answer, as a session of their own.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Cx, Poll, ready};

use super::alarm::Alarm;
use super::serving::Serving;
use crate::core::{Current, Found, Reader};
use crate::engine::{By, Close, ExchangeId, Input, Report};
use crate::peer::Link;
use crate::said::{Said, What};
use crate::service::Service;
use crate::tasks::InPlace;

/// One message that stands alone, and what is said about it: the notifications of its handler in order, and then the
/// one answer.
///
/// No task and no channel is behind it: the handler is polled when this is, by whoever writes the response.
///
/// # Cancel safety
///
/// Dropping it means that the client is gone: the handler is dropped at once, and nothing is written any more.
pub struct SingleExchange<S> {
    serving: Serving<S, InPlace>,
    exchange: ExchangeId,
    reader: Reader,
    alarm: Alarm,
    report: Option<Arc<Report>>,
}

impl<S: Service> SingleExchange<S> {
    pub(super) fn new(serving: Serving<S, InPlace>, exchange: ExchangeId, reader: Reader) -> Self {
        Self { serving, exchange, reader, alarm: Alarm::default(), report: None }
    }

    /// What is said next. `None` when all is said: at once, if nothing is to be said of the message.
    pub fn poll_next(&mut self, cx: &mut Cx<'_>) -> Poll<Option<Said>> {
        loop {
            if self.report.is_some() {
                return Poll::Ready(None);
            }
            self.serving.start_queued();
            // What the handler does is seen when it has been polled: nobody has to be woken for it.
            self.serving.rest.poll(&self.serving.shared, cx);
            let (exchange, reader, now) = (self.exchange, self.reader, self.serving.now());
            let (found, report) = self.serving.drive(|core| {
                let found = core.read(exchange, reader, cx);
                // The answer is the last that is said: all ends with it at once, as a rule.
                if matches!(&found, Poll::Ready(Found::Said(said)) if matches!(said.what, What::Answer(_)))
                    && core.outboxes.take_done(exchange)
                {
                    core.feed(now, Input::ExchangeClosed(exchange), &Current::Nothing);
                    return (found, core.finished.map(|_| core.make_report(now.since_start())));
                }
                core.driven_by(cx.waker());
                (found, None)
            });
            self.report = report;
            match found {
                Poll::Ready(Found::Said(said)) => return Poll::Ready(Some(said)),
                Poll::Ready(Found::Closed) => {
                    self.serving.refresh();
                    self.serving.feed(Input::ExchangeClosed(exchange));
                    self.end();
                    return Poll::Ready(None);
                }
                Poll::Ready(Found::Lost | Found::Leave) | Poll::Pending => {}
            }
            if self.serving.agenda.finished.is_some() {
                self.end();
            } else if !self.serving.agenda.has_starts {
                ready!(self.wait(cx));
            }
        }
    }

    /// Sleeps until the engine's deadline.
    fn wait(&mut self, cx: &mut Cx<'_>) -> Poll<()> {
        let Some(deadline) = self.serving.agenda.deadline else { return Poll::Pending };
        if !self.alarm.is_set_by(deadline) {
            let now = self.serving.refresh();
            self.alarm.set(now, deadline);
        }
        ready!(self.alarm.poll(cx));
        self.serving.refresh();
        self.serving.feed(Input::Timeout);
        Poll::Ready(())
    }

    /// Whether it is a `subscriptions/listen` that is open.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.serving.shared.look(|core| core.engine.listens() > 0)
    }

    /// A future of what is said next, for one that is not polled by hand.
    pub fn said(&mut self) -> impl Future<Output = Option<Said>> + Send + '_ {
        Next(self)
    }
}

impl<S> SingleExchange<S> {
    /// A link to it, to end it from elsewhere and to tell it of changes.
    #[must_use]
    pub fn link(&self) -> Link {
        Link::new(&self.serving.shared)
    }

    /// Ends it from here, as [`Link::end`] does.
    pub fn close(&mut self, how: Close, by: By) {
        let now = self.serving.refresh();
        self.serving.drive(|core| {
            core.engine.close(now, how, by);
            core.pump(now, &Current::Nothing);
        });
    }

    /// What became of it, once all is said.
    #[must_use]
    pub const fn report(&self) -> Option<&Arc<Report>> {
        self.report.as_ref()
    }

    /// Ends it, if it has not ended: the client is gone. Gives the report in either case.
    pub fn abandon(&mut self) -> Arc<Report> {
        if let Some(report) = &self.report {
            return Arc::clone(report);
        }
        self.serving.refresh();
        self.serving.feed(Input::PeerGone(Some(self.exchange)));
        self.serving.rest.end(&self.serving.shared);
        self.end()
    }

    fn end(&mut self) -> Arc<Report> {
        self.serving.rest.end(&self.serving.shared);
        let elapsed = self.serving.refresh().since_start();
        let report = self.serving.drive(|core| core.make_report(elapsed));
        self.report = Some(Arc::clone(&report));
        report
    }
}

impl<S> Drop for SingleExchange<S> {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl<S> Unpin for SingleExchange<S> {}

impl<S> std::fmt::Debug for SingleExchange<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SingleExchange").field("report", &self.report).finish_non_exhaustive()
    }
}

struct Next<'a, S>(&'a mut SingleExchange<S>);

impl<S: Service> Future for Next<'_, S> {
    type Output = Option<Said>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Option<Said>> {
        self.0.poll_next(cx)
    }
}
