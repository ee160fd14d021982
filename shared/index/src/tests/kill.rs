//! Writers and readers killed by SIGKILL at any moment: no wrong result, no lost commit, no stuck lock.
//!
//! `KIMBERLY_INDEX_KILLS` is the number of kills; default 20.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{IndexReader, IndexWriter, Options};
use kimberly_core::UserId;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};

use super::common::Data;
use crate::conformance::{item, memory, model, vector};

const DIMENSION: u32 = 64;
/// Memories that every round changes together.
const TOGETHER: i64 = 40;
const DATA: &str = "KIMBERLY_INDEX_DATA";
const FROM: &str = "KIMBERLY_INDEX_FROM";

fn kills() -> u64 {
    std::env::var("KIMBERLY_INDEX_KILLS").map_or(20, |times| times.parse().unwrap())
}

/// Round `n` puts memory `100 + n`, and gives the first ones a vector and revision of this round; every fifth round
/// removes some memories of earlier rounds.
fn round(n: u64) -> IndexChange {
    let together =
        (0..TOGETHER).map(|seq| item(memory(seq), n, vec![vector(DIMENSION, n * 1_000 + seq.unsigned_abs())]));
    let own = item(memory(100 + n.cast_signed()), n, vec![vector(DIMENSION, n)]);
    let gone = if n.is_multiple_of(5) { vec![memory(100 + n.cast_signed() / 2)] } else { Vec::new() };
    IndexChange { put: together.chain([own]).collect(), gone, in_sync_at: Some(n), ..IndexChange::default() }
}

/// The round of an index, after checking that it is consistent.
fn whole(index: &dyn kimberly_core::ports::VectorReader, user: &UserId) -> Option<u64> {
    let state = index.active(user).unwrap()?;
    let n = state.in_sync_at.unwrap();
    let query = vector(DIMENSION, n * 1_000 + 7);
    let hits = index.nearest(user, &model(DIMENSION), &query, usize::MAX).unwrap();
    // Another round may have been committed between the two reads, which then differ.
    if index.active(user).unwrap()?.in_sync_at != Some(n) {
        return Some(n);
    }
    assert_eq!((hits[0].seq.0, hits.len() as u64), (7, state.items), "round {n}");
    assert!((hits[0].cosine - 1.0).abs() < 1e-3, "round {n}: {}", hits[0].cosine);
    let removed: std::collections::BTreeSet<_> = (1..=n).filter(|n| n.is_multiple_of(5)).map(|n| n / 2).collect();
    let expected = TOGETHER.unsigned_abs() + n - removed.len() as u64;
    assert_eq!(state.items, expected, "round {n}");
    Some(n)
}

/// Prints a line in one call: `writeln!` makes several, and a kill in between would leave half a line.
fn say(line: &str) {
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Run by the tests below in its own process: writes rounds in a loop and reports each.
#[test]
#[ignore = "a process of the tests beside it"]
fn writing() {
    let Ok(data) = std::env::var(DATA) else { return };
    let from: u64 = std::env::var(FROM).unwrap().parse().unwrap();
    let (index, user) = (IndexWriter::new(data, Options::default()), UserId::parse("u").unwrap());
    for n in from.. {
        index.write(&user, &model(DIMENSION), &round(n)).unwrap();
        if n == 1 {
            index.activate(&user, &model(DIMENSION)).unwrap();
        }
        say(&format!("wrote {n}\n"));
    }
}

/// Run by the tests below in its own process: reads and checks for consistency.
#[test]
#[ignore = "a process of the tests beside it"]
fn reading() {
    let Ok(data) = std::env::var(DATA) else { return };
    let (index, user) = (IndexReader::new(data, Options::default()), UserId::parse("u").unwrap());
    let mut last = 0;
    for reads in 1.. {
        if let Some(n) = whole(&index, &user) {
            assert!(n >= last, "round {n} after round {last}");
            last = n;
        }
        if reads % 50 == 1 {
            say(&format!("read {last}\n"));
        }
    }
}

/// A process that runs one of the two above.
struct Process(Child);

impl Process {
    fn start(name: &str, data: &Path, from: u64) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("tests::kill::{name}"), "--ignored", "--nocapture", "--test-threads=1"])
            .env(DATA, data)
            .env(FROM, from.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Kills the process `then` after it printed `lines` lines; returns its last line.
    fn kill_after(mut self, lines: usize, then: Duration) -> u64 {
        let mut said = BufReader::new(self.0.stderr.take().unwrap()).lines().map(Result::unwrap);
        let first: Vec<String> = said.by_ref().take(lines).collect();
        std::thread::sleep(then);
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        let all: Vec<String> = first.into_iter().chain(said).collect();
        let numbers: Option<Vec<u64>> = all.iter().map(|line| line.rsplit(' ').next()?.parse().ok()).collect();
        match numbers {
            Some(numbers) if numbers.len() >= lines => numbers[numbers.len() - 1],
            _ => panic!("it failed:\n{}", all.join("\n")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_writer_killed_anywhere_loses_no_commit_and_leaves_no_lock() {
    let data = Data::new();
    let user = data.user("u");
    let reader = Process::start("reading", &data.path(), 0);
    let mut said = 0;
    for cycle in 0..kills() {
        let writer = Process::start("writing", &data.path(), said + 1);
        said = writer.kill_after(1 + (cycle % 4) as usize, Duration::from_micros(cycle * 7_919 % 9_000)).max(said);
        let index = data.reader();
        let n = whole(&index, &user).unwrap();
        assert!(n == said || n == said + 1, "round {said} was acknowledged, round {n} is stored");
        said = n;
    }
    assert!(reader.kill_after(1, Duration::ZERO) > 0, "the reader saw nothing");
}

#[test]
fn readers_killed_anywhere_neither_stop_the_writer_nor_let_its_file_grow() {
    let data = Data::new();
    let user = data.user("u");
    let index = data.writer();
    index.write(&user, &model(DIMENSION), &round(1)).unwrap();
    index.activate(&user, &model(DIMENSION)).unwrap();
    let mut n = 1;
    for cycle in 0..kills() {
        let reader = Process::start("reading", &data.path(), 0);
        let writes = std::thread::scope(|scope| {
            let killed = scope.spawn(|| reader.kill_after(1, Duration::from_micros(cycle * 7_919 % 9_000)));
            let mut writes = 0;
            while !killed.is_finished() {
                n += 1;
                writes += 1;
                index.write(&user, &model(DIMENSION), &round(n)).unwrap();
            }
            killed.join().unwrap();
            writes
        });
        assert!(writes > 0);
        assert_eq!(whole(&index, &user), Some(n));
    }
    let state = index.active(&user).unwrap().unwrap();
    assert!(state.disk_bytes < 60_000 + state.vectors * 110, "{} bytes for {}", state.disk_bytes, state.vectors);
}
