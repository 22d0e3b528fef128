//! C18, C26, C27 and C28: what becomes of the process that a client has started as its server.

use std::time::{Duration, Instant};

use crate::{
    scenario::{Applies, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    scenarios::play::{AT_ONCE, error_of, exits, fails_at_once, playing},
    session::Session,
    target::{Deed, Exit, OpenOptions},
};

const STARTS: Applies = Applies::EVERYWHERE.to(&[Role::Client]).with_needs(&[Need::Spawns]);
const LEGACY: Applies =
    Applies::legacy_only("a modern server answers the probe").to(&[Role::Client]).with_needs(&[Need::Spawns]);

pub(super) static SCENARIOS: [Scenario; 15] = [
    Scenario {
        row: Some("C18"),
        title: "a good server is gone moments after the client closes",
        requirement: "a child transport closes: close stdin first; a well-behaved server is gone in milliseconds",
        sources: &[row("C18"), spec("2026-07-28", "basic/transports/stdio#shutdown"), issue("csharp-sdk", 1836)],
        applies: STARTS,
        checks: &[must("input-ends"), must("no-signal"), must("close-is-quick"), must("exit-0")],
        ..Scenario::new("c18-good-server", Family::Documented, |ctx| Box::pin(good_server(ctx)))
    },
    Scenario {
        row: Some("C18"),
        title: "a server that lives on when its input ends gets SIGTERM",
        requirement: "close stdin, wait, SIGTERM",
        sources: &[row("C18"), spec("2026-07-28", "basic/transports/stdio#shutdown")],
        applies: STARTS,
        checks: &[must("waited-for"), must("terminated"), must("closes"), must("exit-0")],
        limit: LONG,
        ..Scenario::new("c18-term", Family::Documented, |ctx| Box::pin(term(ctx)))
    },
    Scenario {
        row: Some("C18"),
        title: "a server that ignores the end of its input and SIGTERM gets SIGKILL",
        requirement: "close stdin, wait, SIGTERM, wait, SIGKILL; always reaped",
        sources: &[row("C18"), spec("2026-07-28", "basic/transports/stdio#shutdown")],
        applies: STARTS,
        checks: &[
            must("term-after-a-wait"),
            must("kill-after-a-wait"),
            must("close-waits-for-it"),
            must("closes"),
            must("exit-0"),
        ],
        limit: LONG,
        ..Scenario::new("c18-kill", Family::Documented, |ctx| Box::pin(kill(ctx)))
    },
    Scenario {
        row: Some("C18"),
        title: "what a server has started is killed with it",
        requirement: "SIGTERM, SIGKILL for the whole group: no process is left",
        sources: &[row("C18"), issue("anthropics/claude-code", 76306)],
        applies: STARTS,
        checks: &[must("nothing-left"), must("exit-0")],
        limit: LONG,
        ..Scenario::new("c18-group", Family::Documented, |ctx| Box::pin(group(ctx)))
    },
    Scenario {
        row: Some("C18"),
        title: "a server that exits by itself is reaped while the client goes on",
        requirement: "always reaped",
        sources: &[row("C18"), issue("zeroclaw-labs/zeroclaw", 8731)],
        applies: STARTS,
        checks: &[must("no-zombie"), must("exit-0")],
        ..Scenario::new("c18-reaped-at-once", Family::Documented, |ctx| Box::pin(reaped(ctx)))
    },
    Scenario {
        row: Some("C18"),
        title: "a server that writes a lot to its standard error is not blocked by that",
        requirement: "stderr always drained",
        sources: &[row("C18"), issue("typescript-sdk", 2776), issue("typescript-sdk", 2803)],
        applies: STARTS,
        checks: &[must("not-blocked"), must("exit-0")],
        ..Scenario::new("c18-stderr-drained", Family::Documented, |ctx| Box::pin(flood(ctx)))
    },
    Scenario {
        row: Some("C1"),
        title: "a server that dies fails the calls that wait for it, with the signal",
        requirement: "every pending call settles at once; the error carries the exit status or the signal",
        sources: &[row("C1"), issue("PrefectHQ/fastmcp", 499)],
        applies: STARTS,
        checks: &[must("fails-at-once"), must("names-the-signal"), must("next-fails-too"), must("exit-0")],
        ..Scenario::new("c1-server-killed", Family::Documented, |ctx| Box::pin(killed(ctx)))
    },
    Scenario {
        row: Some("C1"),
        title: "a server that exits fails the calls that wait for it, with its exit status",
        requirement: "every pending call settles at once; a clean exit is no other case than a crash",
        sources: &[row("C1"), issue("agentclientprotocol/python-sdk", 85)],
        applies: STARTS,
        checks: &[must("fails-at-once"), must("names-the-status"), must("exit-0")],
        ..Scenario::new("c1-server-exits", Family::Documented, |ctx| Box::pin(server_exits(ctx, 41)))
    },
    Scenario {
        row: Some("C1"),
        title: "a server that exits as if all were well fails the calls that wait for it all the same",
        requirement: "every pending call settles at once; a clean exit is no other case than a crash",
        sources: &[row("C1"), issue("agentclientprotocol/python-sdk", 85)],
        applies: STARTS,
        checks: &[must("fails-at-once"), must("names-the-status"), must("exit-0")],
        ..Scenario::new("c1-server-exits-cleanly", Family::Documented, |ctx| Box::pin(server_exits(ctx, 0)))
    },
    Scenario {
        row: Some("C26"),
        title: "a server that dies of the era probe is started once more, without a probe",
        requirement: "child dies on the era probe: respawned once, straight to `initialize`",
        sources: &[row("C26"), spec("2026-07-28", "basic/transports/stdio#backward-compatibility")],
        applies: LEGACY,
        checks: &[must("started-again"), must("no-second-probe"), must("works"), must("exit-0")],
        ..Scenario::new("c26-dies-on-the-probe", Family::Documented, |ctx| Box::pin(dies_on_probe(ctx)))
    },
    Scenario {
        row: Some("C26"),
        title: "a server that dies again after it was started once more is left alone",
        requirement: "child dies on the era probe: respawned once",
        sources: &[row("C26"), row("C27")],
        applies: LEGACY,
        checks: &[must("started-again"), must("connect-fails-at-once"), must("exit-0")],
        ..Scenario::new("c26-only-once", Family::Documented, |ctx| Box::pin(dies_twice(ctx)))
    },
    Scenario {
        row: Some("C27"),
        title: "a program that cannot start fails the connect at once, and says why",
        requirement: "`connect` fails at once with exit status and stderr tail",
        sources: &[row("C27"), issue("python-sdk", 401), issue("kotlin-sdk", 107)],
        applies: STARTS,
        checks: &[must("fails-at-once"), must("names-the-status"), must("quotes-stderr"), must("exit-0")],
        ..Scenario::new("c27-cannot-start", Family::Documented, |ctx| Box::pin(cannot_start(ctx)))
    },
    Scenario {
        row: Some("C27"),
        title: "a program that is not there fails the connect at once, and is named",
        requirement: "`connect` fails at once",
        sources: &[row("C27"), issue("python-sdk", 401)],
        applies: STARTS,
        checks: &[must("fails-at-once"), must("names-the-program"), must("exit-0")],
        ..Scenario::new("c27-not-there", Family::Documented, |ctx| Box::pin(not_there(ctx)))
    },
    Scenario {
        row: Some("C27"),
        title: "a server that dies in the handshake fails the connect at once, and says why",
        requirement: "end of input during connect: `connect` fails at once with exit status and stderr tail",
        sources: &[row("C27"), issue("python-sdk", 401)],
        applies: LEGACY,
        checks: &[must("fails-at-once"), must("names-the-status"), must("quotes-stderr"), must("exit-0")],
        ..Scenario::new("c27-dies-in-the-handshake", Family::Documented, |ctx| Box::pin(dies_in_handshake(ctx)))
    },
    Scenario {
        row: Some("C28"),
        title: "a server has exited and what it started holds the pipe: the calls do not wait for that",
        requirement: "child exited, a descendant still holds the pipe: after 500 ms without bytes peer gone, group \
                      killed",
        sources: &[row("C28"), issue("PrefectHQ/fastmcp", 499), issue("anthropics/claude-code", 76306)],
        applies: STARTS,
        checks: &[must("fails-soon"), must("nothing-left"), must("exit-0")],
        ..Scenario::new("c28-descendant-holds-the-pipe", Family::Documented, |ctx| Box::pin(descendant(ctx)))
    },
];

async fn good_server(ctx: Ctx) -> Result<(), Stop> {
    // A signal before the end of its input would be told, and the server would live on.
    let mut session = stubborn(&ctx, &[Deed::IgnoreTerm]).await?;
    let ended = session.server_tells("input ended").await;
    let since = Instant::now();
    ctx.check("input-ends", ended.is_ok(), || format!("{ended:?}"));
    let signalled = session.told_so_far().await.iter().any(|told| told["server"] == "SIGTERM");
    ctx.check("no-signal", !signalled, || "SIGTERM came first".to_owned());
    let exit = session.finish().await.exit;
    let took = since.elapsed();
    ctx.check("close-is-quick", took < AT_ONCE, || format!("closing took {took:?} after the input ended"));
    ctx.check("exit-0", exit == Exit::Code(0), || exit.to_string());
    Ok(())
}

async fn term(ctx: Ctx) -> Result<(), Stop> {
    let mut session = stubborn(&ctx, &[Deed::IgnoreEnd]).await?;
    session.server_tells("input ended").await?;
    let ended = Instant::now();
    session.server_tells("gone").await?;
    let waited = ended.elapsed();
    ctx.check("waited-for", waited > A_WAIT, || format!("signalled after {waited:?}"));
    ctx.check("terminated", waited < LONGEST_WAIT, || format!("gone after {waited:?}"));
    let closed = session.step("close").await?;
    ctx.check("closes", closed["ok"] == true, || closed.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn kill(ctx: Ctx) -> Result<(), Stop> {
    let mut session = stubborn(&ctx, &[Deed::IgnoreEnd, Deed::IgnoreTerm]).await?;
    session.server_tells("input ended").await?;
    let ended = Instant::now();
    session.server_tells("SIGTERM").await?;
    let waited = ended.elapsed();
    ctx.check("term-after-a-wait", waited > A_WAIT && waited < LONGEST_WAIT, || format!("after {waited:?}"));
    let terminated = Instant::now();
    let early = session.told_so_far().await;
    ctx.check("close-waits-for-it", early.is_empty(), || format!("told before: {early:?}"));
    session.server_tells("gone").await?;
    let waited = terminated.elapsed();
    ctx.check("kill-after-a-wait", waited > A_WAIT && waited < LONGEST_WAIT, || format!("after {waited:?}"));
    let closed = session.step("close").await?;
    ctx.check("closes", closed["ok"] == true, || closed.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn group(ctx: Ctx) -> Result<(), Stop> {
    let session = stubborn(&ctx, &[Deed::Spawn]).await?;
    nothing_left(&ctx, session).await
}

async fn reaped(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,sleep:2500,close").await?;
    session.called("x").await?;
    session.server(Deed::Exit(0)).await?;
    let gone = session.server_tells("gone").await?;
    session.step("call:x").await?;
    let place = format!("/proc/{}", gone["pid"]);
    let deadline = Instant::now() + AT_ONCE;
    let vanished = loop {
        let vanished = !std::path::Path::new(&place).exists();
        if vanished || Instant::now() > deadline {
            break vanished;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    ctx.check("no-zombie", vanished, || format!("{place} is still there, a second after its end"));
    exits(&ctx, session).await;
    Ok(())
}

async fn flood(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_script("close")).await?;
    let flooded = session.server(Deed::Flood(1 << 20)).await;
    ctx.check("not-blocked", flooded.is_ok(), || format!("{flooded:?}"));
    session.welcome().await?;
    session.step("close").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn killed(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,call:y,close").await?;
    session.called("x").await?;
    session.server(Deed::Die).await?;
    let told = fails_at_once(&ctx, "fails-at-once", &mut session, "call:x").await?;
    let names = error_of(&told).contains("SIGKILL") || error_of(&told).contains("signal 9");
    ctx.check("names-the-signal", names, || told.to_string());
    fails_at_once(&ctx, "next-fails-too", &mut session, "call:y").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn server_exits(ctx: Ctx, status: u8) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    session.called("x").await?;
    session.server(Deed::Exit(status)).await?;
    let told = fails_at_once(&ctx, "fails-at-once", &mut session, "call:x").await?;
    let named = status.to_string();
    // As a word: a `0` is in many a number.
    let names = error_of(&told).split(|letter: char| !letter.is_alphanumeric()).any(|word| word == named);
    ctx.check("names-the-status", names, || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn dies_on_probe(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_script("call:x,close")).await?;
    session.until(|frame| frame["method"] == "server/discover").await?;
    session.server(Deed::Exit(1)).await?;
    let again = session.next_server().await;
    ctx.check("started-again", again.is_ok(), || format!("{again:?}"));
    session.welcome().await?;
    let probes = session.seen().iter().filter(|frame| frame["method"] == "server/discover").count();
    ctx.check("no-second-probe", probes == 1, || format!("{probes} probes"));
    let called = session.called("x").await?;
    session.reply_text(&called, "here").await;
    let told = session.step("call:x").await?;
    ctx.check("works", told["ok"] == true, || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn dies_twice(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_script("call:x")).await?;
    session.until(|frame| frame["method"] == "server/discover").await?;
    session.server(Deed::Exit(1)).await?;
    let again = session.next_server().await;
    ctx.check("started-again", again.is_ok(), || format!("{again:?}"));
    session.until(|frame| frame["method"] == "initialize").await?;
    session.server(Deed::Exit(1)).await?;
    fails_at_once(&ctx, "connect-fails-at-once", &mut session, "connect").await?;
    exits(&ctx, session).await;
    Ok(())
}

async fn cannot_start(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_script("close").with_server(&[
        "sh",
        "-c",
        "echo 'there is no such database' >&2; exit 41",
    ]);
    let session = ctx.open_with(options).await?;
    connect_fails(&ctx, session).await
}

async fn not_there(ctx: Ctx) -> Result<(), Stop> {
    let options = OpenOptions::new().with_script("close").with_server(&["/no/such/server"]);
    let mut session = ctx.open_with(options).await?;
    let told = fails_at_once(&ctx, "fails-at-once", &mut session, "connect").await?;
    ctx.check("names-the-program", error_of(&told).contains("/no/such/server"), || told.to_string());
    exits(&ctx, session).await;
    Ok(())
}

async fn dies_in_handshake(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_script("close")).await?;
    session.handshake().await?;
    session.server(Deed::Complain("there is no such database")).await?;
    session.server(Deed::Exit(41)).await?;
    connect_fails(&ctx, session).await
}

async fn connect_fails(ctx: &Ctx, mut session: Session) -> Result<(), Stop> {
    let told = fails_at_once(ctx, "fails-at-once", &mut session, "connect").await?;
    ctx.check("names-the-status", error_of(&told).contains("41"), || told.to_string());
    let quotes = error_of(&told).contains("there is no such database");
    ctx.check("quotes-stderr", quotes, || told.to_string());
    exits(ctx, session).await;
    Ok(())
}

async fn descendant(ctx: Ctx) -> Result<(), Stop> {
    let mut session = playing(&ctx, "call:x,close").await?;
    session.called("x").await?;
    session.server(Deed::Spawn).await?;
    session.server(Deed::Exit(0)).await?;
    session.server_tells("gone").await?;
    let since = Instant::now();
    let told = session.step("call:x").await?;
    let took = since.elapsed();
    let soon = told["ok"] == false && took < Duration::from_secs(2);
    ctx.check("fails-soon", soon, || format!("after {took:?}: {told}"));
    nothing_left(&ctx, session).await
}

/// A session whose client closes once its server is as it shall be.
async fn stubborn(ctx: &Ctx, deeds: &[Deed]) -> Result<Session, Stop> {
    let mut session = playing(ctx, "call:ready,close").await?;
    for deed in deeds {
        session.server(deed.clone()).await?;
    }
    let called = session.called("ready").await?;
    session.reply_text(&called, "yes").await;
    session.step("call:ready").await?;
    Ok(session)
}

async fn nothing_left(ctx: &Ctx, session: Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("nothing-left", ending.left.is_empty(), || ending.left.join(", "));
    let exit = ending.exit;
    ctx.check("exit-0", exit == Exit::Code(0), || exit.to_string());
    Ok(())
}

/// What a wait must last at least, whatever its length.
const A_WAIT: Duration = Duration::from_millis(300);
/// What it may last at most.
const LONGEST_WAIT: Duration = Duration::from_secs(4);
const LONG: Duration = Duration::from_secs(20);
