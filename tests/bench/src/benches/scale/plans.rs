//! The plans of an api's statements on Postgres: of the real statements in real sessions, with their rights and
//! values, as `auto_explain` logs them. The rows and pages that a call reads must not depend on the number of users,
//! and no plan may scan a table with rows of all users.

mod log;

use std::collections::{BTreeMap, BTreeSet};

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::meditation_service_client::MeditationServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::metrics_service_client::MetricsServiceClient;
use kimberly_tests::postgres::{APP, Cluster, Server};
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row as _};
use tonic::transport::Channel;

use self::log::{Log, Plan};
use super::machines::Machines;
use super::people::People;
use crate::Result;
use crate::figures::{Aim, Figures};
use crate::load::connect;
use crate::report::{Table, say};

/// Users whose calls are examined.
const LOOKED_AT: usize = 10;
/// The role of the examined api.
const TELLING: &str = "kimberly_telling";
/// Settings of its sessions. Without timing, which costs time, and without values, which are private.
const EXPLAINED: [&str; 7] = [
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_analyze = on",
    "auto_explain.log_buffers = on",
    "auto_explain.log_timing = off",
    "auto_explain.log_format = json",
    "auto_explain.log_parameter_max_length = 0",
];
/// Tables with rows of users, and their sizes in bytes.
const TABLES: &str = "SELECT c.relname::text, pg_relation_size(c.oid) FROM pg_class c \
     JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid \
     WHERE n.nspname = 'kimberly' AND c.relkind = 'r' AND a.attname = 'user_id' AND NOT a.attisdropped";
/// Maximum size of a table that may be scanned: for eight pages, hardly anything is faster, and a table that grows
/// with the users exceeds it soon.
const SMALL: i64 = 8 * 8_192;
/// Calls, in this order for each user.
const CALLS: [&str; 8] = ["recall", "recall_again", "recall_kept", "list", "read", "score", "write", "counters"];
/// With ten times as many rows, a b-tree may be one level deeper.
const FLAT: f64 = 1.5;

/// Observations of one statement.
#[derive(Debug, Default)]
struct Statement {
    /// The first call that it was seen in.
    call: &'static str,
    times: u64,
    pages: u64,
    rows: u64,
    scans: BTreeSet<String>,
    /// Tables with users' rows, larger than `SMALL`, that it scanned.
    gone_through: BTreeSet<String>,
}

/// All observations with one number of users.
#[derive(Debug, Default)]
pub(super) struct Plans {
    statements: BTreeMap<String, Statement>,
    /// Sums per kind of call.
    calls: BTreeMap<&'static str, Sums>,
}

/// What the calls of one kind took in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    statements: u64,
    pages: u64,
    rows: u64,
}

/// Examines the statements of an api whose sessions log their plans.
pub(super) async fn look(
    cluster: &Cluster,
    server: &Server<'_>,
    machines: &Machines,
    (people, users): (&People, usize),
) -> Result<Plans> {
    let url = make_role(cluster, server)?;
    // Long interval, so that background writes are not attributed to calls.
    let settings = [("KIMBERLY_POSTGRES__URL", url.as_str()), ("KIMBERLY_API__TOUCH_INTERVAL", "10m")];
    let looked_at = machines.another(&settings).await?;
    let channel = connect(&looked_at.api_url(), 1).await?.remove(0);
    let tables = tables(cluster, server).await?;
    let mut log = Log::at_the_end(server.log_file())?;
    let mut plans = Plans::default();
    for n in 0..LOOKED_AT {
        let user = Asked { channel: channel.clone(), people, users, n };
        for call in CALLS {
            user.ask(call).await?;
            plans.add(call, log.plans_until_it_rests().await?, &tables);
        }
    }
    if plans.statements.len() < CALLS.len() {
        return Err(format!(
            "Postgres told the plans of {} statements: auto_explain does not work",
            plans.statements.len()
        )
        .into());
    }
    Ok(plans)
}

/// Creates a role with the rights of the apis' role, whose sessions log their plans; returns its URL.
fn make_role(cluster: &Cluster, server: &Server<'_>) -> Result<String> {
    let url = cluster.url(server.port());
    let password = url.split(['@', ':']).nth(2).ok_or("the address of the server holds no password")?;
    if server.ask(&format!("SELECT count(*) FROM pg_roles WHERE rolname = '{TELLING}'")) == "0" {
        server.ask(&format!(
            "CREATE ROLE {TELLING} LOGIN INHERIT NOSUPERUSER NOBYPASSRLS PASSWORD '{password}' IN ROLE {APP}"
        ));
        for setting in EXPLAINED {
            server.ask(&format!("ALTER ROLE {TELLING} SET {setting}"));
        }
    }
    Ok(url.replacen(APP, TELLING, 1))
}

/// A user who calls.
struct Asked<'p> {
    channel: Channel,
    people: &'p People,
    users: usize,
    n: usize,
}

impl Asked<'_> {
    async fn ask(&self, call: &str) -> Result<()> {
        let user_id = self.people.id(self.people.one(self.users, self.n));
        let mut memories = MemoryServiceClient::new(self.channel.clone());
        match call {
            "list" => {
                let request = pb::ListMemoriesRequest { user_id, page_size: 50, ..<_>::default() };
                memories.list_memories(request).await?;
            }
            "read" => {
                let request = pb::ListMemoriesRequest { user_id: user_id.clone(), page_size: 1, ..<_>::default() };
                let page = memories.list_memories(request).await?.into_inner();
                let id = page.memories.into_iter().next().ok_or("a user without memories")?.id;
                memories.get_memory(pb::GetMemoryRequest { user_id, id, explain: false, ..Default::default() }).await?;
            }
            "score" => {
                let request = pb::MeditateRequest { user_id, dry_run: true, full: true, ..<_>::default() };
                MeditationServiceClient::new(self.channel.clone()).meditate(request).await?;
            }
            "write" => {
                let request_id = format!("looked-at-{}-{}", self.users, self.n);
                let write = self.people.write(self.users, self.n);
                memories.create_memory(pb::CreateMemoryRequest { request_id, ..write }).await?;
            }
            "counters" => {
                let request = pb::GetMetricsRequest { user_id };
                MetricsServiceClient::new(self.channel.clone()).get_metrics(request).await?;
            }
            _ => {
                let question = self.people.questions(self.users, self.n + 1).remove(self.n);
                memories.query_memories(question).await?;
            }
        }
        Ok(())
    }
}

async fn tables(cluster: &Cluster, server: &Server<'_>) -> Result<BTreeMap<String, i64>> {
    let mut conn = PgConnection::connect(&cluster.owner_url(server.port())).await?;
    let rows = sqlx::query(TABLES).fetch_all(&mut conn).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

impl Plans {
    fn add(&mut self, call: &'static str, plans: Vec<Plan>, tables: &BTreeMap<String, i64>) {
        let sum = self.calls.entry(call).or_default();
        for plan in plans {
            sum.statements += 1;
            sum.pages += plan.pages;
            sum.rows += plan.rows;
            let statement =
                self.statements.entry(plan.sql).or_insert_with(|| Statement { call, ..Statement::default() });
            statement.times += 1;
            statement.pages += plan.pages;
            statement.rows += plan.rows;
            statement.scans.extend(plan.scans);
            let large = |table: &String| tables.get(table).is_some_and(|bytes| *bytes > SMALL);
            statement.gone_through.extend(plan.gone_through.into_iter().filter(large));
        }
    }
}

/// Compares few users with many: by statement, and by call.
pub(super) fn compare(plans: &[Plans], users: [usize; 2], figures: &mut Figures<'_>) {
    let [few, many] = plans else { return };
    let pages = users.map(|users| format!("pages, {users} users"));
    let rows = users.map(|users| format!("rows, {users} users"));
    let mut table = Table::new(&["call", &pages[0], &pages[1], &rows[0], &rows[1], "by", "statement"]);
    let mut seen: Vec<_> = many.statements.iter().collect();
    seen.sort_by_key(|(_, statement)| {
        (CALLS.iter().position(|call| *call == statement.call), u64::MAX - statement.pages)
    });
    for (sql, statement) in seen {
        let before = few.statements.get(sql);
        let mean = |sum: u64, times: u64| format!("{:.1}", ratio(sum, times));
        let of = |pick: fn(&Statement) -> u64| before.map_or_else(|| "-".to_owned(), |s| mean(pick(s), s.times));
        table.row([
            statement.call.to_owned(),
            of(|s| s.pages),
            mean(statement.pages, statement.times),
            of(|s| s.rows),
            mean(statement.rows, statement.times),
            statement.scans.iter().cloned().collect::<Vec<_>>().join(" + "),
            shortened(sql),
        ]);
    }
    say(&format!(
        "\nWhat an api asks Postgres, in the mean (pages of 8 KiB, found in memory or read):\n{}",
        table.text()
    ));
    for call in CALLS {
        let of = |plans: &Plans| plans.calls.get(call).copied().unwrap_or_default();
        let (few, many) = (of(few), of(many));
        for (sums, users) in [(few, users[0]), (many, users[1])] {
            let name = format!("scale.users{users}.plans.{call}");
            figures.add(&format!("{name}.statements"), ratio(sums.statements, LOOKED_AT as u64), Aim::Open);
            figures.add(&format!("{name}.pages"), ratio(sums.pages, LOOKED_AT as u64), Aim::Open);
            figures.add(&format!("{name}.rows"), ratio(sums.rows, LOOKED_AT as u64), Aim::Open);
        }
        figures.add(&format!("scale.plans.{call}.pages_ratio"), ratio(many.pages, few.pages), Aim::AtMost(FLAT));
        figures.add(&format!("scale.plans.{call}.rows_ratio"), ratio(many.rows, few.rows), Aim::AtMost(FLAT));
    }
}

/// Fails if any statement scanned a table with rows of all users.
pub(super) fn refuse_scans(plans: &[Plans]) -> Result<()> {
    let mut scans = Vec::new();
    for (sql, statement) in plans.iter().flat_map(|plans| &plans.statements) {
        for table in &statement.gone_through {
            scans.push(format!("{table} is gone through (Seq Scan) by: {sql}"));
        }
    }
    if scans.is_empty() {
        say("\nNo plan goes through a table of users' rows that is larger than eight pages.");
        return Ok(());
    }
    scans.sort();
    scans.dedup();
    Err(scans.join("\n").into())
}

fn shortened(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let text: String = words.join(" ");
    if text.chars().count() <= 110 { text } else { text.chars().take(109).chain(['…']).collect() }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn ratio(part: u64, of: u64) -> f64 {
    part as f64 / of as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(sql: &str, pages: u64, gone_through: &[&str]) -> Plan {
        let gone_through = gone_through.iter().map(|&table| table.to_owned()).collect();
        Plan { sql: sql.to_owned(), pages, rows: 1, scans: BTreeSet::new(), gone_through }
    }

    #[test]
    fn tables_that_are_gone_through_are_refused_unless_they_are_small() {
        let tables = BTreeMap::from([("memories".to_owned(), 1_000_000), ("goals".to_owned(), SMALL)]);
        let mut plans = Plans::default();
        plans.add("recall", vec![plan("SELECT 1", 4, &["goals", "credentials"]), plan("SELECT 2", 3, &[])], &tables);
        assert_eq!(plans.calls["recall"], Sums { statements: 2, pages: 7, rows: 2 });
        assert!(refuse_scans(std::slice::from_ref(&plans)).is_ok());
        plans.add("recall", vec![plan("SELECT 2", 3, &["memories"])], &tables);
        let refused = refuse_scans(&[plans]).unwrap_err().to_string();
        assert!(refused.contains("memories") && refused.contains("SELECT 2"), "{refused}");
    }
}
