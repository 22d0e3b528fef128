//! The tools.

use std::time::Duration;

use mcp_server::{Args, Context, Json, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{asking, diagnostic, fixtures, forms, rounds};

/// The server, with all its tools.
#[must_use]
pub(super) fn server() -> Server {
    let server = Server::new("everything-server", env!("CARGO_PKG_VERSION"))
        .with_title("Everything")
        .with_instructions("Each tool does one thing that a tool can do.");
    let server = diagnostic::add(rounds::add(forms::add(fixtures::add(server))));
    asking::add(server)
        .tool("echo", "Returns the text.", echo)
        .tool("add", "Adds two integers.", add)
        .tool("divide", "Divides two integers, and tells the quotient and the rest as data.", divide)
        .tool("sleep", "Waits for some milliseconds.", sleep)
        .blocking_tool("block", "Blocks its thread for some milliseconds, and tells whether it was cancelled.", block)
        .tool("progress", "Tells its progress in steps, 50 milliseconds apart.", progress)
        .tool("burst", "Tells its progress in many steps at once.", burst)
        .tool("log", "Sends a log message.", log)
        .tool("fail", "Fails.", fail)
        .tool("panic", "Panics.", panic)
        .blocking_tool("blocking_panic", "Panics on a thread of its own.", blocking_panic)
        .tool("print", "Prints to standard output.", print)
        .tool("toggle", "Adds the tool `toggled`, or removes it.", toggle)
        .tool("late", "Answers at once, and tells its progress afterwards.", late)
        .tool("call_client", "Sends a request without parameters to the client.", call_client)
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to return.
    text: String,
}

async fn echo(Args(echo): Args<Echo>) -> String {
    echo.text
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

async fn add(Args(sum): Args<Sum>) -> i128 {
    i128::from(sum.a) + i128::from(sum.b)
}

#[derive(Deserialize, JsonSchema)]
struct Division {
    dividend: i64,
    divisor: i64,
}

#[derive(Serialize, JsonSchema)]
struct Quotient {
    quotient: i64,
    rest: i64,
}

async fn divide(Args(Division { dividend, divisor }): Args<Division>) -> Result<Json<Quotient>, ToolError> {
    let quotient = dividend.checked_div(divisor).zip(dividend.checked_rem(divisor));
    let (quotient, rest) = quotient.ok_or_else(|| ToolError::new("this cannot be divided"))?;
    Ok(Json(Quotient { quotient, rest }))
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// For how many milliseconds.
    ms: u64,
}

async fn sleep(Args(sleep): Args<Sleep>) -> String {
    tokio::time::sleep(Duration::from_millis(sleep.ms)).await;
    format!("slept {} ms", sleep.ms)
}

fn block(context: Context, Args(sleep): Args<Sleep>) -> String {
    std::thread::sleep(Duration::from_millis(sleep.ms));
    let end = if context.is_cancelled() { "cancelled" } else { "blocked" };
    format!("{end} after {} ms", sleep.ms)
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    /// How many progress notifications to send.
    steps: u32,
}

async fn progress(context: Context, Args(Steps { steps }): Args<Steps>) -> String {
    for step in 1..=steps {
        if step > 1 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        context.progress(step.into(), Some(steps.into()), Some(&format!("step {step} of {steps}"))).await;
    }
    format!("made {steps} steps")
}

#[derive(Deserialize, JsonSchema)]
struct Burst {
    /// How many progress notifications to send.
    count: u32,
}

async fn burst(context: Context, Args(Burst { count }): Args<Burst>) -> String {
    for step in 1..=count {
        context.progress(step.into(), Some(count.into()), None).await;
    }
    format!("sent {count} notifications")
}

#[derive(Deserialize, JsonSchema)]
struct Log {
    /// How severe the message is, by the names of syslog.
    level: String,
    /// What it says.
    text: String,
}

async fn log(context: Context, Args(log): Args<Log>) {
    context.log((&*log.level).into(), Some("everything"), &log.text).await;
}

async fn fail() -> Result<(), ToolError> {
    Err(ToolError::new("this tool always fails"))
}

#[expect(clippy::panic, reason = "that is what the tool is for")]
async fn panic() -> String {
    panic!("this tool always panics")
}

#[expect(clippy::panic, reason = "that is what the tool is for")]
fn blocking_panic() -> String {
    panic!("this tool always panics")
}

#[expect(clippy::print_stdout, reason = "that is what the tool is for")]
async fn print(Args(echo): Args<Echo>) -> &'static str {
    println!("{}", echo.text);
    "printed"
}

#[derive(Deserialize, JsonSchema)]
struct Toggle {
    /// How long to wait before it is done, in milliseconds.
    after_ms: Option<u64>,
}

async fn toggle(context: Context, Args(Toggle { after_ms }): Args<Toggle>) -> &'static str {
    if let Some(millis) = after_ms {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
    let tools = context.tools();
    if tools.remove("toggled") {
        return "removed";
    }
    tools.add(Tool::new("toggled", async || "toggled").with_description("Is there, or not."));
    "added"
}

#[derive(Deserialize, JsonSchema)]
struct Late {
    /// How many milliseconds after its answer.
    ms: u64,
}

async fn late(context: Context, Args(Late { ms }): Args<Late>) -> &'static str {
    context.progress(1.0, None, Some("in time")).await;
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        context.progress(2.0, None, Some("too late")).await;
    });
    "more later"
}

#[derive(Deserialize, JsonSchema)]
struct CallClient {
    /// The method to call.
    method: String,
    /// How long to wait for the answer, in milliseconds.
    timeout_ms: Option<u64>,
    /// How long to wait before the call is made, in milliseconds.
    after_ms: Option<u64>,
}

async fn call_client(context: Context, Args(call): Args<CallClient>) -> String {
    if let Some(millis) = call.after_ms {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
    let mut answer = context.peer().call(call.method, None);
    if let Some(millis) = call.timeout_ms {
        answer = answer.timeout(Duration::from_millis(millis));
    }
    match answer.await {
        Ok(result) => format!("ok: {}", result.get()),
        Err(error) => format!("error: {error}"),
    }
}
