//! What a server has not said that it offers: nobody gets it, and nobody asks for it.

use serde_json::{Value, json};

use crate::{
    scenario::{Applies, Ctx, Era, Family, Role, Scenario, Stop, issue, must, spec},
    scenarios::play::exits,
    session::{self, Session},
    target::{Exit, OpenOptions},
};

pub(super) static SCENARIOS: [Scenario; 2] = [
    Scenario {
        title: "a server answers the methods that it declares, and no others",
        requirement: "a request for a capability that was not declared: method not found",
        sources: &[
            issue("typescript-sdk", 1386),
            spec("2025-11-25", "basic/lifecycle#operation"),
            spec("2026-07-28", "server/discover"),
        ],
        checks: &[must("undeclared-refused"), must("declared-answered"), must("exit-0")],
        ..Scenario::new("offers-declared-alone", Family::Documented, |ctx| Box::pin(declared(ctx)))
    },
    Scenario {
        title: "a client does not ask for what the server has not declared",
        requirement: "both parties must only use capabilities that were successfully negotiated",
        sources: &[issue("typescript-sdk", 1386), spec("2025-11-25", "basic/lifecycle#operation")],
        applies: Applies::EVERYWHERE.to(&[Role::Client]),
        checks: &[must("told-at-once"), must("not-sent"), must("exit-0")],
        ..Scenario::new("client-not-offered", Family::Documented, |ctx| Box::pin(not_offered(ctx)))
    },
];

/// Capabilities, each with a method that has no parameters of its own.
const METHODS: [(&str, &str); 6] = [
    ("/tools", "tools/list"),
    ("/prompts", "prompts/list"),
    ("/resources", "resources/list"),
    ("/resources", "resources/templates/list"),
    // Requests of the revision 2025-11-25.
    ("/tasks/list", "tasks/list"),
    // Nobody declares it.
    ("/nothing", "nothing/list"),
];

async fn declared(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_ready().await?;
    let opened = session.seen().iter().find(|frame| frame["id"] == "open").cloned().unwrap_or_default();
    let capabilities = &opened["result"]["capabilities"];
    let mut wrong = (Vec::new(), Vec::new());
    for (number, (capability, method)) in METHODS.into_iter().enumerate() {
        session.request(number, method, json!({})).await;
        let answer = session.answer_to(number).await?;
        match capabilities.pointer(capability) {
            Some(_) if !answer["result"].is_object() => wrong.1.push(answer),
            None if answer["error"]["code"] != -32601 => wrong.0.push(answer),
            _ => {}
        }
    }
    ctx.check("undeclared-refused", wrong.0.is_empty(), || format!("{capabilities}: {:?}", wrong.0));
    ctx.check("declared-answered", wrong.1.is_empty(), || format!("{capabilities}: {:?}", wrong.1));
    let ending = session.finish().await;
    ctx.check("exit-0", ending.exit == Exit::Code(0), || ending.exit.to_string());
    Ok(())
}

async fn not_offered(ctx: Ctx) -> Result<(), Stop> {
    let mut session = ctx.open_with(OpenOptions::new().with_script("list,close")).await?;
    offers_nothing(&ctx, &mut session).await?;
    let connected = session.step("connect").await?;
    if connected["ok"] != true {
        return Err(Stop(format!("the client told {connected}")));
    }
    // A client that says that there are none says so, too.
    let told = session.step("list").await?;
    let none = told["result"]["tools"].as_array().is_some_and(Vec::is_empty);
    ctx.check("told-at-once", told["ok"] == false || none, || told.to_string());
    session.rest().await?;
    let asked = session.seen().iter().any(|frame| frame["method"] == "tools/list");
    ctx.check("not-sent", !asked, || format!("{:?}", session.seen()));
    exits(&ctx, session).await;
    Ok(())
}

/// Receives a client as a server that declares nothing.
async fn offers_nothing(ctx: &Ctx, session: &mut Session) -> Result<(), Stop> {
    let hello = match ctx.era() {
        Era::Legacy => session.handshake().await?,
        Era::Modern => session.until(|frame| frame["method"] == "server/discover").await?,
    };
    let mut answer: Value = match ctx.era() {
        Era::Legacy => session::initialized(&hello["id"]),
        Era::Modern => session::discovered(&hello["id"]),
    };
    answer["result"]["capabilities"] = json!({});
    session.send(&answer).await;
    Ok(())
}
