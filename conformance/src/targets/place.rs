//! Where the files of one run are.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::Value;

use crate::target::NotApplicable;

/// A directory of its own for the files of one run; removed when dropped.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    pub(super) fn new() -> std::io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-conformance-{}-{count}", std::process::id());
        let place = std::env::temp_dir().join(name);
        std::fs::create_dir(&place)?;
        Ok(Self(place))
    }

    /// Where the report of the run is written.
    pub(super) fn report(&self) -> PathBuf {
        self.0.join("report.json")
    }

    /// Where relays find the run.
    pub(super) fn socket(&self) -> PathBuf {
        self.0.join("relays")
    }

    /// The report, when the run has ended.
    pub(super) fn read_report(&self) -> Result<Value, NotApplicable> {
        let text = std::fs::read(self.report())
            .map_err(|error| NotApplicable(format!("the report was not written: {error}")))?;
        serde_json::from_slice(&text).map_err(|error| NotApplicable(format!("the report is not JSON: {error}")))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed from the temporary directory harms nobody.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
