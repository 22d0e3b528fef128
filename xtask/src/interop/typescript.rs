//! A folder of npm packages, and the scripts beside them.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;
use xshell::cmd;

use crate::project::Project;

/// Makes the folder what `sources` say it should be, and tells which version of the package is in it.
///
/// Node looks for packages from the place of a script upwards. The scripts are copied to where the
/// packages are, so that nothing is installed into the sources.
pub(super) fn environment(project: &Project, sources: &Path, folder: &Path, package: &str) -> anyhow::Result<String> {
    let pins = pins(sources)?;
    if !all_installed(folder, &pins) {
        install(project, sources, folder, &pins)?;
    }
    for script in project.shell.read_dir(sources)? {
        if script.extension().is_some_and(|extension| extension == "mjs") {
            project.shell.copy_file(&script, folder)?;
        }
    }
    let pin = pins.into_iter().find(|(name, _)| name == package);
    Ok(pin.with_context(|| format!("{PINS} does not name {package}"))?.1)
}

fn install(project: &Project, sources: &Path, folder: &Path, pins: &Pins) -> anyhow::Result<()> {
    println!("-- making {} with {}", folder.display(), listed(pins));
    project.shell.remove_path(folder)?;
    project.shell.create_dir(folder)?;
    project.shell.copy_file(sources.join(PINS), folder)?;
    let _there = project.shell.push_dir(folder);
    // A lock file would name the registry of whoever wrote it; the clients themselves are pinned exactly.
    cmd!(
        project.shell,
        "npm install --no-package-lock --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"
    )
    .quiet()
    .ignore_stdout()
    .run()
    .with_context(|| format!("installing {}", listed(pins)))?;
    if !all_installed(folder, pins) {
        bail!("npm installed something else than {}", listed(pins));
    }
    Ok(())
}

/// Names and exact versions.
type Pins = Vec<(String, String)>;

fn pins(sources: &Path) -> anyhow::Result<Pins> {
    let manifest = manifest(sources).with_context(|| format!("reading {PINS}"))?;
    let packages = manifest["dependencies"].as_object().with_context(|| format!("{PINS} has no dependencies"))?;
    let pin = |(name, version): (&String, &Value)| {
        let version = version.as_str().filter(|version| is_exact(version));
        Ok((name.clone(), version.with_context(|| format!("{PINS} pins {name} to no exact version"))?.to_owned()))
    };
    packages.iter().map(pin).collect()
}

fn is_exact(version: &str) -> bool {
    version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains([' ', 'x', '*', '|'])
}

fn all_installed(folder: &Path, pins: &Pins) -> bool {
    let installed = |name: &str| Some(manifest(&folder.join("node_modules").join(name)).ok()?["version"].take());
    pins.iter().all(|(name, version)| installed(name).is_some_and(|found| found == **version))
}

fn manifest(folder: &Path) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&fs::read_to_string(folder.join(PINS))?)?)
}

fn listed(pins: &Pins) -> String {
    let each: Vec<_> = pins.iter().map(|(name, version)| format!("{name} {version}")).collect();
    each.join(" and ")
}

const PINS: &str = "package.json";

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_committed_pins_are_exact() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let names: Vec<_> = pins(&root.join("interop/typescript")).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["@modelcontextprotocol/client", "@modelcontextprotocol/sdk"]);
        assert_eq!(pins(&root.join("interop/servers")).unwrap().len(), 3);
    }

    #[test]
    fn a_range_is_no_exact_version() {
        for range in ["^1.2.3", "~1.2.3", ">=1", "1.x", "1.2.3 || 2", "*", "latest", ""] {
            assert!(!is_exact(range), "{range}");
        }
        assert!(is_exact("1.32.2"));
    }
}
