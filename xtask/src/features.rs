//! Each feature of each crate builds alone: it adds, and leans on no other.

use anyhow::Context;
use serde_json::Value;
use xshell::cmd;

use crate::project::{Project, Scope};

pub(crate) fn check(project: &Project) -> anyhow::Result<()> {
    for (package, feature) in features(&project.metadata(Scope::Workspace)?)? {
        let feature: &[&str] = if feature.is_empty() { &[] } else { &["--features", &feature] };
        cmd!(project.shell, "cargo check --quiet --locked --package {package} --no-default-features {feature...}")
            .run()?;
    }
    Ok(())
}

/// Every package with every feature that it has, and with none.
fn features(metadata: &Value) -> anyhow::Result<Vec<(String, String)>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` names no packages")?;
    let mut all = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package has no name")?;
        let declared = package["features"].as_object().context("a package has no table of features")?;
        if declared.is_empty() {
            continue;
        }
        all.push((name.to_owned(), String::new()));
        all.extend(declared.keys().filter(|key| *key != "default").map(|key| (name.to_owned(), key.clone())));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_feature_is_checked_and_none_at_all() -> anyhow::Result<()> {
        let metadata = json!({"packages": [
            {"name": "a", "features": {"default": ["x"], "x": [], "y": ["x"]}},
            {"name": "b", "features": {}},
        ]});
        let pair = |package: &str, feature: &str| (package.to_owned(), feature.to_owned());
        assert_eq!(features(&metadata)?, [pair("a", ""), pair("a", "x"), pair("a", "y")]);
        Ok(())
    }
}
