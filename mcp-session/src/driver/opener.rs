//! Opens the exchanges and the sessions of a server whose messages come one by one, each with a way back of its own.

use std::sync::Arc;

use mcp_types::jsonrpc::{Batch, Message};
use mcp_types::version::Version;

use super::log::Log;
use super::serving::{Rules, Serving};
use super::session::{SessionRun, StreamSession};
use super::single::SingleExchange;
use crate::clock::{Clock, TokioClock};
use crate::core::{Current, Reader, Shared};
use crate::engine::{Config, Engine, ExchangeId, ExchangeKind, Input, Principal};
use crate::service::Service;
use crate::tasks::InPlace;

/// What the exchanges and the sessions of a server have in common. Cloning is cheap.
///
/// Over HTTP a message comes with a way back of its own. A request that stands alone is a
/// [`SingleExchange`]; those of a session of a handshake share a [`StreamSession`].
///
/// ```
/// use std::sync::Arc;
///
/// use mcp_session::engine::{Config, Role};
/// use mcp_session::{Answering, Body, Context, Opener, Opening, Service};
/// use mcp_types::jsonrpc::{Request, ScanLimits, Scanned, scan};
///
/// /// Answers everything by an empty result.
/// struct Yes;
///
/// impl Service for Yes {
///     fn serve(&self, _request: &Request<'_>, _context: Context) -> Answering {
///         Answering::Ready(Ok(Body::from_json(b"{}".to_vec())))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let opener = Opener::new(Config::new(Role::Server));
/// let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
/// let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{{meta}}}}}}}"#);
/// let Ok(Scanned::Message(message)) = scan(frame.as_bytes(), &ScanLimits::default()) else { return };
///
/// let mut exchange = opener.single(Arc::new(Yes), Opening::default(), &message, frame.as_bytes());
/// let said = exchange.said().await.expect("a request is answered");
/// assert_eq!(said.json, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// assert!(exchange.said().await.is_none());
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Opener {
    shared: Arc<Common>,
}

#[derive(Debug)]
struct Common {
    config: Arc<Config>,
    clock: Arc<dyn Clock>,
    server_info: Option<Arc<[u8]>>,
    rules: Rules,
}

/// How a single exchange is opened.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Opening {
    /// The revision of a handshake that is not part of it, for a legacy request that stands alone.
    pub established: Option<Version>,
    /// Who asks.
    pub principal: Principal,
    /// Whether its answer is all that it can carry: notifications are dropped.
    pub quiet: bool,
}

impl Opener {
    /// Exchanges and sessions of this configuration, on tokio's clock.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let rules = Rules::of(&config.limits);
        let common = Common { config: Arc::new(config), clock: Arc::new(TokioClock::new()), server_info: None, rules };
        Self { shared: Arc::new(common) }
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        self.with(|common| common.clock = clock)
    }

    /// What modern results that a session itself writes say of this side: a member of `_meta`, as `"key":value` in
    /// JSON.
    #[must_use]
    pub fn with_server_info(self, member: impl Into<Arc<[u8]>>) -> Self {
        self.with(|common| common.server_info = Some(member.into()))
    }

    fn with(self, set: impl FnOnce(&mut Common)) -> Self {
        let Common { config, clock, server_info, rules } = &*self.shared;
        let mut common = Common {
            config: Arc::clone(config),
            clock: Arc::clone(clock),
            server_info: server_info.clone(),
            rules: *rules,
        };
        set(&mut common);
        Self { shared: Arc::new(common) }
    }

    /// Opens an exchange for one message that stands alone, and hands the message over. `frame` is the same message as
    /// it came.
    ///
    /// Its handler is polled by [`SingleExchange::poll_next`] and by nothing else.
    pub fn single<S: Service>(
        &self,
        service: Arc<S>,
        opening: Opening,
        message: &Message<'_>,
        frame: &[u8],
    ) -> SingleExchange<S> {
        let (mut serving, single, reader) = self.opens(service, opening);
        serving.message(single, message, frame);
        serving.feed(Input::ReadEnded(single));
        SingleExchange::new(serving, single, reader)
    }

    /// The same for a batch, of the revision that has them, which is the one of [`Opening::established`]. Its answers are
    /// one array, which is not said when there are none.
    pub fn single_batch<S: Service>(&self, service: Arc<S>, opening: Opening, batch: &Batch<'_>) -> SingleExchange<S> {
        let (mut serving, single, reader) = self.opens(service, opening);
        serving.batch(single, batch);
        serving.feed(Input::ReadEnded(single));
        SingleExchange::new(serving, single, reader)
    }

    fn opens<S: Service>(&self, service: Arc<S>, opening: Opening) -> (Serving<S, InPlace>, ExchangeId, Reader) {
        let mut serving = Serving::new(self.core(), service, InPlace::default(), self.shared.rules);
        let now = serving.now();
        let (single, reader) = serving.drive(|core| {
            let single = core.next_exchange();
            core.engine.handle(now, Input::Opened(single, ExchangeKind::Single, opening.principal));
            core.pump(now, &Current::Nothing);
            if let Some(version) = opening.established {
                core.engine.established(version);
            }
            if opening.quiet {
                core.engine.quiet(single);
            }
            (single, core.outboxes.open(single, false))
        });
        (serving, single, reader)
    }

    /// Opens a session that many messages come to. The run has to be polled, as a task of its own, for time to pass in
    /// the session.
    /// With a log its streams can be resumed. It ends when it has been idle for [`Config::expires`].
    pub fn session<S: Service>(&self, service: Arc<S>, log: Option<Arc<dyn Log>>) -> (StreamSession<S>, SessionRun<S>) {
        StreamSession::open(self.core(), service, log)
    }

    fn core(&self) -> Arc<Shared> {
        let Common { config, clock, .. } = &*self.shared;
        let shared = Shared::new(Engine::new(Arc::clone(config)), Arc::clone(clock));
        if let Some(info) = &self.shared.server_info {
            shared.look(|core| core.set_server_info(Some(Arc::clone(info))));
        }
        Arc::new(shared)
    }
}
