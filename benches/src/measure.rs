//! Takes the figures of the targets over standard input and output.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::counting::{HEAP, INSTRUCTIONS, run_alone};
use crate::drive::{Era, Load, Request, Server, cold_start};
use crate::figures::{
    COLD_STARTS, Contender, ECHO, Mark, SEQUENTIAL, Samples, WARM, Watched, calls_of_a_round, per_second,
};
use crate::history::Counted;
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
    let watched = Watched { name: target.name, program, args: &slow };
    let mut counted = watched.counted(calls, load(1), load(WINDOW))?;
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

impl Contender for Target {
    fn name(&self) -> &'static str {
        self.name
    }

    fn era(&self) -> Era {
        self.era
    }

    fn mark(&self) -> Option<Mark> {
        match self.family {
            Family::Floor => Some(Mark::Floor),
            Family::Rmcp => Some(Mark::Rmcp),
            Family::FloorOnTokio | Family::Ours => None,
        }
    }

    fn sample(&self, samples: &mut Samples) -> Result<()> {
        let echo = Request::echo(self.era, ECHO);
        let mut server = Server::start(self.command(), self.era)?;
        server.call(&echo, WARM, 1)?;
        samples.sequential.push(per_second(SEQUENTIAL, server.call(&echo, SEQUENTIAL, 1)?.took));
        let calls = calls_of_a_round(WARM, server.call(&echo, WARM, WINDOW)?.took);
        let before = server.cpu_time()?;
        samples.pipelined.push(per_second(calls, server.call(&echo, calls, WINDOW)?.took));
        samples.cpu_us.push((server.cpu_time()? - before).as_secs_f64() * 1e6 / calls as f64);
        server.finish()?;
        for _ in 0..COLD_STARTS {
            samples.cold_ms.push(cold_start(self.command(), self.era)?.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

fn drive(command: Command, target: &Target, load: impl FnOnce(&mut Server) -> Result<Load>) -> Result<()> {
    let mut server = Server::start(command, target.era)?;
    load(&mut server)?;
    server.finish()
}

/// Calls in flight where calls are pipelined.
const WINDOW: usize = 64;
