//! Vectors on Postgres with pgvector: the ports `VectorReader` and `VectorWriter`, doing what the indices beside vaults in
//! files do.
//!
//! A vector lies as int8 components in a `halfvec`, which holds each of them exactly, beside one over its length. So the
//! product that Postgres computes is that of whole numbers, and cosines and their order are those of the other backend, to
//! the bit up to 1,040 dimensions, beyond within a float's rounding. Vectors of one user lie under `(user_id, no, subject,
//! chunk)`: a search looks at all of them, and above [`GRAPH_FROM`] at those that an HNSW graph of the user's own proposes
//! (`graphs`), which are then compared as exactly.
//!
//! The ports are synchronous and Postgres is not: `waiting` bridges the two. `index` is the row of an index, `subjects` what
//! vectors stand for, `nearest` the search, `change` one write, `turn` one user's turn across processes.

mod change;
mod graphs;
mod index;
mod nearest;
mod reader;
mod subjects;
mod turn;
mod waiting;
mod writer;

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};

use self::graphs::Graphs;
use self::waiting::Waiting;
use super::conn::Conn;
use super::options::PgOptions;
use super::pool::Pool;
use super::shared::Shared;

/// Vectors above which an index gets a graph. Up to as many items a recall asks for all cosines anyway, which no graph makes
/// faster. Beyond, comparing all takes some three microseconds a vector of 384 dimensions: 140 ms for 50,000, whose graph
/// finds the nearest 10 in 4 ms and the nearest 400 in 30.
pub const GRAPH_FROM: u64 = 20_000;

/// How vectors on Postgres are kept.
#[derive(Clone, Copy, Debug)]
pub struct VectorOptions {
    /// Connections of this process for vectors, besides those for vaults; 1 or more.
    pub max_connections: u32,
    /// Vectors above which an index gets a graph: [`GRAPH_FROM`], but where the two are compared.
    pub graph_from: u64,
}

impl Default for VectorOptions {
    fn default() -> Self {
        Self { max_connections: 4, graph_from: GRAPH_FROM }
    }
}

/// The vectors of all users. Clones share everything.
#[derive(Clone)]
pub struct PgVectors {
    inner: Arc<Inner>,
}

/// What clones share.
struct Inner {
    pool: Pool,
    pg: PgOptions,
    options: VectorOptions,
    graphs: Arc<Graphs>,
    /// Dropped last: what the others wait for is driven by it.
    waiting: Waiting,
}

impl PgVectors {
    /// Connects.
    pub(crate) async fn open(shared: &Shared, options: VectorOptions) -> Result<Self> {
        shared.refuse_closed()?;
        if let Some(why) = &shared.no_vectors {
            return Err(Error::storage(StorageFailure::Unavailable, why.clone()));
        }
        let waiting = Waiting::new()?;
        let pg = PgOptions { max_connections: options.max_connections, ..shared.options.clone() };
        // Connections belong to the runtime that they were made on.
        let of = pg.clone();
        let pool = waiting.spawn(async move { Pool::connect(&of).await }).await?;
        let graphs = Arc::new(Graphs::new(pg.clone()));
        Ok(Self { inner: Arc::new(Inner { pool, pg, options, graphs, waiting }) })
    }

    /// A snapshot of one user's vectors.
    async fn read(&self, user: &UserId) -> Result<Conn> {
        Ok(Conn::new(self.inner.pool.read(user).await?, user.clone()))
    }

    /// A transaction of one user's vectors.
    async fn begin(&self, user: &UserId) -> Result<Conn> {
        Ok(Conn::new(self.inner.pool.write(user).await?, user.clone()))
    }

    /// Waits until graphs are made and removed as the writes of this process that have returned want them.
    pub async fn settle_graphs(&self) {
        self.inner.graphs.settle().await;
    }
}

impl std::fmt::Debug for PgVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgVectors").field("options", &self.inner.options).finish_non_exhaustive()
    }
}
