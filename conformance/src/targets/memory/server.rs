//! The server as a program in this process.

use std::{pin::pin, sync::Arc};

use examples::everything::{self, Summary};
use mcp_server::{AtReadEnd, Limits, Server};
use mcp_session::{
    Closed, Handle,
    engine::{By, Close, Report, Table},
};
use serde_json::{Value, json};

use super::{
    calls::Calls,
    program::{Command, Inside, Outcome},
    wire::Halves,
};
use crate::target::{Exit, OpenOptions, Order};

/// The server with these settings, as its program takes them from the command line.
pub(super) fn configured(table: Arc<Table>, options: &OpenOptions) -> Server {
    let mut limits = Limits::default();
    limits.drain = options.drain.or(limits.drain);
    limits.write_stall = options.write_stall.or(limits.write_stall);
    (limits.in_flight, limits.queue) = options.requests.unwrap_or((limits.in_flight, limits.queue));
    let policy = if options.cancels_at_read_end { AtReadEnd::Cancel } else { AtReadEnd::Drain };
    everything::server().with_limits(limits).with_at_read_end(policy).with_table(table)
}

/// Serves one session to its end, as a program does: signals and orders come between.
pub(super) async fn run(server: Server, halves: Halves, mut inside: Inside) -> Outcome {
    let (handle, run) = server.open(halves);
    let closed = handle.closed();
    let mut holder = Holder { handle: Some(handle), calls: Calls::new(inside.told) };
    {
        let mut run = pin!(run);
        loop {
            tokio::select! {
                // An end that has come is an end, whatever is asked at that moment.
                biased;
                outcome = &mut run => {
                    holder.calls.settle().await;
                    return match outcome {
                        Ok(report) => ended(&report, report.exit_code()),
                        Err(error) => ended(&error.report, 1),
                    };
                }
                command = inside.commands.recv() => match command {
                    None => return Outcome::KILLED,
                    Some(Command::Order(Order::DropRun)) => break,
                    Some(command) => holder.does(command),
                },
            }
        }
    }
    holder.calls.settle().await;
    let report = closed.await;
    ended(&report, report.exit_code())
}

/// What the program holds of its session.
struct Holder {
    handle: Option<Handle>,
    calls: Calls,
}

impl Holder {
    fn does(&mut self, command: Command) {
        let Some(handle) = &self.handle else { return };
        match command {
            Command::Signal(number) => drop(handle.end(Close::Drain { within: None }, By::Signal(number))),
            Command::Order(Order::Call { number, method, timeout }) => {
                let call = handle.peer().call(method, None);
                self.calls.make(number, if let Some(limit) = timeout { call.timeout(limit) } else { call });
            }
            Command::Order(Order::Forget(number)) => self.calls.forget(number),
            Command::Order(Order::Notify(method)) => handle.peer().notify_now(method, None),
            Command::Order(Order::Close) => self.calls.tell(told(handle.close())),
            Command::Order(Order::Abort) => self.calls.tell(told(handle.abort())),
            Command::Order(Order::DropHandle) => self.handle = None,
            Command::Order(Order::DropRun) => {}
        }
    }
}

/// What is told when the session has closed.
async fn told(closed: Closed) -> Value {
    let report = closed.await;
    json!({"closed": format!("{:?}", report.reason)})
}

/// The end of a program whose session has this report.
pub(super) fn ended(report: &Report, code: u8) -> Outcome {
    let report = serde_json::to_value(Summary::new(report, code)).ok();
    Outcome { exit: Exit::Code(code.into()), report, began: true }
}
