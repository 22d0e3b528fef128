//! `cargo xtask docs`: the generated parts of the documents, and the API docs.

use std::fs;

use anyhow::{Context, bail};
use xshell::cmd;

use crate::project::Project;

pub(crate) fn run(project: &Project) -> anyhow::Result<()> {
    match stale_table(project)? {
        Some(fresh) => {
            fs::write(project.root.join(DOCUMENT), fresh)?;
            println!("{DOCUMENT}: the closing table was rewritten");
        }
        None => println!("{DOCUMENT}: the closing table is fresh"),
    }
    build(project)
}

/// Builds the API docs; a warning is an error.
pub(crate) fn build(project: &Project) -> anyhow::Result<()> {
    cmd!(project.shell, "cargo doc --workspace --all-features --no-deps").env("RUSTDOCFLAGS", "-D warnings").run()?;
    Ok(())
}

/// The document with a fresh closing table, or `None` when it has no table or a fresh one.
pub(crate) fn stale_table(project: &Project) -> anyhow::Result<Option<String>> {
    let path = project.root.join(DOCUMENT);
    if !path.exists() {
        return Ok(None);
    }
    let document = fs::read_to_string(&path).with_context(|| format!("reading {DOCUMENT}"))?;
    if !has_table(&document)? {
        return Ok(None);
    }
    let table = cmd!(project.shell, "cargo run --quiet --package mcp-session --example closing_table")
        .quiet()
        .read()
        .context("printing the closing table")?;
    let fresh = with_table(&document, &table)?;
    Ok((fresh != document).then_some(fresh))
}

fn has_table(document: &str) -> anyhow::Result<bool> {
    match (document.matches(BEGIN).count(), document.matches(END).count()) {
        (0, 0) => Ok(false),
        (1, 1) => Ok(true),
        (begins, ends) => {
            bail!("{DOCUMENT} has {begins} × `{BEGIN}` and {ends} × `{END}`; it needs one pair")
        }
    }
}

fn with_table(document: &str, table: &str) -> anyhow::Result<String> {
    let table = table.trim();
    if table.is_empty() {
        bail!("the example `closing_table` printed nothing");
    }
    let split = document.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = split else {
        bail!("in {DOCUMENT} `{END}` stands before `{BEGIN}`");
    };
    Ok(format!("{before}{BEGIN}\n\n{table}\n\n{END}{after}"))
}

const DOCUMENT: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- closing-table:begin -->";
const END: &str = "<!-- closing-table:end -->";

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn document(table: &str) -> String {
        format!("# Title\n\n{BEGIN}\n\n{table}\n\n{END}\n\nMore.\n")
    }

    #[test]
    fn a_stale_table_is_replaced_and_nothing_else() {
        let fresh = with_table(&document("| C1 | old |"), "| C1 | new |\n").unwrap();
        assert_eq!(fresh, document("| C1 | new |"));
    }

    #[test]
    fn a_fresh_table_stays_as_it_is() {
        let same = document("| C1 | new |");
        assert_eq!(with_table(&same, "| C1 | new |\n").unwrap(), same);
    }

    #[test]
    fn markers_come_in_one_pair_and_in_order() {
        assert!(!has_table("no table here").unwrap());
        assert!(has_table(&document("x")).unwrap());
        assert!(has_table(BEGIN).is_err());
        assert!(has_table(&document("x").repeat(2)).is_err());
        assert!(with_table(&format!("{END}{BEGIN}"), "x").is_err());
    }

    #[test]
    fn an_empty_table_is_refused() {
        assert!(with_table(&document("x"), "\n").is_err());
    }
}
