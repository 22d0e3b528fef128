//! Our server over HTTP, as it looks from outside after a client has gone.
//!
//! On stdio a client is the parent of the server, and looks by itself. Over HTTP the server is ours; what is found
//! about its end is told in the lines of a client, so that it counts among the client's checks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use crate::everything::HttpServer;

/// A server that writes a report of its run.
pub(super) struct Watched {
    server: HttpServer,
    report: PathBuf,
}

impl Watched {
    /// Starts it for a client. Its report and its standard error go to files of this folder that are named for the client.
    pub(super) fn start(program: &Path, folder: &Path, client: &str) -> anyhow::Result<Self> {
        let (report, log) = (folder.join(format!("{client}.report")), folder.join(format!("{client}.log")));
        // A report of an earlier run would be taken for the one of this run.
        fs::write(&report, "").with_context(|| format!("writing {}", report.display()))?;
        let options = ["--sse".as_ref(), "--report-file".as_ref(), report.as_os_str()];
        Ok(Self { server: HttpServer::start_with(program, &options, &log)?, report })
    }

    pub(super) fn url_of(&self, path: &str) -> String {
        self.server.url_of(path)
    }

    /// Ends it, and says what was found in a line per check.
    pub(super) fn end(self) -> anyhow::Result<String> {
        let ended =
            line("the server's exit status after its input ended is 0", self.server.stop().map(|()| "0".into()));
        let report = serde_json::from_str(&fs::read_to_string(&self.report)?).unwrap_or_default();
        Ok(ended + &line("the server's report has one cancelled request and no loose end", no_loose_end(&report)))
    }
}

/// What a report says about everything that was begun.
fn no_loose_end(report: &Value) -> anyhow::Result<String> {
    let requests = &report["requests"];
    let count = |name: &str| requests[name].as_u64().with_context(|| format!("the report names no number `{name}`"));
    let (received, answered, cancelled) = (count("received")?, count("answered")?, count("cancelled")?);
    let found = json!({
        "reason": report["reason"],
        "cancelled": cancelled,
        "unanswered": received.checked_sub(answered + cancelled),
        "malformed": report["malformed"],
        "truncated": report["truncated"],
        "dropped": report["dropped"],
        "tasks_alive": report["tasks_alive"],
        "pending_slots": report["pending_slots"],
    });
    let expected = json!({
        "reason": "Closed",
        "cancelled": 1,
        "unanswered": 0,
        "malformed": 0,
        "truncated": 0,
        "dropped": {},
        "tasks_alive": 0,
        "pending_slots": 0,
    });
    anyhow::ensure!(found == expected, "expected {expected}, found {found}");
    Ok(format!("{received} received, {answered} answered"))
}

fn line(check: &str, outcome: anyhow::Result<String>) -> String {
    match outcome {
        Ok(seen) => format!("ok      {check}: {seen}\n"),
        Err(why) => format!("FAILED  {check}: {why:#}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Value {
        json!({
            "reason": "Closed",
            "requests": { "received": 62, "answered": 61, "cancelled": 1 },
            "malformed": 0,
            "truncated": 0,
            "dropped": {},
            "tasks_alive": 0,
            "pending_slots": 0,
        })
    }

    #[test]
    fn a_run_without_a_loose_end_is_good() {
        assert_eq!(no_loose_end(&report()).ok().as_deref(), Some("62 received, 61 answered"));
    }

    #[test]
    fn each_loose_end_is_noticed() {
        for (at, value) in [
            ("/reason", json!("ReadEnded")),
            ("/requests/received", json!(63)),
            ("/requests/received", json!(61)),
            ("/requests/cancelled", json!(0)),
            ("/requests/answered", json!(null)),
            ("/malformed", json!(1)),
            ("/truncated", json!(1)),
            ("/dropped", json!({ "late": 1 })),
            ("/tasks_alive", json!(1)),
            ("/pending_slots", json!(1)),
        ] {
            let mut report = report();
            if let Some(place) = report.pointer_mut(at) {
                *place = value;
            }
            assert!(no_loose_end(&report).is_err(), "{at}");
        }
        assert!(no_loose_end(&Value::Null).is_err(), "no report at all");
    }

    #[test]
    fn an_outcome_is_a_line_of_a_client() {
        assert_eq!(line("it ends", Ok("0".into())), "ok      it ends: 0\n");
        assert_eq!(line("it ends", Err(anyhow::anyhow!("with 7"))), "FAILED  it ends: with 7\n");
    }
}
