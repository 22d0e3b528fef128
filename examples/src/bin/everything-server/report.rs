//! The report of a run, for whoever started the program.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use examples::everything::Summary;
use mcp_session::engine::Report;

/// Where the report goes.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<File>);

impl Places {
    pub(crate) fn open(&mut self, path: &Path) -> io::Result<()> {
        self.0.push(OpenOptions::new().write(true).create(true).truncate(true).open(path)?);
        Ok(())
    }

    /// Writes the report and gives the exit status back that it names.
    pub(crate) fn write(mut self, report: &Report, exit_code: u8) -> io::Result<u8> {
        let mut json = serde_json::to_vec(&Summary::new(report, exit_code))?;
        json.push(b'\n');
        for place in &mut self.0 {
            place.write_all(&json)?;
        }
        Ok(exit_code)
    }
}
