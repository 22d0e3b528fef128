//! How many crates are compiled for a server.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// The crates of `mcp-server` by its features, itself and those of macros included; a program that uses it is one more.
///
/// # Errors
///
/// When cargo does not tell.
pub fn counts() -> Result<BTreeMap<String, usize>> {
    FEATURES.iter().map(|(features, name)| Ok(((*name).to_owned(), distinct(&tree(features)?)))).collect()
}

fn tree(features: &str) -> Result<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--package", "mcp-server", "--edges", "normal", "--prefix", "none"]);
    command.args(["--no-default-features", "--features", features]);
    let output = command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).output().context("running cargo tree")?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// A crate stands in the tree at each place where it is needed, with a mark where it stood before.
fn distinct(tree: &str) -> usize {
    let crates = tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty());
    crates.collect::<BTreeSet<_>>().len()
}

const FEATURES: &[(&str, &str)] =
    &[("", "server over stdio"), ("http-core", "server as a service"), ("http", "server over HTTP")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_and_version_counts_once() {
        let tree = "mcp-server v0.1.0 (/p)\nbytes v1.12.2\nsyn v2.0.1\nsyn v3.0.10\nbytes v1.12.2\nsyn v2.0.1 (*)\n";
        assert_eq!(distinct(tree), 4);
    }
}
