//! Every sequence of events, of any length, without repeating a state.
//!
//! A world is an engine and what is true around it: which handlers are alive, which calls were made, what the driver was
//! asked for. Worlds that behave the same are visited once. After each step the general promises are checked, and from
//! each world in which an ending began the end must be within reach.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hasher};

use crate::support::Checked;

mod http;
mod pipe;

/// An engine and what is true around it.
trait World: Clone {
    type Step: Copy + Debug + 'static;

    /// Everything that can ever happen.
    const STEPS: &'static [Self::Step];

    /// Whether a driver could report this now.
    fn can(&self, step: Self::Step) -> bool;

    /// It happens.
    fn take(&mut self, step: Self::Step);

    /// Everything that decides what happens from here on.
    fn feed(&self, hasher: &mut DefaultHasher);

    /// What must hold now.
    fn check(&self) -> Checked;
}

/// Visits every world that can be reached from this one, and says how many there are.
fn explore<W: World>(root: W) -> Checked<usize> {
    let mut seen = HashSet::from([fingerprint(&root)]);
    let mut ways: Vec<(usize, Option<W::Step>)> = vec![(0, None)];
    let mut frontier = vec![(0, root)];
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for (from, world) in frontier {
            for step in W::STEPS.iter().copied().filter(|step| world.can(*step)) {
                let mut world = world.clone();
                world.take(step);
                if !seen.insert(fingerprint(&world)) {
                    continue;
                }
                ways.push((from, Some(step)));
                world.check().map_err(|why| format!("{why}\nafter {:?}", way_to(&ways, ways.len() - 1)))?;
                next.push((ways.len() - 1, world));
            }
        }
        frontier = next;
    }
    Ok(seen.len())
}

/// Two words, so that no two worlds share them by chance.
fn fingerprint<W: World>(world: &W) -> u128 {
    let word = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        world.feed(&mut hasher);
        u128::from(hasher.finish())
    };
    word(0) << 64 | word(1)
}

fn way_to<S: Copy>(ways: &[(usize, Option<S>)], mut at: usize) -> Vec<S> {
    let mut steps = Vec::new();
    while let (from, Some(step)) = ways[at] {
        steps.push(step);
        at = from;
    }
    steps.reverse();
    steps
}

#[expect(clippy::print_stderr, reason = "how far it went is worth knowing")]
fn visits<W: World>(root: W, at_least: usize) {
    let worlds = explore(root).unwrap_or_else(|why| panic!("{why}"));
    eprintln!("{worlds} worlds");
    assert!(worlds >= at_least, "only {worlds} worlds");
}
