//! A Postgres of a test's own, to be stopped, killed, and followed by another one. Its programs are looked for in the folders
//! that `KIMBERLY_TEST_POSTGRES_BIN` names, as `tests/postgres/start` does.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::ports::free_port;

/// How long a server may take to start, to stop, or to follow. No test measures time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(2);
/// How many ports a server is started on until it serves.
const PORTS: usize = 5;
/// As whom processes work.
pub const APP: &str = "kimberly_app";
/// What they work on.
const DATABASE: &str = "kimberly";
/// The name of whoever follows.
const STANDBY: &str = "standby";

/// Servers of one test: their programs, their folder, their password, the account that they run as.
pub struct Cluster {
    programs: Vec<PathBuf>,
    folder: TempDir,
    password: String,
    account: Option<Account>,
    made: AtomicU32,
    /// Whether a commit waits for whoever follows.
    synchronous: bool,
    /// What servers are told besides.
    settings: Vec<String>,
}

/// Who runs servers where we are root, as Postgres refuses to.
struct Account {
    user: u32,
    group: u32,
}

/// One server. It is killed when dropped, and its files are removed.
pub struct Server<'c> {
    cluster: &'c Cluster,
    data: PathBuf,
    port: u16,
    child: Child,
}

impl Cluster {
    /// Servers of a test; with `synchronous` a commit of whoever leads waits until its follower has it on disk.
    ///
    /// # Panics
    ///
    /// When there are no programs of Postgres, saying how to get them.
    pub fn new(synchronous: bool) -> Self {
        let programs = std::env::var_os("KIMBERLY_TEST_POSTGRES_BIN").unwrap_or_else(|| {
            panic!("KIMBERLY_TEST_POSTGRES_BIN is not set; tests/run and tests/postgres/start set it to folders of programs")
        });
        let folder = tempfile::Builder::new().prefix("kimberly-servers-").tempdir().expect("a temporary folder");
        let account = rustix::process::geteuid().is_root().then(Account::find);
        let password = format!("{:032x}", rand::random::<u128>());
        std::fs::write(folder.path().join("password"), &password).expect("the test's folder takes a password");
        let programs = std::env::split_paths(&programs).collect();
        let (made, settings) = (AtomicU32::new(0), Vec::new());
        let cluster = Self { programs, folder, password, account, made, synchronous, settings };
        cluster.hand_over(cluster.folder.path());
        cluster
    }

    /// The same with settings such as `shared_buffers=1GB` for servers that are started from now on, over those for tests.
    #[must_use]
    pub fn with(mut self, settings: &[&str]) -> Self {
        self.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
        self
    }

    /// Makes and starts a server with the database of the processes, empty.
    pub fn server(&self) -> Server<'_> {
        let data = self.data();
        let mut initdb = self.as_account("initdb");
        initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(self.folder.path().join("password"));
        initdb.args(["--username", "postgres", "--auth", "password", "--encoding", "UTF8", "--locale", "C.UTF-8"]);
        initdb.arg("--no-sync");
        run(&mut initdb);
        let server = self.start(data, None);
        server.ask(&format!("CREATE ROLE {APP} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '{}'", self.password));
        server.ask(&format!("CREATE DATABASE {DATABASE}"));
        server
    }

    /// Makes and starts a server that follows another one, and waits until it has caught up.
    pub fn follower(&self, leader: &Server<'_>) -> Server<'_> {
        self.follower_at(leader, None)
    }

    /// The same on a port that a server before had.
    pub fn follower_at(&self, leader: &Server<'_>, port: Option<u16>) -> Server<'_> {
        let data = self.data();
        let mut copy = self.client("pg_basebackup", leader.port);
        copy.arg("--dbname").arg(format!("application_name={STANDBY}")).arg("--pgdata").arg(&data);
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]);
        run(&mut copy);
        self.hand_over(&data);
        let server = self.start(data, port);
        let caught_up = format!(
            "SELECT count(*) FROM pg_stat_replication WHERE application_name = '{STANDBY}' \
             AND state = 'streaming' AND sync_state = '{}'",
            if self.synchronous { "sync" } else { "async" }
        );
        wait(|| leader.ask(&caught_up) == "1", || format!("nobody follows; the follower said:\n{}", server.log()));
        server
    }

    /// Where the processes work, over a port, be it a server's or a proxy's.
    pub fn url(&self, port: u16) -> String {
        self.url_of_all(APP, &[port])
    }

    /// Where tables are made.
    pub fn owner_url(&self, port: u16) -> String {
        self.url_of_all("postgres", &[port])
    }

    /// Where a role finds whichever server writes of those at some ports.
    pub fn url_of_all(&self, role: &str, ports: &[u16]) -> String {
        let servers: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let wanted = if servers.len() > 1 { "?target_session_attrs=read-write" } else { "" };
        format!("postgres://{role}:{}@{}/{DATABASE}{wanted}", self.password, servers.join(","))
    }

    /// A folder for the files of another server.
    fn data(&self) -> PathBuf {
        self.folder.path().join(format!("data-{}", self.made.fetch_add(1, Ordering::Relaxed)))
    }

    fn start(&self, data: PathBuf, port: Option<u16>) -> Server<'_> {
        let (tries, port) = port.map_or_else(|| (PORTS, free_port()), |port| (1, port));
        let child = self.spawn(&data, port);
        let mut server = Server { cluster: self, data, port, child };
        for _ in 1..tries {
            if server.try_to_serve().is_ok() {
                return server;
            }
            // Somebody else may have taken the port meanwhile.
            server.port = free_port();
            server.child = self.spawn(&server.data, server.port);
        }
        server.wait_until_it_serves();
        server
    }

    /// What it holds survives its end, and that of the machine: nothing of what a server does for that is turned off.
    fn spawn(&self, data: &Path, port: u16) -> Child {
        let out =
            OpenOptions::new().create(true).append(true).open(log_of(data)).expect("the test's folder takes a log");
        let mut command = self.as_account("postgres");
        command.arg("-D").arg(data);
        let followed = if self.synchronous { format!("synchronous_standby_names={STANDBY}") } else { String::new() };
        let port = format!("port={port}");
        let settings = [
            port.as_str(),
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "shared_buffers=64MB",
            "max_connections=100",
            // What a follower needs is still there when it comes.
            "wal_keep_size=512MB",
            "wal_retrieve_retry_interval=100ms",
            &followed,
        ];
        let more = self.settings.iter().map(String::as_str);
        for setting in settings.into_iter().chain(more).filter(|setting| !setting.is_empty()) {
            command.args(["-c", setting]);
        }
        output_to(&mut command, &out);
        command.spawn().unwrap_or_else(|error| panic!("Postgres does not start: {error}"))
    }

    /// Runs a program as who owns the files of servers; it ends with this process.
    fn as_account(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "INT"]);
        if let Some(account) = &self.account {
            command.arg("--clear-groups");
            command.args(["--reuid", &account.user.to_string(), "--regid", &account.group.to_string()]);
        }
        command.arg(self.program(program));
        command
    }

    /// A program that speaks to the server at a port, as its superuser.
    fn client(&self, program: &str, port: u16) -> Command {
        let mut command = Command::new(self.program(program));
        let port = port.to_string();
        command.envs([
            ("PGHOST", "127.0.0.1"),
            ("PGPORT", &port),
            ("PGUSER", "postgres"),
            ("PGPASSWORD", &self.password),
        ]);
        command
    }

    fn program(&self, name: &str) -> PathBuf {
        let mut found = self.programs.iter().map(|folder| folder.join(name)).filter(|path| path.is_file());
        found.next().unwrap_or_else(|| panic!("{name} is in none of {:?} (KIMBERLY_TEST_POSTGRES_BIN)", self.programs))
    }

    /// Gives files to the account that servers run as.
    fn hand_over(&self, path: &Path) {
        if let Some(account) = &self.account {
            run(Command::new("chown").arg("-R").arg(format!("{}:{}", account.user, account.group)).arg(path));
        }
    }
}

impl Account {
    /// That of an installed Postgres, else that of nobody.
    fn find() -> Self {
        let id = |what: &str, name: &str| {
            let output = Command::new("id").args([what, name]).stderr(Stdio::null()).output().expect("id runs");
            String::from_utf8_lossy(&output.stdout).trim().parse().ok()
        };
        let both = |name: &str| Some(Self { user: id("-u", name)?, group: id("-g", name)? });
        both("postgres").or_else(|| both("nobody")).expect("an account that is not root")
    }
}

impl Server<'_> {
    /// The port that it listens on, in each of its lives.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process that starts all others of it.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The file of what it says.
    pub fn log_file(&self) -> PathBuf {
        log_of(&self.data)
    }

    /// What a statement answers.
    pub fn ask(&self, sql: &str) -> String {
        self.try_ask(sql).unwrap_or_else(|said| panic!("{sql}: {said}"))
    }

    fn try_ask(&self, sql: &str) -> Result<String, String> {
        let mut psql = self.cluster.client("psql", self.port);
        // While nobody follows, a commit would wait for ever.
        psql.env("PGOPTIONS", "-c synchronous_commit=local");
        psql.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1"]);
        let output = psql.args(["--dbname", "postgres", "--command", sql]).output().expect("psql runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Stops it in order: what is under way is taken back, and who is connected is told.
    pub fn stop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("a server can be signalled");
        let mut ended = false;
        wait(
            || {
                ended = ended || self.child.try_wait().expect("a server can be waited for").is_some();
                ended
            },
            || format!("Postgres does not stop; it said:\n{}", log(&self.data)),
        );
    }

    /// Ends all its processes as a power cut would, and waits until they are gone.
    pub fn kill9(&mut self) {
        if self.child.try_wait().expect("a server can be looked at").is_some() {
            return;
        }
        // One that stands still starts no more of them, and buries none: their ids stay theirs.
        kill_process(Pid::from_child(&self.child), Signal::STOP).expect("a server can be signalled");
        let others = children(self.child.id());
        for other in others.iter().filter_map(|&other| Pid::from_raw(i32::try_from(other).ok()?)) {
            let _ = kill_process(other, Signal::KILL);
        }
        self.child.kill().expect("a server can be killed");
        self.child.wait().expect("a killed server is gone");
        let gone = || others.iter().all(|pid| parent(*pid).is_none());
        wait(gone, || "processes of Postgres do not end".to_owned());
    }

    /// Starts it again, after it was stopped or killed, with what it holds.
    pub fn start_again(&mut self) {
        self.child = self.cluster.spawn(&self.data, self.port);
        self.wait_until_it_serves();
    }

    /// Has a follower lead from now on.
    pub fn promote(&self) {
        assert_eq!(self.ask("SELECT pg_promote(true, 120)"), "t", "a follower leads:\n{}", self.log());
    }

    fn wait_until_it_serves(&mut self) {
        self.try_to_serve().unwrap_or_else(|said| panic!("Postgres does not serve: {said}; it said:\n{}", self.log()));
    }

    /// Waits until it serves, or has ended before it did: then with what was said of it.
    fn try_to_serve(&mut self) -> Result<(), String> {
        let started = Instant::now();
        while let Err(said) = self.try_ask("SELECT 1") {
            if self.child.try_wait().expect("a server can be waited for").is_some() {
                return Err(said);
            }
            assert!(started.elapsed() < BOUND, "Postgres does not serve: {said}; it said:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The end of what it said.
    fn log(&self) -> String {
        log(&self.data)
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.kill9();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

fn log_of(data: &Path) -> PathBuf {
    data.with_extension("log")
}

/// The last lines that a server said.
fn log(data: &Path) -> String {
    let said = std::fs::read(log_of(data)).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

fn output_to(command: &mut Command, out: &File) {
    command.stdin(Stdio::null());
    command.stdout(out.try_clone().expect("a file handle can be copied"));
    command.stderr(out.try_clone().expect("a file handle can be copied"));
}

/// Runs a program to its end, and fails with what it said.
fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
}

fn wait(mut done: impl FnMut() -> bool, why: impl Fn() -> String) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < BOUND, "{}", why());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processes that a process has started.
fn children(pid: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("processes can be listed");
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|child| parent(*child) == Some(pid)).collect()
}

/// Who started a process; none if it is gone, though it may wait to be buried.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may hold anything: its state, and its parent.
    let (_, rest) = stat.rsplit_once(") ")?;
    let (state, rest) = rest.split_once(' ')?;
    (state != "Z").then(|| rest.split(' ').next()?.parse().ok()).flatten()
}
