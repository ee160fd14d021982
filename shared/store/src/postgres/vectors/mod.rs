//! Vectors on Postgres with pgvector: the ports `VectorReader` and `VectorWriter`, with the same results as the indices
//! beside vaults in files.
//!
//! A vector is stored as int8 components in a `halfvec`, which holds them exactly, beside its inverse length. Postgres
//! therefore computes integer products, and cosines and their order equal those of the other backend: bit for bit up to
//! 1,040 dimensions, above that within float rounding. A user's vectors have the key `(user_id, no, subject, chunk)`. A
//! search compares all of them; above [`GRAPH_FROM`] it compares, just as exactly, those that the user's HNSW graph
//! proposes (`graphs`).
//!
//! The ports are synchronous and Postgres is not: `waiting` bridges the two. `index` is the row of an index, `subjects`
//! what vectors stand for, `nearest` the search, `change` one write, and `turn` the lock of one user's vectors across
//! processes.

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

/// Number of vectors above which an index gets a graph. Up to that many items a recall asks for all cosines, which no
/// graph accelerates. Above, comparing all takes about 3 µs per vector of 384 dimensions: 140 ms for 50,000, whose
/// graph finds the nearest 10 in 4 ms and the nearest 400 in 30 ms.
pub const GRAPH_FROM: u64 = 20_000;

/// Options of vectors on Postgres.
#[derive(Clone, Copy, Debug)]
pub struct VectorOptions {
    /// Connections of this process for vectors, besides those for vaults; at least 1.
    pub max_connections: u32,
    /// Number of vectors above which an index gets a graph: [`GRAPH_FROM`], except where both ways are compared.
    pub graph_from: u64,
}

impl Default for VectorOptions {
    fn default() -> Self {
        Self { max_connections: 4, graph_from: GRAPH_FROM }
    }
}

/// The vectors of all users. Clones share all state.
#[derive(Clone)]
pub struct PgVectors {
    inner: Arc<Inner>,
}

/// State shared by clones.
struct Inner {
    pool: Pool,
    pg: PgOptions,
    options: VectorOptions,
    graphs: Arc<Graphs>,
    /// Dropped last, because it drives the work of the others.
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
        // Connections belong to the runtime that created them.
        let of = pg.clone();
        let pool = waiting.spawn(async move { Pool::connect(&of).await }).await?;
        let graphs = Arc::new(Graphs::new(pg.clone()));
        Ok(Self { inner: Arc::new(Inner { pool, pg, options, graphs, waiting }) })
    }

    /// Opens a snapshot of one user's vectors.
    async fn read(&self, user: &UserId) -> Result<Conn> {
        Ok(Conn::new(self.inner.pool.read(user).await?, user.clone()))
    }

    /// Begins a transaction on one user's vectors.
    async fn begin(&self, user: &UserId) -> Result<Conn> {
        Ok(Conn::new(self.inner.pool.write(user).await?, user.clone()))
    }

    /// Waits until the graphs wanted by completed writes of this process are created and removed.
    pub async fn settle_graphs(&self) {
        self.inner.graphs.settle().await;
    }
}

impl std::fmt::Debug for PgVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgVectors").field("options", &self.inner.options).finish_non_exhaustive()
    }
}
