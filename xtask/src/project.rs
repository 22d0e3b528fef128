//! The checkout that the commands work on.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

/// A shell that stands in the root of the workspace.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) shell: Shell,
    pub(crate) root: PathBuf,
}

impl Project {
    pub(crate) fn open() -> anyhow::Result<Self> {
        // Cargo sets the variable at run time; the compiled-in value would be wrong in a checkout that was moved.
        let manifest = env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&manifest).parent().context("the xtask crate has no parent folder")?.to_owned();
        let shell = Shell::new()?;
        shell.change_dir(&root);
        Ok(Self { shell, root })
    }

    /// Builds one binary in release mode and returns where cargo put it.
    pub(crate) fn build_release(&self, package: &str, bin: &str) -> anyhow::Result<PathBuf> {
        let messages = cmd!(
            self.shell,
            "cargo build --release --package {package} --bin {bin} --message-format=json-render-diagnostics"
        )
        .read()
        .with_context(|| format!("building `{bin}` of package `{package}`"))?;
        match executable(&messages, bin) {
            Some(path) => Ok(path),
            None => bail!("cargo built package `{package}` but named no executable `{bin}`"),
        }
    }

    /// What `cargo metadata` says, with the whole dependency tree or with the workspace alone.
    pub(crate) fn metadata(&self, scope: Scope) -> anyhow::Result<Value> {
        let scope: &[&str] = match scope {
            Scope::Tree => &["--all-features"],
            Scope::Workspace => &["--no-deps"],
        };
        let text = cmd!(self.shell, "cargo metadata --quiet --format-version 1 {scope...}").quiet().read()?;
        serde_json::from_str(&text).context("reading the output of `cargo metadata`")
    }

    /// Where build output goes, wherever the user has put it.
    pub(crate) fn target_dir(&self) -> anyhow::Result<PathBuf> {
        let metadata = self.metadata(Scope::Workspace)?;
        let target = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
        Ok(target.into())
    }
}

/// How much `cargo metadata` tells.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope {
    Tree,
    Workspace,
}

fn executable(messages: &str, bin: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] == bin)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_the_one_asked_for() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}
{"reason":"compiler-artifact","target":{"name":"server"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"server"},"executable":"/t/server"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages, "server"), Some("/t/server".into()));
        assert_eq!(executable(messages, "client"), None);
    }
}
