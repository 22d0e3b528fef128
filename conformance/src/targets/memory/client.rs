//! The client as a program in this process.

use std::{io, sync::Arc};

use examples::everything_client::{Player, Script};
use mcp_client::{Client, ConnectError, Connection, Era as Speaks, FromServer, Opened};
use mcp_session::{Note, engine::Table, limits::Limits};
use mcp_types::Version;
use serde_json::{Value, json};
use tokio::{runtime::Runtime, sync::mpsc::UnboundedSender};

use super::{
    calls::Calls,
    errors::Errors,
    program::{Command, Inside, Outcome},
    server::ended,
    wire::Halves,
};
use crate::{
    scenario::Era,
    target::{Callback, Exit, OpenOptions, Order},
};

/// Connects, does what it is told, and ends with its connection.
pub(super) async fn run(table: Arc<Table>, options: OpenOptions, halves: Halves, mut inside: Inside) -> Outcome {
    // The connection runs in a runtime of its own, so that it can vanish under the program.
    let Ok(runtime) = runtime(&inside.errors) else { return Outcome::KILLED };
    if let Some(script) = options.script.as_deref().map(Script::parse) {
        let told = inside.told.clone();
        let player = Player::new(Arc::new(move |line| tell(&told, line)));
        let client = player.client().with_limits(limits(&options)).with_table(table);
        return play(player, client, script, halves, runtime, inside).await;
    }
    let client = configured(table, &options, &inside.told);
    let connecting = runtime.spawn(async move { client.connect(Opened::new(halves)).await });
    let connected = tokio::select! {
        connected = connecting => connected,
        () = killed(&mut inside) => return leave(runtime, Outcome::KILLED),
    };
    let outcome = match connected {
        Ok(Ok(connection)) => {
            tell(&inside.told, json!({"connected": true}));
            return stay(connection, runtime, inside).await;
        }
        Ok(Err(error)) => {
            tell(&inside.told, json!({"connected": false, "error": reason(&error), "text": error.to_string()}));
            inside.watch.gone().await;
            Outcome { exit: Exit::Code(1), report: None, began: false }
        }
        Err(broken) => std::panic::resume_unwind(broken.into_panic()),
    };
    leave(runtime, outcome)
}

/// Plays a script, as the program does that is a process of its own.
async fn play(
    player: Player,
    client: Client,
    script: Script,
    halves: Halves,
    runtime: Runtime,
    mut inside: Inside,
) -> Outcome {
    let watch = inside.watch.clone();
    let playing = runtime.spawn(async move {
        let report = player.play(client.connect(Opened::new(halves)).await, &script).await;
        if report.is_none() {
            watch.gone().await;
        }
        report
    });
    let played = tokio::select! {
        played = playing => played,
        () = killed(&mut inside) => return leave(runtime, Outcome::KILLED),
    };
    let outcome = match played {
        Ok(Some(report)) => Outcome { exit: Exit::Code(0), ..ended(&report, report.exit_code()) },
        Ok(None) => Outcome { exit: Exit::Code(0), report: None, began: false },
        Err(broken) => std::panic::resume_unwind(broken.into_panic()),
    };
    leave(runtime, outcome)
}

async fn stay(connection: Connection, runtime: Runtime, mut inside: Inside) -> Outcome {
    let closed = connection.closed();
    let mut runtime = Some(runtime);
    let mut connection = Some(connection);
    let mut calls = Calls::new(inside.told.clone());
    let report = loop {
        tokio::select! {
            // An end that has come is an end, whatever is asked at that moment.
            biased;
            report = closed.clone() => break report,
            command = inside.commands.recv() => {
                let Some(command) = command else { break_away(runtime); return Outcome::KILLED };
                let Some(live) = &connection else { continue };
                match command {
                    Command::Order(Order::Call { number, method, timeout }) => {
                        let call = live.request_raw(method, &());
                        calls.make(number, if let Some(limit) = timeout { call.timeout(limit) } else { call });
                    }
                    Command::Order(Order::Forget(number)) => calls.forget(number),
                    Command::Order(Order::Notify(method)) => {
                        if let Some(peer) = live.peer() {
                            peer.notify_now(method, None);
                        }
                    }
                    Command::Order(Order::Close) => {
                        if let Some(connection) = connection.take() {
                            calls.tell(async move {
                                let report = connection.close().await;
                                json!({"closed": format!("{:?}", report.reason)})
                            });
                        }
                    }
                    Command::Order(Order::DropHandle) => connection = None,
                    Command::Order(Order::DropRun) => break_away(runtime.take()),
                    // A client has no way to abort, and no signals.
                    Command::Order(Order::Abort) | Command::Signal(_) => {}
                }
            }
        }
    };
    calls.settle().await;
    break_away(runtime);
    ended(&report, report.exit_code())
}

fn configured(table: Arc<Table>, options: &OpenOptions, told: &UnboundedSender<Value>) -> Client {
    let era = match options.era {
        Some(Era::Modern) => Speaks::Modern,
        Some(Era::Legacy) => Speaks::Legacy(Version::LATEST_LEGACY),
        None => Speaks::Detect,
    };
    let (callback, told) = (options.callback, told.clone());
    Client::new("mcp-conformance", env!("CARGO_PKG_VERSION"))
        .with_era(era)
        .with_limits(limits(options))
        .with_table(table)
        .on_notification(move |note| hear(callback, note, told.clone()))
}

fn limits(options: &OpenOptions) -> Limits {
    let mut limits = Limits::default();
    limits.connect = options.connect.unwrap_or(limits.connect);
    limits.era_probe = options.probe.unwrap_or(limits.era_probe);
    limits.inbox = options.inbox.unwrap_or(limits.inbox);
    limits.drain = options.drain.or(limits.drain);
    limits.write_stall = options.write_stall.or(limits.write_stall);
    limits
}

async fn hear(callback: Callback, note: FromServer<Note>, told: UnboundedSender<Value>) {
    tell(&told, json!({"heard": note.method}));
    match callback {
        Callback::Tells => {}
        Callback::NeverEnds => std::future::pending().await,
        Callback::Panics => std::panic::panic_any("this callback always panics"),
        Callback::CallsBack => {
            let outcome = note.connection().request_raw("ping", &()).await;
            tell(&told, json!({"called back": outcome.is_ok()}));
        }
    }
}

/// Resolves when the program is to end at once.
async fn killed(inside: &mut Inside) {
    while inside.commands.recv().await.is_some() {}
}

fn runtime(errors: &Errors) -> io::Result<Runtime> {
    let errors = errors.clone();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().on_thread_start(move || errors.capture()).build()
}

fn leave(runtime: Runtime, outcome: Outcome) -> Outcome {
    break_away(Some(runtime));
    outcome
}

/// A runtime may not be waited for inside another one.
fn break_away(runtime: Option<Runtime>) {
    if let Some(runtime) = runtime {
        runtime.shutdown_background();
    }
}

fn reason(error: &ConnectError) -> &'static str {
    match error {
        ConnectError::Refused { .. } => "refused",
        ConnectError::Closed { .. } => "closed",
        ConnectError::TimedOut { .. } => "timed out",
        ConnectError::Unsupported { .. } => "unsupported",
        _ => "malformed",
    }
}

/// A script that has ended wants to know nothing more.
fn tell(told: &UnboundedSender<Value>, what: Value) {
    drop(told.send(what));
}
