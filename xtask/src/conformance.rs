//! `cargo xtask conformance`: the suite against our own server and client.

use xshell::cmd;

use crate::project::Project;

pub(crate) fn run(project: &Project, args: &[String]) -> anyhow::Result<()> {
    let server = project.build_release("examples", "everything-server")?;
    let client = project.build_release("examples", "everything-client")?;
    let suite = project.build_release("conformance", "mcp-conformance")?;
    cmd!(project.shell, "{suite} own --everything-server {server} --everything-client {client} {args...}").run()?;
    Ok(())
}
