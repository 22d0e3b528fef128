//! Counts what a program does, under valgrind: the cost of `2 n` calls minus the cost of `n`, divided by `n`, so that
//! starting and stopping cancel out.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// What one call costs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Cost {
    /// Instructions in user space.
    pub instructions: f64,
    /// Heap blocks allocated.
    pub blocks: f64,
}

/// Counts one call of `program args… --calls N`.
///
/// # Errors
///
/// When valgrind is missing or the program fails.
pub fn count(program: &Path, args: &[&str], calls: usize) -> Result<Cost> {
    let per_call = |measure: fn(&Path, &[&str], usize) -> Result<u64>| -> Result<f64> {
        let (once, twice) = (measure(program, args, calls)?, measure(program, args, 2 * calls)?);
        Ok((twice as f64 - once as f64) / calls as f64)
    };
    Ok(Cost { instructions: per_call(instructions)?, blocks: per_call(blocks)? })
}

fn instructions(program: &Path, args: &[&str], calls: usize) -> Result<u64> {
    let stderr = valgrind(&["--tool=callgrind", "--callgrind-out-file=/dev/null"], program, args, calls)?;
    number_after(&stderr, "Collected :")
}

fn blocks(program: &Path, args: &[&str], calls: usize) -> Result<u64> {
    let stderr = valgrind(&["--tool=memcheck", "--leak-check=no"], program, args, calls)?;
    number_after(&stderr, "total heap usage:")
}

fn valgrind(tool: &[&str], program: &Path, args: &[&str], calls: usize) -> Result<String> {
    let output = Command::new("valgrind")
        .args(tool)
        .arg(program)
        .args(args)
        .args(["--calls", &calls.to_string()])
        // glibc picks string routines by processor: this one counts each copied byte as an instruction.
        .env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512F")
        .stdin(Stdio::null())
        .output()
        .context("valgrind cannot be run: install it to count")?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("{} under valgrind: {}\n{stderr}", program.display(), output.status);
    }
    Ok(stderr)
}

fn number_after(text: &str, mark: &str) -> Result<u64> {
    let (_, rest) = text.split_once(mark).with_context(|| format!("no {mark:?} in what valgrind says:\n{text}"))?;
    let digits: String = rest.trim_start().chars().take_while(|it| it.is_ascii_digit() || *it == ',').collect();
    digits.replace(',', "").parse().with_context(|| format!("no number after {mark:?}"))
}

#[cfg(test)]
mod tests {
    use super::number_after;

    #[test]
    fn a_number_is_read_with_its_commas() {
        let text = "==7==   total heap usage: 1,234 allocs, 1,230 frees, 99 bytes allocated";
        assert_eq!(number_after(text, "total heap usage:").ok(), Some(1234));
        assert!(number_after(text, "Collected :").is_err());
    }
}
