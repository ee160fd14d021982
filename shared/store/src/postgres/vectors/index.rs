//! The row of an index: its model and its contents.
//!
//! A write first locks the vault's row with `FOR KEY SHARE`, which admits the vault's own writers and makes a purge
//! wait. Then it locks the user's row in `vector_users`, on which writers of the user's vectors wait for each other.

use kimberly_core::embedding::ModelKey;
use kimberly_core::error::Result;
use kimberly_core::ports::IndexState;
use sqlx::postgres::PgRow;

use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Bytes of a vector's row and index entry, besides its components and the user's id, which is stored in both.
const AROUND: u64 = 140;

/// Selects an index; a condition must follow.
const SELECT: &str = "SELECT i.model, i.dimension, i.no, i.items, i.vectors, i.in_sync_at, i.graph, coalesce(g.ready, false) \
     FROM vector_indices i LEFT JOIN vector_graphs g ON g.graph = i.graph ";
const OF_MODEL: &str = "WHERE i.user_id = $1 AND i.model = $2";
const ACTIVE: &str = "JOIN vector_users u ON u.active = i.model WHERE i.user_id = $1 AND u.user_id = $1";
const BUILDING: &str = "JOIN vector_users u ON u.building = i.model WHERE i.user_id = $1 AND u.user_id = $1";
/// Locked by writers of the user's vectors.
const LOCK: &str = "SELECT active, building FROM vector_users WHERE user_id = $1 FOR UPDATE";
/// Keeps the vault from being emptied, but admits its writers.
const HOLD: &str = "SELECT purging IS NULL FROM vaults WHERE user_id = $1 FOR KEY SHARE";

/// Selects one of a user's indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which<'m> {
    /// The index of a model, whether or not it answers.
    Of(&'m ModelKey),
    /// The index that answers.
    Active,
    /// The index that is being built to replace it.
    Building,
}

/// One of a user's indices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Index {
    pub(super) model: ModelKey,
    /// Its number among the user's indices.
    pub(super) no: i64,
    pub(super) items: u64,
    pub(super) vectors: u64,
    pub(super) in_sync_at: Option<u64>,
    /// The number of its graph, if any.
    pub(super) graph: Option<i64>,
    /// Whether that graph is created.
    pub(super) graph_is_ready: bool,
}

impl Index {
    /// Returns the state of an index of this user.
    pub(super) fn state(&self, conn: &Conn) -> Result<IndexState> {
        let each = AROUND + 2 * u64::from(self.model.dimension()) + 2 * conn.user()?.as_str().len() as u64;
        Ok(IndexState {
            model: self.model.clone(),
            items: self.items,
            vectors: self.vectors,
            in_sync_at: self.in_sync_at,
            disk_bytes: self.vectors.saturating_mul(each),
        })
    }
}

/// Finds an index; `None` if there is none. Fails if its vectors do not fit the model.
pub(super) async fn find(conn: &mut Conn, which: Which<'_>) -> Result<Option<Index>> {
    let (condition, args) = match which {
        Which::Of(model) => (OF_MODEL, conn.args().with(model.slug())),
        Which::Active => (ACTIVE, conn.args()),
        Which::Building => (BUILDING, conn.args()),
    };
    let found = conn.row("reading an index of vectors", format!("{SELECT}{condition}"), args, read).await?;
    match (&found, which) {
        (Some(found), Which::Of(model)) if found.model != *model => Err(errors::corrupt(format!(
            "vectors of {model} have {} dimensions and not {}; rebuild them: kimberly rebuild --vectors",
            found.model.dimension(),
            model.dimension()
        ))),
        _ => Ok(found),
    }
}

fn read(row: &PgRow) -> Result<Index> {
    let c = &mut Cells::new(row);
    let (slug, dimension) = (c.text()?, c.count()?);
    let model = ModelKey::parse(&slug, u32::try_from(dimension).unwrap_or(u32::MAX));
    Ok(Index {
        model: model.map_err(|_| errors::corrupt("a vector index has no model"))?,
        no: c.int()?,
        items: c.count()?,
        vectors: c.count()?,
        in_sync_at: c.opt_int()?.map(i64::cast_unsigned),
        graph: c.opt_int()?,
        graph_is_ready: c.flag()?,
    })
}

/// The models that answer, by their slugs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answering {
    pub(super) active: Option<String>,
    pub(super) building: Option<String>,
}

/// State found by a transaction that locks a user's vectors until its end.
pub(super) struct Locked {
    /// Whether there is a vault; `None` if a purge is emptying it.
    pub(super) vault: Option<bool>,
    /// The models that answer; `None` if the user has no vectors.
    pub(super) answering: Option<Answering>,
}

/// Waits for other writers of the user's vectors.
pub(super) async fn lock(conn: &mut Conn) -> Result<Locked> {
    let doing = "locking vectors";
    let args = conn.args();
    // Same order as purges.
    let free = conn.row(doing, HOLD, args, |row| Cells::new(row).flag()).await?;
    let args = conn.args();
    let answering = conn.row(doing, LOCK, args, answering).await?;
    let vault = match free {
        None => Some(false),
        Some(true) => Some(true),
        Some(false) => None,
    };
    Ok(Locked { vault, answering })
}

/// Reads `active, building`.
pub(super) fn answering(row: &PgRow) -> Result<Answering> {
    let c = &mut Cells::new(row);
    Ok(Answering { active: c.opt_text()?, building: c.opt_text()? })
}
