//! `cargo xtask test`: every test of the workspace.

use xshell::cmd;

use crate::project::Project;

pub(crate) fn run(project: &Project) -> anyhow::Result<()> {
    // `--all-targets` takes the benches along, which run once as tests, but leaves doc tests out.
    cmd!(project.shell, "cargo test --locked --workspace --all-features --all-targets").run()?;
    cmd!(project.shell, "cargo test --locked --workspace --all-features --doc").run()?;
    Ok(())
}
