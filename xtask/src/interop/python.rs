//! Virtual environments of Python.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use xshell::cmd;

use crate::project::Project;

/// The interpreter of a virtual environment that has exactly this version of the official package.
pub(super) fn environment(project: &Project, folder: &Path, version: &str) -> anyhow::Result<PathBuf> {
    let python = folder.join("bin/python");
    if installed(project, &python).as_deref() == Some(version) {
        return Ok(python);
    }
    println!("-- making {} with mcp {version}", folder.display());
    bare_environment(project, folder)?;
    install(project, &python, &format!("mcp=={version}"))?;
    match installed(project, &python) {
        Some(found) if found == version => Ok(python),
        found => bail!("asked for mcp {version}, got {}", found.as_deref().unwrap_or("nothing")),
    }
}

/// The interpreter of a new virtual environment with nothing in it.
pub(super) fn bare_environment(project: &Project, folder: &Path) -> anyhow::Result<PathBuf> {
    need_python(project)?;
    project.shell.remove_path(folder)?;
    cmd!(project.shell, "python3 -m venv {folder}").quiet().run()?;
    Ok(folder.join("bin/python"))
}

pub(super) fn install(project: &Project, python: &Path, requirement: &str) -> anyhow::Result<()> {
    cmd!(project.shell, "{python} -m pip install --quiet --disable-pip-version-check --no-input {requirement}")
        .quiet()
        .run()
        .with_context(|| format!("installing {requirement}"))
}

fn installed(project: &Project, python: &Path) -> Option<String> {
    if !python.exists() {
        return None;
    }
    let ask = "import importlib.metadata as m; print(m.version('mcp'))";
    // A half-made environment is an answer too: it will be made again.
    cmd!(project.shell, "{python} -c {ask}").quiet().ignore_stderr().read().ok()
}

fn need_python(project: &Project) -> anyhow::Result<()> {
    let needed = "import ensurepip, venv";
    cmd!(project.shell, "python3 -c {needed}")
        .quiet()
        .ignore_stderr()
        .run()
        .context("this needs `python3` with `venv` (Debian: `apt install python3-venv`)")
}
