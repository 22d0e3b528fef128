//! Takes the figures of the targets over HTTP.

use std::process::Command;

use anyhow::{Context as _, Result};

use super::targets::{HttpTarget, Who};
use crate::counting::HELD;
use crate::drive::http::{HttpServer, cold_start};
use crate::drive::{Era, Request};
use crate::figures::{
    COLD_STARTS, Contender, ECHO, Mark, SEQUENTIAL, Samples, WARM, Watched, calls_of_a_round, median, per_second,
};
use crate::history::Counted;

/// Counts what a call of a target costs, over one connection that is kept, and what is held where nothing happens.
///
/// # Errors
///
/// When the target fails. System calls are left out where `strace` is not here.
pub fn counted(target: &HttpTarget, calls: usize) -> Result<Counted> {
    let echo = Request::echo(target.era, ECHO);
    let (program, args) = (&target.program, target.args);
    let about = |what: &'static str| move || format!("{what} of {}", target.name);
    let sequential =
        |command: Command, calls: usize| drive(command, target.era, |server| server.call(&echo, calls).map(drop));
    let parallel = |command: Command, calls: usize| {
        drive(command, target.era, |server| server.call_in_parallel(&echo, calls, CONNECTIONS).map(drop))
    };
    let mut counted = Watched { name: target.name, program, args }.counted(calls, sequential, parallel)?;
    if target.has_streams() {
        let streams = |command: Command, count: usize| drive(command, target.era, |server| server.open_streams(count));
        let [bytes, _] = HELD.per_call(program, args, STREAMS, streams).with_context(about("idle streams"))?;
        counted.idle_stream = Some(bytes);
    }
    if target.has_sessions() {
        let sessions =
            |command: Command, count: usize| drive(command, target.era, |server| server.open_sessions(count));
        let [bytes, _] = HELD.per_call(program, args, SESSIONS, sessions).with_context(about("idle sessions"))?;
        counted.idle_session = Some(bytes);
    }
    Ok(counted)
}

impl Contender for HttpTarget {
    fn name(&self) -> &'static str {
        self.name
    }

    fn era(&self) -> Era {
        self.era
    }

    fn mark(&self) -> Option<Mark> {
        match self.who {
            Who::Floor => Some(Mark::Floor),
            Who::Rmcp => Some(Mark::Rmcp),
            Who::Ours | Who::OursAmongMany => None,
        }
    }

    fn sample(&self, samples: &mut Samples) -> Result<()> {
        let echo = Request::echo(self.era, ECHO);
        let mut server = HttpServer::start(self.command(), self.era)?;
        server.call(&echo, WARM)?;
        let calls = server.call(&echo, SEQUENTIAL)?;
        samples.sequential.push(per_second(SEQUENTIAL, calls.took));
        samples.p50_us.push(median(&calls.us));
        let calls = calls_of_a_round(WARM, server.call_in_parallel(&echo, WARM, CONNECTIONS)?);
        let before = server.cpu_time()?;
        samples.pipelined.push(per_second(calls, server.call_in_parallel(&echo, calls, CONNECTIONS)?));
        samples.cpu_us.push((server.cpu_time()? - before).as_secs_f64() * 1e6 / calls as f64);
        if self.has_sessions() {
            samples.session_resident.push(session_resident(&mut server)?);
        }
        server.finish()?;
        for _ in 0..COLD_STARTS {
            samples.cold_ms.push(cold_start(self.command(), self.era)?.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

/// The first half of the sessions fills what was free already.
fn session_resident(server: &mut HttpServer) -> Result<f64> {
    server.open_sessions(RESIDENT_SESSIONS)?;
    let before = server.resident()?;
    server.open_sessions(RESIDENT_SESSIONS)?;
    Ok((server.resident()? as f64 - before as f64) / RESIDENT_SESSIONS as f64)
}

fn drive(command: Command, era: Era, load: impl FnOnce(&mut HttpServer) -> Result<()>) -> Result<()> {
    let mut server = HttpServer::start(command, era)?;
    load(&mut server)?;
    server.finish()
}

/// Connections of calls in parallel.
const CONNECTIONS: usize = 32;
/// Idle sessions whose heap blocks are counted; twice as many in a second run.
const SESSIONS: usize = 1000;
/// Idle streams whose heap blocks are counted. Each has a connection.
const STREAMS: usize = 200;
/// Idle sessions whose memory is looked at.
const RESIDENT_SESSIONS: usize = 2000;
