//! Figures kept in the repository, and what became worse since the last ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

/// What does not depend on how fast the machine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Instructions in user space, per call.
    pub instructions: f64,
    /// Heap blocks allocated, per call.
    pub blocks: f64,
    /// Bytes in them.
    pub bytes: f64,
    /// System calls per call, where each call waits for the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_calls: Option<f64>,
    /// System calls per call, where calls are pipelined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_calls_pipelined: Option<f64>,
    /// Instructions per notification that is received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_in: Option<f64>,
    /// Instructions per notification that is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_out: Option<f64>,
    /// Bytes in heap blocks for each idle session, besides its connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_session: Option<f64>,
    /// Bytes in heap blocks for each stream on which nothing is said, its connection included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_stream: Option<f64>,
}

/// What depends on the machine, and on what else it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Calls per second, where each waits for the one before.
    pub sequential: f64,
    /// Calls per second, where calls are pipelined.
    pub pipelined: f64,
    /// Microseconds of processor time per pipelined call.
    pub cpu_us: f64,
    /// Milliseconds from the start of the program to its first answer.
    pub cold_ms: f64,
    /// Pipelined calls per second, as a share of those of the floor in the same round.
    pub to_floor: Option<f64>,
    /// The same against rmcp.
    pub to_rmcp: Option<f64>,
    /// Microseconds that a call takes where each waits for the one before: half of them take less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_us: Option<f64>,
    /// The same as a multiple of the floor's in the same round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_to_floor: Option<f64>,
    /// Bytes of memory for each of many idle sessions, as the system sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_resident: Option<f64>,
}

/// The figures of one target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What does not depend on how fast the machine is.
    pub counted: Counted,
    /// What does.
    pub timed: Option<Timed>,
}

/// All figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The commit that was measured, shortened.
    pub commit: String,
    /// Its date.
    pub date: String,
    /// The same in seconds, for sorting.
    pub committed: u64,
    /// Whether something was changed since that commit.
    pub changed_since: bool,
    /// What was measured on.
    pub machine: String,
    /// The compiler.
    pub rustc: String,
    /// The figures, by the names of the targets.
    pub figures: BTreeMap<String, Figures>,
    /// How many crates are compiled for a server, by its features.
    #[serde(default)]
    pub crates: BTreeMap<String, usize>,
}

impl Record {
    /// An empty record of the commit that is checked out.
    ///
    /// # Errors
    ///
    /// When git does not tell.
    pub fn of_this_commit() -> Result<Self> {
        let about = output("git", &["log", "-1", "--format=%h %cs %ct"])?;
        let mut parts = about.split_whitespace();
        let mut part = || parts.next().map(str::to_owned).context("git says less than it was asked for");
        let (commit, date, committed) = (part()?, part()?, part()?.parse()?);
        let processors = std::thread::available_parallelism()?;
        Ok(Self {
            commit,
            date,
            committed,
            changed_since: !output("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty(),
            machine: format!("{} processors, {}-{}", processors, std::env::consts::ARCH, std::env::consts::OS),
            rustc: output("rustc", &["--version"])?,
            figures: BTreeMap::new(),
            crates: BTreeMap::new(),
        })
    }

    /// The newest record among those that are committed, with its name.
    ///
    /// # Errors
    ///
    /// When git does not tell, or a record cannot be read.
    pub fn newest() -> Result<Option<(PathBuf, Self)>> {
        let mut records = Vec::new();
        for name in output("git", &["ls-files", "--full-name", FOLDER])?.lines() {
            if name.ends_with(".json") {
                let path = root().join(name);
                let text = fs::read_to_string(&path).with_context(|| format!("reading {name}"))?;
                let record: Self = serde_json::from_str(&text).with_context(|| format!("reading {name}"))?;
                records.push((PathBuf::from(name), record));
            }
        }
        Ok(records.into_iter().max_by_key(|(_, record)| record.committed))
    }

    /// Writes the record, and gives its name.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn save(&self) -> Result<PathBuf> {
        let folder = root().join(FOLDER);
        fs::create_dir_all(&folder)?;
        let name = folder.join(format!("{}-{}.json", self.date, self.commit));
        fs::write(&name, serde_json::to_string_pretty(self)? + "\n")?;
        Ok(name)
    }

    /// What costs over 3 % more than it did. Peers are not held to anything.
    ///
    /// Instructions are compared as multiples of the floor's of the same run where both have them, so that another
    /// processor, compiler or C library is no regression of ours. A crate more is one.
    #[must_use]
    pub fn worse_than(&self, before: &Self) -> Vec<String> {
        let mut worse = Vec::new();
        for (name, now) in self.figures.iter().filter(|(name, _)| is_ours(name)) {
            let Some(then) = before.figures.get(name) else { continue };
            let scale = self.scale_to(before, floor_of(name));
            let (now, then) = (&now.counted, &then.counted);
            let mut compare = |what: &str, now: Option<f64>, then: Option<f64>, slack: f64| {
                let (Some(now), Some(then)) = (now, then) else { return };
                if now > then * 1.03 + slack {
                    worse.push(format!("{name}: {what} {then:.1} → {now:.1} ({:+.1} %)", (now / then - 1.0) * 100.0));
                }
            };
            let scaled = |number: f64| Some(number * scale);
            compare("instructions", scaled(now.instructions), Some(then.instructions), 0.0);
            compare("heap blocks", Some(now.blocks), Some(then.blocks), 0.1);
            compare("heap bytes", Some(now.bytes), Some(then.bytes), 16.0);
            compare("idle session", now.idle_session, then.idle_session, 16.0);
            compare("idle stream", now.idle_stream, then.idle_stream, 64.0);
            compare("notification in", now.notification_in.and_then(scaled), then.notification_in, 0.0);
            compare("notification out", now.notification_out.and_then(scaled), then.notification_out, 0.0);
        }
        for (what, now) in &self.crates {
            if let Some(then) = before.crates.get(what).filter(|then| *then < now) {
                worse.push(format!("{what}: crates {then} → {now}"));
            }
        }
        worse
    }

    /// How many instructions of then are one of now, going by a floor.
    fn scale_to(&self, before: &Self, floor: &str) -> f64 {
        match (self.figures.get(floor), before.figures.get(floor)) {
            (Some(now), Some(then)) => then.counted.instructions / now.counted.instructions,
            _ => 1.0,
        }
    }
}

/// The target that instructions are multiples of.
fn floor_of(name: &str) -> &'static str {
    if name.contains("http") { "floor http, legacy" } else { "floor, legacy" }
}

fn is_ours(name: &str) -> bool {
    !name.starts_with("floor") && !name.starts_with("rmcp")
}

fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

fn output(program: &str, args: &[&str]) -> Result<String> {
    let output = Command::new(program).args(args).current_dir(root()).output();
    let output = output.with_context(|| format!("running {program}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {}: {}", args.join(" "), errors.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

const FOLDER: &str = "benches/history";

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn record(figures: &[(&str, f64, f64)]) -> Record {
        let figures = figures.iter().map(|(name, instructions, blocks)| {
            let counted = Counted { instructions: *instructions, blocks: *blocks, ..Counted::default() };
            ((*name).to_owned(), Figures { counted, timed: None })
        });
        Record {
            commit: "abc".into(),
            date: "2026-01-01".into(),
            committed: 0,
            changed_since: false,
            machine: String::new(),
            rustc: String::new(),
            figures: figures.collect(),
            crates: BTreeMap::new(),
        }
    }

    #[test]
    fn three_percent_more_is_a_regression() {
        let before = record(&[("floor, legacy", 5000.0, 0.0), ("stdio, legacy", 10_000.0, 3.0)]);
        let same = record(&[("floor, legacy", 5000.0, 0.0), ("stdio, legacy", 10_200.0, 3.05)]);
        assert_eq!(same.worse_than(&before), [""; 0]);
        let worse = record(&[("floor, legacy", 5000.0, 0.0), ("stdio, legacy", 10_400.0, 4.0)]);
        assert_eq!(
            worse.worse_than(&before),
            [
                "stdio, legacy: instructions 10000.0 → 10400.0 (+4.0 %)",
                "stdio, legacy: heap blocks 3.0 → 4.0 (+33.3 %)"
            ]
        );
    }

    #[test]
    fn another_processor_is_no_regression_and_a_new_target_neither() {
        let before = record(&[("floor, legacy", 5000.0, 0.0), ("stdio, legacy", 10_000.0, 3.0)]);
        let now = record(&[("floor, legacy", 5500.0, 0.0), ("stdio, legacy", 11_000.0, 3.0), ("new", 1.0, 1.0)]);
        assert_eq!(now.worse_than(&before), [""; 0]);
    }

    #[test]
    fn peers_are_not_held_to_anything() {
        let (before, now) = (record(&[("rmcp stdio, legacy", 1.0, 1.0)]), record(&[("rmcp stdio, legacy", 9.0, 9.0)]));
        assert_eq!(now.worse_than(&before), [""; 0]);
    }

    #[test]
    fn each_way_has_a_floor_of_its_own() {
        let before = record(&[
            ("floor, legacy", 5000.0, 0.0),
            ("floor http, legacy", 20_000.0, 9.0),
            ("http, legacy", 40_000.0, 30.0),
        ]);
        let now = record(&[
            ("floor, legacy", 5000.0, 0.0),
            ("floor http, legacy", 22_000.0, 9.0),
            ("http, legacy", 44_000.0, 30.0),
        ]);
        assert_eq!(now.worse_than(&before), [""; 0]);
    }

    #[test]
    fn a_crate_more_is_a_regression() {
        let with = |crates| {
            let mut record = record(&[]);
            record.crates.insert("server".to_owned(), crates);
            record
        };
        assert_eq!(with(40).worse_than(&with(40)), [""; 0]);
        assert_eq!(with(41).worse_than(&with(40)), ["server: crates 40 → 41"]);
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let before = record(&[("stdio, legacy", 10_000.5, 3.0)]);
        let back: Record = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
        assert_eq!(back, before);
    }
}
