//! Exports import identically although api and command are killed, and the api's memory use does not grow with the
//! number of memories.
//!
//! `KIMBERLY_TEST_MOVED` sets the number of memories; 100,000 take some minutes.

use std::time::Instant;

use kimberly_tests::System;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use super::command::{assert_same, cut, run, run_while_killing};
use super::life;

/// The default number of memories.
const MEMORIES: usize = 2_000;
/// Maximum peak memory of the api, in KiB: a few pieces, caches of vaults and its code.
const MOST_KIB: u64 = 256 * 1024;

/// Quotas for a hundred thousand memories.
const ROOMY: [(&str, &str); 3] = [
    ("KIMBERLY_QUOTAS__SHORT_TERM", "1GiB"),
    ("KIMBERLY_QUOTAS__LONG_TERM", "1GiB"),
    ("KIMBERLY_QUOTAS__PERMANENT", "1GiB"),
];

fn memories() -> usize {
    std::env::var("KIMBERLY_TEST_MOVED").ok().and_then(|count| count.parse().ok()).unwrap_or(MEMORIES)
}

/// The peak memory of a process, in KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a running process has a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it says what it had at most");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[expect(clippy::print_stderr, reason = "figures of a run by hand")]
fn figure(what: &str, count: usize, since: Instant, api: u32) {
    let seconds = since.elapsed().as_secs_f64();
    eprintln!("{what}: {count} memories in {seconds:.1} s; the api had {} MiB at most", peak_kib(api) / 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_and_import_are_the_same_to_the_byte_although_everything_is_killed_in_the_middle() {
    let count = memories();
    let kills = if count > MEMORIES { 12 } else { 3 };
    let mut dice = StdRng::seed_from_u64(5);
    let mut here = System::start_with(&ROOMY).await;
    let mut ana = here.user("ana");
    let began = Instant::now();
    life::fill(&mut ana, count).await;
    figure("import of drafts", count, began, here.api.pid());
    life::live(&mut ana).await;

    let folder = here.folder().to_owned();
    let file = |name: &str| folder.join(name);
    let path = |name: &str| file(name).display().to_string();
    let began = Instant::now();
    run(&here, "ana", &["export", &path("whole.jsonl"), "--memories-only"]);
    figure("export", count, began, here.api.pid());
    let peak = peak_kib(here.api.pid());
    let killed = ["export", &path("killed.jsonl"), "--memories-only"];
    assert!(run_while_killing(&mut here, "ana", &killed, kills, &mut dice).await > 0);
    assert_same(&file("whole.jsonl"), &file("killed.jsonl"));
    let resumed = path("cut.jsonl");
    cut(&here, "ana", &["export", &resumed, "--memories-only"], &mut dice).await;
    if file("cut.jsonl.part.cursor").exists() {
        run(&here, "ana", &["export", &resumed, "--memories-only", "--resume"]);
        assert_same(&file("whole.jsonl"), &file("cut.jsonl"));
    }

    let mut there = System::start_with(&ROOMY).await;
    let import = ["import", &path("whole.jsonl")];
    cut(&there, "ana", &import, &mut dice).await;
    let began = Instant::now();
    run_while_killing(&mut there, "ana", &import, kills, &mut dice).await;
    figure("import of records", count, began, there.api.pid());
    let again = run(&there, "ana", &import);
    assert!(again.contains(&format!("{count} were imported before")), "{again}");
    run(&there, "ana", &["export", &path("back.jsonl"), "--memories-only"]);
    assert_same(&file("whole.jsonl"), &file("back.jsonl"));
    let peak = peak.max(peak_kib(there.api.pid()));
    assert!(peak < MOST_KIB, "the api had {peak} KiB");
}
