//! Takes the figures of the targets over HTTP.

use std::process::Command;

use anyhow::{Context as _, Result};

use super::targets::{HttpTarget, Who};
use crate::counting::{HEAP, HELD, INSTRUCTIONS, SYSTEM_CALLS, rounded};
use crate::drive::http::{HttpServer, cold_start};
use crate::drive::{Era, Request};
use crate::history::{Counted, Timed};
use crate::measure::{COLD_STARTS, ECHO, ROUND, SEQUENTIAL, WARM, median, paired, per_second};

/// Counts what a call of a target costs, over one connection that is kept, and what is held where nothing happens.
///
/// # Errors
///
/// When the target fails. System calls are left out where `strace` is not here.
pub fn counted(target: &HttpTarget, calls: usize) -> Result<Counted> {
    let echo = Request::echo(target.era, ECHO);
    let (program, args) = (&target.program, target.args);
    let about = |what: &'static str| move || format!("{what} of {}", target.name);
    let load =
        |command: Command, calls: usize| drive(command, target.era, |server| server.call(&echo, calls).map(drop));

    let [instructions] = INSTRUCTIONS.per_call(program, args, calls, load).with_context(about("instructions"))?;
    let [blocks, bytes] = HEAP.per_call(program, args, calls, load).with_context(about("heap blocks"))?;
    let mut counted = Counted { instructions, blocks, bytes, ..Counted::default() };
    if SYSTEM_CALLS.is_here() {
        let count = |load: &dyn Fn(Command, usize) -> Result<()>| -> Result<f64> {
            let [number] = SYSTEM_CALLS.per_call(program, args, SYSTEM_CALLS_OF, load)?;
            Ok(number)
        };
        let parallel = |command: Command, calls: usize| {
            drive(command, target.era, |server| server.call_in_parallel(&echo, calls, CONNECTIONS).map(drop))
        };
        counted.system_calls = Some(count(&load).with_context(about("system calls"))?);
        counted.system_calls_pipelined = Some(count(&parallel).with_context(about("system calls"))?);
    }
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

/// Takes the times of all targets, in rounds that take them in turn.
///
/// # Errors
///
/// When a target fails.
pub fn timed(targets: &[HttpTarget], rounds: usize) -> Result<Vec<Timed>> {
    let mut samples = vec![Samples::default(); targets.len()];
    for _ in 0..rounds {
        for (target, samples) in targets.iter().zip(&mut samples) {
            samples.take(target).with_context(|| format!("times of {}", target.name))?;
        }
    }
    let rival = |target: &HttpTarget, who| {
        let place = targets.iter().position(|it| it.who == who && it.era == target.era);
        place.map(|at| &samples[at])
    };
    let timed = targets.iter().zip(&samples).map(|(target, own)| {
        let (floor, rmcp) = (rival(target, Who::Floor), rival(target, Who::Rmcp));
        Timed {
            sequential: median(&own.sequential).round(),
            pipelined: median(&own.pipelined).round(),
            cpu_us: rounded(median(&own.cpu_us)),
            cold_ms: rounded(median(&own.cold_ms)),
            to_floor: floor.map(|rival| rounded(paired(&own.pipelined, &rival.pipelined))),
            to_rmcp: rmcp.map(|rival| rounded(paired(&own.pipelined, &rival.pipelined))),
            p50_us: Some(rounded(median(&own.p50_us))),
            p50_to_floor: floor.map(|rival| rounded(paired(&own.p50_us, &rival.p50_us))),
            session_resident: (!own.session_resident.is_empty()).then(|| median(&own.session_resident).round()),
        }
    });
    Ok(timed.collect())
}

/// One number of each round.
#[derive(Clone, Debug, Default)]
struct Samples {
    sequential: Vec<f64>,
    pipelined: Vec<f64>,
    cpu_us: Vec<f64>,
    cold_ms: Vec<f64>,
    p50_us: Vec<f64>,
    session_resident: Vec<f64>,
}

impl Samples {
    fn take(&mut self, target: &HttpTarget) -> Result<()> {
        let echo = Request::echo(target.era, ECHO);
        let mut server = HttpServer::start(target.command(), target.era)?;
        server.call(&echo, WARM)?;
        let calls = server.call(&echo, SEQUENTIAL)?;
        self.sequential.push(per_second(SEQUENTIAL, calls.took));
        self.p50_us.push(median(&calls.us));
        let pace = per_second(WARM, server.call_in_parallel(&echo, WARM, CONNECTIONS)?);
        let calls = ((pace * ROUND.as_secs_f64()) as usize).max(WARM);
        let before = server.cpu_time()?;
        self.pipelined.push(per_second(calls, server.call_in_parallel(&echo, calls, CONNECTIONS)?));
        self.cpu_us.push((server.cpu_time()? - before).as_secs_f64() * 1e6 / calls as f64);
        if target.has_sessions() {
            self.session_resident.push(session_resident(&mut server)?);
        }
        server.finish()?;
        for _ in 0..COLD_STARTS {
            self.cold_ms.push(cold_start(target.command(), target.era)?.as_secs_f64() * 1e3);
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
/// Calls whose system calls are counted.
const SYSTEM_CALLS_OF: usize = 500;
/// Idle sessions whose heap blocks are counted; twice as many in a second run.
const SESSIONS: usize = 1000;
/// Idle streams whose heap blocks are counted. Each has a connection.
const STREAMS: usize = 200;
/// Idle sessions whose memory is looked at.
const RESIDENT_SESSIONS: usize = 2000;
