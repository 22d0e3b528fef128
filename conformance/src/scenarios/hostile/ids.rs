//! Ids of every kind.

use serde_json::{Value, json};

use super::table::{self, EXTRA, Golden, Opening, Row, checks, filled};
use crate::{
    golden,
    scenario::{Applies, Check, Ctx, Family, Need, Scenario, Stop, issue, must, row as table_row, spec},
    target::Exit,
};

const SERVED: Applies = Applies::EVERYWHERE.with_needs(&[Need::Tool("echo"), Need::Tool("sleep")]);

pub(super) static SCENARIOS: [Scenario; 3] = [
    Scenario {
        title: "every id that is a string or a number comes back as it was sent",
        requirement: "a response carries the id of its request with the same JSON type; `1.0` and big integers \
                      are echoed as sent",
        sources: &[issue("python-sdk", 961), spec("2025-11-25", "basic/index#responses")],
        applies: SERVED,
        checks: &ECHOED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-ids-echoed", Family::Hostile, |ctx| Box::pin(table::run(ctx, Opening::Ready, &ECHOED)))
    },
    Scenario {
        title: "what cannot be an id is refused without one",
        requirement: "a request `id` is a string or an integer, never `null`: −32600 without id",
        sources: &[spec("2025-11-25", "basic/index#requests"), issue("python-sdk", 961), table_row("C15")],
        applies: SERVED,
        checks: &REFUSED_CHECKS,
        limit: table::LIMIT,
        ..Scenario::new("hostile-ids-refused", Family::Hostile, |ctx| {
            Box::pin(table::run(ctx, Opening::Ready, &REFUSED))
        })
    },
    Scenario {
        title: "ids of different types are different ids, in flight and when cancelled",
        requirement: "string `\"1\"` ≠ number `1`; a cancel refers to the request with that id",
        sources: &[issue("python-sdk", 961), issue("rust-sdk", 957), spec("2025-11-25", "basic/index#requests")],
        applies: SERVED.by(&[Need::Cancel]),
        checks: &[must("each-answered-once"), must("cancelled-by-type"), must("exit-0")],
        ..Scenario::new("hostile-ids-by-type", Family::Hostile, |ctx| Box::pin(by_type(ctx)))
    },
];

const ECHO: &str =
    r#"{"jsonrpc":"2.0","id":¤,"method":"tools/call","params":{$META,"name":"echo","arguments":{"text":"x"}}}"#;

/// A row whose id is echoed.
const fn echoed(check: &'static str, id: &'static str) -> Row {
    filled(check, ECHO, id.as_bytes(), Golden::Echo(id, "x"))
}

/// A row whose id cannot be one.
const fn refused(check: &'static str, id: &'static str) -> Row {
    filled(check, ECHO, id.as_bytes(), Golden::Unread(INVALID))
}

static ECHOED_CHECKS: [Check; ECHOED.len() + EXTRA] = checks(&ECHOED);
#[rustfmt::skip]
const ECHOED: [Row; 19] = [
    echoed("zero",                   "0"),
    echoed("minus-zero",             "-0"),
    echoed("minus-three",            "-3"),
    echoed("least-of-64-bits",       "-9223372036854775808"),
    echoed("most-of-64-bits",        "18446744073709551615"),
    echoed("two-to-the-70",          "1180591620717411303424"),
    echoed("one-point-zero",         "1.0"),
    echoed("with-an-exponent",       "1E+2"),
    echoed("beyond-every-float",     "1e400"),
    echoed("empty",                  r#""""#),
    echoed("space-text",             r#"" ""#),
    echoed("zeros-in-front",         r#""007""#),
    echoed("digits-text",            r#""7""#),
    echoed("null-text",              r#""null""#),
    echoed("escaped",                r#""\u0061\"\\\/""#),
    echoed("escaped-nul",            r#""\u0000""#),
    echoed("escaped-line-feed",      r#""a\nb""#),
    echoed("four-byte-characters",   r#""🦀🦀""#),
    echoed("object-text",            r#""{\"id\":1}""#),
];

static REFUSED_CHECKS: [Check; REFUSED.len() + EXTRA] = checks(&REFUSED);
#[rustfmt::skip]
const REFUSED: [Row; 7] = [
    refused("null",                  "null"),
    refused("false",                 "false"),
    refused("empty-array",           "[]"),
    refused("array-of-an-id",        "[7]"),
    refused("empty-object",          "{}"),
    refused("object-of-an-id",       r#"{"id":7}"#),
    refused("half-a-pair",           r#""\ud800""#),
];

async fn by_type(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let before = session.seen().len();
    let ids = [json!(0), json!("0"), json!(""), json!("null"), json!("0.0")];
    for id in &ids {
        session.call(id.clone(), "sleep", json!({"ms": 200})).await;
    }
    for id in &ids {
        session.answer_to(id.clone()).await?;
    }
    let came = session.seen().len() - before;
    let once = ids.iter().all(|id| session.answers(id.clone()) == 1);
    ctx.check("each-answered-once", once && came == ids.len(), || format!("{:?}", session.seen()));

    let before = session.seen().len();
    session.call(5, "sleep", json!({"ms": 300})).await;
    session.call("5", "sleep", json!({"ms": 300})).await;
    session.call("", "sleep", json!({"ms": 300})).await;
    session.cancel(5).await;
    session.cancel("").await;
    session.call(6, "echo", json!({"text": "on"})).await;
    session.close_write().await;
    session.rest().await?;
    let came: Vec<&Value> = session.seen().iter().skip(before).collect();
    let [echo, sleep] = came.as_slice() else {
        ctx.check("cancelled-by-type", false, || format!("{came:?}"));
        return exits(&ctx, session).await;
    };
    let good = session.normal(echo) == golden::text_answer(6, "on") && golden::is_answer_to(sleep, &json!("5"));
    ctx.check("cancelled-by-type", good, || format!("{came:?}"));
    exits(&ctx, session).await
}

async fn exits(ctx: &Ctx, session: crate::session::Session) -> Result<(), Stop> {
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

const INVALID: i64 = -32600;
