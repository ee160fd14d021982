//! A private Postgres for a test, which can be stopped, killed and replicated. Its programs are searched in the
//! folders of `KIMBERLY_TEST_POSTGRES_BIN`, as by `tests/postgres/start`.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::ports::free_port;

/// Timeout for a server to start, stop or catch up. Tests do not measure time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(2);
/// Number of ports to try when starting a server.
const PORTS: usize = 5;
/// The role of the processes.
pub const APP: &str = "kimberly_app";
/// The database of the processes.
const DATABASE: &str = "kimberly";
/// The replication name of the standby.
const STANDBY: &str = "standby";

/// The servers of a test: their programs, folder, password and account.
pub struct Cluster {
    programs: Vec<PathBuf>,
    folder: TempDir,
    password: String,
    account: Option<Account>,
    made: AtomicU32,
    /// Whether commits wait for the standby.
    synchronous: bool,
    /// Additional settings of servers.
    settings: Vec<String>,
}

/// The account for servers if we are root, since Postgres refuses to run as root.
struct Account {
    user: u32,
    group: u32,
}

/// A server. On drop it is killed and its files are removed.
pub struct Server<'c> {
    cluster: &'c Cluster,
    data: PathBuf,
    port: u16,
    child: Child,
}

impl Cluster {
    /// The servers of a test; with `synchronous`, a commit on the primary waits until the standby has it on disk.
    ///
    /// # Panics
    ///
    /// Without programs of Postgres; the message says how to get them.
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

    /// Adds settings such as `shared_buffers=1GB` for servers started later, overriding those for tests.
    #[must_use]
    pub fn with(mut self, settings: &[&str]) -> Self {
        self.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
        self
    }

    /// Creates and starts a server with the processes' empty database.
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

    /// Creates and starts a standby of another server, and waits until it has caught up.
    pub fn follower(&self, leader: &Server<'_>) -> Server<'_> {
        self.follower_at(leader, None)
    }

    /// Like [`Self::follower`], on the port of an earlier server.
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
        wait(|| leader.ask(&caught_up) == "1", || format!("no server follows; the follower said:\n{}", server.log()));
        server
    }

    /// The processes' URL for a port, of a server or a proxy.
    pub fn url(&self, port: u16) -> String {
        self.url_of_all(APP, &[port])
    }

    /// The owner's URL, for creating tables.
    pub fn owner_url(&self, port: u16) -> String {
        self.url_of_all("postgres", &[port])
    }

    /// A URL of a role that finds the writable server among several ports.
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
            // Another process may have taken the port meanwhile.
            server.port = free_port();
            server.child = self.spawn(&server.data, server.port);
        }
        server.wait_until_it_serves();
        server
    }

    /// Keeps all durability settings on: the data survives a crash of server and machine.
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
            // Keep enough WAL for a standby that starts later.
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

    /// A command that runs as the owner of the servers' files and ends with this process.
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

    /// A client program for the server at a port, as superuser.
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

    /// Changes the owner of files to the servers' account.
    fn hand_over(&self, path: &Path) {
        if let Some(account) = &self.account {
            run(Command::new("chown").arg("-R").arg(format!("{}:{}", account.user, account.group)).arg(path));
        }
    }
}

impl Account {
    /// The account of an installed Postgres, or else `nobody`.
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
    /// The port, the same after restarts.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The pid of the postmaster.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The path of the log file.
    pub fn log_file(&self) -> PathBuf {
        log_of(&self.data)
    }

    /// The output of a statement.
    pub fn ask(&self, sql: &str) -> String {
        self.try_ask(sql).unwrap_or_else(|said| panic!("{sql}: {said}"))
    }

    fn try_ask(&self, sql: &str) -> Result<String, String> {
        let mut psql = self.cluster.client("psql", self.port);
        // Without a standby, a synchronous commit would wait forever.
        psql.env("PGOPTIONS", "-c synchronous_commit=local");
        psql.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1"]);
        let output = psql.args(["--dbname", "postgres", "--command", sql]).output().expect("psql runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Stops the server gracefully: rolls back running transactions and notifies clients.
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

    /// Kills all processes of the server, as a power loss would, and waits until they are gone.
    pub fn kill9(&mut self) {
        if self.child.try_wait().expect("a server can be looked at").is_some() {
            return;
        }
        // A stopped postmaster starts no further children and reaps none, so their pids stay valid.
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

    /// Restarts the server with its data after a stop or kill.
    pub fn start_again(&mut self) {
        self.child = self.cluster.spawn(&self.data, self.port);
        self.wait_until_it_serves();
    }

    /// Promotes a standby.
    pub fn promote(&self) {
        assert_eq!(self.ask("SELECT pg_promote(true, 120)"), "t", "a follower leads:\n{}", self.log());
    }

    fn wait_until_it_serves(&mut self) {
        self.try_to_serve().unwrap_or_else(|said| panic!("Postgres does not serve: {said}; it said:\n{}", self.log()));
    }

    /// Waits until the server serves; returns its output if it ended instead.
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

    /// The end of the server's log.
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

/// The last lines of a server's log.
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

/// Runs a program; panics with its output if it fails.
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

/// The child processes of a process.
fn children(pid: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("processes can be listed");
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|child| parent(*child) == Some(pid)).collect()
}

/// The parent of a process; `None` if it is gone. Zombies count as gone.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which may contain anything: state and parent.
    let (_, rest) = stat.rsplit_once(") ")?;
    let (state, rest) = rest.split_once(' ')?;
    (state != "Z").then(|| rest.split(' ').next()?.parse().ok()).flatten()
}
