//! Measures what a message costs, and compares it with what it did.

use anyhow::{Result, ensure};
use benches::counting::SYSTEM_CALLS;
use benches::history::{Figures, Record};
use benches::targets::Target;
use benches::{crates, figures, http, measure, table, targets};
use clap::Parser;

/// Measures what a message costs: instructions, heap blocks, system calls, time; of our server, of the floor and, if
/// wanted, of other SDKs in the same run.
#[derive(Debug, Parser)]
struct Args {
    /// Measure other SDKs too. They are built first, which takes minutes and the network once.
    #[arg(long)]
    peers: bool,
    /// Calls to count; twice as many are made in a second run.
    #[arg(long, default_value_t = 2000)]
    calls: usize,
    /// Rounds of timing, each of which takes all targets in turn; with 0 nothing is timed.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Measure only what has this in its name.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Fail when a counted figure is over 3 % worse than in the newest committed record.
    #[arg(long)]
    check: bool,
    /// Write the record of this run below `benches/history`.
    #[arg(long, conflicts_with = "only")]
    save: bool,
}

#[expect(clippy::print_stdout, reason = "printing is what the program does")]
fn main() -> Result<()> {
    let args = Args::parse();
    build(&args)?;
    let mut record = Record::of_this_commit()?;
    record.crates = crates::counts()?;
    let mut names = measure(&args, &mut record)?;
    names.extend(measure_http(&args, &mut record)?);
    println!("{}", table::table(&record, &names));

    match Record::newest()? {
        None => ensure!(!args.check, "no record is committed below benches/history: there is nothing to compare with"),
        Some((name, before)) => {
            let worse = record.worse_than(&before);
            let verdict = if worse.is_empty() { "nothing counted is over 3 % worse" } else { "worse" };
            println!("against {}: {verdict}\n{}", name.display(), worse.join("\n"));
            ensure!(!args.check || worse.is_empty(), "{} counted figures are over 3 % worse", worse.len());
        }
    }
    if args.save {
        println!("written: {}", record.save()?.display());
    }
    Ok(())
}

/// Builds what is measured.
fn build(args: &Args) -> Result<()> {
    let mut names = targets::targets(args.peers)?.into_iter().map(|it| it.name);
    let mut alone = targets::alone(args.peers)?.into_iter().map(|it| it.name);
    if names.any(|it| it.contains(&args.only)) || alone.any(|it| it.contains(&args.only)) {
        targets::build(args.peers)?;
    }
    if http::targets(args.peers)?.iter().any(|it| it.name.contains(&args.only)) {
        http::build(args.peers)?;
    }
    Ok(())
}

/// Fills the record, and gives the names of what was measured, in the order of the table.
#[expect(clippy::print_stderr, reason = "it takes a while: say what is being done")]
fn measure(args: &Args, record: &mut Record) -> Result<Vec<&'static str>> {
    if !SYSTEM_CALLS.is_here() {
        eprintln!("SKIPPED: system calls are not counted, because `strace` is not here (Debian: `apt install strace`)");
    }
    let targets: Vec<Target> = targets::targets(args.peers)?;
    let targets: Vec<Target> = targets.into_iter().filter(|it| it.name.contains(&args.only)).collect();
    let mut names = Vec::new();
    for target in &targets {
        eprintln!("counting: {}", target.name);
        let counted = measure::counted(target, args.calls)?;
        record.figures.insert(target.name.to_owned(), Figures { counted, timed: None });
        names.push(target.name);
    }
    for alone in targets::alone(args.peers)?.iter().filter(|it| it.name.contains(&args.only)) {
        eprintln!("counting: {}", alone.name);
        let words: Vec<&str> = alone.args.iter().map(String::as_str).collect();
        let counted = measure::counted_alone(&alone.program, &words, args.calls)?;
        record.figures.insert(alone.name.to_owned(), Figures { counted, timed: None });
        names.push(alone.name);
    }
    if args.rounds > 0 {
        eprintln!("timing: {} rounds", args.rounds);
        for (target, timed) in targets.iter().zip(figures::timed(&targets, args.rounds)?) {
            if let Some(figures) = record.figures.get_mut(target.name) {
                figures.timed = Some(timed);
            }
        }
    }
    Ok(names)
}

/// The same over HTTP.
#[expect(clippy::print_stderr, reason = "it takes a while: say what is being done")]
fn measure_http(args: &Args, record: &mut Record) -> Result<Vec<&'static str>> {
    let targets: Vec<_> = http::targets(args.peers)?.into_iter().filter(|it| it.name.contains(&args.only)).collect();
    for target in &targets {
        eprintln!("counting: {}", target.name);
        let counted = http::counted(target, args.calls)?;
        record.figures.insert(target.name.to_owned(), Figures { counted, timed: None });
    }
    if args.rounds > 0 && !targets.is_empty() {
        eprintln!("timing over HTTP: {} rounds", args.rounds);
        for (target, timed) in targets.iter().zip(figures::timed(&targets, args.rounds)?) {
            if let Some(figures) = record.figures.get_mut(target.name) {
                figures.timed = Some(timed);
            }
        }
    }
    Ok(targets.iter().map(|target| target.name).collect())
}
