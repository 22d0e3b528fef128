//! Every number that bounds a session, in one place.

use std::time::Duration;

/// The limits of a session.
///
/// Each has a default that suits a desktop application and a small server alike; all can be set. Sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest frame on a byte stream. Default 16 MiB. A longer one is discarded while its id is looked for.
    pub frame: usize,
    /// The longest body of an HTTP request. Default 4 MiB.
    pub http_body: usize,
    /// The longest event of an event stream. Default 16 MiB.
    pub sse_event: usize,
    /// The longest body of an HTTP response that a client reads. Default 64 MiB.
    pub client_response_body: usize,
    /// Bytes that running and queued requests of one connection may hold. Default 32 MiB.
    pub held: usize,
    /// JSON nesting. Default 128.
    pub depth: usize,
    /// The longest id. Default 256.
    pub id: usize,
    /// The longest method name. Default 256.
    pub method: usize,
    /// Requests in flight on one connection. Default 1 024.
    pub in_flight: usize,
    /// Requests that wait for one in flight to end. Default 1 024.
    pub queue: usize,
    /// Pending calls of our side. Default 65 536.
    pub calls: usize,
    /// Unwritten answers before reading stops. Default 1 MiB.
    pub unwritten_answers: usize,
    /// Unwritten bytes before a notification waits for room. Default 1 MiB.
    pub unwritten_notes: usize,
    /// Notifications that wait for their callback. Default 1 024; beyond it the oldest is dropped.
    pub inbox: usize,
    /// How long a drain may take, the flush included. Default 30 s; `None` for as long as it takes.
    pub drain: Option<Duration>,
    /// How long nothing may be written while something waits to be. Default 30 s; `None` for ever.
    pub write_stall: Option<Duration>,
    /// How long a connect may take. Default 30 s.
    pub connect: Duration,
    /// How long the probe for the era may take. Default 5 s.
    pub era_probe: Duration,
    /// How long answers are awaited after writing failed. Default 2 s.
    pub await_answers: Duration,
    /// How long a descendant of a child may hold the pipe without a byte. Default 500 ms.
    pub descendant: Duration,
    /// How long a lost stream with a store may be away before the calls on it fail. Default 30 s.
    pub detached: Duration,
    /// How long end of input is held back for the exit status of a child. Default 50 ms.
    pub exit_status: Duration,
    /// How long handlers that were told to stop are waited for at the end. Default 1 s.
    pub abort: Duration,
    /// Frames that are handled before what was produced is written and others may run. Default 32.
    pub frames_per_turn: usize,
    /// A first poll of a handler that takes longer marks its tool as slow. Default 200 µs.
    pub slow_poll: Duration,
    /// Threads for the blocking handlers of one server. Default 16; more calls wait for one of them.
    pub blocking_threads: usize,
    /// How long a call may be silent; progress restarts it. Default 60 s; `None` for ever.
    pub call_idle: Option<Duration>,
    /// How long a call may take altogether. Default 10 min; `None` for ever.
    pub call_total: Option<Duration>,
    /// How long a child may take to exit once its input is closed. Default 2 s.
    pub child_exit: Duration,
    /// How long a child may take to exit after SIGTERM. Default 2 s.
    pub child_term: Duration,
    /// How long a legacy HTTP session may be idle. Default 30 min.
    pub session_idle: Duration,
    /// Legacy HTTP sessions of one server. Default 10 000.
    pub sessions: usize,
    /// Events that are kept of one stream. Default 1 000.
    pub stored_events: usize,
    /// Bytes that are kept for one session. Default 1 MiB.
    pub stored_bytes: usize,
    /// Subscriptions to resources on one connection: those of the session of a handshake and those of its listens
    /// together. Default 1 024; more are refused. How long their URIs are is bounded by [`frame`](Self::frame).
    pub subscriptions: usize,
    /// Listens of one server. Default 10 000.
    pub listens: usize,
    /// Listens of one principal. Default 64.
    pub listens_per_principal: usize,
    /// Rounds of input that one call may ask for. Default 10.
    pub input_rounds: usize,
    /// The longest sealed state. Default 8 KiB.
    pub sealed_state: usize,
    /// How long the state of an input round can be used, kept here or sealed: people take their time, but not for ever.
    /// Default 10 min.
    pub input_state_age: Duration,
    /// The longest state of an input round that is kept here, in JSON. Default 64 KiB.
    pub input_state: usize,
    /// States of input rounds that one session keeps here. Default 1 024; beyond it the oldest is given up.
    pub input_states: usize,
    /// Bytes of JSON that they hold together. Default 16 MiB; beyond it the oldest is given up.
    pub input_states_held: usize,
    /// What buffers shrink to after a large message. Default 64 KiB.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: usize = 1 << 10;
        const MIB: usize = 1 << 20;
        Self {
            frame: 16 * MIB,
            http_body: 4 * MIB,
            sse_event: 16 * MIB,
            client_response_body: 64 * MIB,
            held: 32 * MIB,
            depth: 128,
            id: 256,
            method: 256,
            in_flight: 1024,
            queue: 1024,
            calls: 65_536,
            unwritten_answers: MIB,
            unwritten_notes: MIB,
            inbox: 1024,
            drain: Some(Duration::from_secs(30)),
            write_stall: Some(Duration::from_secs(30)),
            connect: Duration::from_secs(30),
            era_probe: Duration::from_secs(5),
            await_answers: Duration::from_secs(2),
            descendant: Duration::from_millis(500),
            detached: Duration::from_secs(30),
            exit_status: Duration::from_millis(50),
            abort: Duration::from_secs(1),
            frames_per_turn: 32,
            slow_poll: Duration::from_micros(200),
            blocking_threads: 16,
            call_idle: Some(Duration::from_secs(60)),
            call_total: Some(Duration::from_secs(600)),
            child_exit: Duration::from_secs(2),
            child_term: Duration::from_secs(2),
            session_idle: Duration::from_secs(30 * 60),
            sessions: 10_000,
            stored_events: 1000,
            stored_bytes: MIB,
            subscriptions: 1024,
            listens: 10_000,
            listens_per_principal: 64,
            input_rounds: 10,
            sealed_state: 8 * KIB,
            input_state_age: Duration::from_secs(600),
            input_state: 64 * KIB,
            input_states: 1024,
            input_states_held: 16 * MIB,
            buffer: 64 * KIB,
        }
    }
}
