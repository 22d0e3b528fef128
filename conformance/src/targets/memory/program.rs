//! A program in this process: a thread with a runtime of its own, which can be killed.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    thread::JoinHandle,
    time::Duration,
};

use serde_json::Value;
use tokio::{
    sync::{
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        oneshot,
    },
    time::{Instant, timeout},
};

use super::{errors::Errors, wire::Watch};
use crate::target::{Exit, Order};

/// What a program does, from its start to its end.
pub(super) type Main = Box<dyn FnOnce(Inside) -> Pin<Box<dyn Future<Output = Outcome>>> + Send>;

/// What a program is given.
pub(super) struct Inside {
    /// What it is told to do. There is nothing more to come when it is to end at once.
    pub(super) commands: UnboundedReceiver<Command>,
    /// Where it tells what came of it.
    pub(super) told: UnboundedSender<Value>,
    pub(super) watch: Watch,
    pub(super) errors: Errors,
}

/// What is asked of a program from outside.
#[derive(Debug)]
pub(super) enum Command {
    Order(Order),
    Signal(i32),
}

/// What a program comes to.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) exit: Exit,
    pub(super) report: Option<Value>,
    pub(super) began: bool,
}

impl Outcome {
    /// It was told to end at once.
    pub(super) const KILLED: Self = Self { exit: Exit::Enforced, report: None, began: true };

    const PANICKED: Self = Self { exit: Exit::Code(101), report: None, began: true };
}

pub(super) struct Program {
    commands: Option<UnboundedSender<Command>>,
    told: UnboundedReceiver<Value>,
    done: oneshot::Receiver<(Outcome, Instant)>,
    ended: Option<(Outcome, Instant)>,
    thread: JoinHandle<()>,
    watch: Watch,
    errors: Errors,
}

impl Program {
    pub(super) fn start(main: Main, watch: Watch) -> io::Result<Self> {
        let (commands, received) = unbounded_channel();
        let (tell, told) = unbounded_channel();
        let (finish, done) = oneshot::channel();
        let errors = Errors::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let inside = Inside { commands: received, told: tell, watch: watch.clone(), errors: errors.clone() };
        let name = "program under test".to_owned();
        let captured = errors.clone();
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            captured.capture();
            let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(main(inside))));
            // What the program left running ends with it.
            drop(catch_unwind(AssertUnwindSafe(|| drop(runtime))));
            let outcome = outcome.unwrap_or(Outcome::PANICKED);
            // Nobody listens any more when the script was cut off.
            drop(finish.send((outcome, Instant::now())));
        })?;
        Ok(Self { commands: Some(commands), told, done, ended: None, thread, watch, errors })
    }

    /// Asks something of it. Nothing comes of that when it has ended.
    pub(super) fn command(&self, command: Command) {
        if let Some(commands) = &self.commands {
            drop(commands.send(command));
        }
    }

    pub(super) async fn told(&mut self, patience: Duration) -> Option<Value> {
        timeout(patience, self.told.recv()).await.ok().flatten()
    }

    /// What it came to, and when, if it ends within this time.
    pub(super) async fn ends_within(&mut self, patience: Duration) -> Option<(Outcome, Instant)> {
        if self.ended.is_none()
            && let Ok(done) = timeout(patience, &mut self.done).await
        {
            self.ended = Some(done.unwrap_or_else(|_| (Outcome::PANICKED, Instant::now())));
        }
        self.ended.clone()
    }

    pub(super) fn kill(&mut self) {
        self.commands = None;
        self.watch.kill();
    }

    pub(super) fn errors(&self) -> String {
        self.errors.all()
    }
}

impl Drop for Program {
    /// Only a script that was cut off comes here with a living program, which ends moments after
    /// it was killed.
    fn drop(&mut self) {
        self.kill();
        let deadline = std::time::Instant::now() + Duration::from_secs(1);
        while !self.thread.is_finished() && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
