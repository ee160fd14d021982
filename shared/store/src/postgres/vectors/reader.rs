//! Implements the port `VectorReader`.

use std::collections::{HashMap, HashSet};

use kimberly_core::UserId;
use kimberly_core::embedding::{ModelKey, Quantized, VectorHit, VectorSubject};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{CENTRE_OF, IndexState, VectorReader};

use super::index::{self, Which};
use super::nearest::{nearest, within};
use super::{PgVectors, subjects};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Every subject has chunk 0.
const HELD: &str =
    "SELECT subject FROM vectors WHERE user_id = $1 AND no = $2 AND subject = ANY($3::bytea[]) AND chunk = 0";
/// Returned as text: `[1,2,3]`.
const CENTRE: &str = "SELECT avg(l2_normalize(direction::vector))::text \
     FROM (SELECT direction FROM vectors WHERE user_id = $1 AND no = $2 ORDER BY subject, chunk LIMIT $3) AS sample";
const COSINES: &str = "SELECT a.subject, b.subject, \
         max((-(a.direction <#> b.direction))::real * a.inverse_length * b.inverse_length)::double precision \
     FROM vectors a JOIN vectors b ON b.user_id = $1 AND b.no = $2 AND b.subject = ANY($4::bytea[]) \
     WHERE a.user_id = $1 AND a.no = $2 AND a.subject = ANY($3::bytea[]) GROUP BY a.subject, b.subject";

impl PgVectors {
    /// Returns the state of one of a user's indices; `None` if there is none.
    pub(super) async fn state_of(&self, user: &UserId, which: Which<'_>) -> Result<Option<IndexState>> {
        let mut conn = self.read(user).await?;
        let found = index::find(&mut conn, which).await?;
        found.map(|found| found.state(&conn)).transpose()
    }

    async fn find_nearest(
        &self,
        user: &UserId,
        model: &ModelKey,
        (query, limit): (&Quantized, usize),
    ) -> Result<Option<Vec<VectorHit>>> {
        let mut conn = self.read(user).await?;
        let Some(index) = index::find(&mut conn, Which::Of(model)).await? else { return Ok(None) };
        nearest(&mut conn, &index, query, limit).await.map(Some)
    }

    async fn find_centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>> {
        let mut conn = self.read(user).await?;
        let Some(index) = index::find(&mut conn, Which::Of(model)).await? else { return Ok(None) };
        let args = conn.args().with(index.no).with(i64::try_from(CENTRE_OF).unwrap_or(i64::MAX));
        let mut centre = None;
        conn.for_each("averaging vectors", CENTRE, args, |row| {
            centre = Cells::new(row).opt_str()?.map(numbers).transpose()?;
            Ok(true)
        })
        .await?;
        Ok(centre)
    }

    async fn which_are_held(
        &self,
        user: &UserId,
        model: &ModelKey,
        asked: &[VectorSubject],
    ) -> Result<Option<Vec<bool>>> {
        let mut conn = self.read(user).await?;
        let Some(index) = index::find(&mut conn, Which::Of(model)).await? else { return Ok(None) };
        let asked: Vec<Vec<u8>> = asked.iter().map(subjects::encode).collect();
        let args = conn.args().with(index.no).with(asked.clone());
        let mut held = HashSet::new();
        conn.for_each("checking for vectors", HELD, args, |row| {
            held.extend(Cells::new(row).opt_bytes()?.map(<[u8]>::to_vec));
            Ok(true)
        })
        .await?;
        Ok(Some(asked.iter().map(|one| held.contains(one)).collect()))
    }

    async fn cosines_of(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Option<Vec<Vec<Option<f32>>>>> {
        let mut conn = self.read(user).await?;
        let Some(index) = index::find(&mut conn, Which::Active).await? else { return Ok(None) };
        let encoded = |all: &[VectorSubject]| all.iter().map(subjects::encode).collect::<Vec<_>>();
        let args = conn.args().with(index.no).with(encoded(memories)).with(encoded(others));
        let mut found = HashMap::new();
        conn.for_each("comparing vectors", COSINES, args, |row| {
            let c = &mut Cells::new(row);
            let mut subject = || subjects::decode(c.opt_bytes()?.unwrap_or_default());
            let pair = (subject()?, subject()?);
            found.insert(pair, within(c.real()?));
            Ok(true)
        })
        .await?;
        let of = |one: &VectorSubject| others.iter().map(|other| found.get(&(*one, *other)).copied()).collect();
        Ok(Some(memories.iter().map(of).collect()))
    }
}

impl VectorReader for PgVectors {
    fn active(&self, user: &UserId) -> Result<Option<IndexState>> {
        unless_damaged(self.inner.waiting.wait(self.state_of(user, Which::Active)))
    }

    fn building(&self, user: &UserId) -> Result<Option<IndexState>> {
        unless_damaged(self.inner.waiting.wait(self.state_of(user, Which::Building)))
    }

    fn nearest(&self, user: &UserId, model: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>> {
        let quantized = Quantized::of_query(model, query)?;
        let found = self.inner.waiting.wait(self.find_nearest(user, model, (&quantized, limit)));
        unless_damaged(found).map(Option::unwrap_or_default)
    }

    fn centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>> {
        unless_damaged(self.inner.waiting.wait(self.find_centre(user, model)))
    }

    fn contains(&self, user: &UserId, model: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>> {
        let found = self.inner.waiting.wait(self.which_are_held(user, model, subjects));
        Ok(unless_damaged(found)?.unwrap_or_else(|| vec![false; subjects.len()]))
    }

    fn cosines(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>> {
        let found = self.inner.waiting.wait(self.cosines_of(user, memories, others));
        Ok(unless_damaged(found)?.unwrap_or_else(|| vec![vec![None; others.len()]; memories.len()]))
    }
}

/// Parses a vector written as `[1,2,3]`.
fn numbers(text: &str) -> Result<Vec<f32>> {
    let numbers = text.trim_matches(['[', ']']).split(',').map(str::parse);
    numbers.collect::<std::result::Result<_, _>>().map_err(|_| errors::corrupt("a mean of vectors is not one"))
}

/// Logs damage, and treats unreadable vectors as missing.
fn unless_damaged<T>(read: Result<Option<T>>) -> Result<Option<T>> {
    match read {
        Err(Error::Storage { failure: StorageFailure::Corrupt, detail }) => {
            tracing::error!(detail, "vectors cannot be read");
            Ok(None)
        }
        other => other,
    }
}
