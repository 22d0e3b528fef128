//! The scenarios themselves, with what they require and where that is written.

use crate::scenario::{Level, Scenario};

/// One paragraph for each scenario.
pub fn render(scenarios: &[&'static Scenario]) -> String {
    scenarios.iter().map(|scenario| paragraph(scenario)).collect::<Vec<_>>().join("\n")
}

fn paragraph(scenario: &Scenario) -> String {
    let sources: Vec<String> = scenario.sources.iter().map(ToString::to_string).collect();
    let eras: Vec<&str> = scenario.applies.eras.iter().map(|era| era.as_str()).collect();
    let checks: Vec<String> = scenario
        .checks
        .iter()
        .map(|check| match check.level {
            Level::Must => check.id.to_owned(),
            Level::Should => format!("{} (should)", check.id),
        })
        .collect();
    let mut text = format!("{}  [{}, {}]\n", scenario.id, scenario.family, eras.join(" and "));
    text.push_str(&format!("  {}\n", scenario.title));
    text.push_str(&format!("  requires: {}\n", scenario.requirement));
    text.push_str(&format!("  sources:  {}\n", sources.join("; ")));
    text.push_str(&format!("  checks:   {}\n", checks.join(", ")));
    if !scenario.applies.needs.is_empty() {
        let needs: Vec<String> = scenario.applies.needs.iter().map(ToString::to_string).collect();
        text.push_str(&format!("  needs:    {}\n", needs.join(", ")));
    }
    text
}
