//! Counts what a program does: the cost of `2 n` calls minus the cost of `n`, divided by `n`, so that starting and
//! stopping cancel out.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, process};

use anyhow::{Context as _, Result, ensure};

/// A program that runs another one and counts `N` things about it.
#[derive(Debug)]
pub struct Watch<const N: usize> {
    command: &'static [&'static str],
    /// The option that names the file for the counts, which are put behind it or into the next argument.
    log: &'static [&'static str],
    /// What stands before each count.
    marks: [&'static str; N],
}

/// Instructions in user space.
pub const INSTRUCTIONS: Watch<1> = Watch {
    command: &["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"],
    log: &["--log-file="],
    marks: ["Collected :"],
};

/// Heap blocks allocated, and bytes in them.
pub const HEAP: Watch<2> = Watch {
    command: &["valgrind", "--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"],
    log: &["--log-file="],
    marks: ["total heap usage:", "frees,"],
};

/// Bytes in heap blocks that are held when the program ends, and the blocks.
pub const HELD: Watch<2> = Watch { marks: ["in use at exit:", "bytes in"], ..HEAP };

/// System calls, of all threads.
pub const SYSTEM_CALLS: Watch<1> =
    Watch { command: &["strace", "-f", "-c", "-U", "name,calls"], log: &["-o", ""], marks: ["total"] };

impl<const N: usize> Watch<N> {
    /// Whether the program that counts is here.
    #[must_use]
    pub fn is_here(&self) -> bool {
        let version = Command::new(self.command[0]).arg("--version").stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    /// Counts one call of what `run` does with the command that it is given and a number of calls.
    ///
    /// # Errors
    ///
    /// When the program that counts is missing, or `run` fails.
    pub fn per_call(
        &self,
        program: &Path,
        args: &[&str],
        calls: usize,
        mut run: impl FnMut(Command, usize) -> Result<()>,
    ) -> Result<[f64; N]> {
        let mut counts = |calls| -> Result<[u64; N]> {
            let log = env::temp_dir().join(format!("bench-{}.log", process::id()));
            run(self.watched(program, args, &log), calls)?;
            let text = fs::read_to_string(&log).with_context(|| format!("no counts by {}", self.command[0]))?;
            fs::remove_file(&log)?;
            self.read(&text)
        };
        let (once, twice) = (counts(calls)?, counts(2 * calls)?);
        Ok(std::array::from_fn(|at| rounded((twice[at] as f64 - once[at] as f64) / calls as f64)))
    }

    fn watched(&self, program: &Path, args: &[&str], log: &Path) -> Command {
        let mut command = Command::new(self.command[0]);
        command.args(&self.command[1..]);
        if let Some((last, options)) = self.log.split_last() {
            command.args(options).arg(format!("{last}{}", log.display()));
        }
        // glibc picks string routines by processor: this one counts each copied byte as an instruction.
        command.env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512F");
        command.arg(program).args(args);
        command
    }

    fn read(&self, text: &str) -> Result<[u64; N]> {
        let mut counts = [0; N];
        for (count, mark) in counts.iter_mut().zip(self.marks) {
            *count = number_after(text, mark)?;
        }
        Ok(counts)
    }
}

/// Runs a program that does its calls by itself: `program args… --calls N`.
///
/// # Errors
///
/// When it fails.
pub fn run_alone(mut command: Command, calls: usize) -> Result<()> {
    let output = command.args(["--calls", &calls.to_string()]).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("{} cannot be run", command.get_program().display()))?;
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A figure, without digits that mean nothing.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}

fn number_after(text: &str, mark: &str) -> Result<u64> {
    let (_, rest) = text.split_once(mark).with_context(|| format!("no {mark:?} among the counts:\n{text}"))?;
    let digits: String = rest.trim_start().chars().take_while(|it| it.is_ascii_digit() || *it == ',').collect();
    digits.replace(',', "").parse().with_context(|| format!("no number after {mark:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_with_their_commas() {
        let text = "==7==   total heap usage: 1,234 allocs, 1,230 frees, 99 bytes allocated";
        assert_eq!(HEAP.read(text).ok(), Some([1234, 99]));
        assert_eq!(INSTRUCTIONS.read("==7== Collected : 17\n").ok(), Some([17]));
        assert!(INSTRUCTIONS.read(text).is_err());
        assert_eq!(HELD.read("==7==     in use at exit: 12,345 bytes in 67 blocks").ok(), Some([12_345, 67]));
    }

    #[test]
    fn system_calls_are_read_from_the_last_line() {
        let text = "syscall              calls\n---------------- ---------\nread                     7\n\
                    write                    1\n---------------- ---------\ntotal                  144\n";
        assert_eq!(SYSTEM_CALLS.read(text).ok(), Some([144]));
    }

    #[test]
    fn the_name_of_the_log_goes_where_the_program_wants_it() {
        let args = |command: Command| -> Vec<String> {
            command.get_args().map(|it| it.to_string_lossy().into_owned()).collect()
        };
        let valgrind = args(INSTRUCTIONS.watched(Path::new("server"), &["--stdio"], Path::new("log")));
        assert_eq!(valgrind[2..], ["--log-file=log", "server", "--stdio"]);
        let strace = args(SYSTEM_CALLS.watched(Path::new("server"), &[], Path::new("log")));
        assert_eq!(strace[4..], ["-o", "log", "server"]);
    }
}
