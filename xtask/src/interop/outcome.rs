//! What the clients found.
//!
//! A client prints a line per check, `ok      <check>: <what was seen>` or `FAILED  <check>: <why>`, and lines that
//! begin otherwise for everything else. All clients make the same checks: one that leaves a check out has failed.

use std::collections::BTreeSet;

/// The checks of one client.
#[derive(Debug)]
pub(super) struct Outcome {
    client: &'static str,
    held: BTreeSet<String>,
    failed: BTreeSet<String>,
    succeeded: bool,
}

impl Outcome {
    pub(super) fn read(client: &'static str, stdout: &str, succeeded: bool) -> Self {
        Self { client, held: checks(stdout, "ok "), failed: checks(stdout, "FAILED "), succeeded }
    }

    fn all(&self) -> BTreeSet<&str> {
        self.held.union(&self.failed).map(String::as_str).collect()
    }
}

fn checks(stdout: &str, mark: &str) -> BTreeSet<String> {
    let marked = stdout.lines().filter_map(|line| line.strip_prefix(mark)?.trim_start().split_once(": "));
    marked.map(|(check, _)| check.to_owned()).collect()
}

/// A line per client, and whether each made every check and all held.
pub(super) fn judge(outcomes: &[Outcome]) -> (String, bool) {
    let made: BTreeSet<&str> = outcomes.iter().flat_map(Outcome::all).collect();
    let mut agreed = !made.is_empty();
    let mut lines = Vec::new();
    for outcome in outcomes {
        let all = outcome.all();
        let mut line = format!("{:<22} {} of {} checks held", outcome.client, outcome.held.len(), made.len());
        let failed = outcome.failed.iter().map(|check| format!("\n  failed: {check}"));
        let left_out = made.difference(&all).map(|check| format!("\n  left out: {check}"));
        line.extend(failed.chain(left_out));
        if !outcome.succeeded && outcome.failed.is_empty() {
            line.push_str("\n  it did not exit with 0");
        }
        agreed &= outcome.succeeded && outcome.held.len() == made.len();
        lines.push(line);
    }
    (lines.join("\n"), agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "ok      add adds: '42'\npeer    it loses: something\nok      echo echoes: 'a: b'\n";

    #[test]
    fn clients_that_made_the_same_checks_agree() {
        let outcomes = [Outcome::read("one", GOOD, true), Outcome::read("two", GOOD, true)];
        let (summary, agreed) = judge(&outcomes);
        assert_eq!(summary, "one                    2 of 2 checks held\ntwo                    2 of 2 checks held");
        assert!(agreed);
    }

    #[test]
    fn a_failed_check_is_named() {
        let bad = "ok      add adds: '42'\nFAILED  echo echoes: expected 'a', found 'b'\n";
        let (summary, agreed) = judge(&[Outcome::read("one", bad, false)]);
        assert_eq!(summary, "one                    1 of 2 checks held\n  failed: echo echoes");
        assert!(!agreed);
    }

    #[test]
    fn a_check_that_one_client_leaves_out_is_named() {
        let short = "ok      add adds: '42'\n";
        let (summary, agreed) = judge(&[Outcome::read("one", GOOD, true), Outcome::read("two", short, true)]);
        assert!(summary.ends_with("two                    1 of 2 checks held\n  left out: echo echoes"), "{summary}");
        assert!(!agreed);
    }

    #[test]
    fn a_bad_exit_or_no_check_at_all_is_no_agreement() {
        let (summary, agreed) = judge(&[Outcome::read("one", GOOD, false)]);
        assert_eq!(summary, "one                    2 of 2 checks held\n  it did not exit with 0");
        assert!(!agreed);
        assert!(!judge(&[Outcome::read("one", "", true)]).1);
        assert!(!judge(&[]).1);
    }
}
