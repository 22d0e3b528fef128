//! Packages of npm, installed exactly as a committed lock file says.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use xshell::cmd;

use crate::project::Project;

/// Makes the folder what `package.json` and `package-lock.json` of `sources` say.
///
/// The lock files are written with `npm install --package-lock-only --omit-lockfile-registry-resolved`: they pin
/// versions and contents, and leave the registry to whoever installs.
pub(crate) fn install(project: &Project, sources: &Path, folder: &Path) -> anyhow::Result<()> {
    if is_installed(sources, folder) {
        return Ok(());
    }
    println!("-- making {}", folder.display());
    project.shell.remove_path(folder)?;
    project.shell.create_dir(folder)?;
    for file in [MANIFEST, LOCK] {
        project.shell.copy_file(sources.join(file), folder)?;
    }
    let _there = project.shell.push_dir(folder);
    cmd!(project.shell, "npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error")
        .quiet()
        .ignore_stdout()
        .run()
        .with_context(|| format!("installing what {} pins", sources.join(LOCK).display()))
}

/// The version of a package that `package.json` pins.
pub(crate) fn version(sources: &Path, package: &str) -> anyhow::Result<String> {
    let path = sources.join(MANIFEST);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let manifest: Value = serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    let version = manifest["dependencies"][package].as_str();
    Ok(version.with_context(|| format!("{} does not name {package}", path.display()))?.to_owned())
}

/// npm writes its own note of what is installed last of all.
fn is_installed(sources: &Path, folder: &Path) -> bool {
    let is_the_same = |file| {
        fs::read(folder.join(file)).is_ok_and(|ours| fs::read(sources.join(file)).is_ok_and(|theirs| ours == theirs))
    };
    is_the_same(MANIFEST) && is_the_same(LOCK) && folder.join("node_modules/.package-lock.json").exists()
}

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_committed_locks_pin_what_the_manifests_name_and_no_registry() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (folder, package) in [
            ("conformance/official", "@modelcontextprotocol/conformance"),
            ("interop/inspector", "@modelcontextprotocol/inspector"),
        ] {
            let sources = root.join(folder);
            let version = version(&sources, package).unwrap();
            let lock: Value = serde_json::from_str(&fs::read_to_string(sources.join(LOCK)).unwrap()).unwrap();
            let locked = &lock["packages"][format!("node_modules/{package}")];
            assert_eq!(locked["version"], *version);
            for (name, entry) in lock["packages"].as_object().unwrap().iter().filter(|(name, _)| !name.is_empty()) {
                assert!(entry["integrity"].is_string(), "the contents of {name} are not pinned");
                assert!(entry.get("resolved").is_none(), "{name} is bound to a registry");
            }
        }
    }
}
