//! The processor time of another process.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// The time that all living threads of a process have run, in the kernel and outside.
pub(super) fn time(process: u32) -> Result<Duration> {
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let path = thread?.path().join("schedstat");
        // A thread may end between the listing and the look at it.
        if let Ok(text) = fs::read_to_string(&path) {
            sum += running(&text).with_context(|| format!("reading {}", path.display()))?;
        }
    }
    Ok(sum)
}

/// The first field is the time on the processor, in nanoseconds.
fn running(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_field_is_read() {
        assert_eq!(running("1500 20 3\n"), Some(Duration::from_nanos(1500)));
        assert_eq!(running(""), None);
    }
}
