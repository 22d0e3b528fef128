//! Programs of others that may hang.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Runs a program with its output in two files, which may be the same, and kills it when it takes too long.
pub(crate) fn run(mut command: Command, stdout: &Path, stderr: &Path, limit: Duration) -> anyhow::Result<ExitStatus> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = File::create(stdout).with_context(|| format!("creating {}", stdout.display()))?;
    let err = if stdout == stderr { out.try_clone() } else { File::create(stderr) };
    let err = err.with_context(|| format!("creating {}", stderr.display()))?;
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = command.spawn().with_context(|| format!("starting `{name}`"))?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("`{name}` did not end within {} s", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::{env, fs};

    use super::*;

    #[test]
    fn output_is_kept_and_what_hangs_is_killed() {
        let log = env::temp_dir().join(format!("xtask-limited-{}", std::process::id()));
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let status = run(shell("echo one; echo two >&2; exit 3"), &log, &log, Duration::from_secs(20)).unwrap();
        assert_eq!(status.code(), Some(3));
        let text = fs::read_to_string(&log).unwrap();
        let begun = Instant::now();
        let error = run(shell("exec sleep 60"), &log, &log, Duration::from_millis(50)).unwrap_err();
        fs::remove_file(&log).unwrap();
        assert_eq!(text, "one\ntwo\n");
        assert_eq!(error.to_string(), "`sh` did not end within 0 s");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
