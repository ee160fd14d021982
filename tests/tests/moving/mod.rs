//! `kimberly migrate` through the real processes: from a data folder to Postgres during writes, with kills, and back;
//! every acknowledged write arrives.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use kimberly_store::conformance::database::{APP, Database};
use kimberly_tests::System;
use kimberly_tests::binaries::program;
use kimberly_tests::oracle::{Book, Load, ask_for_a_run, assert_books_and_vaults_agree, user};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;

const USERS: usize = 3;
/// A small quota keeps the worker busy; the hard limit does not interfere.
const SETTINGS: [(&str, &str); 2] =
    [("KIMBERLY_QUOTAS__LONG_TERM", "128KiB"), ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000")];

fn command(system: &System, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .env_clear()
        .env("KIMBERLY_KEYS__FOLDER", system.keys_dir())
        .args(["--json", "migrate"])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a path")
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The JSON output of a successful command.
fn answer(output: &Output) -> Value {
    assert!(output.status.success(), "{}", printed(output));
    assert!(!printed(output).contains("for tests alone"), "a password is never printed");
    serde_json::from_slice(&output.stdout).expect("an answer is JSON")
}

fn stop_all(system: &mut System) {
    for process in system.processes() {
        process.stop();
    }
}

async fn start_all(system: &mut System) {
    for process in system.processes() {
        process.start_again();
    }
    system.wait_until_serving().await;
}

/// Kills a migration at seeded moments; each further start resumes it.
fn kill_some(system: &System, args: &[&str], dice: &mut StdRng) {
    for _ in 0..4 {
        let mut child = command(system, args).spawn().expect("the command starts");
        std::thread::sleep(Duration::from_millis(dice.random_range(20..600)));
        child.kill().expect("a child can be killed");
        child.wait().expect("a killed child is gone");
    }
}

/// Retries until the processes of the killed migration have exited.
async fn moved(system: &System, args: &[&str], state: &str) -> Value {
    loop {
        let output = command(system, args).output().expect("the command runs");
        if printed(&output).contains("another `kimberly migrate`") {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        }
        let answer = answer(&output);
        assert_eq!(answer["state"], state, "{answer}");
        return answer;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_moves_to_postgres_while_it_is_written_and_back() {
    let mut dice = StdRng::seed_from_u64(22);
    let database = Database::make().await;
    let (url, owner_url) = (database.url_as(APP), database.url());
    let mut system = System::start_in_files(&SETTINGS).await;
    let data = system.data_dir();
    let there = ["--from", shown(&data), "--to", &url, "--owner-url", &owner_url];
    let load = Load::start(&system, USERS, 22);
    load.goes_on(100).await;
    kill_some(&system, &there, &mut dice);
    let caught_up = moved(&system, &there, "caught_up").await;
    assert!(!caught_up.to_string().contains("for tests alone"), "{caught_up}");
    load.goes_on(50).await;
    for number in 0..USERS {
        ask_for_a_run(&system.user(&user(number))).await;
    }

    // Follows until all processes are stopped, then completes; writers keep retrying.
    let mut following = there.to_vec();
    following.push("--follow");
    let following = command(&system, &following).spawn().expect("the command starts");
    load.goes_on(50).await;
    stop_all(&mut system);
    let ended = answer(&following.wait_with_output().expect("it ends"));
    assert_eq!((&ended["state"], ended["vaults"].as_u64()), (&Value::from("moved"), Some(USERS as u64)), "{ended}");
    let refused = system.api.refuses_to_start();
    assert!(refused.contains("was moved to postgres://") && !refused.contains("for tests alone"), "{refused}");
    assert_eq!(moved(&system, &there, "moved_before").await["state"], "moved_before");

    for process in system.processes() {
        process.set("KIMBERLY_POSTGRES__URL", &url);
        process.set("KIMBERLY_POSTGRES__OWNER_URL", &owner_url);
    }
    start_all(&mut system).await;
    load.goes_on(100).await;
    let books = load.stop().await;
    let found = assert_books_and_vaults_agree(&system, &books).await;
    assert!(found.acknowledged > 200 && found.runs >= USERS, "{found:?}: the test proves little");

    back(&mut system, (&url, &owner_url), &books, &mut dice).await;
}

/// From the database to another folder.
async fn back(system: &mut System, (url, owner_url): (&str, &str), books: &[Book], dice: &mut StdRng) {
    let folder = system.folder().join("back");
    let args = ["--from", url, "--to", shown(&folder), "--owner-url", owner_url];
    kill_some(system, &args, dice);
    moved(system, &args, "caught_up").await;
    stop_all(system);
    for process in system.processes() {
        process.unset("KIMBERLY_POSTGRES__URL");
        process.unset("KIMBERLY_POSTGRES__OWNER_URL");
        process.set("KIMBERLY_DATA_DIR", shown(&folder));
    }
    let refused = system.api.refuses_to_start();
    assert!(refused.contains("is not complete"), "{refused}");
    moved(system, &args, "moved").await;
    start_all(system).await;
    let found = assert_books_and_vaults_agree(system, books).await;
    assert!(found.acknowledged > 200, "{found:?}");
    system.user(&user(0)).remember("and on").await;
}

/// Invalid usage is refused before anything happens, with its exit code and without the password.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_usage_is_refused_without_secrets() {
    let system = System::start_in_files(&[]).await;
    let data = system.data_dir();
    for (from, to, code, part) in [
        (shown(&data), "elsewhere", 2, "--from and --to"),
        ("postgres://a:hidden@localhost/x", "postgres://a:hidden@localhost/y", 2, "--from and --to"),
        (shown(&data), "postgres://a:hidden@db.example.com/y", 2, "sslmode"),
        ("nowhere", "postgres://a:hidden@127.0.0.1:1/y", 1, "no system.db"),
        (shown(&data), "postgres://a:hidden@127.0.0.1:1/y", 1, "connecting to Postgres"),
    ] {
        let output = command(&system, &["--from", from, "--to", to]).output().expect("the command runs");
        let said = printed(&output);
        assert!(output.status.code() == Some(code) && said.contains(part) && !said.contains("hidden"), "{said}");
    }
}
