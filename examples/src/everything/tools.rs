//! The tools.

use std::time::Duration;

use mcp_server::{Args, Context, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

/// The server, with all its tools.
#[must_use]
pub fn server() -> Server {
    Server::new("everything-server", env!("CARGO_PKG_VERSION"))
        .with_title("Everything")
        .with_instructions("Each tool does one thing that a tool can do.")
        .tool("echo", "Returns the text.", echo)
        .tool("add", "Adds two integers.", add)
        .tool("sleep", "Waits for some milliseconds.", sleep)
        .tool("progress", "Tells its progress in steps, 50 milliseconds apart.", progress)
        .tool("burst", "Tells its progress in many steps at once.", burst)
        .tool("log", "Sends a log message.", log)
        .tool("fail", "Fails.", fail)
        .tool("panic", "Panics.", panic)
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
struct Sleep {
    /// For how many milliseconds.
    ms: u64,
}

async fn sleep(Args(sleep): Args<Sleep>) -> String {
    tokio::time::sleep(Duration::from_millis(sleep.ms)).await;
    format!("slept {} ms", sleep.ms)
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

async fn toggle(context: Context) -> &'static str {
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
