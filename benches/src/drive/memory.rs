//! The memory of another process.

use std::fs;

use anyhow::{Context as _, Result};

/// The bytes that a process has in memory, without what is swapped out.
pub(super) fn resident(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    of(&text).context("no resident size in what the system says of a process")
}

fn of(status: &str) -> Option<u64> {
    let (_, rest) = status.split_once("VmRSS:")?;
    rest.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes() {
        assert_eq!(of("VmHWM:\t   9 kB\nVmRSS:\t    3 kB\nThreads:\t1\n"), Some(3072));
        assert_eq!(of("Threads:\t1\n"), None);
    }
}
