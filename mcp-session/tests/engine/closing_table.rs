//! Each rule has a script that it makes true, and that is not true without it.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_session::engine::{Act, Config, Keeper, Row, Rule, Table};

use crate::directed;
use crate::support::{Checked, Fixture};

/// A script and the rule that it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) rule: Rule,
    pub(crate) name: &'static str,
    pub(crate) config: fn() -> Config,
    pub(crate) start: fn(Config) -> Fixture,
    pub(crate) script: fn(&mut Fixture) -> Checked,
}

impl Scenario {
    fn run(&self, table: Arc<Table>) -> (Fixture, Checked) {
        let mut fixture = (self.start)((self.config)().with_table(table));
        let checked = (self.script)(&mut fixture).and_then(|()| fixture.is_sound());
        (fixture, checked)
    }

    /// The script holds, reaches its rule, and does not hold without it.
    pub(crate) fn prove(&self) {
        let (fixture, checked) = self.run(Table::standard());
        if let Err(why) = checked {
            panic!("{}: {why}", self.name);
        }
        assert!(fixture.engine.reached().any(|rule| rule == self.rule), "{} never reached {}", self.name, self.rule);
        let (_, checked) = self.run(Table::without(self.rule));
        assert!(checked.is_err(), "{} does not notice that {} is missing", self.name, self.rule);
    }
}

/// Turns sentences into scenarios: `rule name(config, start) |fixture| { script }`.
macro_rules! scenarios {
    ($($rule:ident $name:ident($config:expr, $start:ident) |$f:ident| $body:block)*) => {
        pub(crate) const SCENARIOS: &[$crate::closing_table::Scenario] = &[$(
            $crate::closing_table::Scenario {
                rule: mcp_session::engine::Rule::$rule,
                name: stringify!($name),
                config: || $config,
                start: $crate::support::Fixture::$start,
                script: scripts::$name,
            }
        ),*];

        mod scripts {
            use super::*;
            $(pub(super) fn $name($f: &mut $crate::support::Fixture) -> $crate::support::Checked { $body })*
        }

        $(#[test] fn $name() {
            SCENARIOS.iter().find(|scenario| scenario.name == stringify!($name)).unwrap().prove();
        })*
    };
}
pub(crate) use scenarios;

/// Rows that say what another row would do as well: they are there for the reader.
const REDUNDANT: &[&str] = &["C22 on Cancelled when queued unless "];

#[test]
fn every_rule_of_the_engine_has_a_script_that_reaches_it() {
    let proved: BTreeSet<Rule> = directed::all().map(|scenario| scenario.rule).collect();
    let missing: Vec<_> =
        Rule::ALL.iter().filter(|rule| rule.keeper() == Keeper::Engine && !proved.contains(rule)).collect();
    assert!(missing.is_empty(), "rules without a script: {missing:?}");
}

#[test]
fn no_row_can_be_deleted_unnoticed() {
    let rows = Table::standard().rows().to_vec();
    let mut unnoticed = Vec::new();
    for at in 0..rows.len() {
        let row = rows[at];
        if row.then == [Act::Nothing] {
            continue;
        }
        let mut rest = rows.clone();
        rest.remove(at);
        let mutant = Arc::new(Table::from_rows(rest.into()));
        let is_noticed = directed::all().any(|scenario| scenario.run(Arc::clone(&mutant)).1.is_err());
        let name = name_of(&row);
        if is_noticed == REDUNDANT.contains(&name.as_str()) {
            unnoticed.push(name);
        }
    }
    assert!(
        unnoticed.is_empty(),
        "rows that no script misses, or that are listed and missed:\n{}",
        unnoticed.join("\n")
    );
}

#[test]
fn each_rule_that_somebody_else_keeps_has_no_row() {
    for row in Table::standard().rows() {
        assert_eq!(row.rule.keeper(), Keeper::Engine, "{}", name_of(row));
    }
}

#[test]
fn the_table_reads_as_it_is_documented() {
    insta::assert_snapshot!(Table::standard().to_markdown());
}

fn name_of(row: &Row) -> String {
    format!("{} on {:?} when {} unless {}", row.rule, row.on, row.when, row.unless)
}
