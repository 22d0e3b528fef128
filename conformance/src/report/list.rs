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
    let roles: Vec<&str> = scenario.applies.roles.iter().map(|role| role.as_str()).collect();
    let wheres = if eras.is_empty() { "nowhere yet".to_owned() } else { eras.join(" and ") };
    let mut text = format!("{}  [{}, {}, {}]\n", scenario.id, scenario.family, roles.join(" and "), wheres);
    text.push_str(&format!("  {}\n", scenario.title));
    if eras.is_empty() {
        text.push_str(&format!("  not yet:  {}\n", scenario.applies.why));
    }
    text.push_str(&format!("  requires: {}\n", scenario.requirement));
    text.push_str(&format!("  sources:  {}\n", sources.join("; ")));
    if !checks.is_empty() {
        text.push_str(&format!("  checks:   {}\n", checks.join(", ")));
    }
    let needs: Vec<String> = scenario.applies.all_needs().map(ToString::to_string).collect();
    if !needs.is_empty() {
        text.push_str(&format!("  needs:    {}\n", needs.join(", ")));
    }
    text
}
