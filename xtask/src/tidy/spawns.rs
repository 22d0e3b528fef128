//! Nothing runs detached: handlers live in a set that the session owns and aborts.

use crate::tidy::Finding;
use crate::tidy::rust::{RustFile, words};

pub(super) fn check(file: &RustFile<'_>) -> Vec<Finding> {
    if is_allowed(file.path) {
        return Vec::new();
    }
    file.numbered()
        .filter(|(_, line)| !line.is_test)
        .filter_map(|(number, line)| {
            let spawn = SPAWNS.iter().find(|spawn| words(&line.code, spawn).next().is_some())?;
            Some(Finding::new(
                file.path,
                number,
                format!("`{spawn}` starts a task that nobody owns: hand the future to the session's task set"),
            ))
        })
        .collect()
}

/// The file that owns the tasks, and programs, which end with all that they started.
fn is_allowed(path: &str) -> bool {
    path == "mcp-session/src/tasks.rs"
        || ["examples/", "conformance/", "benches/"].iter().any(|package| path.starts_with(package))
        || path.split('/').any(|folder| folder == "examples" || folder == "benches")
}

const SPAWNS: &[&str] = &["tokio::spawn", "task::spawn", "task::spawn_local", "task::spawn_blocking"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::lines;

    #[test]
    fn a_detached_task_is_found() {
        for code in ["tokio::spawn(f());", "use tokio::spawn;", "tokio::task::spawn(f());", "task::spawn_blocking(f);"]
        {
            assert_eq!(lines(check, "mcp-server/src/service.rs", code), [1], "{code}");
        }
    }

    #[test]
    fn owned_tasks_and_allowed_places_are_fine() {
        let spawn = "tokio::spawn(f());";
        for path in [
            "mcp-session/src/tasks.rs",
            "mcp-session/tests/a.rs",
            "mcp-session/examples/a.rs",
            "examples/src/bin/a.rs",
            "conformance/src/runner.rs",
            "benches/benches/a.rs",
        ] {
            assert!(lines(check, path, spawn).is_empty(), "{path}");
        }
        assert!(lines(check, "mcp-server/src/a.rs", "set.spawn(f()); // tokio::spawn").is_empty());
        assert!(
            lines(check, "mcp-server/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { tokio::spawn(g()); } }").is_empty()
        );
    }
}
