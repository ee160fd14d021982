//! Exports and imports killed at fifty seeded points each, most of them after a number of bytes between command and
//! server, and run again: the result equals that of an undisturbed one.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use kimberly_archive::Section;
use kimberly_tests::System;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::command::{command, run};
use super::proxy::Proxy;
use super::user::{ROOMY, living};
use super::written::Written;

const KILLS: usize = 50;
/// Every `BY_TIME`th kill comes after a time instead, possibly while nothing is sent.
const BY_TIME: usize = 5;
/// Maximum delay of such a kill.
const LATEST: Duration = Duration::from_millis(400);

/// Runs a command through a proxy to success; returns the bytes transferred.
pub(crate) async fn measured(system: &System, user: &str, args: &[&str]) -> u64 {
    let proxy = Proxy::before(system.api_address(), u64::MAX).await;
    let mut child = spawn(system, user, args, &proxy);
    let ended = tokio::task::spawn_blocking(move || child.wait()).await.expect("a task").expect("a child ends");
    assert!(ended.success(), "{args:?}");
    proxy.passed()
}

/// Runs a command and kills it after some of `bytes`, or after a time.
pub(crate) async fn killed(system: &System, user: &str, args: &[&str], bytes: u64, (n, dice): (usize, &mut StdRng)) {
    let by_time = n.is_multiple_of(BY_TIME);
    let most = if by_time { u64::MAX } else { dice.random_range(1..bytes) };
    let proxy = Proxy::before(system.api_address(), most).await;
    let mut child = spawn(system, user, args, &proxy);
    if by_time {
        tokio::time::sleep(dice.random_range(Duration::ZERO..LATEST)).await;
    } else {
        // A resumed command may need fewer bytes and end by itself.
        tokio::select! {
            () = proxy.full() => {}
            () = ended(&mut child) => {}
        }
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
}

/// Waits until a child has ended by itself.
async fn ended(child: &mut Child) {
    while child.try_wait().expect("a child can be asked").is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn spawn(system: &System, user: &str, args: &[&str], proxy: &Proxy) -> Child {
    let mut command = command(system, user, args);
    command.env("KIMBERLY_SERVER", proxy.server()).stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null()).spawn().expect("the command starts")
}

pub(crate) fn begins_with(folder: &Path, name: &str) -> usize {
    let names = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    names.filter(|found| found.to_string_lossy().starts_with(name)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_that_is_killed_anywhere_ends_as_an_undisturbed_one() {
    let mut dice = StdRng::seed_from_u64(50);
    let system = System::start_with(&ROOMY).await;
    living(&system, "ana").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let bytes = measured(&system, "ana", &["export", "--archive", &path("whole.tar")]).await;
    let whole = Written::read(&folder.join("whole.tar"));
    let mut resumed = 0;
    for n in 0..KILLS {
        let (name, file) = (format!("k{n}.tar"), path(&format!("k{n}.tar")));
        let mut args = vec!["export", "--archive", &file];
        for _ in 0..dice.random_range(1..=2) {
            killed(&system, "ana", &args, bytes, (n, &mut dice)).await;
            let saved = std::fs::read_to_string(format!("{file}.part.cursor")).unwrap_or_default();
            resumed += usize::from(!saved.is_empty() && !saved.contains("\"memories\":0"));
            args.truncate(3);
            args.extend((!saved.is_empty()).then_some("--resume"));
        }
        run(&system, "ana", &args);
        whole.assert_same(&Written::read(Path::new(&file)), &name);
        run(&system, "ana", &["audit", "verify", "--export", &file]);
        assert_eq!(begins_with(&folder, &name), 1, "no other file is left beside {name}");
    }
    assert!(resumed > KILLS / 10, "only {resumed} exports were resumed in the middle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_is_killed_anywhere_ends_as_an_undisturbed_one() {
    let mut dice = StdRng::seed_from_u64(51);
    let system = System::start_with(&ROOMY).await;
    living(&system, "ana").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let archive = path("whole.tar");
    run(&system, "ana", &["export", "--archive", &archive]);
    let whole = Written::read(Path::new(&archive));
    let bytes = measured(&system, "k-whole", &["import", &archive]).await;
    let mut cut = 0;
    for n in 0..KILLS {
        let user = format!("k{n}");
        killed(&system, &user, &["import", &archive], bytes, (n, &mut dice)).await;
        let there = system.user(&user).everything().await.len();
        cut += usize::from(there > 0 && there < whole.of(Section::Memories).len() - 3);
        run(&system, &user, &["import", &archive]);
        let back = path(&format!("{user}.tar"));
        run(&system, &user, &["export", "--archive", &back]);
        whole.assert_same(&Written::read(Path::new(&back)), &user);
    }
    assert!(cut > KILLS / 10, "only {cut} imports were cut among memories");
}
