//! The project speaks of itself alone: no folder of somebody's machine, no host of a registry.

use crate::tidy::Finding;
use crate::tidy::files::TextFile;

pub(super) fn check(file: &TextFile) -> Vec<Finding> {
    if is_lock_file(&file.path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        if let Some(folder) = FOLDERS.into_iter().find(|folder| has_path(line, folder)) {
            findings.push(Finding::new(
                &file.path,
                number,
                format!("`{folder}` is a folder of one machine: use a path within the project"),
            ));
        }
        if let Some(host) = HOSTS.into_iter().find(|host| line.contains(host)) {
            findings.push(Finding::new(
                &file.path,
                number,
                format!("`{host}` is the host of a registry: leave it to the package manager's settings"),
            ));
        }
    }
    findings
}

fn is_lock_file(path: &str) -> bool {
    path == "Cargo.lock" || path.ends_with("/Cargo.lock")
}

/// Whether the folder stands at the start of a path, and not in the middle of a longer one.
fn has_path(line: &str, folder: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "._-~}*".contains(c);
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(goes_on))
}

// Put together from halves, so that this file passes its own rule.
const FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/fa", "rm/")];
const HOSTS: [&str; 6] = [
    concat!("static.crates", ".io"),
    concat!("index.crates", ".io"),
    concat!("crates", ".io/api"),
    concat!("py", "pi.org"),
    concat!("pythonhosted", ".org"),
    concat!("registry.npm", "js.org"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<Option<usize>> {
        check(&TextFile::new(path, text)).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn folders_of_a_machine_are_found() {
        for folder in FOLDERS {
            for line in
                [format!("cd {folder}x"), format!("\"{folder}x\""), format!("file://{folder}x"), format!("A={folder}")]
            {
                assert_eq!(found("README.md", &format!("first\n{line}\n")), [Some(2)], "{line}");
            }
        }
    }

    #[test]
    fn hosts_of_registries_are_found_except_in_the_lock_file() {
        for host in HOSTS {
            let line = format!("https://{host}/x");
            assert_eq!(found("mcp-types/src/lib.rs", &line), [Some(1)]);
            assert!(found("Cargo.lock", &line).is_empty());
        }
    }

    #[test]
    fn longer_paths_are_fine() {
        for folder in FOLDERS {
            for prefix in ["https://example.com", "src", "..", "$HOME", "${DIR}", "~"] {
                assert!(found("a.md", &format!("{prefix}{folder}x")).is_empty(), "{prefix}");
            }
        }
        assert!(found("a.md", "https://crates.io/crates/tokio").is_empty());
    }
}
