//! `kimberly` as a child process that may be killed.

use std::path::Path;
use std::process::{Command, Stdio};

use kimberly_tests::System;
use kimberly_tests::binaries::program;
use rand::Rng as _;
use rand::rngs::StdRng;

/// The command with arguments, for a user of a system.
pub(crate) fn command(system: &System, user: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .env_clear()
        .env("KIMBERLY_SERVER", format!("http://{}", system.api_address()))
        .env("KIMBERLY_USER", user)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the command to success and returns its output.
pub(crate) fn run(system: &System, user: &str, args: &[&str]) -> String {
    let output = command(system, user, args).output().expect("the command runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the command prints text")
}

/// The exit code if the server is unreachable at the start.
const UNREACHABLE: i32 = 3;

/// Runs the command to success while the api is killed and restarted up to `kills` times. If the server is
/// unreachable at the very start, runs it again, as its message says.
pub(crate) async fn run_while_killing(
    system: &mut System,
    user: &str,
    args: &[&str],
    kills: u32,
    dice: &mut StdRng,
) -> u32 {
    let start = |system: &System| command(system, user, args).spawn().expect("the command starts");
    let mut child = start(system);
    let mut done = 0;
    while done < kills {
        match child.try_wait().expect("a child can be asked") {
            Some(ended) if ended.code() == Some(UNREACHABLE) => child = start(system),
            Some(_) => break,
            None => {}
        }
        tokio::time::sleep(std::time::Duration::from_millis(dice.random_range(5..300))).await;
        system.restart_api().await;
        done += 1;
    }
    let output = child.wait_with_output().expect("a child can be waited for");
    if output.status.code() == Some(UNREACHABLE) {
        run(system, user, args);
    } else {
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    done
}

/// Starts the command and kills it after a while; `false` if it had ended by then.
pub(crate) async fn cut(system: &System, user: &str, args: &[&str], dice: &mut StdRng) -> bool {
    let mut child = command(system, user, args).spawn().expect("the command starts");
    tokio::time::sleep(std::time::Duration::from_millis(dice.random_range(50..400))).await;
    let cut = child.try_wait().expect("a child can be asked").is_none();
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    cut
}

/// Fails unless two files are identical; reports the first difference.
#[track_caller]
pub(crate) fn assert_same(one: &Path, other: &Path) {
    let lines = |path: &Path| {
        let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        std::io::BufRead::lines(std::io::BufReader::new(file)).map(|line| line.expect("lines of text"))
    };
    let (mut left, mut right) = (lines(one), lines(other));
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => return,
            (left, right) => assert_eq!(left, right, "line {number}"),
        }
    }
}
