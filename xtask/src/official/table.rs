//! The verdicts, for the terminal.

use std::fmt::Write as _;

use super::judge::Verdict;

/// A line for each scenario, with what is wrong below it, and a line for each run.
pub(super) fn of(verdicts: &[Verdict]) -> String {
    let width = verdicts.iter().map(|verdict| verdict.scenario.len()).max().unwrap_or_default();
    let (mut text, mut sums) = (String::new(), String::new());
    for of_run in verdicts.chunk_by(|one, next| one.run == next.run) {
        let name = of_run.first().map_or("", |verdict| &verdict.run);
        add(&mut text, format_args!("{name}"));
        for verdict in of_run {
            one(&mut text, verdict, width);
        }
        let count = |is: fn(&Verdict) -> bool| of_run.iter().filter(|verdict| is(verdict)).count();
        let (hold, unmet) = (count(Verdict::holds), count(|one| !one.holds() && one.is_as_listed()));
        let wrong = count(|one| !one.is_as_listed());
        let all = of_run.len();
        add(
            &mut sums,
            format_args!("{name}: {hold} of {all} scenarios hold, {unmet} are known not to, {wrong} are not as listed"),
        );
    }
    text + "\n" + sums.trim_end()
}

fn one(text: &mut String, verdict: &Verdict, width: usize) {
    let Verdict { scenario, successes, wanted, faults, unmet, .. } = verdict;
    let mark = match (verdict.holds(), unmet) {
        (true, None) => "ok",
        (false, Some(_)) => "unmet",
        _ => "FAILED",
    };
    add(text, format_args!("  {mark:<7} {scenario:<width$}  {successes:>2} of {wanted:>2}"));
    match unmet {
        Some(reason) if verdict.holds() => {
            add(
                text,
                format_args!("          it holds now: take it off the list, where it stands as unmet because {reason}"),
            );
        }
        Some(reason) => add(text, format_args!("          {reason}")),
        None => faults.iter().for_each(|fault| add(text, format_args!("          {fault}"))),
    }
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _written = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scenario_has_a_line_and_each_fault_one_below() {
        let verdict = |run: &str, scenario: &str, faults: &[&str], unmet: Option<&str>| Verdict {
            run: run.to_owned(),
            scenario: scenario.to_owned(),
            has_run: true,
            successes: 2,
            wanted: 3,
            faults: faults.iter().map(|fault| (*fault).to_owned()).collect(),
            unmet: unmet.map(str::to_owned),
        };
        let verdicts = [
            verdict("one", "good", &[], None),
            verdict("one", "bad", &["failure: x: no", "warning: y: no"], None),
            verdict("two", "later", &["it did not run"], Some("nobody has written it")),
            verdict("two", "stale", &[], Some("nobody has written it")),
        ];
        let expected = "\
one
  ok      good    2 of  3
  FAILED  bad     2 of  3
          failure: x: no
          warning: y: no
two
  unmet   later   2 of  3
          nobody has written it
  FAILED  stale   2 of  3
          it holds now: take it off the list, where it stands as unmet because nobody has written it

one: 1 of 2 scenarios hold, 0 are known not to, 1 are not as listed
two: 1 of 2 scenarios hold, 1 are known not to, 1 are not as listed";
        assert_eq!(of(&verdicts), expected);
    }
}
