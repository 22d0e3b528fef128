//! The table of mutants for a terminal.

use std::fmt::{self, Write};

use super::text::entry;
use crate::{
    mutants::{MutantResult, Survey, Verdict},
    runner::Column,
};

/// The table, what killed each, and why some do not apply.
pub(super) fn write(text: &mut String, survey: &Survey) -> fmt::Result {
    writeln!(text, "mutants: the closing table without one rule, against that rule's own scenarios\n")?;
    table(text, survey)?;
    killers(text, survey)?;
    for survivor in survey.survivors() {
        let Verdict::Survived(passed) = &survivor.verdict else { continue };
        writeln!(text, "✗ {} SURVIVED ({}): passed {}", survivor.rule, survivor.column, passed.join(", "))?;
    }
    reasons(text, survey)?;
    let (killed, survived) = (survey.killed(), survey.survivors().count());
    let skipped = survey.results.len() - killed - survived;
    writeln!(text, "mutants: {killed} killed, {survived} survived, {skipped} not applicable\n")
}

fn table(text: &mut String, survey: &Survey) -> fmt::Result {
    write!(text, "{:8}", "")?;
    for column in &survey.columns {
        write!(text, "  {column}")?;
    }
    writeln!(text)?;
    let mut rules = Vec::new();
    for result in &survey.results {
        entry::<_, Vec<&MutantResult>>(&mut rules, result.rule).push(result);
    }
    for (rule, results) in rules {
        write!(text, "{:8}", rule.to_string())?;
        for column in &survey.columns {
            let verdict = results.iter().find(|result| result.column == *column).map(|result| &result.verdict);
            let width = column.to_string().len();
            write!(text, "  {:width$}", verdict.map_or(' ', sign))?;
        }
        text.truncate(text.trim_end().len());
        writeln!(text)?;
    }
    writeln!(text)
}

const fn sign(verdict: &Verdict) -> char {
    match verdict {
        Verdict::Killed { .. } => '✓',
        Verdict::Survived(_) => '✗',
        Verdict::NotApplicable(_) => '–',
    }
}

/// By which scenarios each rule's mutants were killed.
fn killers(text: &mut String, survey: &Survey) -> fmt::Result {
    let mut rules: Vec<(String, Vec<&str>)> = Vec::new();
    for result in &survey.results {
        let Verdict::Killed { by, .. } = &result.verdict else { continue };
        let scenarios = entry(&mut rules, result.rule.to_string());
        if !scenarios.contains(by) {
            scenarios.push(by);
        }
    }
    for (rule, scenarios) in &rules {
        writeln!(text, "✓ {rule} killed by {}", scenarios.join(", "))?;
    }
    Ok(())
}

/// Rules by name, with columns.
type Rules = Vec<(String, Vec<Column>)>;

fn reasons(text: &mut String, survey: &Survey) -> fmt::Result {
    let mut reasons: Vec<(&str, Rules)> = Vec::new();
    for result in &survey.results {
        let Verdict::NotApplicable(reason) = &result.verdict else { continue };
        let rules = entry(&mut reasons, reason.as_str());
        entry(rules, result.rule.to_string()).push(result.column);
    }
    for (reason, rules) in &reasons {
        // Rules that are out in the same columns stand together.
        let mut groups: Vec<(&[Column], Vec<&str>)> = Vec::new();
        for (rule, columns) in rules {
            entry(&mut groups, columns.as_slice()).push(rule);
        }
        let groups: Vec<String> = groups.iter().map(|(columns, rules)| group(survey, columns, rules)).collect();
        writeln!(text, "– {reason}: {}", groups.join("; "))?;
    }
    Ok(())
}

fn group(survey: &Survey, columns: &[Column], rules: &[&str]) -> String {
    let rules = rules.join(", ");
    if columns.len() == survey.columns.len() {
        return rules;
    }
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    format!("{rules} ({})", columns.join(", "))
}
