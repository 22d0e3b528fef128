//! A session of a script, as a client over HTTP has it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::{
    sync::{mpsc, oneshot},
    task::{AbortHandle, JoinSet},
    time::{Instant, timeout},
};

use super::{
    exchange::Exchange,
    stream::{self, Client, FOR_EVER},
};
use crate::{
    http::{Dialect, Kind, Outline, Speech, Wire},
    target::{Connection, Ending, Exit, NotApplicable, OpenError, Received, Signal},
};

pub(super) struct HttpConnection {
    client: Arc<Client>,
    hears: mpsc::Receiver<Received>,
    /// The requests under way, whose answers are waited for at the end.
    exchanges: JoinSet<()>,
    /// The streams that last as long as the session.
    streams: JoinSet<()>,
    /// What closes the stream of a request, by its id.
    closers: HashMap<String, AbortHandle>,
    /// Whether no stream is opened beside the requests.
    quiet: bool,
    /// Bytes of a message that is not over.
    partial: Vec<u8>,
    process: Option<Box<dyn Connection>>,
    opened: Instant,
    closed: Option<Instant>,
    /// Whether the session was left.
    left: bool,
}

impl HttpConnection {
    pub(super) async fn open(
        speech: Speech,
        strict: bool,
        quiet: bool,
        process: Option<Box<dyn Connection>>,
    ) -> Result<Self, OpenError> {
        let (client, hears) = Client::new(speech, strict);
        let mut connection = Self {
            client,
            hears,
            exchanges: JoinSet::new(),
            streams: JoinSet::new(),
            closers: HashMap::new(),
            quiet,
            partial: Vec::new(),
            process,
            opened: Instant::now(),
            closed: None,
            left: false,
        };
        if connection.dialect() == Dialect::Sse {
            let site = connection.client.speech.site().to_string();
            connection.open_the_one_stream().await.map_err(|why| OpenError::Unreachable { site, why })?;
        }
        Ok(connection)
    }

    fn dialect(&self) -> Dialect {
        self.client.speech.dialect()
    }

    /// Opens the stream of 2024-11-05, whose first event says where messages are posted.
    async fn open_the_one_stream(&mut self) -> Result<(), String> {
        let speech = &self.client.speech;
        let stream = stream::open(&self.client, &speech.get()).await?;
        let mut wire = stream.ok_or("the server opens no stream")?.with_patience(RECEIVED);
        let first = wire.event().await.map_err(|error| error.to_string())?.ok_or("the stream is empty")?;
        if first.kind != "endpoint" {
            return Err(format!("the first event is {first:?} instead of the endpoint"));
        }
        speech.post_to(speech.site().resolve(&first.data)?);
        self.streams.spawn(stream::listen(Arc::clone(&self.client), wire.with_patience(FOR_EVER)));
        Ok(())
    }

    /// Opens the stream for what belongs to no request, if the server has one.
    async fn open_stream(&mut self) {
        // It is the server's choice whether it has one.
        if let Ok(Some(wire)) = stream::open(&self.client, &self.client.speech.get()).await {
            self.streams.spawn(stream::listen(Arc::clone(&self.client), wire));
        }
    }

    /// Sends a message, and gives what tells that it was received.
    fn post(&mut self, body: &[u8]) -> (Outline, oneshot::Receiver<()>) {
        let outline = Outline::of(body);
        let (begun, received) = oneshot::channel();
        let client = Arc::clone(&self.client);
        if let Some(id) = outline.cancels.as_ref() {
            client.cancelled(id);
            if self.dialect().is_modern()
                && let Some(closer) = self.closers.remove(&id.to_string())
            {
                closer.abort();
                client.took(body.len() + 1);
                return (outline, received);
            }
        }
        let request = client.speech.post(body);
        let exchange = Exchange { client, outline: outline.clone(), request, begun: Some(begun), is_answered: false };
        // A stream of changes has no end that could be waited for.
        let lasts = outline.method.as_deref() == Some("subscriptions/listen");
        let set = if lasts { &mut self.streams } else { &mut self.exchanges };
        let closer = set.spawn(exchange.run());
        if let (Kind::Request, Some(id)) = (outline.kind, outline.ids.first()) {
            self.closers.insert(id.to_string(), closer);
        }
        (outline, received)
    }

    /// Waits until a message was received, as far as that can be seen: what a script sends next comes behind it.
    async fn settled(&mut self, outline: &Outline, received: oneshot::Receiver<()>) {
        let opens = outline.method.as_deref() == Some("initialize");
        let patience = if opens { RECEIVED } else { IN_ORDER };
        drop(timeout(patience, received).await);
        let is_ready = outline.method.as_deref() == Some("notifications/initialized");
        if is_ready && !self.quiet && self.dialect() == Dialect::Session && self.client.speech.session().is_some() {
            self.open_stream().await;
        }
    }

    async fn send(&mut self, body: &[u8]) {
        let (outline, received) = self.post(body);
        self.settled(&outline, received).await;
    }

    /// Ends the session, once nothing is under way any more.
    async fn leave(&mut self) {
        self.left = true;
        let speech = &self.client.speech;
        if self.dialect() == Dialect::Session && speech.session().is_some() {
            let delete = async {
                let mut wire = Wire::open(speech.site()).await?;
                wire.send(&speech.delete()).await?;
                wire.answer().await
            };
            // It is the server's choice whether it lets a client do this.
            drop(timeout(RECEIVED, delete).await);
        } else {
            self.streams.abort_all();
        }
    }
}

/// Waits for what comes next once the script has ended the peer's input.
async fn next_step(leaving: Leaving, exchanges: &mut JoinSet<()>, streams: &mut JoinSet<()>) -> Step {
    match leaving {
        Leaving::NotYet => std::future::pending().await,
        Leaving::Waits => {
            while exchanges.join_next().await.is_some() {}
            Step::Leave
        }
        Leaving::HasLeft => {
            let ended = async { while streams.join_next().await.is_some() {} };
            drop(timeout(LAST_WORDS, ended).await);
            Step::End
        }
    }
}

/// How far the client is in ending its session.
#[derive(Clone, Copy)]
enum Leaving {
    NotYet,
    Waits,
    HasLeft,
}

/// What comes next at the end.
enum Step {
    Leave,
    End,
}

#[async_trait]
impl Connection for HttpConnection {
    async fn send_line(&mut self, line: &str) {
        self.send(line.as_bytes()).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.partial.extend_from_slice(bytes);
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else { return };
        let rest = self.partial.split_off(end + 1);
        let lines = std::mem::replace(&mut self.partial, rest);
        let lines: Vec<&[u8]> = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
        if self.dialect() == Dialect::Sse {
            // Each is accepted at once, so that they can be sent in order.
            for line in lines {
                self.send(line).await;
            }
            return;
        }
        // All at once: they are requests of their own, and nothing orders them.
        let posted: Vec<_> = lines.into_iter().map(|line| self.post(line)).collect();
        for (outline, received) in posted {
            self.settled(&outline, received).await;
        }
    }

    async fn recv(&mut self, patience: Duration) -> Received {
        let deadline = Instant::now() + patience;
        loop {
            let leaving = match (self.closed, self.left) {
                (None, _) => Leaving::NotYet,
                (Some(_), false) => Leaving::Waits,
                (Some(_), true) => Leaving::HasLeft,
            };
            let Self { hears, exchanges, streams, .. } = self;
            let step = tokio::select! {
                // What was said before the end comes before it.
                biased;
                heard = hears.recv() => return heard.unwrap_or(Received::Ended),
                step = next_step(leaving, exchanges, streams) => step,
                () = tokio::time::sleep_until(deadline) => return Received::TimedOut,
            };
            match step {
                Step::Leave => self.leave().await,
                Step::End => return self.hears.try_recv().unwrap_or(Received::Ended),
            }
        }
    }

    async fn close_write(&mut self) {
        self.closed.get_or_insert_with(Instant::now);
    }

    async fn close_read(&mut self) {
        self.exchanges.abort_all();
        self.streams.abort_all();
    }

    async fn signal(&mut self, signal: Signal) -> Result<(), NotApplicable> {
        match &mut self.process {
            Some(process) => process.signal(signal).await,
            None => Err(NotApplicable("the server's process was not started here".to_owned())),
        }
    }

    fn speech(&self) -> Option<&Speech> {
        Some(&self.client.speech)
    }

    fn process(&self) -> Option<u32> {
        self.process.as_ref()?.process()
    }

    async fn wait_end(&mut self, patience: Duration) -> bool {
        match &mut self.process {
            Some(process) => process.wait_end(patience).await,
            None => false,
        }
    }

    fn taken(&self) -> u64 {
        self.client.taken()
    }

    async fn finish(mut self: Box<Self>) -> Ending {
        if !self.left {
            self.exchanges.abort_all();
            self.leave().await;
        }
        self.exchanges.shutdown().await;
        self.streams.shutdown().await;
        match self.process.take() {
            Some(process) => process.finish().await,
            None => {
                let report = Err(NotApplicable("this program writes no report of its run".to_owned()));
                let mut ending = Ending::new(Exit::Unseen, report);
                ending.elapsed = self.opened.elapsed();
                ending.after_close = self.closed.map(|closed| closed.elapsed());
                ending
            }
        }
    }
}

/// How long the next message waits for a sign that the server has received the one before. There is none while a
/// request is served whose answer is to be JSON.
const IN_ORDER: Duration = Duration::from_millis(30);
/// How long a server may take for what it answers at once.
const RECEIVED: Duration = Duration::from_secs(2);
/// How long streams may go on once their session was ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
