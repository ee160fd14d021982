//! A process under test: started, observed, killed, restarted.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::binaries;

/// Timeout for a graceful stop.
const STOP_BOUND: Duration = Duration::from_secs(30);

/// A running process. Its output goes to a file in the test's folder. Killed on drop.
pub struct Process {
    name: &'static str,
    environment: Vec<(String, String)>,
    log: PathBuf,
    child: Child,
}

impl Process {
    /// Starts a process with this environment, `PATH` and `HOME` only.
    pub fn start(name: &'static str, environment: Vec<(String, String)>, log: PathBuf) -> Self {
        let child = spawn(name, &environment, &log);
        Self { name, environment, log, child }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The name of the process.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The whole output, over all restarts.
    pub fn log(&self) -> String {
        std::fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Panics with the log if the process has ended.
    #[track_caller]
    pub fn assert_running(&mut self) {
        if let Some(status) = self.child.try_wait().expect("a child can be looked at") {
            panic!("{} ended with {status}; it said:\n{}", self.name, tail(&self.log()));
        }
    }

    /// Kills the process, as a power loss would, and waits until it is gone.
    pub fn kill9(&mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a killed child is gone");
    }

    /// Freezes the process with SIGSTOP and waits until it has stopped.
    pub fn freeze(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::STOP).expect("a child can be signalled");
        let asked = Instant::now();
        while !self.stands_still() {
            assert!(asked.elapsed() < STOP_BOUND, "{} does not freeze", self.name);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether all threads are stopped.
    fn stands_still(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid())).expect("the threads of a child");
        threads.flatten().all(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            // After the name, which may contain anything. A thread that ended has no `stat`.
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T'))
        })
    }

    /// Resumes the process after a freeze.
    pub fn wake(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::CONT).expect("a child can be signalled");
    }

    /// Requests a graceful stop and waits for it.
    #[track_caller]
    pub fn stop(&mut self) -> ExitStatus {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).expect("a child can be signalled");
        let asked = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(asked.elapsed() < STOP_BOUND, "{} does not stop; it said:\n{}", self.name, tail(&self.log()));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts the process expecting a failure; returns its output.
    #[track_caller]
    pub fn refuses_to_start(&mut self) -> String {
        let before = self.log().len();
        self.start_again();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            assert!(started.elapsed() < STOP_BOUND, "{} runs; it said:\n{}", self.name, tail(&self.log()));
            std::thread::sleep(Duration::from_millis(10));
        };
        let said = self.log().split_off(before);
        assert!(!status.success(), "{} ended well; it said:\n{said}", self.name);
        said
    }

    /// Sets a variable for the next start.
    pub fn set(&mut self, key: &str, value: &str) {
        self.unset(key);
        self.environment.push((key.to_owned(), value.to_owned()));
    }

    /// Removes a variable for the next start.
    pub fn unset(&mut self, key: &str) {
        self.environment.retain(|(known, _)| known != key);
    }

    /// Restarts the process with the same environment after a kill or stop.
    pub fn start_again(&mut self) {
        self.child = spawn(self.name, &self.environment, &self.log);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            report(self.name, &self.log());
        }
    }
}

#[expect(clippy::print_stderr, reason = "the log of a process explains why the test beside it failed")]
fn report(name: &str, log: &str) {
    eprintln!("--- {name} said:\n{}", tail(log));
}

/// The last lines of a log.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}

fn spawn(name: &str, environment: &[(String, String)], log: &PathBuf) -> Child {
    let out: File = OpenOptions::new().create(true).append(true).open(log).expect("the test's folder takes a log");
    let inherited = ["PATH", "HOME", "RUST_BACKTRACE", "RUST_LOG"];
    binaries::process(name)
        .env_clear()
        .envs(inherited.iter().filter_map(|key| std::env::var(key).ok().map(|value| (*key, value))))
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::null())
        .stdout(out.try_clone().expect("a file handle can be copied"))
        .stderr(out)
        .spawn()
        .unwrap_or_else(|error| panic!("{name} does not start: {error}"))
}
