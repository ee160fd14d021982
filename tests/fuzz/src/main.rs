//! `kimberly-fuzz list`, `kimberly-fuzz dictionary`, `kimberly-fuzz seeds TARGET FOLDER`, and
//! `kimberly-fuzz TARGET RUNS [SEED]`: mutations without coverage. An input that violates an invariant ends the run, and
//! is in `target/fuzz/TARGET.input`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it speaks to who called it")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kimberly_fuzz::mutate::Mutator;
use kimberly_fuzz::{Target, dictionary_file, target, targets};

/// Maximum time for one input, with room for other load on the machine.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => {
            targets().for_each(|target| println!("{:<18} {}", target.name, target.about));
            Ok(())
        }
        ["dictionary"] => {
            print!("{}", dictionary_file());
            Ok(())
        }
        ["seeds", name, folder] => named(name).and_then(|target| write_seeds(target, Path::new(folder))),
        [name, runs] => named(name).and_then(|target| search(target, runs, "1")),
        [name, runs, seed] => named(name).and_then(|target| search(target, runs, seed)),
        _ => Err("usage: kimberly-fuzz list | dictionary | seeds TARGET FOLDER | TARGET RUNS [SEED]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn named(name: &str) -> Result<Target, String> {
    target(name).ok_or_else(|| format!("there is no target {name}; `kimberly-fuzz list` names all"))
}

fn write_seeds(target: Target, folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (number, seed) in (target.seeds)().iter().enumerate() {
        let path = folder.join(format!("seed-{number}"));
        std::fs::write(&path, seed).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn search(target: Target, runs: &str, seed: &str) -> Result<(), String> {
    let runs: u64 = runs.parse().map_err(|_| format!("{runs:?} is no number of runs"))?;
    let seed = seed.parse().map_err(|_| format!("{seed:?} is no seed; write a number"))?;
    let (began, mut slowest) = (Instant::now(), Duration::ZERO);
    let mut mutator = Mutator::new(target, seed);
    for run in 0..runs {
        let input = mutator.next_input();
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let took = before.elapsed();
        slowest = slowest.max(took);
        if outcome.is_err() || took > PATIENCE {
            return Err(saved(target, &input, run, took));
        }
    }
    println!("{}: {runs} runs in {:.0} s, the slowest {slowest:?}", target.name, began.elapsed().as_secs_f64());
    Ok(())
}

fn saved(target: Target, input: &[u8], run: u64, took: Duration) -> String {
    let path = Path::new("target/fuzz").join(format!("{}.input", target.name));
    let written = std::fs::create_dir_all("target/fuzz").and_then(|()| std::fs::write(&path, input));
    let outcome =
        written.map_or_else(|error| format!("cannot be kept: {error}"), |()| format!("is {}", path.display()));
    format!("{} broke a promise in run {run} after {took:?}; the input ({} bytes) {outcome}", target.name, input.len())
}
