//! The floor on tokio: standard input and output as pipes that are polled, one task, one write whenever input is dry.

use std::io;
use std::os::fd::AsFd;

use benches::floor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut input = Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)?;
    let mut output = Sender::from_owned_fd(io::stdout().as_fd().try_clone_to_owned()?)?;
    let (mut lines, mut answers) = (Vec::with_capacity(64 << 10), Vec::new());
    while input.read_buf(&mut lines).await? > 0 {
        let taken = floor::answer_lines(&lines, &mut answers);
        lines.drain(..taken);
        lines.reserve(64 << 10);
        output.write_all(&answers).await?;
        answers.clear();
    }
    Ok(())
}
