//! What is measured in the same way, whatever a target is reached over.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::counting::{HEAP, INSTRUCTIONS, SYSTEM_CALLS, rounded};
use crate::drive::Era;
use crate::history::{Counted, Timed};

/// A target whose times are taken beside those of others.
pub trait Contender {
    /// The name in the table and in the history.
    fn name(&self) -> &'static str;

    /// How the driver speaks to it.
    fn era(&self) -> Era;

    /// What others are compared with, if it is one of those.
    fn mark(&self) -> Option<Mark>;

    /// Takes the times of one round.
    ///
    /// # Errors
    ///
    /// When the target fails.
    fn sample(&self, samples: &mut Samples) -> Result<()>;
}

/// Whom others are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each has a column in the table")]
pub enum Mark {
    /// The floor.
    Floor,
    /// A server built with rmcp.
    Rmcp,
}

/// One number of each round.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    pub(crate) sequential: Vec<f64>,
    pub(crate) pipelined: Vec<f64>,
    pub(crate) cpu_us: Vec<f64>,
    pub(crate) cold_ms: Vec<f64>,
    /// Only where each call was timed by itself.
    pub(crate) p50_us: Vec<f64>,
    /// Only where there are sessions.
    pub(crate) session_resident: Vec<f64>,
}

/// Takes the times of all targets, in rounds that take them in turn, so that whatever else the machine does meets
/// each of them alike.
///
/// # Errors
///
/// When a target fails.
pub fn timed<T: Contender>(targets: &[T], rounds: usize) -> Result<Vec<Timed>> {
    let mut samples = vec![Samples::default(); targets.len()];
    for _ in 0..rounds {
        for (target, samples) in targets.iter().zip(&mut samples) {
            target.sample(samples).with_context(|| format!("times of {}", target.name()))?;
        }
    }
    let rival = |target: &T, mark| {
        let place = targets.iter().position(|it| it.mark() == Some(mark) && it.era() == target.era());
        place.map(|at| &samples[at])
    };
    let timed = targets.iter().zip(&samples).map(|(target, own)| {
        let (floor, rmcp) = (rival(target, Mark::Floor), rival(target, Mark::Rmcp));
        let to = |rival: &Samples| rounded(paired(&own.pipelined, &rival.pipelined));
        let has_p50 = !own.p50_us.is_empty();
        Timed {
            sequential: median(&own.sequential).round(),
            pipelined: median(&own.pipelined).round(),
            cpu_us: rounded(median(&own.cpu_us)),
            cold_ms: rounded(median(&own.cold_ms)),
            to_floor: floor.map(to),
            to_rmcp: rmcp.map(to),
            p50_us: has_p50.then(|| rounded(median(&own.p50_us))),
            p50_to_floor: floor.filter(|_| has_p50).map(|floor| rounded(paired(&own.p50_us, &floor.p50_us))),
            session_resident: (!own.session_resident.is_empty()).then(|| median(&own.session_resident).round()),
        }
    });
    Ok(timed.collect())
}

/// A program whose calls are counted, as it is started where that is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) name: &'a str,
    pub(crate) program: &'a Path,
    pub(crate) args: &'a [&'a str],
}

impl Watched<'_> {
    /// Counts what a call costs: `sequential` makes so many of them where each waits for the one before, `pipelined`
    /// where they do not. System calls are left out where `strace` is not here.
    pub(crate) fn counted(
        self,
        calls: usize,
        sequential: impl Fn(Command, usize) -> Result<()>,
        pipelined: impl Fn(Command, usize) -> Result<()>,
    ) -> Result<Counted> {
        let Self { name, program, args } = self;
        let about = |what: &'static str| move || format!("{what} of {name}");
        let per_call = INSTRUCTIONS.per_call(program, args, calls, &sequential);
        let [instructions] = per_call.with_context(about("instructions"))?;
        let per_call = HEAP.per_call(program, args, calls, &sequential);
        let [blocks, bytes] = per_call.with_context(about("heap blocks"))?;
        let mut counted = Counted { instructions, blocks, bytes, ..Counted::default() };
        if SYSTEM_CALLS.is_here() {
            let per_call = SYSTEM_CALLS.per_call(program, args, SYSTEM_CALLS_OF, sequential);
            let [number] = per_call.with_context(about("system calls"))?;
            counted.system_calls = Some(number);
            let per_call = SYSTEM_CALLS.per_call(program, args, SYSTEM_CALLS_OF, pipelined);
            let [number] = per_call.with_context(about("system calls"))?;
            counted.system_calls_pipelined = Some(number);
        }
        Ok(counted)
    }
}

pub(crate) fn per_second(calls: usize, took: Duration) -> f64 {
    calls as f64 / took.as_secs_f64()
}

/// How many pipelined calls one round makes, when so many have just taken this long.
pub(crate) fn calls_of_a_round(calls: usize, took: Duration) -> usize {
    ((per_second(calls, took) * ROUND.as_secs_f64()) as usize).max(WARM)
}

/// The median of the ratios of what was measured in the same round.
fn paired(own: &[f64], rival: &[f64]) -> f64 {
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
/// Calls before anything is timed.
pub(crate) const WARM: usize = 1000;
/// Calls in a row where each waits for the one before.
pub(crate) const SEQUENTIAL: usize = 1000;
/// How long the pipelined calls of one round take, about.
const ROUND: Duration = Duration::from_millis(300);
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
