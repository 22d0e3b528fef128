//! `cargo xtask conformance`: the suite against our own server.

use xshell::cmd;

use crate::project::Project;

pub(crate) fn run(project: &Project, args: &[String]) -> anyhow::Result<()> {
    let server = project.build_release("examples", "everything-server")?;
    let suite = project.build_release("conformance", "mcp-conformance")?;
    cmd!(project.shell, "{suite} own --everything-server {server} {args...}").run()?;
    Ok(())
}
