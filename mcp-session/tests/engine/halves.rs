//! The two halves of a pipe end, in either order, with calls and handlers under way.

use std::fmt::Write as _;

use mcp_session::engine::{Config, Input, WriteFailure};

use crate::support::{Checked, Fixture, PIPE, cancelling_server, client, limited, server};

/// What ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Read,
    Broken,
    Local,
    Gone,
}

const ENDS: &[&[End]] = &[
    &[End::Read],
    &[End::Broken],
    &[End::Local],
    &[End::Gone],
    &[End::Read, End::Broken],
    &[End::Read, End::Local],
    &[End::Read, End::Gone],
    &[End::Broken, End::Read],
    &[End::Local, End::Read],
    &[End::Broken, End::Gone],
    &[End::Local, End::Gone],
    &[End::Gone, End::Read],
    &[End::Gone, End::Broken],
];

/// What is under way when they do.
#[derive(Clone, Copy, Debug)]
enum Work {
    Nothing,
    UnsentCall,
    SentCall,
    Running,
    Queued,
    Listening,
    RunningThatCalls,
    Blocked,
}

const WORK: &[Work] = &[
    Work::Nothing,
    Work::UnsentCall,
    Work::SentCall,
    Work::Running,
    Work::Queued,
    Work::Listening,
    Work::RunningThatCalls,
    Work::Blocked,
];

/// What every combination comes to: one line for each.
fn table(config: fn() -> Config) -> String {
    let mut text = String::new();
    for ends in ENDS {
        writeln!(text, "{ends:?}").unwrap();
        for work in WORK {
            let line = run(config(), work, ends).unwrap_or_else(|why| panic!("{work:?}, {ends:?}: {why}"));
            writeln!(text, "  {:<16} {line}", format!("{work:?}")).unwrap();
        }
    }
    text
}

fn run(config: Config, work: &Work, ends: &[End]) -> Checked<String> {
    let config = limited(config, |limits| limits.in_flight = 1);
    let mut f = Fixture::handshaken(config);
    begin(&mut f, work)?;
    let mut steps = Vec::new();
    for end in ends {
        match end {
            End::Read => f.read_ends(),
            End::Broken => f.write_fails(WriteFailure::Broken),
            End::Local => f.write_fails(WriteFailure::Local),
            End::Gone => f.peer_gone(),
        }
        steps.push(f.said());
    }
    // Whatever still runs comes to its end, then the pipe is closed, then the clock runs.
    for id in [1, 2] {
        if f.served(id).is_ok_and(|served| f.engine.is_serving(served)) {
            f.finish(id)?;
            steps.push(format!("finish {id}: {}", f.said()));
        } else if f.served(id).is_ok() && f.engine.dying().count() > 0 {
            f.gone(id)?;
            steps.push(format!("gone {id}: {}", f.said()));
        }
    }
    if !f.watch.is_finished() {
        f.closed(PIPE);
        steps.push(format!("closed: {}", f.said()));
    }
    while !f.watch.is_finished() {
        f.timeout()?;
        steps.push(format!("timeout: {}", f.said()));
    }
    f.is_sound()?;
    Ok(steps.iter().map(|step| if step.is_empty() { "–" } else { step.trim_end() }).collect::<Vec<_>>().join(" | "))
}

fn begin(f: &mut Fixture, work: &Work) -> Checked {
    match work {
        Work::Nothing => {}
        Work::UnsentCall => drop(f.call()?),
        Work::SentCall => drop(f.sent_call()?),
        Work::Running => f.request(1),
        Work::Queued => {
            f.request(1);
            f.request(2);
        }
        Work::Listening => f.listen(1)?,
        Work::RunningThatCalls => {
            f.request(1);
            let call = f.call_by(1)?;
            f.sent(call);
        }
        Work::Blocked => {
            f.request(1);
            f.feed(Input::WriteBlocked);
        }
    }
    Ok(())
}

#[test]
fn of_a_server_that_drains() {
    insta::assert_snapshot!(table(server));
}

#[test]
fn of_a_server_that_cancels() {
    insta::assert_snapshot!(table(cancelling_server));
}

#[test]
fn of_a_client() {
    insta::assert_snapshot!(table(client));
}
