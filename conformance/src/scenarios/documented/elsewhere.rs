//! The rows of the table that no target of this suite can show, each in its place with the reason.

use crate::scenario::{Applies, Family, Scenario, row};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        sources: &[row("C36")],
        ..absent("C36", "c36-elsewhere", "a modern response stream ends without a result", HTTP)
    },
    Scenario { sources: &[row("C41")], ..absent("C41", "c41-elsewhere", "a task outlives its connection", TASKS) },
];

const fn absent(name: &'static str, id: &'static str, title: &'static str, why: &'static str) -> Scenario {
    let mut scenario = Scenario::new(id, Family::Documented, |_| Box::pin(async { Ok(()) }));
    scenario.row = Some(name);
    scenario.title = title;
    scenario.requirement = title;
    scenario.applies = Applies::nowhere(why);
    scenario
}

const HTTP: &str = "needs a client over HTTP";
const TASKS: &str = "needs the tasks extension";
