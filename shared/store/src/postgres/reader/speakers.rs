//! The speakers of a vault, latest first; cached while nothing is written.

use std::sync::Arc;

use kimberly_core::error::Result;

use super::Access;
use super::cached_columns::stamp;
use crate::cache::{CacheEntry, CacheLookup, Stamp};
use crate::postgres::rows::{Cells, ReadRow as _};

const SPEAKERS: &str = "SELECT no, name FROM speakers WHERE user_id = $1 ORDER BY latest DESC, no DESC LIMIT 256";

/// Numbers and names, as of a stamp.
#[derive(Debug)]
pub(crate) struct Speakers {
    stamp: Stamp,
    named: Vec<(i64, String)>,
}

impl CacheEntry for Speakers {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.named.iter().map(|(_, name)| name.len() + size_of::<(i64, String)>()).sum()
    }
}

pub(super) async fn speakers<M>(access: &mut Access<'_, M>) -> Result<Vec<(i64, String)>> {
    let stamp = stamp(access.conn)?;
    if let Some(CacheLookup::Fresh(speakers)) = access.caches.as_ref().map(|caches| caches.speakers.at(stamp)) {
        return Ok(speakers.named.clone());
    }
    let args = access.conn.args();
    let named = access.conn.rows("reading speakers", SPEAKERS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.text()?))
    });
    let named = named.await?;
    if let Some(caches) = &access.caches {
        caches.speakers.put(&Arc::new(Speakers { stamp, named: named.clone() }));
    }
    Ok(named)
}
