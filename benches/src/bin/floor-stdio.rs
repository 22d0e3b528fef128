//! The floor over standard input and output: one thread, blocking, one write whenever its input is dry.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use benches::floor;

fn main() -> io::Result<()> {
    // The standard streams of the library are buffered, the one more and the other less than the floor wants.
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut space = vec![0; 64 << 10];
    let (mut begun, mut answers) = (Vec::new(), Vec::new());
    loop {
        let length = input.read(&mut space)?;
        if length == 0 {
            return Ok(());
        }
        if begun.is_empty() {
            let taken = floor::answer_lines(&space[..length], &mut answers);
            begun.extend_from_slice(&space[taken..length]);
        } else {
            begun.extend_from_slice(&space[..length]);
            let taken = floor::answer_lines(&begun, &mut answers);
            begun.drain(..taken);
        }
        output.write_all(&answers)?;
        answers.clear();
    }
}
