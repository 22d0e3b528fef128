//! What to start, and how.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcp_session::limits::Limits;
use tokio::net::unix::pipe;

use super::environment::Environment;
use super::keeper::Keeper;
use super::ladder::Ladder;
use super::log::{Scribe, Stderr};
use super::process::Process;
use super::restart::Restart;
use super::shared::Shared;
use super::source::{ChildSource, Patience};
use super::transport::{ChildSink, ChildTransport, Input};

/// A program that is a server when it is started: what [`std::process::Command`] is, for MCP over stdio.
///
/// ```no_run
/// use mcp_client::{ChildProcess, Client};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]).env("API_KEY", "…");
/// let connection = Client::new("my-app", "1.0").connect(server).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Environment
///
/// A child does not see the whole environment of this process, which may hold the secrets of others. It gets `HOME`,
/// `LANG`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR`, `TZ`, `USER` and those that begin with `LC_`, unless the value
/// is an exported shell function; what [`inherit_env`](Self::inherit_env) names; and what [`env`](Self::env) sets, which
/// wins. They are read when it is started.
///
/// # Ends
///
/// The [module](super) says how a child ends with its connection.
#[derive(Clone)]
#[must_use = "a program does nothing before it is started"]
pub struct ChildProcess {
    program: OsString,
    args: Vec<OsString>,
    environment: Environment,
    current_dir: Option<PathBuf>,
    stderr: Stderr,
    has_own_group: bool,
    stdin_grace: Duration,
    term_grace: Duration,
    patience: Patience,
    max_frame: usize,
    restart: Restart,
    on_start: Option<OnStart>,
}

type OnStart = Arc<dyn Fn(Process) + Send + Sync>;

impl ChildProcess {
    /// A program, by its path or by its name.
    ///
    /// A name without a slash is looked for in the `PATH` that the child gets: the one set with [`env`](Self::env), else
    /// ours. A relative path with a slash starts from the directory that the child gets.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let limits = Limits::default();
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            environment: Environment::default(),
            current_dir: None,
            stderr: Stderr::default(),
            has_own_group: true,
            stdin_grace: limits.child_exit,
            term_grace: limits.child_term,
            patience: Patience { exit_status: limits.exit_status, descendant: limits.descendant },
            max_frame: limits.frame,
            restart: Restart::never(),
            on_start: None,
        }
    }

    /// Adds an argument. No shell is involved.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.set(name.as_ref(), Some(value.as_ref()));
        self
    }

    /// Sets variables of the environment.
    pub fn envs(mut self, variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>) -> Self {
        for (name, value) in variables {
            self.environment.set(name.as_ref(), Some(value.as_ref()));
        }
        self
    }

    /// Takes a variable away that would be inherited.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.environment.set(name.as_ref(), None);
        self
    }

    /// Lets these variables of ours through too, if we have them.
    pub fn inherit_env(mut self, names: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        for name in names {
            self.environment.inherit(name.as_ref());
        }
        self
    }

    /// Lets all variables of ours through.
    pub fn inherit_all_env(mut self) -> Self {
        self.environment.inherit_all();
        self
    }

    /// Sets the directory that it starts in. Default: ours.
    pub fn current_dir(mut self, directory: impl AsRef<Path>) -> Self {
        self.current_dir = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets what becomes of its standard error. Default [`Stderr::Capture`].
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// Sets how long it may take to exit after its input has ended. Default 2 s.
    pub const fn stdin_grace(mut self, grace: Duration) -> Self {
        self.stdin_grace = grace;
        self
    }

    /// Sets how long it may take to exit after SIGTERM. Default 2 s.
    pub const fn term_grace(mut self, grace: Duration) -> Self {
        self.term_grace = grace;
        self
    }

    /// Sets every number at once: [`frame`](Limits::frame), [`child_exit`](Limits::child_exit),
    /// [`child_term`](Limits::child_term), [`exit_status`](Limits::exit_status) and [`descendant`](Limits::descendant).
    pub const fn limits(mut self, limits: &Limits) -> Self {
        self.stdin_grace = limits.child_exit;
        self.term_grace = limits.child_term;
        self.patience = Patience { exit_status: limits.exit_status, descendant: limits.descendant };
        self.max_frame = limits.frame;
        self
    }

    /// Leaves it in the process group of this process. By default it leads a group of its own, so that what it starts
    /// ends with it, as the real server behind a launcher such as `npx`; in our group, only the child itself is
    /// signalled. There a Ctrl-C at the terminal reaches it too, and it may ask at the terminal for a password.
    pub const fn in_our_group(mut self) -> Self {
        self.has_own_group = false;
        self
    }

    /// Sets whether it is started again when it ends by itself. Default never.
    pub const fn restart(mut self, restart: Restart) -> Self {
        self.restart = restart;
        self
    }

    /// Whether it is started again when it ends by itself.
    pub const fn restart_policy(&self) -> Restart {
        self.restart
    }

    /// Hands out a handle to the process, each time one was started: for its number, its standard error, its exit. The
    /// callback must not block.
    pub fn on_start(mut self, callback: impl Fn(Process) + Send + Sync + 'static) -> Self {
        self.on_start = Some(Arc::new(callback));
        self
    }

    /// Starts it. [`Client::connect`](crate::Client::connect) does so by itself.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such program, `PermissionDenied` when it is not executable, and others when processes
    /// or descriptors run out. The text names the program.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, or in one that was built without I/O.
    pub fn spawn(&self) -> io::Result<ChildTransport> {
        let program: Arc<str> = self.program.to_string_lossy().into();
        let (shared, bell) = Shared::new(program)?;
        let scribe = Scribe::new(Arc::clone(&shared), &self.stderr)?;
        let mut child = self.start()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let ladder = Ladder::new(self.stdin_grace, self.term_grace);
        Keeper::new(Arc::clone(&shared), bell, scribe.clone(), child, self.has_own_group, ladder).start()?;
        // From here on the keeper ends the child, whatever fails.
        let input = Input(Arc::clone(&shared));
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(io::Error::other("the pipes of a child are missing"));
        };
        let stdin = pipe::Sender::from_owned_fd(stdin.into())?;
        let stdout = pipe::Receiver::from_owned_fd(stdout.into())?;
        let source = ChildSource::new(stdout, self.max_frame, shared, scribe, self.patience);
        let transport = ChildTransport::new(source, ChildSink::new(stdin, input, self.patience.exit_status));
        if let Some(callback) = &self.on_start {
            callback(transport.process());
        }
        Ok(transport)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.environment.variables(std::env::vars_os()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(match &self.stderr {
            stderr if stderr.is_read() => Stdio::piped(),
            Stderr::Inherit => Stdio::inherit(),
            _ => Stdio::null(),
        });
        if let Some(directory) = &self.current_dir {
            command.current_dir(directory);
        }
        if self.has_own_group {
            command.process_group(0);
        }
        command.spawn().map_err(|error| {
            let directory = self.current_dir.clone().filter(|directory| !directory.is_dir());
            let program = self.program.clone();
            io::Error::new(error.kind(), NotStarted { program, directory, error })
        })
    }
}

/// Without arguments and values of variables: they may be secrets.
impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("program", &self.program)
            .field("current_dir", &self.current_dir)
            .field("restart", &self.restart)
            .finish_non_exhaustive()
    }
}

/// The program could not be started.
#[derive(Debug)]
struct NotStarted {
    program: OsString,
    /// The directory that it should have started in, when there is none.
    directory: Option<PathBuf>,
    error: io::Error,
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.display();
        match &self.directory {
            Some(directory) => {
                write!(f, "`{program}` cannot start in `{}`, which is no directory", directory.display())
            }
            None => write!(f, "`{program}` cannot be started: {}", self.error),
        }
    }
}

impl Error for NotStarted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.directory.is_some().then_some(&self.error)
    }
}
