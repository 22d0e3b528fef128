//! The proof that the engine does no I/O: without default features `mcp-session` has no runtime below it.

use anyhow::bail;
use xshell::cmd;

use crate::project::Project;

pub(crate) fn check(project: &Project) -> anyhow::Result<()> {
    cmd!(project.shell, "cargo build --package mcp-session --no-default-features").run()?;
    let tree =
        cmd!(project.shell, "cargo tree --package mcp-session --no-default-features --edges normal --prefix none")
            .read()?;
    let found = runtimes(&tree);
    if !found.is_empty() {
        bail!("`mcp-session` without default features depends on {}", found.join(", "));
    }
    println!("no tokio below the engine");
    Ok(())
}

fn runtimes(tree: &str) -> Vec<&str> {
    tree.lines().filter(|line| line.starts_with("tokio")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_in_the_tree_is_found() {
        assert_eq!(
            runtimes("mcp-session v0.1.0\nmemchr v2.8.3\ntokio v1.54.1\ntokio-util v0.7.0 (*)"),
            ["tokio v1.54.1", "tokio-util v0.7.0 (*)"]
        );
        assert!(runtimes("mcp-session v0.1.0\nmemchr v2.8.3").is_empty());
    }
}
