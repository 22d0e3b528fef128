//! The figures, for reading.

use crate::history::{Figures, Record};

/// The tables of a run, with one row for each name that was measured: over HTTP, and otherwise.
#[must_use]
pub fn table(record: &Record, names: &[&str]) -> String {
    let (http, others): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| name.contains("http"));
    let tables = [(others, COLUMNS), (http, HTTP_COLUMNS)].into_iter().filter(|(names, _)| !names.is_empty());
    let mut text = tables.map(|(names, columns)| rows(record, &names, columns)).collect::<Vec<_>>().join("\n");
    for (what, crates) in &record.crates {
        text.push_str(&format!("\ncrates of a {what}: {crates}"));
    }
    text
}

fn rows(record: &Record, names: &[&str], columns: &[Column]) -> String {
    let mut text = format!("{:<24}", "per call");
    for column in columns {
        text.push_str(&format!(" {:>10}", column.title));
    }
    for name in names {
        let Some(figures) = record.figures.get(*name) else { continue };
        let era = if name.ends_with("modern") { "modern" } else { "legacy" };
        let (floor, rmcp) = match name {
            name if name.contains("client") => ("floor client", "rmcp client"),
            name if name.contains("http") => ("floor http", "rmcp http"),
            _ => ("floor", "rmcp stdio"),
        };
        let beside = |who: &str| record.figures.get(&format!("{who}, {era}"));
        let row = Row { figures, floor: beside(floor), rmcp: beside(rmcp) };
        text.push_str(&format!("\n{name:<24}"));
        for column in columns {
            let shown = (column.value)(&row).map_or_else(String::new, |it| format!("{it:.*}", column.digits));
            text.push_str(&format!(" {shown:>10}"));
        }
    }
    text.push('\n');
    text
}

struct Row<'a> {
    figures: &'a Figures,
    floor: Option<&'a Figures>,
    rmcp: Option<&'a Figures>,
}

impl Row<'_> {
    /// Instructions, as a multiple of somebody else's.
    fn multiple(&self, of: Option<&Figures>) -> Option<f64> {
        of.map(|of| self.figures.counted.instructions / of.counted.instructions)
    }
}

struct Column {
    title: &'static str,
    digits: usize,
    value: fn(&Row<'_>) -> Option<f64>,
}

#[rustfmt::skip]
const COLUMNS: &[Column] = &[
    Column { title: "instr",      digits: 0, value: |row| Some(row.figures.counted.instructions) },
    Column { title: "x floor",    digits: 2, value: |row| row.multiple(row.floor) },
    Column { title: "x rmcp",     digits: 3, value: |row| row.multiple(row.rmcp) },
    Column { title: "blocks",     digits: 1, value: |row| Some(row.figures.counted.blocks) },
    Column { title: "bytes",      digits: 0, value: |row| Some(row.figures.counted.bytes) },
    Column { title: "sys seq",    digits: 2, value: |row| row.figures.counted.system_calls },
    Column { title: "sys pipe",   digits: 2, value: |row| row.figures.counted.system_calls_pipelined },
    Column { title: "note in",    digits: 0, value: |row| row.figures.counted.notification_in },
    Column { title: "note out",   digits: 0, value: |row| row.figures.counted.notification_out },
    Column { title: "seq/s",      digits: 0, value: |row| Some(row.figures.timed?.sequential) },
    Column { title: "pipe/s",     digits: 0, value: |row| Some(row.figures.timed?.pipelined) },
    Column { title: "of floor",   digits: 3, value: |row| row.figures.timed?.to_floor },
    Column { title: "of rmcp",    digits: 1, value: |row| row.figures.timed?.to_rmcp },
    Column { title: "cpu us",     digits: 2, value: |row| Some(row.figures.timed?.cpu_us) },
    Column { title: "cold ms",    digits: 2, value: |row| Some(row.figures.timed?.cold_ms) },
];

#[rustfmt::skip]
const HTTP_COLUMNS: &[Column] = &[
    Column { title: "instr",      digits: 0, value: |row| Some(row.figures.counted.instructions) },
    Column { title: "x floor",    digits: 2, value: |row| row.multiple(row.floor) },
    Column { title: "x rmcp",     digits: 3, value: |row| row.multiple(row.rmcp) },
    Column { title: "blocks",     digits: 1, value: |row| Some(row.figures.counted.blocks) },
    Column { title: "bytes",      digits: 0, value: |row| Some(row.figures.counted.bytes) },
    Column { title: "sys seq",    digits: 2, value: |row| row.figures.counted.system_calls },
    Column { title: "sys par",    digits: 2, value: |row| row.figures.counted.system_calls_pipelined },
    Column { title: "session B",  digits: 0, value: |row| row.figures.counted.idle_session },
    Column { title: "resident B", digits: 0, value: |row| row.figures.timed?.session_resident },
    Column { title: "stream B",   digits: 0, value: |row| row.figures.counted.idle_stream },
    Column { title: "p50 us",     digits: 0, value: |row| row.figures.timed?.p50_us },
    Column { title: "p50 x floor", digits: 2, value: |row| row.figures.timed?.p50_to_floor },
    Column { title: "par/s",      digits: 0, value: |row| Some(row.figures.timed?.pipelined) },
    Column { title: "of floor",   digits: 3, value: |row| row.figures.timed?.to_floor },
    Column { title: "of rmcp",    digits: 1, value: |row| row.figures.timed?.to_rmcp },
    Column { title: "cpu us",     digits: 2, value: |row| Some(row.figures.timed?.cpu_us) },
    Column { title: "cold ms",    digits: 2, value: |row| Some(row.figures.timed?.cold_ms) },
];
