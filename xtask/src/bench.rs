//! `cargo xtask bench`: counted figures.

use anyhow::Context;
use xshell::cmd;

use crate::project::Project;

pub(crate) fn run(project: &Project, args: &[String]) -> anyhow::Result<()> {
    cmd!(project.shell, "valgrind --version")
        .quiet()
        .ignore_stdout()
        .run()
        .context("counting instructions needs valgrind, which is not here (Debian: `apt install valgrind`)")?;
    cmd!(project.shell, "cargo run --release --package benches --bin bench -- {args...}").run()?;
    Ok(())
}
