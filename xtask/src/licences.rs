//! Every crate that we build with must come under a permissive licence.

use anyhow::{Context, bail};
use serde_json::Value;

use crate::project::{Project, Scope};
use crate::spdx;

pub(crate) fn check(project: &Project) -> anyhow::Result<()> {
    let metadata = project.metadata(Scope::Tree)?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let refused: Vec<String> = packages.iter().filter_map(refusal).collect();
    if !refused.is_empty() {
        bail!(
            "these crates have no licence we accept (the list is in xtask/src/licences.rs):\n  {}",
            refused.join("\n  ")
        );
    }
    println!("{} crates, each under a permissive licence", packages.len());
    Ok(())
}

fn refusal(package: &Value) -> Option<String> {
    let name = format!("{} {}", package["name"].as_str().unwrap_or("?"), package["version"].as_str().unwrap_or("?"));
    let Some(licence) = package["license"].as_str() else {
        return Some(format!("{name}: names no licence"));
    };
    match spdx::satisfied(licence, |id| ACCEPTED.contains(&id)) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name}: {licence}")),
        Err(error) => Some(format!("{name}: `{licence}` cannot be read: {error}")),
    }
}

const ACCEPTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crate_without_a_permissive_licence_is_named() {
        let package = |licence: Value| json!({"name": "x", "version": "1.0.0", "license": licence});
        assert_eq!(refusal(&package(json!("MIT OR Apache-2.0"))), None);
        assert_eq!(refusal(&package(json!("GPL-3.0-only"))).as_deref(), Some("x 1.0.0: GPL-3.0-only"));
        assert_eq!(refusal(&package(Value::Null)).as_deref(), Some("x 1.0.0: names no licence"));
        assert!(refusal(&package(json!("MIT OR"))).is_some());
    }
}
