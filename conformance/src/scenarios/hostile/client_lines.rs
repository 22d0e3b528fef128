//! What a client reads between two answers, and how it reads them: lines that are no messages, and
//! messages in odd wrappings.

use serde_json::json;

use crate::{
    scenario::{Applies, Check, Ctx, Family, Need, Role, Scenario, Stop, issue, must, row, spec},
    scenarios::play::{counted, exits, text_of},
    session::Session,
    target::OpenOptions,
};

const CLIENT: Applies = Applies::EVERYWHERE.to(&[Role::Client]).with_needs(&[Need::Bytes]);

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        row: Some("C15"),
        title: "lines that are no messages are not answered by a client, and hold nothing up",
        requirement: "a client never answers an unreadable line; nobody answers a malformed notification. The session \
                      goes on",
        sources: &[
            row("C15"),
            spec("2026-07-28", "basic/transports/stdio"),
            issue("python-sdk", 2302),
            issue("typescript-sdk", 1762),
        ],
        applies: CLIENT,
        checks: const { &checks(&NOISE) },
        ..Scenario::new("c15-client-noise", Family::Hostile, |ctx| Box::pin(noise(ctx)))
    },
    Scenario {
        row: None,
        title: "an answer is read however its bytes come",
        requirement: "messages are delimited by newlines; the text is UTF-8",
        sources: &[
            spec("2026-07-28", "basic/transports/stdio"),
            issue("getpaseo/paseo", 4850),
            issue("rust-sdk", 825),
            issue("openclaw/openclaw", 135_094),
        ],
        applies: CLIENT,
        checks: &[
            must("crlf"),
            must("bom"),
            must("blank-lines"),
            must("byte-by-byte"),
            must("two-in-one-write"),
            must("large-in-pieces"),
            must("exit-0"),
        ],
        ..Scenario::new("client-deliveries", Family::Hostile, |ctx| Box::pin(deliveries(ctx)))
    },
];

/// What is sent while a call waits, by name.
const NOISE: [(&str, &[u8]); 10] = [
    ("log-line", b"Starting server on stdio...\n"),
    ("open-brace", b"{\n"),
    ("no-members", b"{\"jsonrpc\":\"2.0\"}\n"),
    ("empty-batch", b"[]\n"),
    ("number", b"7\n"),
    ("method-is-a-number", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}\n"),
    ("not-utf8", b"{\"jsonrpc\":\"2.0\",\"method\":\"x/\xff\"}\n"),
    ("params-are-a-number", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":7}\n"),
    ("unknown-notification", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":{}}\n"),
    ("null", b"null\n"),
];

/// A check for each row, and those of the end.
const fn checks(rows: &[(&'static str, &[u8]); 10]) -> [Check; 13] {
    let mut checks = [must("exit-0"); 13];
    let mut at = 0;
    while at < rows.len() {
        checks[at] = must(rows[at].0);
        at += 1;
    }
    checks[10] = must("not-answered");
    checks[11] = must("report-counted");
    checks
}

async fn noise(ctx: Ctx) -> Result<(), Stop> {
    let mut session = calling(&ctx, NOISE.len()).await?;
    for (number, (name, bytes)) in NOISE.iter().enumerate() {
        let request = session.called(&format!("t{number}")).await?;
        session.send_bytes(bytes).await;
        session.reply_text(&request, "on").await;
        goes_on(&ctx, name, &mut session, number, "on").await?;
    }
    let rest = session.rest().await?;
    let answers = session.seen().iter().chain(&rest).filter(|frame| frame.get("method").is_none()).count();
    ctx.check("not-answered", answers == 0, || format!("{:?}", session.seen()));
    // How many of these are left to the session depends on whether the transport skips log lines.
    counted(&ctx, session, |dropped| dropped["malformed"].as_u64().is_some_and(|count| count >= 6)).await;
    Ok(())
}

async fn deliveries(ctx: Ctx) -> Result<(), Stop> {
    let mut session = calling(&ctx, 6).await?;
    let text = "\u{1f980} \u{e9}";
    for (number, name) in ["crlf", "bom", "blank-lines", "byte-by-byte"].into_iter().enumerate() {
        let line = answer_to(&mut session, number, text).await?;
        match name {
            "crlf" => session.send_bytes(format!("{line}\r\n").as_bytes()).await,
            "bom" => session.send_bytes(format!("\u{feff}{line}\n").as_bytes()).await,
            "blank-lines" => session.send_bytes(format!("\r\n\n  \t\n{line}\n \n").as_bytes()).await,
            _ => {
                for byte in format!("{line}\n").as_bytes() {
                    session.send_bytes(&[*byte]).await;
                }
            }
        }
        goes_on(&ctx, name, &mut session, number, text).await?;
    }
    let line = answer_to(&mut session, 4, text).await?;
    let noted = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
    session.send_bytes(format!("{noted}\n{line}\n").as_bytes()).await;
    goes_on(&ctx, "two-in-one-write", &mut session, 4, text).await?;
    let large = "x".repeat(LARGE);
    let line = answer_to(&mut session, 5, &large).await?;
    for piece in format!("{line}\n").as_bytes().chunks(8 * 1_024) {
        session.send_bytes(piece).await;
    }
    goes_on(&ctx, "large-in-pieces", &mut session, 5, &large).await?;
    exits(&ctx, session).await;
    Ok(())
}

/// A session whose client calls so many tools, one after the other: `t0`, `t1`, and so on.
async fn calling(ctx: &Ctx, count: usize) -> Result<Session, Stop> {
    let mut steps: Vec<String> = (0..count).map(|number| format!("call:t{number}")).collect();
    steps.push("close".to_owned());
    ctx.open_ready_with(OpenOptions::new().with_script(steps.join(","))).await
}

/// The line of the answer to the call with this number.
async fn answer_to(session: &mut Session, number: usize, text: &str) -> Result<String, Stop> {
    let request = session.called(&format!("t{number}")).await?;
    let result = json!({"resultType": "complete", "content": [{"type": "text", "text": text}]});
    Ok(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string())
}

async fn goes_on(ctx: &Ctx, check: &str, session: &mut Session, number: usize, text: &str) -> Result<(), Stop> {
    let told = session.step(&format!("call:t{number}")).await?;
    ctx.check(check, text_of(&told) == Some(text), || told.to_string().chars().take(300).collect());
    Ok(())
}

const LARGE: usize = 1 << 20;
