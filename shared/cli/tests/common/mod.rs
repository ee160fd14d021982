//! Runs `kimberly` and `kimberly up` with a temporary data folder and free ports.
#![allow(clippy::allow_attributes, dead_code, clippy::missing_panics_doc, reason = "each test file uses its part")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

const PATIENCE: Duration = Duration::from_mins(1);

/// The program under test: in `KIMBERLY_BIN_DIR`, or beside this test's folder, where `cargo build --workspace` puts it.
pub(crate) fn kimberly() -> String {
    let folder = std::env::var_os("KIMBERLY_BIN_DIR")
        .map_or_else(|| std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned(), PathBuf::from);
    let program = folder.join("kimberly");
    assert!(program.is_file(), "{} is missing; run `cargo build --workspace`", program.display());
    program.display().to_string()
}

/// The environment of one Kimberly: data folder and ports.
pub(crate) struct Sandbox {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) ports: [u16; 3],
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        // All held at once, so that they differ.
        let held: Vec<TcpListener> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports = [0, 1, 2].map(|index| held[index].local_addr().unwrap().port());
        Self { folder: tempfile::tempdir().unwrap(), ports }
    }

    /// `kimberly` with this sandbox's environment and no other variables of ours.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(&kimberly());
        command.args(args);
        command
    }

    /// Runs a line in a shell that finds `kimberly`, with this stdin, to its end.
    pub(crate) fn shell(&self, line: &str, stdin: &str) -> Output {
        let beside = PathBuf::from(kimberly());
        let folders = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
        let path = beside.parent().map(PathBuf::from).into_iter().chain(folders);
        let mut command = self.program("sh");
        command.args(["-c", line]).env("PATH", std::env::join_paths(path).unwrap());
        ended(command, stdin)
    }

    /// What a command shows in a terminal of so many columns, also on stderr; it must succeed.
    #[track_caller]
    pub(crate) fn in_terminal(&self, columns: usize, variables: &[(&str, &str)], args: &[&str]) -> String {
        let mut command = self.program("python3");
        let width = columns.to_string();
        command.args(["-c", include_str!("../terminal.py"), width.as_str(), &kimberly()]);
        command.args(args).env_remove("COLUMNS").envs(variables.iter().copied());
        let output = ended(command, "");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args:?} ended with {}: {shown}{}", output.status, said(&output));
        shown
    }

    /// A program with this sandbox's environment.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KIMBERLY_")) {
            if name != "KIMBERLY_BIN_DIR" {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.folder.path())
            .env("KIMBERLY_DATA_DIR", self.folder.path().join("data"))
            .env("KIMBERLY_SERVER", format!("http://127.0.0.1:{}", self.ports[0]))
            .env("KIMBERLY_USER", "ann")
            // Protects the settings of an assistant used on this machine.
            .env("CLAUDE_CONFIG_DIR", self.folder.path().join("claude"))
            .env("KIMBERLY_KEYS__FOLDER", self.folder.path().join("keys"))
            .env("KIMBERLY_API__LISTEN", format!("127.0.0.1:{}", self.ports[0]))
            .env("KIMBERLY_WORKER__LISTEN", format!("127.0.0.1:{}", self.ports[1]))
            .env("KIMBERLY_EMBEDDER__LISTEN", format!("127.0.0.1:{}", self.ports[2]));
        command
    }

    /// Runs a command to its end with this stdin.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        ended(self.command(args), stdin)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, "")
    }

    /// The output of a command that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?} ended with {}: {}", output.status, said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The JSON output of a command that must succeed.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?} printed {text}: {error}"))
    }

    /// A folder with a script in place of the program.
    pub(crate) fn fakes(&self, script: &str) -> String {
        let file = self.folder.path().join("kimberly");
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.folder.path().display().to_string()
    }
}

fn ended(mut command: Command, stdin: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that reads no input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

/// The stderr of a command.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running `kimberly up`, killed when dropped.
pub(crate) struct Up {
    pub(crate) child: Child,
    lines: mpsc::Receiver<String>,
    pub(crate) seen: Vec<String>,
}

impl Up {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines, seen: Vec::new() }
    }

    /// Reads lines until one contains `text`.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.seen.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
        panic!("{text:?} was never said; this was:\n{}", self.seen.join("\n"));
    }

    pub(crate) fn signal(&self, name: &str) {
        kill(name, self.child.id());
    }

    /// Waits for the end and returns the exit code.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it did not end");
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal by name.
pub(crate) fn kill(name: &str, process: u32) {
    assert!(Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap().success());
}

/// The child of a process in this role.
pub(crate) fn child_of(parent: u32, role: &str) -> Option<u32> {
    let processes =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.into_iter().find(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let named = words_of(*id).is_some_and(|words| words.get(1).is_some_and(|word| word == role));
        let fields = stat.rsplit_once(") ").map_or(Vec::new(), |(_, rest)| rest.split(' ').collect());
        named && fields.get(1) == Some(&parent.to_string().as_str())
    })
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a port is free.
pub(crate) fn free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

/// Whether a process exists and is not a zombie.
pub(crate) fn alive(process: u32) -> bool {
    words_of(process).is_some()
}

/// The words that a process was started with; a zombie has none. Processes that hold keys show nothing more to others.
fn words_of(process: u32) -> Option<Vec<String>> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).ok().filter(|line| !line.is_empty())?;
    Some(String::from_utf8_lossy(&line).split('\0').map(str::to_owned).collect())
}
