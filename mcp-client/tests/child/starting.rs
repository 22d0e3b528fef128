//! What a child is given, and how starting one fails.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use mcp_client::ChildProcess;

use crate::support::{Said, Wire, sh};

/// A directory of one test.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("child-{name}"));
    fs::create_dir_all(&directory).unwrap();
    directory.canonicalize().unwrap()
}

/// A program of this name: a shell. It is not written, for a file that is being written elsewhere at the moment of a fork
/// cannot be started.
fn program(name: &str, directory: &Path) {
    let link = directory.join(name);
    drop(fs::remove_file(&link));
    symlink("/bin/sh", link).unwrap();
}

async fn lines(child: ChildProcess) -> Vec<String> {
    let mut wire = Wire::to(&child);
    let mut lines = Vec::new();
    while let Said::Frame(line) = wire.next().await {
        lines.push(line);
    }
    lines
}

/// The names of all variables that a child has.
async fn variables(child: ChildProcess) -> Vec<String> {
    let lines = lines(child).await;
    let mut names: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("{}")?.split('=').next()).collect();
    names.sort_unstable();
    names.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_child_gets_a_few_variables_and_those_it_is_given() {
    // Cargo sets this one for a test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let env = || ChildProcess::new("/bin/sh").args(["-c", "env | sed 's/^/{}/'"]);
    let allowed = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
    // The shell sets these by itself.
    let by_the_shell = ["PWD", "SHLVL", "_", "OLDPWD"];
    for name in variables(env()).await {
        assert!(allowed.contains(&&*name) || by_the_shell.contains(&&*name) || name.starts_with("LC_"), "{name}");
    }
    let names = variables(env().inherit_env(["CARGO_MANIFEST_DIR"]).env("ADDED", "1").envs([("MORE", "2")])).await;
    for name in ["CARGO_MANIFEST_DIR", "ADDED", "MORE", "PATH"] {
        assert!(names.iter().any(|other| other == name), "{name} is missing");
    }
    let names = variables(env().inherit_all_env().env_remove("CARGO_MANIFEST_DIR")).await;
    assert!(names.iter().any(|name| name == "CARGO_PKG_NAME"));
    assert!(!names.iter().any(|name| name == "CARGO_MANIFEST_DIR"));
}

#[tokio::test]
async fn a_variable_that_is_set_wins() {
    let said = lines(sh(r#"echo "{\"home\":\"$HOME\"}""#).env("HOME", "/first").env("HOME", "/second")).await;
    assert_eq!(said, [r#"{"home":"/second"}"#]);
}

#[tokio::test]
async fn a_program_is_looked_for_in_the_path_of_the_child() {
    let directory = directory("path");
    program("only-in-this-path", &directory);
    let path = format!("{}:/usr/bin:/bin", directory.display());
    let child = ChildProcess::new("only-in-this-path").args(["-c", "echo '{}'"]);
    assert_eq!(lines(child.env("PATH", path)).await, ["{}"]);
    let error = ChildProcess::new("only-in-this-path").spawn().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("`only-in-this-path` cannot be started"), "{error}");
}

#[tokio::test]
async fn a_child_starts_in_its_directory_and_relative_paths_start_there() {
    let directory = directory("directory");
    program("here", &directory);
    let child = ChildProcess::new("./here").args(["-c", r#"echo "{\"from\":\"$(pwd)\"}""#]);
    let said = lines(child.current_dir(&directory)).await;
    assert_eq!(said, [format!(r#"{{"from":"{}"}}"#, directory.display())]);
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let child = ChildProcess::new("printf").arg("%s\n").args(["{a b", "{$HOME", "{'\""]);
    assert_eq!(lines(child).await, ["{a b", "{$HOME", "{'\""]);
}

#[tokio::test]
async fn an_error_names_what_is_missing() {
    let error = ChildProcess::new("/no/such/program").spawn().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("/no/such/program"), "{error}");
    let error = ChildProcess::new("cat").current_dir("/no/such/directory").spawn().unwrap_err();
    assert_eq!(error.to_string(), "`cat` cannot start in `/no/such/directory`, which is no directory");
    let error = ChildProcess::new("/dev/null").spawn().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
}

#[test]
fn nothing_that_may_be_secret_is_shown() {
    let shown = format!("{:?}", ChildProcess::new("server").arg("--token=hunter2").env("KEY", "hunter3"));
    assert!(shown.contains("server") && !shown.contains("hunter"), "{shown}");
}

#[tokio::test]
async fn each_process_that_is_started_is_handed_out() {
    let (processes, started) = std::sync::mpsc::channel();
    let child = sh("exit 6").on_start(move |process| processes.send(process).unwrap());
    let numbers = [Wire::to(&child).process.id(), Wire::to(&child).process.id()];
    for number in numbers {
        let process = started.try_recv().unwrap();
        assert_eq!((process.id(), process.wait().await.code()), (number, Some(6)));
    }
}
