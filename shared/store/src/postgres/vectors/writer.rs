//! Implements the port `VectorWriter`.

use kimberly_core::UserId;
use kimberly_core::embedding::{ModelKey, StoredItem};
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{IndexChange, IndexState, VectorWriter};

use super::change::Change;
use super::index::{self, Which};
use super::{PgVectors, subjects};
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};

/// All chunks of a subject have the same revision and fingerprint.
const ITEMS: &str = "SELECT subject, count(*), min(revision), min(fingerprint) FROM vectors \
     WHERE user_id = $1 AND no = $2 GROUP BY subject ORDER BY subject";
const ACTIVATE: &str = "UPDATE vector_users SET active = $2, building = NULL WHERE user_id = $1";
const DEACTIVATE: &str = "UPDATE vector_users SET active = NULL, building = NULL WHERE user_id = $1";
/// Removes the named models, or all others.
const DROP_VECTORS: &str = "DELETE FROM vectors WHERE user_id = $1 AND no IN (SELECT no FROM vector_indices \
     WHERE user_id = $1 AND (model = ANY($2::text[])) = $3)";
const DROP_INDICES: &str =
    "DELETE FROM vector_indices WHERE user_id = $1 AND (model = ANY($2::text[])) = $3 RETURNING graph IS NOT NULL";
const DROP_USER: &str = "DELETE FROM vector_users WHERE user_id = $1";
/// Deletion may take as long as it needs.
const NO_HURRY: &str = "SET LOCAL statement_timeout = 0";

/// The indices to remove.
enum Going<'m> {
    These(&'m [ModelKey]),
    OthersThan(&'m [ModelKey]),
}

impl PgVectors {
    async fn items_of(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>> {
        let mut conn = self.read(user).await?;
        let Some(index) = index::find(&mut conn, Which::Of(model)).await? else { return Ok(Vec::new()) };
        let args = conn.args().with(index.no);
        conn.rows("listing vectors", ITEMS, args, |row| {
            let c = &mut Cells::new(row);
            Ok(StoredItem {
                subject: subjects::decode(c.opt_bytes()?.unwrap_or_default())?,
                chunks: super::nearest::chunk(c.int()?)?,
                revision: c.int()?.cast_unsigned(),
                fingerprint: c.int()?.cast_unsigned(),
            })
        })
        .await
    }

    async fn carry_out(&self, user: &UserId, change: &Change<'_>) -> Result<()> {
        let mut conn = self.begin(user).await?;
        let done = change.apply(&mut conn).await;
        let index = conn.end(done).await?;
        if index.vectors > self.inner.options.graph_from && !index.graph_is_ready {
            self.want_graph(user, &index.model);
        }
        Ok(())
    }

    async fn let_answer(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        let mut conn = self.begin(user).await?;
        let done = async {
            index::lock(&mut conn).await?;
            if index::find(&mut conn, Which::Of(model)).await?.is_none() {
                let problem = format!("has no index of {model}; write one before activating it");
                return Err(Error::invalid("model", problem));
            }
            let args = conn.args().with(model.slug());
            conn.run("activating an index of vectors", ACTIVATE, args).await?;
            remove(&mut conn, &Going::OthersThan(std::slice::from_ref(model))).await
        };
        let done = done.await;
        let graphs = conn.end(done).await?;
        self.forget_graphs(graphs);
        Ok(())
    }

    async fn let_none_answer(&self, user: &UserId) -> Result<()> {
        let mut conn = self.begin(user).await?;
        let done = async {
            index::lock(&mut conn).await?;
            let args = conn.args();
            conn.run("deactivating an index of vectors", DEACTIVATE, args).await.map(drop)
        };
        let done = done.await;
        conn.end(done).await
    }

    /// Removes indices; `all` also removes the record of which models answer.
    async fn discard(&self, user: &UserId, going: &Going<'_>, all: bool) -> Result<()> {
        let mut conn = self.begin(user).await?;
        let done = async {
            index::lock(&mut conn).await?;
            let graphs = remove(&mut conn, going).await?;
            if all {
                let args = conn.args();
                conn.run("removing vectors", DROP_USER, args).await?;
            }
            Ok(graphs)
        };
        let done = done.await;
        let graphs = conn.end(done).await?;
        self.forget_graphs(graphs);
        Ok(())
    }
}

/// Removes indices; returns whether any of them had a graph.
async fn remove(conn: &mut Conn, going: &Going<'_>) -> Result<bool> {
    let (models, named) = match going {
        Going::These(models) => (*models, true),
        Going::OthersThan(models) => (*models, false),
    };
    let slugs: Vec<String> = models.iter().map(ModelKey::slug).collect();
    let (first, second) = (conn.args().with(slugs.clone()).with(named), conn.args().with(slugs).with(named));
    conn.run("removing vectors", NO_HURRY, crate::postgres::conn::Args::none()).await?;
    conn.run("removing vectors", DROP_VECTORS, first).await?;
    let graphs = conn.rows("removing vectors", DROP_INDICES, second, |row| Cells::new(row).flag()).await?;
    Ok(graphs.contains(&true))
}

impl VectorWriter for PgVectors {
    fn state(&self, user: &UserId, model: &ModelKey) -> Result<Option<IndexState>> {
        self.inner.waiting.wait(self.state_of(user, Which::Of(model)))
    }

    fn items(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>> {
        self.inner.waiting.wait(self.items_of(user, model))
    }

    fn write(&self, user: &UserId, model: &ModelKey, change: &IndexChange) -> Result<()> {
        let checked = Change::new(model, change)?;
        self.inner.waiting.wait(self.carry_out(user, &checked))
    }

    fn activate(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        self.inner.waiting.wait(self.let_answer(user, model))
    }

    fn deactivate(&self, user: &UserId) -> Result<()> {
        self.inner.waiting.wait(self.let_none_answer(user))
    }

    fn drop_model(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        let going = Going::These(std::slice::from_ref(model));
        self.inner.waiting.wait(self.discard(user, &going, false))
    }

    fn drop_others(&self, user: &UserId, retained: &[ModelKey]) -> Result<()> {
        self.inner.waiting.wait(self.discard(user, &Going::OthersThan(retained), false))
    }

    fn drop_all(&self, user: &UserId) -> Result<()> {
        self.inner.waiting.wait(self.discard(user, &Going::OthersThan(&[]), true))
    }
}
