//! Prints counted figures of servers in memory: instructions and heap blocks per call.

use anyhow::Result;
use benches::{clients, measure, servers};
use clap::{Parser, Subcommand};
use mcp_types::version::Era;

#[derive(Parser)]
#[command(about = "Counts what a call costs in memory: instructions and heap blocks, under valgrind")]
struct Args {
    /// Calls to count; twice as many are made in a second run.
    #[arg(long, default_value_t = 2000)]
    calls: usize,
    #[command(subcommand)]
    run: Option<Run>,
}

#[derive(Subcommand)]
enum Run {
    /// Serve the calls of one case, without counting: what valgrind runs.
    Serve {
        case: String,
        #[arg(long)]
        calls: usize,
    },
}

#[expect(clippy::print_stdout, reason = "printing is what the program does")]
fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(Run::Serve { case, calls }) = args.run {
        return serve(&case, calls);
    }
    let program = std::env::current_exe()?;
    println!("{:<20} {:>14} {:>12}", "case", "instructions", "heap blocks");
    for (case, _) in servers::CASES {
        let cost = measure::counted_alone(&program, &["serve", case], args.calls)?;
        println!("{case:<20} {:>14.0} {:>12.1}", cost.instructions, cost.blocks);
    }
    Ok(())
}

fn serve(case: &str, calls: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match case {
        "session" => runtime.block_on(servers::bare(calls)),
        "legacy" => runtime.block_on(servers::server(Era::Legacy, calls)),
        "modern" => runtime.block_on(servers::server(Era::Modern, calls)),
        "among-10000" => runtime.block_on(servers::among(10_000, calls)),
        "list-1000" => runtime.block_on(servers::list(1000, calls)),
        "pair-legacy" => runtime.block_on(clients::in_memory(Era::Legacy, calls)),
        "pair-modern" => runtime.block_on(clients::in_memory(Era::Modern, calls)),
        other => anyhow::bail!("no case is called {other:?}: there are {:?}", servers::CASES),
    }
}
