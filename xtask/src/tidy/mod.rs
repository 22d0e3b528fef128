//! `cargo xtask tidy`: the house rules that no linter can keep.
//!
//! A rule is a function from one file to its findings; each lives in a module of its own beside the
//! test that plants a violation.

use std::fmt;
use std::path::Path;

use anyhow::{Context, bail};

use crate::docs;
use crate::project::Project;
use crate::tidy::files::TextFile;
use crate::tidy::rust::RustFile;

mod citations;
mod drivers;
mod files;
mod lexer;
mod machines;
mod rust;
mod size;
mod sleeps;
mod spawns;

pub(crate) fn run(project: &Project) -> anyhow::Result<()> {
    let (files, mut findings) = check_files(&project.root)?;
    if docs::stale_table(project)?.is_some() {
        findings.push(Finding::of_file(
            "ARCHITECTURE.md",
            "the closing table is not what the engine's data says; run `cargo xtask docs`",
        ));
    }
    if findings.is_empty() {
        println!("tidy: {files} files, nothing found");
        return Ok(());
    }
    for finding in &findings {
        println!("{finding}");
    }
    bail!("tidy found {} of these", findings.len())
}

fn check_files(root: &Path) -> anyhow::Result<(usize, Vec<Finding>)> {
    let files = files::walk(root).context("reading the files of the project")?;
    let findings = files.iter().flat_map(check).collect();
    Ok((files.len(), findings))
}

fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = machines::check(file);
    if let Some(rust) = RustFile::read(file) {
        for rule in RULES {
            findings.extend(rule(&rust));
        }
    }
    findings
}

const RULES: &[fn(&RustFile<'_>) -> Vec<Finding>] =
    &[citations::check, drivers::check, size::check, sleeps::check, spawns::check];

/// A place that breaks a rule, and what to do instead.
#[derive(Debug)]
struct Finding {
    path: String,
    line: Option<usize>,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }

    fn of_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines at which a rule finds something in a planted file.
    #[track_caller]
    pub(super) fn lines(rule: fn(&RustFile<'_>) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        let file = TextFile::new(path, text);
        let Some(rust) = RustFile::read(&file) else {
            panic!("{path} is not a Rust file");
        };
        rule(&rust).into_iter().filter_map(|finding| finding.line).collect()
    }

    #[test]
    fn every_rule_is_asked() {
        let planted = [
            concat!("// see /wo", "rk/x").to_owned(),
            "//= nonsense".to_owned(),
            "//# quoted".to_owned(),
            "struct Driver { closed: bool }".to_owned(),
            "fn f() { tokio::spawn(g()); }".to_owned(),
            "#[cfg(test)]".to_owned(),
            "mod tests { fn f() { sleep(x) } }".to_owned(),
            "//\n".repeat(600),
        ];
        let file = TextFile::new("mcp-session/src/driver/stream.rs", &planted.join("\n"));
        let mut lines: Vec<_> = check(&file).into_iter().filter_map(|finding| finding.line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [1, 2, 4, 5, 7, 607]);
    }
}
