//! What the client prints.

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::ChildStdout,
    sync::mpsc::UnboundedSender,
    task::JoinHandle,
};

/// Reads the client's standard output to its end, beside the script. Lines that are no steps are
/// the client's own business.
pub(super) fn read(stdout: Option<ChildStdout>, told: UnboundedSender<Value>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let Some(stdout) = stdout else { return };
        let mut lines = BufReader::new(stdout).split(b'\n');
        while let Ok(Some(line)) = lines.next_segment().await {
            let Ok(line) = serde_json::from_slice::<Value>(&line) else { continue };
            if line.get("step").is_some() && told.send(line).is_err() {
                return;
            }
        }
    })
}
