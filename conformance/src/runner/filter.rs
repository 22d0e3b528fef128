//! Which cells of the matrix are run.

use super::Column;
use crate::{
    scenario::{Era, Family, Role, Scenario},
    target::Transport,
};

/// A choice of cells. Each empty list lets everything through.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Filter {
    /// Only targets of these roles.
    pub roles: Vec<Role>,
    /// Only these transports.
    pub transports: Vec<Transport>,
    /// Only these eras.
    pub eras: Vec<Era>,
    /// Only these families.
    pub families: Vec<Family>,
    /// Only scenarios whose id is this, or begins with it.
    pub scenarios: Vec<String>,
    /// Only these rows of the closing table.
    pub rows: Vec<String>,
}

impl Filter {
    /// Whether a column of the matrix is chosen.
    pub fn wants_column(&self, column: Column) -> bool {
        chosen(&self.roles, |one| *one == column.role)
            && chosen(&self.transports, |one| *one == column.transport)
            && chosen(&self.eras, |one| *one == column.era)
    }

    /// Whether a row of the matrix is chosen.
    pub fn wants_scenario(&self, scenario: &Scenario) -> bool {
        chosen(&self.families, |one| *one == scenario.family)
            && chosen(&self.scenarios, |one| scenario.id.starts_with(one.as_str()))
            && chosen(&self.rows, |one| scenario.row.is_some_and(|row| row.eq_ignore_ascii_case(one)))
    }
}

fn chosen<T>(list: &[T], matches: impl Fn(&T) -> bool) -> bool {
    list.is_empty() || list.iter().any(matches)
}
