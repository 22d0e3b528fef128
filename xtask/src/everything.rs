//! Our `everything-server`, serving HTTP for as long as somebody needs it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// A server in a process of its own. It is killed when this is dropped before it was [`stop`](Self::stop)ped.
#[derive(Debug)]
pub(crate) struct HttpServer {
    child: Child,
    /// Its input: the server ends when this does.
    input: Option<ChildStdin>,
    /// Without the path of an endpoint.
    origin: String,
    log: PathBuf,
}

impl HttpServer {
    /// Starts the program on a free port of this machine, with its standard error in a file.
    pub(crate) fn start(program: &Path, log: &Path) -> anyhow::Result<Self> {
        Self::start_with::<&str>(program, &[], log)
    }

    /// Starts it as [`start`](Self::start) does, with these options too.
    pub(crate) fn start_with<O: AsRef<OsStr>>(program: &Path, options: &[O], log: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command.args(["--http", "127.0.0.1:0", "--until-stdin-eof"]).args(options);
        Self::start_as(command, log).with_context(|| format!("starting {}", program.display()))
    }

    fn start_as(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let errors = File::create(log).with_context(|| format!("creating {}", log.display()))?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut server = Self { child, input, origin: String::new(), log: log.to_owned() };
        let output = output.context("the server has no output")?;
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            // Whoever does not wait any more has given up.
            let _given_up = tell.send(BufReader::new(output).read_line(&mut line).map(|_| line));
        });
        let line = told.recv_timeout(START).context("the server did not say where it listens")??;
        let Some(address) = listening(&line) else {
            bail!("the server did not say where it listens, but {line:?}; what went wrong is in {}", log.display());
        };
        server.origin = format!("http://{address}");
        Ok(server)
    }

    /// Where it answers over Streamable HTTP.
    pub(crate) fn url(&self) -> String {
        self.url_of("/mcp")
    }

    /// Where it answers under this path.
    pub(crate) fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Ends its input, and sees to it that it ends by itself and is content.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.input = None;
        let begun = Instant::now();
        while begun.elapsed() < END {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() {
                    Ok(())
                } else {
                    bail!("the server ended with {status}; what it said is in {}", self.log.display())
                };
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("the server did not end within {} s of its input", END.as_secs())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.input = None;
        if let Ok(None) = self.child.try_wait() {
            // It may have ended meanwhile, and then there is nothing to kill.
            let _ended = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

fn listening(line: &str) -> Option<&str> {
    line.strip_prefix("LISTENING ").map(str::trim).filter(|address| !address.is_empty())
}

/// How long it may take to listen.
const START: Duration = Duration::from_secs(20);
/// How long it may take to end: it drains for up to 30 s.
const END: Duration = Duration::from_secs(40);

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::{env, fs};

    use super::*;

    /// Starts a shell script as the server, and then does something with it.
    fn with<T>(name: &str, script: &str, then: impl FnOnce(anyhow::Result<HttpServer>) -> T) -> T {
        let log = env::temp_dir().join(format!("xtask-everything-{name}-{}", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let came = then(HttpServer::start_as(command, &log));
        fs::remove_file(&log).unwrap();
        came
    }

    #[test]
    fn it_serves_until_its_input_ends() {
        with("good", "echo LISTENING 127.0.0.1:4711; cat", |server| {
            let server = server.unwrap();
            assert_eq!(server.url(), "http://127.0.0.1:4711/mcp");
            assert_eq!(server.url_of("/sse"), "http://127.0.0.1:4711/sse");
            server.stop().unwrap();
        });
    }

    #[test]
    fn one_that_does_not_listen_is_told() {
        for script in ["echo hello; cat", "exit 2"] {
            let error = with("silent", script, |server| server.unwrap_err().to_string());
            assert!(error.starts_with("the server did not say where it listens, but "), "{error}");
        }
    }

    #[test]
    fn one_that_fails_in_the_end_is_told() {
        let error = with("bad", "echo LISTENING x; cat; exit 7", |server| server.unwrap().stop().unwrap_err());
        assert!(error.to_string().contains('7'), "{error}");
    }

    #[test]
    fn the_address_is_read() {
        assert_eq!(listening("LISTENING 127.0.0.1:4711\n"), Some("127.0.0.1:4711"));
        assert_eq!(listening("LISTENING \n"), None);
        assert_eq!(listening("error: unexpected argument"), None);
        assert_eq!(listening(""), None);
    }
}
