//! Serving to the end.

use mcp_session::transport::Transport;

use crate::{Report, ServeError, Server};

impl Server {
    /// Serves one session over a transport, to its end.
    ///
    /// # Errors
    ///
    /// - [`ServeError::MissingState`]: a handler takes a state that the server was not given. Nothing was served.
    /// - [`ServeError::Run`]: writing failed for a reason of this side. A client that goes away is no error; the report
    ///   says how the session ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session at once: what is served is cancelled and nothing is written any more.
    pub fn serve<T: Transport>(
        &self,
        transport: T,
    ) -> impl Future<Output = Result<Report, ServeError>> + Send + use<T> {
        let run = self.check().map(|()| self.open(transport).1);
        async move { Ok(run?.await?) }
    }
}

#[cfg(unix)]
mod stdio {
    use mcp_session::Companion;
    use mcp_session::engine::{By, Close};
    use mcp_session::transports::stdio::{Parent, Stdio};

    use crate::signals::{Signals, tell_of_losses};
    use crate::{Report, ServeError, Server};

    impl Server {
        /// Serves the one session of a program that a client has started: over standard input and output, until the
        /// client closes them or the program is told to end.
        ///
        /// Standard input and output are taken for the wire: reading the one gives the end of input from then on, and
        /// what is printed to the other goes to standard error. The first SIGTERM or SIGINT lets requests in flight
        /// run to their end, a second one cuts them off; what was cut off is named in one line on standard error.
        ///
        /// ```no_run
        /// use mcp_server::{Report, ServeError, Server};
        ///
        /// #[tokio::main(flavor = "current_thread")]
        /// async fn main() -> Result<Report, ServeError> {
        ///     Server::new("greeter", "1.0.0").tool("greet", "Greets.", async || "hello").serve_stdio().await
        /// }
        /// ```
        ///
        /// # Errors
        ///
        /// - [`ServeError::Io`]: standard input and output could not be taken, for instance a second time, or signals
        ///   could not be awaited. Nothing was served.
        /// - [`ServeError::MissingState`]: a handler takes a state that the server was not given. Nothing was served.
        /// - [`ServeError::Run`]: writing failed for a reason of this side, such as a full disk.
        ///
        /// # Panics
        ///
        /// In a tokio runtime that was built without I/O.
        pub async fn serve_stdio(&self) -> Result<Report, ServeError> {
            self.check()?;
            let parent = if self.watches_parent() { Parent::watch()? } else { None };
            let mut signs = Signs { signals: Signals::new()?, parent };
            let stdio = Stdio::take()?.with_max_frame(self.max_frame());
            let (handle, run) = self.open(stdio);
            let listener = Companion::spawn(async move {
                loop {
                    // What either means at this point is for the session to say, and so is when it is over.
                    match signs.next().await {
                        Sign::Signal(number) => drop(handle.end(Close::Drain { within: None }, By::Signal(number))),
                        Sign::Orphaned => handle.input_ended(),
                    }
                }
            });
            let outcome = run.await;
            drop(listener);
            let report = outcome.as_ref().unwrap_or_else(|error| &error.report);
            tell_of_losses(&report.tally.cut_off);
            Ok(outcome?)
        }
    }

    /// Something outside the session that it has to be told of.
    enum Sign {
        /// A signal of this number.
        Signal(i32),
        /// The process that started this one has ended.
        Orphaned,
    }

    struct Signs {
        signals: Signals,
        parent: Option<Parent>,
    }

    impl Signs {
        /// Waits for what comes next. The end of the parent comes once.
        async fn next(&mut self) -> Sign {
            let orphaned = async {
                match &self.parent {
                    Some(parent) => parent.ended().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = orphaned => {
                    self.parent = None;
                    Sign::Orphaned
                }
                signal = self.signals.next() => Sign::Signal(signal),
            }
        }
    }
}
