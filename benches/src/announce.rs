//! How a program that is measured over HTTP begins and ends.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::{process, thread};

/// Says on standard output where the program listens, and ends it when its standard input ends.
///
/// Nothing is freed at the end, so that whoever counts sees what was held to the last.
///
/// # Errors
///
/// When nobody reads standard output.
pub fn announce(address: SocketAddr) -> io::Result<()> {
    thread::spawn(|| {
        // Whatever is said, and whether it ends or fails: there is no more of it.
        drop(io::stdin().read_to_end(&mut Vec::new()));
        process::exit(0);
    });
    let mut output = io::stdout();
    writeln!(output, "LISTENING {address}")?;
    output.flush()
}
