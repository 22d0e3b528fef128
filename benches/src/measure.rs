//! Takes the figures of the targets.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::counting::{HEAP, INSTRUCTIONS, SYSTEM_CALLS, rounded, run_alone};
use crate::drive::{Load, Request, Server, cold_start};
use crate::history::{Counted, Timed};
use crate::targets::{Family, Target};

/// Counts what a call of a target costs.
///
/// # Errors
///
/// When the target fails. System calls are left out where `strace` is not here.
pub fn counted(target: &Target, calls: usize) -> Result<Counted> {
    let echo = Request::echo(target.era, ECHO);
    let load = |window: usize| {
        let echo = echo.clone();
        move |command: Command, calls: usize| drive(command, target, |server| server.call(&echo, calls, window))
    };
    let slow = [target.args, target.when_counted].concat();
    let program = &target.program;
    let about = |what: &'static str| move || format!("{what} of {}", target.name);

    let [instructions] = INSTRUCTIONS.per_call(program, &slow, calls, load(1)).with_context(about("instructions"))?;
    let [blocks, bytes] = HEAP.per_call(program, &slow, calls, load(1)).with_context(about("heap blocks"))?;
    let mut counted = Counted { instructions, blocks, bytes, ..Counted::default() };
    if SYSTEM_CALLS.is_here() {
        let system_calls = |window| -> Result<f64> {
            let [number] = SYSTEM_CALLS.per_call(program, &slow, SYSTEM_CALLS_OF, load(window))?;
            Ok(number)
        };
        counted.system_calls = Some(system_calls(1).with_context(about("system calls"))?);
        counted.system_calls_pipelined = Some(system_calls(WINDOW).with_context(about("system calls"))?);
    }
    if target.takes_notifications() {
        let [number] = INSTRUCTIONS
            .per_call(program, &slow, calls, |command, count| drive(command, target, |server| server.notify(count)))?;
        counted.notification_in = Some(number);
    }
    if target.sends_notifications() {
        let [number] = INSTRUCTIONS.per_call(program, &slow, calls, |command, count| {
            drive(command, target, |server| {
                let load = server.call(&Request::burst(count), 1, 1)?;
                anyhow::ensure!(load.notifications == count, "{} of {count} notifications", load.notifications);
                Ok(load)
            })
        })?;
        counted.notification_out = Some(number);
    }
    Ok(counted)
}

/// Counts what a call costs in a program that makes its calls by itself: `program args… --calls N`.
///
/// # Errors
///
/// When the program fails.
pub fn counted_alone(program: &Path, args: &[&str], calls: usize) -> Result<Counted> {
    let [instructions] = INSTRUCTIONS.per_call(program, args, calls, run_alone)?;
    let [blocks, bytes] = HEAP.per_call(program, args, calls, run_alone)?;
    Ok(Counted { instructions, blocks, bytes, ..Counted::default() })
}

/// Takes the times of all targets, in rounds that take them in turn, so that whatever else the machine does meets
/// each of them alike.
///
/// # Errors
///
/// When a target fails.
pub fn timed(targets: &[Target], rounds: usize) -> Result<Vec<Timed>> {
    let mut samples = vec![Samples::default(); targets.len()];
    for _ in 0..rounds {
        for (target, samples) in targets.iter().zip(&mut samples) {
            samples.take(target).with_context(|| format!("times of {}", target.name))?;
        }
    }
    let rival = |target: &Target, family| {
        let place = targets.iter().position(|it| it.family == family && it.era == target.era);
        place.map(|at| &samples[at].pipelined)
    };
    let timed = targets.iter().zip(&samples).map(|(target, own)| Timed {
        sequential: median(&own.sequential).round(),
        pipelined: median(&own.pipelined).round(),
        cpu_us: rounded(median(&own.cpu_us)),
        cold_ms: rounded(median(&own.cold_ms)),
        to_floor: rival(target, Family::Floor).map(|rival| rounded(paired(&own.pipelined, rival))),
        to_rmcp: rival(target, Family::Rmcp).map(|rival| rounded(paired(&own.pipelined, rival))),
        ..Timed::default()
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
}

impl Samples {
    fn take(&mut self, target: &Target) -> Result<()> {
        let echo = Request::echo(target.era, ECHO);
        let mut server = Server::start(target.command(), target.era)?;
        server.call(&echo, WARM, 1)?;
        self.sequential.push(per_second(SEQUENTIAL, server.call(&echo, SEQUENTIAL, 1)?.took));
        let pace = per_second(WARM, server.call(&echo, WARM, WINDOW)?.took);
        let calls = ((pace * ROUND.as_secs_f64()) as usize).max(WARM);
        let before = server.cpu_time()?;
        self.pipelined.push(per_second(calls, server.call(&echo, calls, WINDOW)?.took));
        self.cpu_us.push((server.cpu_time()? - before).as_secs_f64() * 1e6 / calls as f64);
        server.finish()?;
        for _ in 0..COLD_STARTS {
            self.cold_ms.push(cold_start(target.command(), target.era)?.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

fn drive(command: Command, target: &Target, load: impl FnOnce(&mut Server) -> Result<Load>) -> Result<()> {
    let mut server = Server::start(command, target.era)?;
    load(&mut server)?;
    server.finish()
}

pub(crate) fn per_second(calls: usize, took: Duration) -> f64 {
    calls as f64 / took.as_secs_f64()
}

/// The median of the ratios of what was measured in the same round.
pub(crate) fn paired(own: &[f64], rival: &[f64]) -> f64 {
    median(&own.iter().zip(rival).map(|(own, rival)| own / rival).collect::<Vec<_>>())
}

pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => f64::midpoint(sorted[length / 2 - 1], sorted[length / 2]),
    }
}

/// Bytes of the text that is echoed.
pub(crate) const ECHO: usize = 100;
/// Calls in flight where calls are pipelined.
const WINDOW: usize = 64;
/// Calls before anything is timed.
pub(crate) const WARM: usize = 1000;
/// Calls in a row where each waits for the one before.
pub(crate) const SEQUENTIAL: usize = 1000;
/// How long the pipelined calls of one round take, about.
pub(crate) const ROUND: Duration = Duration::from_millis(300);
/// Cold starts in each round.
pub(crate) const COLD_STARTS: usize = 5;
/// Calls whose system calls are counted.
const SYSTEM_CALLS_OF: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn ratios_are_those_of_the_same_round() {
        // The machine became ten times slower after the first round: each round still says twice as fast.
        assert_eq!(paired(&[200.0, 20.0, 20.0], &[100.0, 10.0, 10.0]), 2.0);
    }
}
