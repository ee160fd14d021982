//! Loads users with their memories into both systems.
//!
//! In files, the api writes everything. On Postgres it writes the templates; all other users are copies of their rows
//! under other ids, since millions of memories would take hours. The copies have the same rows as written by the api,
//! in all tables with users, except for audit hashes, which are bound to the user and read only by audit checks.
//! Users' keys are created like those of the api. Users get their memories in turn, some at a time, so that one
//! user's rows are spread over the disk as after months. Indices on words and text fragments are rebuilt after the
//! copies, since maintaining them would take hours too; all others grow with the rows.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kimberly_core::UserId;
use kimberly_crypto::{KeySources, Keys, Loads};
use kimberly_proto::v1 as pb;
use kimberly_proto::v1::consent_service_client::ConsentServiceClient;
use kimberly_proto::v1::goal_service_client::GoalServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_store::{PgKeyStore, PgOptions};
use kimberly_tests::postgres::{Cluster, Server};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use tonic::transport::Channel;

use super::machines::Machines;
use super::people::People;
use super::took;
use crate::Result;
use crate::load::connect;
use crate::system::System;

/// Memories added per user at a time, as many as a session has.
const AT_A_TIME: usize = 20;
/// Concurrent batches.
const BATCHES: usize = 4;
/// For building indices; the server's own settings stay.
const PREPARE: &str = "SET maintenance_work_mem = '1GB'; SET synchronous_commit = off; SET search_path = kimberly, public; \
     CREATE TEMP TABLE copies (user_id text COLLATE \"C\" PRIMARY KEY, template text COLLATE \"C\" NOT NULL)";
/// Tables with users, with their other columns. Tables about one vault only, or with pending work, are not copied.
const TABLES: &str = "SELECT c.table_name::text, string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position) \
         FILTER (WHERE c.column_name NOT IN ('user_id', 'mark')) \
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name) \
     WHERE c.table_schema = 'kimberly' AND t.table_type = 'BASE TABLE' \
         AND c.table_name NOT IN ('purges', 'outbox', 'outbox_marks') AND c.table_name NOT LIKE 'vector%' \
     GROUP BY c.table_name HAVING bool_or(c.column_name = 'user_id') ORDER BY c.table_name";
const LARGE_INDICES: &str = "SELECT indexname::text, indexdef FROM pg_indexes \
     WHERE schemaname = 'kimberly' AND tablename = 'memories' AND indexdef LIKE '%USING gin%'";
const MEMORIES: &str = "memories";

/// Adds users.
pub(super) struct Fill {
    conn: PgConnection,
    people: Arc<People>,
    keys: Keys,
}

impl Fill {
    /// Makes the api of the first machine write the templates.
    pub(super) async fn new(
        cluster: &Cluster,
        server: &Server<'_>,
        machines: &Machines,
        people: Arc<People>,
    ) -> Result<Self> {
        let started = Instant::now();
        let channels = connect(&machines.first().api_url(), 1).await?;
        let mut sessions: Vec<_> = (0..people.templates()).map(|user| people.sessions(user).into_iter()).collect();
        loop {
            let next: Vec<_> = sessions.iter_mut().filter_map(Iterator::next).collect();
            if next.is_empty() {
                break;
            }
            send(&channels, next).await?;
        }
        for user in 0..people.templates() {
            more(&channels[0], people.id(user)).await?;
        }
        took(&format!("{} users written by the api on Postgres", people.templates()), started);
        let mut conn = PgConnection::connect(&cluster.owner_url(server.port())).await?;
        run(&mut conn, PREPARE).await?;
        let (url, data, rings) = (cluster.url(server.port()), machines.first().data_dir(), machines.first().rings());
        let keys = tokio::task::spawn_blocking(move || -> Result<Keys> {
            let sources = KeySources { folder: Some(rings), ..KeySources::default() };
            Ok(Keys::open_in(&data, &sources, Loads::Both, Arc::new(PgKeyStore::open(PgOptions::new(url))?))?)
        });
        let keys = keys.await??;
        Ok(Self { conn, people, keys })
    }

    /// Adds users with these numbers to both systems.
    pub(super) async fn grow(&mut self, users: Range<usize>, files: &System) -> Result<()> {
        let started = Instant::now();
        let copies = users.start.max(self.people.templates())..users.end;
        self.make_keys(copies.clone()).await?;
        self.copy(copies.clone()).await?;
        took(&format!("{} users copied on Postgres, indices made and statistics taken", copies.len()), started);
        let started = Instant::now();
        let channels = connect(&files.api_url(), BATCHES).await?;
        // In pieces, so that texts of thousands of users are never in memory at once.
        for first in users.clone().step_by(AT_A_TIME) {
            let some = first..users.end.min(first + AT_A_TIME);
            send(&channels, some.map(|user| self.people.batch(user)).collect()).await?;
        }
        took(&format!("{} users written by the api on SQLite", users.len()), started);
        Ok(())
    }

    /// Creates users' keys, as the first write of each would.
    async fn make_keys(&self, users: Range<usize>) -> Result<()> {
        let keys = self.keys.clone();
        let ids = users.map(|user| UserId::parse(&self.people.id(user))).collect::<Result<Vec<_>, _>>()?;
        let made = tokio::task::spawn_blocking(move || -> Result<()> {
            ids.iter().try_for_each(|id| keys.make_user(&id.folder_name()).map(drop))?;
            Ok(())
        });
        made.await?
    }

    async fn copy(&mut self, users: Range<usize>) -> Result<()> {
        let (first, last, templates) = (users.start, users.end - 1, self.people.templates());
        let who = format!(
            "TRUNCATE copies; INSERT INTO copies SELECT 'scale-' || lpad(n::text, 5, '0'), \
             'scale-' || lpad((n % {templates})::text, 5, '0') FROM generate_series({first}, {last}) n; ANALYZE copies"
        );
        run(&mut self.conn, &who).await?;
        let indices = pairs(&mut self.conn, LARGE_INDICES).await?;
        for (name, _) in &indices {
            run(&mut self.conn, &format!("DROP INDEX {name}")).await?;
        }
        for (table, columns) in pairs(&mut self.conn, TABLES).await? {
            if table == MEMORIES {
                for first in (0..self.people.memories).step_by(AT_A_TIME) {
                    let some = format!("AND t.seq > {first} AND t.seq <= {}", first + AT_A_TIME);
                    run(&mut self.conn, &copying(&table, &columns, &some)).await?;
                }
            } else {
                run(&mut self.conn, &copying(&table, &columns, "")).await?;
            }
        }
        for (_, definition) in &indices {
            run(&mut self.conn, definition).await?;
        }
        self.look_whether_all_is_there(users).await?;
        // Autovacuum would do so later, during the measurements.
        run(&mut self.conn, "VACUUM (ANALYZE)").await?;
        run(&mut self.conn, "CHECKPOINT").await
    }

    /// Compares the last user's memories with their counters and the expected number.
    async fn look_whether_all_is_there(&mut self, users: Range<usize>) -> Result<()> {
        let id = self.people.id(users.end - 1);
        let sql = "SELECT (SELECT count(*) FROM memories WHERE user_id = $1), \
             (SELECT sum(i)::bigint FROM unnest(items[1:9]) i) FROM vaults WHERE user_id = $1";
        let row = sqlx::query(sql).bind(&id).fetch_one(&mut self.conn).await?;
        let (there, counted): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let wanted = self.people.memories;
        if usize::try_from(there)? == wanted && there == counted {
            return Ok(());
        }
        Err(format!("{id} has {there} memories after copying, by the counters {counted}, and should have {wanted}")
            .into())
    }
}

/// The statement that copies rows of templates to other users, in user order.
fn copying(table: &str, columns: &str, some: &str) -> String {
    let from: Vec<String> = columns.split(", ").map(|column| format!("t.{column}")).collect();
    let from = from.join(", ");
    format!(
        "INSERT INTO {table} (user_id, {columns}) SELECT u.user_id, {from} FROM copies u \
         JOIN {table} t ON t.user_id = u.template {some} ORDER BY u.user_id"
    )
}

/// Gives a user the other usual data, so that no queried table is empty.
async fn more(channel: &Channel, user_id: String) -> Result<()> {
    let goal = pb::Goal { title: "to remember what was said".to_owned(), ..pb::Goal::default() };
    let request = pb::CreateGoalRequest { user_id: user_id.clone(), goal: Some(goal), ..<_>::default() };
    GoalServiceClient::new(channel.clone()).create_goal(request).await?;
    let consent = pb::Consent { purpose: "a benchmark".to_owned(), ..pb::Consent::default() };
    let request = pb::GrantConsentRequest { user_id, consent: Some(consent), ..<_>::default() };
    ConsentServiceClient::new(channel.clone()).grant_consent(request).await?;
    Ok(())
}

async fn send(channels: &[Channel], batches: Vec<pb::BatchCreateMemoriesRequest>) -> Result<()> {
    stream::iter(batches.into_iter().enumerate())
        .map(|(n, batch)| {
            let mut client = MemoryServiceClient::new(channels[n % channels.len()].clone());
            async move { client.batch_create_memories(batch).await.map(drop) }
        })
        .buffer_unordered(BATCHES)
        .try_collect::<()>()
        .await?;
    Ok(())
}

pub(super) async fn run(conn: &mut PgConnection, sql: &str) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(conn).await?;
    Ok(())
}

async fn pairs(conn: &mut PgConnection, sql: &'static str) -> Result<Vec<(String, String)>> {
    let rows = sqlx::query(sql).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
