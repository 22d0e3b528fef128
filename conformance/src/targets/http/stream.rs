//! What all exchanges of a client share, and the streams that belong to no request.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, oneshot};

use crate::{
    golden,
    http::{Dialect, Event, Request, Speech, Wire},
    target::Received,
};

/// What all exchanges of one client share.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) speech: Speech,
    /// Whether what a good server would do otherwise counts as wrong, too.
    pub(super) strict: bool,
    /// To the script, which takes one thing at a time: what it does not ask for is not read.
    heard: mpsc::Sender<Received>,
    taken: AtomicU64,
    /// For messages that are not answered: what waits for a server to accept its connection fills a queue of the
    /// system, and beyond that a connection is only tried again after a second, and then after more.
    doors: Semaphore,
    state: Mutex<State>,
}

/// How many messages that are not answered are on their way at once.
const DOORS: usize = 128;

#[derive(Debug, Default)]
struct State {
    /// Requests that were cancelled, by their ids.
    cancelled: HashSet<String>,
    /// Requests whose answers come on the one stream there is.
    awaited: HashMap<String, oneshot::Sender<()>>,
}

impl Client {
    pub(super) fn new(speech: Speech, strict: bool) -> (Arc<Self>, mpsc::Receiver<Received>) {
        let (heard, hears) = mpsc::channel(1);
        let client = Self {
            speech,
            strict,
            heard,
            taken: AtomicU64::new(0),
            doors: Semaphore::new(DOORS),
            state: Mutex::default(),
        };
        (Arc::new(client), hears)
    }

    /// Waits until another message that is not answered may be sent.
    pub(super) async fn door(&self) -> Option<SemaphorePermit<'_>> {
        self.doors.acquire().await.ok()
    }

    pub(super) async fn hear(&self, what: Received) {
        // A script that hears no more has ended.
        drop(self.heard.send(what).await);
    }

    pub(super) async fn note(&self, what: String) {
        self.hear(Received::Event(what)).await;
    }

    /// Hands over a frame, and lets whoever waits for it know.
    pub(super) async fn frame(&self, text: String) {
        let frame: Value = serde_json::from_str(&text).unwrap_or_default();
        // Where all answers come on one stream, this is the one to `initialize`.
        if let (Dialect::Sse, Some(version)) = (self.speech.dialect(), frame["result"]["protocolVersion"].as_str()) {
            self.speech.agreed(version);
        }
        let ids = answered(&frame);
        self.hear(Received::Line(text)).await;
        for id in ids {
            if let Some(waiting) = self.state().awaited.remove(&id) {
                // Whoever waited may have been cancelled.
                waiting.send(()).ok();
            }
        }
    }

    pub(super) fn took(&self, bytes: usize) {
        self.taken.fetch_add(bytes as u64, Ordering::AcqRel);
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Acquire)
    }

    pub(super) fn cancelled(&self, id: &Value) {
        let mut state = self.state();
        state.cancelled.insert(id.to_string());
        state.awaited.remove(&id.to_string());
    }

    pub(super) fn is_cancelled(&self, ids: &[Value]) -> bool {
        let state = self.state();
        ids.iter().all(|id| state.cancelled.contains(&id.to_string()))
    }

    /// Becomes ready when a frame answers this request, or when it is cancelled.
    pub(super) fn awaits(&self, id: &Value) -> oneshot::Receiver<()> {
        let (done, waiting) = oneshot::channel();
        self.state().awaited.insert(id.to_string(), done);
        waiting
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ids that a frame, or a batch of them, answers.
fn answered(frame: &Value) -> Vec<String> {
    let answers = |frame: &Value| golden::is_answer_to(frame, &frame["id"]).then(|| frame["id"].to_string());
    match frame.as_array() {
        Some(frames) => frames.iter().filter_map(answers).collect(),
        None => answers(frame).into_iter().collect(),
    }
}

/// Opens a stream that belongs to no request. `None` when the server offers none.
pub(super) async fn open(client: &Client, request: &Request) -> Result<Option<Wire>, String> {
    let mut wire = Wire::open(client.speech.site()).await.map_err(|error| error.to_string())?;
    wire.send(request).await.map_err(|error| error.to_string())?;
    let head = wire.head().await.map_err(|error| error.to_string())?;
    let is_stream = head.status == 200 && head.is_events();
    Ok(is_stream.then(|| wire.with_patience(FOR_EVER)))
}

/// Hands over what comes on such a stream, until it ends.
pub(super) async fn listen(client: Arc<Client>, mut wire: Wire) {
    while let Ok(Some(event)) = wire.event().await {
        if let Some(text) = message(event) {
            client.frame(text).await;
        }
    }
    client.note("the stream of the session has ended".to_owned()).await;
}

/// The message of an event. Others prime a stream, or are of no known kind.
pub(super) fn message(event: Event) -> Option<String> {
    (event.kind == "message" && !event.data.is_empty()).then_some(event.data)
}

/// How long a stream may be silent: the script knows how long it waits.
pub(super) const FOR_EVER: Duration = Duration::from_secs(3_600);
