//! Several machines on Postgres: recall and writes by one, two and four apis, with few users and ten times as many,
//! compared with one api on SQLite at the same time; and the query plans.

mod fill;
mod lanes;
mod machines;
mod people;
mod plans;
mod sheet;

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_tests::postgres::{Cluster, Server};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use self::fill::Fill;
use self::lanes::Lanes;
use self::machines::Machines;
use self::people::People;
use self::plans::Plans;
use self::sheet::Sheet;
use crate::disk::bytes_below;
use crate::figures::{Aim, Figures};
use crate::load::Sample;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::{Options, Result};

/// The server settings of `deploy/compose`: for a machine with two processors and 4 GB for everything.
const SETTINGS: [&str; 9] = [
    "max_connections=100",
    "shared_buffers=192MB",
    "effective_cache_size=512MB",
    "work_mem=8MB",
    "maintenance_work_mem=64MB",
    "max_wal_size=2GB",
    "wal_compression=on",
    "random_page_cost=1.1",
    "jit=off",
];
/// The folders of Postgres' programs.
const PROGRAMS: &str = "KIMBERLY_TEST_POSTGRES_BIN";
/// Bytes per memory, with room for derived data: on Postgres, and in files.
const BYTES: [u64; 2] = [2_300, 900];
/// Statements that measure a round trip.
const ROUND_TRIPS: usize = 2_000;
/// Disk space that must stay free.
const SPARE: u64 = 4_000_000_000;

/// The extent of the measurements.
#[derive(Clone, Copy)]
struct Extent {
    /// Numbers of users, few and many.
    users: [usize; 2],
    /// Memories per user.
    memories: usize,
    /// Users whose memories the api writes; all others are copies of them.
    templates: usize,
    /// Alternating rounds.
    rounds: usize,
    /// The duration of a turn.
    turn: Duration,
}

impl Extent {
    fn of(options: Options) -> Result<Self> {
        let (users, memories) = if options.quick { (200, 200) } else { (10_000, 1_000) };
        let (users, memories) = (options.users.unwrap_or(users), options.memories.unwrap_or(memories));
        if !(100..=100_000).contains(&users) || !(20..=1_000).contains(&memories) {
            return Err(format!(
                "{users} users with {memories} memories each cannot be measured: 100 to 100000 users and 20 to 1000 memories are allowed"
            )
            .into());
        }
        let (rounds, turn) = if options.quick { (3, Duration::from_millis(500)) } else { (5, Duration::from_secs(4)) };
        Ok(Self { users: [users / 10, users], memories, templates: (users / 20).min(20), rounds, turn })
    }
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let extent = Extent::of(options)?;
    if std::env::var_os(PROGRAMS).is_none() {
        return Err(
            format!("{PROGRAMS} is not set; `tests/bench/run scale` sets it to the programs of Postgres").into()
        );
    }
    enough_room(extent)?;
    let cluster = Cluster::new(false).with(&SETTINGS);
    let server = cluster.server();
    introduce(&server);
    let machines = Machines::start(&cluster.url(server.port()), &cluster.owner_url(server.port())).await?;
    let mut files = System::prepare(&[machines::QUOTA])?;
    files.start(Role::Api).await?;
    let mut sheet = Sheet::default();
    let mut plans: Vec<Plans> = Vec::new();
    let people = Arc::new(People::new(extent.memories, extent.templates));
    let mut fill = Fill::new(&cluster, &server, &machines, Arc::clone(&people)).await?;
    let mut there = 0;
    for users in extent.users {
        fill.grow(there..users, &files).await?;
        let mut figures = Figures::new(report, &format!("{users} users x {} memories", extent.memories));
        let size = size(&cluster, &server).await? / per(users);
        figures.add(&format!("scale.users{users}.postgres.mb_per_user"), size / 1e6, Aim::Open);
        #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
        let size = bytes_below(&files.data_dir())? as f64 / per(users);
        figures.add(&format!("scale.users{users}.sqlite.mb_per_user"), size / 1e6, Aim::Open);
        plans.push(plans::look(&cluster, &server, &machines, (&*people, users)).await?);
        let mut lanes = Lanes::open(&machines, &files, server.pid()).await?;
        lanes.measure(extent, &people, users).await?;
        lanes.figure(users, &mut figures, &mut sheet);
        figures.print();
        there = users;
    }
    let [few, many] = extent.users;
    let mut figures = Figures::new(report, &format!("from {few} users to {many}"));
    figures.add("scale.round_trip.p50_ms", round_trip(&cluster, &server).await?.p50(), Aim::Open);
    sheet.flatness(few, many, &mut figures);
    plans::compare(&plans, extent.users, &mut figures);
    figures.print();
    sheet.print(extent.users, extent.memories);
    plans::refuse_scans(&plans)
}

/// Prints what readers of the figures must know.
fn introduce(server: &Server<'_>) {
    let version = server.ask("SELECT split_part(version(), ' on ', 1)");
    let settings = SETTINGS.join(", ");
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let kept = server.ask(
        "SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings \
         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'shared_buffers')",
    );
    say(&format!(
        "{version} with {settings} (those of deploy/compose); {kept}.\nClients, apis and Postgres share the {processors} processors of \
         this machine: with more of them at work than processors each takes time from the others, so what more apis reach here \
         says what they cost each other, and not what further machines would bring."
    ));
}

/// Refuses an extent that the disk cannot hold.
fn enough_room(extent: Extent) -> Result<()> {
    let memories = (extent.users[1] * extent.memories) as u64;
    let needed = memories * BYTES.iter().sum::<u64>() + SPARE;
    let folder = std::env::temp_dir();
    let output = std::process::Command::new("df").args(["--output=avail", "-B1"]).arg(&folder).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let free: u64 = said.lines().last().unwrap_or_default().trim().parse()?;
    if free < needed {
        let (needed, free, folder) = (needed / 1_000_000_000, free / 1_000_000_000, folder.display());
        return Err(format!(
            "{needed} GB are needed for {} users and {free} are free in {folder}; set TMPDIR to another disk, or take fewer with --users",
            extent.users[1]
        )
        .into());
    }
    Ok(())
}

/// The size of the database in bytes.
async fn size(cluster: &Cluster, server: &Server<'_>) -> Result<f64> {
    let mut conn = PgConnection::connect(&cluster.owner_url(server.port())).await?;
    let size: i64 = sqlx::query_scalar("SELECT pg_database_size(current_database())").fetch_one(&mut conn).await?;
    #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
    Ok(size as f64)
}

/// The time of a statement that reads nothing: what each round trip to Postgres costs.
async fn round_trip(cluster: &Cluster, server: &Server<'_>) -> Result<Sample> {
    let mut conn = PgConnection::connect(&cluster.url(server.port())).await?;
    let mut taken = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let started = Instant::now();
        sqlx::query("SELECT 1").execute(&mut conn).await?;
        taken.push(started.elapsed());
    }
    Ok(Sample::of(&taken))
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 users")]
fn per(users: usize) -> f64 {
    users as f64
}

/// Prints how long a step took.
fn took(what: &str, since: Instant) {
    say(&format!("{what} in {:.1} s", since.elapsed().as_secs_f64()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_has_the_settings_of_the_compose_file() {
        let compose = include_str!("../../../../../deploy/compose/compose.yaml");
        for setting in SETTINGS {
            assert!(compose.contains(&format!("-c {setting}")), "{setting}");
        }
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let of = |users, memories| Extent::of(Options { quick: true, users, memories, ..Options::default() });
        assert!(of(Some(99), None).is_err() && of(None, Some(1_001)).is_err());
        let extent = of(None, None).unwrap();
        assert_eq!((extent.users, extent.templates), ([20, 200], 10));
    }
}
