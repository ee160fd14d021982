//! HNSW graphs of large indices: one Postgres index each, over the memories of one user and model.
//!
//! An HNSW index cannot have the user as its leading column, and one over many users would search everybody's vectors.
//! So each large index has a partial HNSW index, `vectors_graph_<number>`, whose condition is that number; its name
//! identifies no user. Only the owner of the table can create it. It is created with `CONCURRENTLY`, in the background
//! after a write of any process, by one process at a time. Nothing depends on it: until it is ready, or if no owner is
//! configured, searches compare all of a user's vectors.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::classes::GRAPHS;
use kimberly_postgres::{Lock, name};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _};
use tokio::sync::{Mutex, watch};

use super::PgVectors;
use super::index::{self, Which};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::pool::Pool;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::schema::connect;

/// Interval between checks whether another process is done.
const BETWEEN: Duration = Duration::from_millis(200);
/// `maintenance_work_mem` fits the graph of 200,000 vectors of 384 dimensions.
const SETTINGS: &str = "SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '256MB'";

const NUMBER: &str = "INSERT INTO vector_graphs (graph, dimension) \
     SELECT coalesce(max(graph), 0) + 1, $1 FROM vector_graphs RETURNING graph";
const NUMBER_AGAIN: &str =
    "INSERT INTO vector_graphs (graph, dimension) VALUES ($1, $2) ON CONFLICT (graph) DO NOTHING";
const NOTE: &str = "UPDATE vector_indices SET graph = $3 WHERE user_id = $1 AND no = $2";
const SET_GRAPH: &str = "UPDATE vectors SET graph = $3 WHERE user_id = $1 AND no = $2 AND subject < '\\x01'::bytea";
const OWNS: &str = "SELECT pg_has_role(current_user, tableowner, 'USAGE') FROM pg_tables WHERE tablename = 'vectors' \
     AND schemaname = current_schema()";
const IS_VALID: &str = "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
     WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace";
const READY: &str = "UPDATE vector_graphs SET ready = true WHERE graph = $1";
const UNUSED: &str = "SELECT graph FROM vector_graphs \
     WHERE graph <> ALL (SELECT i.graph FROM vector_indices i WHERE i.graph IS NOT NULL)";
const FORGET: &str = "DELETE FROM vector_graphs WHERE graph = $1";

/// Creates and removes graphs.
pub(super) struct Graphs {
    pg: PgOptions,
    /// Number of pending tasks.
    pending: watch::Sender<usize>,
    one_at_a_time: Mutex<()>,
    /// Whether this process was found unable to create graphs.
    in_vain: AtomicBool,
}

/// A graph to create.
struct Wanted {
    number: i64,
    dimension: u32,
}

impl Graphs {
    pub(super) fn new(pg: PgOptions) -> Self {
        Self { pg, pending: watch::channel(0).0, one_at_a_time: Mutex::default(), in_vain: AtomicBool::new(false) }
    }

    /// Waits until no tasks are pending.
    pub(super) async fn settle(&self) {
        // Never closed while `self` exists.
        let _ = self.pending.subscribe().wait_for(|pending| *pending == 0).await;
    }

    /// Runs tasks one at a time; a later write repeats failed ones.
    async fn work(&self, work: impl Future<Output = Result<()>>) {
        let _turn = self.one_at_a_time.lock().await;
        if let Err(error) = work.await {
            tracing::warn!(%error, "vector graphs could not be updated: searches compare all vectors of a user");
        }
    }

    fn more(&self) {
        self.pending.send_modify(|pending| *pending += 1);
    }

    fn less(&self) {
        self.pending.send_modify(|pending| *pending = pending.saturating_sub(1));
    }

    /// Connects as the owner and takes the lock shared with other processes; `None` if this process may not create graphs.
    async fn owner(&self) -> Result<Option<PgConnection>> {
        let url = self.pg.owner_url.as_ref().unwrap_or(&self.pg.url);
        let mut owner = connect(url, &self.pg).await?;
        execute(&mut owner, SETTINGS).await?;
        let owns: Option<bool> = scalar(&mut owner, OWNS).await?;
        if owns != Some(true) {
            self.in_vain.store(true, Ordering::Relaxed);
            tracing::warn!(
                "large users have no vector graphs, because no tables' owner is configured to build them: searches \
                 compare all vectors of a user"
            );
            return Ok(None);
        }
        // Polls instead of waiting inside Postgres, because creating a graph waits for every transaction that does.
        let alone =
            Lock { class: GRAPHS, of: &self.pg.schema, doing: "waiting for another process that builds vector graphs" };
        while !alone.try_take(&mut owner).await.map_err(errors::of)? {
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(Some(owner))
    }

    async fn make(&self, pool: &Pool, user: &UserId, model: &ModelKey) -> Result<()> {
        let Some(mut owner) = self.owner().await? else { return Ok(()) };
        if let Some(wanted) = number(pool, user, model).await? {
            build(&mut owner, &wanted).await?;
        }
        close(owner).await
    }

    /// Removes graphs that no index uses.
    async fn tidy(&self) -> Result<()> {
        let Some(mut owner) = self.owner().await? else { return Ok(()) };
        let failed = |e: sqlx::Error| errors::sql("listing graphs without an index", &e);
        let unused: Vec<i64> = sqlx::query_scalar(UNUSED).fetch_all(&mut owner).await.map_err(failed)?;
        for graph in unused {
            execute(&mut owner, &format!("DROP INDEX CONCURRENTLY IF EXISTS {}", name(&index_name(graph)))).await?;
            sqlx::query(FORGET).bind(graph).execute(&mut owner).await.map_err(failed)?;
        }
        close(owner).await
    }
}

impl PgVectors {
    /// Starts creating the graph of a large index in the background.
    pub(super) fn want_graph(&self, user: &UserId, model: &ModelKey) {
        let (graphs, pool) = (std::sync::Arc::clone(&self.inner.graphs), self.inner.pool.clone());
        if graphs.in_vain.load(Ordering::Relaxed) {
            return;
        }
        let (user, model) = (user.clone(), model.clone());
        graphs.more();
        self.inner.waiting.go_on(async move {
            graphs.work(graphs.make(&pool, &user, &model)).await;
            graphs.less();
        });
    }

    /// Starts removing graphs of removed indices in the background, if `any` had one.
    pub(super) fn forget_graphs(&self, any: bool) {
        let graphs = std::sync::Arc::clone(&self.inner.graphs);
        if !any || graphs.in_vain.load(Ordering::Relaxed) {
            return;
        }
        graphs.more();
        self.inner.waiting.go_on(async move {
            graphs.work(graphs.tidy()).await;
            graphs.less();
        });
    }
}

/// Assigns a graph number to an index and its rows, unless its graph is ready.
async fn number(pool: &Pool, user: &UserId, model: &ModelKey) -> Result<Option<Wanted>> {
    let mut conn = Conn::new(pool.write(user).await?, user.clone());
    let done = async {
        index::lock(&mut conn).await?;
        let Some(index) = index::find(&mut conn, Which::Of(model)).await? else { return Ok(None) };
        if index.graph_is_ready {
            return Ok(None);
        }
        let (doing, dimension) = ("preparing a vector graph", model.dimension());
        let number = if let Some(number) = index.graph {
            let args = Args::none().with(number).with(i64::from(dimension));
            conn.run(doing, NUMBER_AGAIN, args).await?;
            number
        } else {
            conn.run(doing, "SET LOCAL statement_timeout = 0", Args::none()).await?;
            let args = Args::none().with(i64::from(dimension));
            let number = conn.row(doing, NUMBER, args, |row| Cells::new(row).int()).await?.unwrap_or_default();
            for sql in [NOTE, SET_GRAPH] {
                let args = conn.args().with(index.no).with(number);
                conn.run(doing, sql, args).await?;
            }
            number
        };
        Ok(Some(Wanted { number, dimension }))
    };
    let done = done.await;
    conn.end(done).await
}

/// Creates a graph that is missing or incomplete.
async fn build(owner: &mut PgConnection, wanted: &Wanted) -> Result<()> {
    let (index, dimension) = (index_name(wanted.number), wanted.dimension);
    let failed = |e: sqlx::Error| errors::sql("building a vector graph", &e);
    let valid: Option<bool> =
        sqlx::query_scalar(IS_VALID).bind(&index).fetch_optional(&mut *owner).await.map_err(failed)?;
    if valid == Some(false) {
        execute(owner, &format!("DROP INDEX CONCURRENTLY IF EXISTS {}", name(&index))).await?;
    }
    let make = format!(
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON vectors USING hnsw \
         ((direction::halfvec({dimension})) halfvec_cosine_ops) WHERE graph = {}",
        name(&index),
        wanted.number
    );
    execute(owner, &make).await?;
    sqlx::query(READY).bind(wanted.number).execute(owner).await.map(drop).map_err(failed)
}

fn index_name(graph: i64) -> String {
    format!("vectors_graph_{graph}")
}

async fn execute(owner: &mut PgConnection, sql: &str) -> Result<()> {
    kimberly_postgres::execute(owner, sql.to_owned()).await.map_err(|e| errors::sql("updating vector graphs", &e))
}

async fn scalar(owner: &mut PgConnection, sql: &str) -> Result<Option<bool>> {
    let found = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_optional(owner).await;
    found.map_err(|e| errors::sql("reading the state of vector graphs", &e))
}

async fn close(owner: PgConnection) -> Result<()> {
    // Its lock ends with it; a clean close tells the server at once, so that the next process need not wait.
    owner.close().await.map_err(|_| Error::storage(StorageFailure::Unavailable, "a connection to Postgres broke"))
}
