//! The client as a program in this process.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use mcp_client::{Client, ConnectError, Connection, Era as Speaks};
use mcp_session::{Note, Peer, engine::Table, limits::Limits};
use mcp_types::Version;
use serde_json::{Map, Value, json};
use tokio::{runtime::Runtime, sync::mpsc::UnboundedSender};

use super::{
    calls::{Calls, kind},
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
    let peer = Arc::new(OnceLock::new());
    let client = configured(table, &options, &inside.told, &peer);
    let connecting = runtime.spawn(async move { client.connect(halves).await });
    let connected = tokio::select! {
        connected = connecting => connected,
        () = killed(&mut inside) => return leave(runtime, Outcome::KILLED),
    };
    let outcome = match connected {
        Ok(Ok(connection)) => {
            // It is told once.
            drop(peer.set(connection.peer().clone()));
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
                        calls.make(number, live.request(method, Map::new()), timeout);
                    }
                    Command::Order(Order::Forget(number)) => calls.forget(number),
                    Command::Order(Order::Notify(method)) => live.peer().notify_now(method, None),
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

fn configured(
    table: Arc<Table>,
    options: &OpenOptions,
    told: &UnboundedSender<Value>,
    peer: &Arc<OnceLock<Peer>>,
) -> Client {
    let mut limits = Limits::default();
    limits.connect = options.connect.unwrap_or(limits.connect);
    limits.inbox = options.inbox.unwrap_or(limits.inbox);
    limits.drain = options.drain.or(limits.drain);
    limits.write_stall = options.write_stall.or(limits.write_stall);
    let era = match options.era {
        Some(Era::Modern) => Speaks::Modern,
        Some(Era::Legacy) => Speaks::Legacy(Version::LATEST_LEGACY),
        None => Speaks::Detect,
    };
    let (callback, told, peer) = (options.callback, told.clone(), Arc::clone(peer));
    Client::new("mcp-conformance", env!("CARGO_PKG_VERSION"))
        .with_era(era)
        .with_limits(limits)
        .with_table(table)
        .on_notification(move |note| hear(callback, note, told.clone(), Arc::clone(&peer)))
}

async fn hear(callback: Callback, note: Note, told: UnboundedSender<Value>, peer: Arc<OnceLock<Peer>>) {
    tell(&told, json!({"heard": note.method}));
    match callback {
        Callback::Tells => {}
        Callback::NeverEnds => std::future::pending().await,
        Callback::Panics => std::panic::panic_any("this callback always panics"),
        Callback::CallsBack => {
            let Some(peer) = peer.get() else { return };
            let outcome = peer.call("ping", None).await;
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
        ConnectError::Call(error) => kind(error),
        ConnectError::Refused(_) => "refused",
        ConnectError::Unsupported { .. } => "unsupported",
        _ => "malformed",
    }
}

/// A script that has ended wants to know nothing more.
fn tell(told: &UnboundedSender<Value>, what: Value) {
    drop(told.send(what));
}
