//! A thousand users with 200 vectors each: size on disk, and whether memory stays flat.

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use kimberly_index::{IndexReader, IndexWriter, Options};

use super::data::{Data, items};
use super::sizes::megabytes;
use super::user_with_vault;
use crate::Result;
use crate::disk::bytes_below;
use crate::figures::{Aim, Figures};
use crate::process::resident_bytes;

const USERS: usize = 1_000;
const VECTORS: usize = 200;
/// The number of users after which memory should not grow.
const FIRST: usize = 100;

/// Measures and reports.
pub(super) fn run(model: &ModelKey, figures: &mut Figures<'_>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = Data::new(VECTORS, 50);
    let users = (0..USERS)
        .map(|number| user_with_vault(folder.path(), &format!("user-{number}")))
        .collect::<Result<Vec<UserId>>>()?;
    let writer = IndexWriter::new(folder.path(), Options::default());
    let change = IndexChange { put: items(&data.rows, 1_000), in_sync_at: Some(1), ..IndexChange::default() };
    let writing = growth(&users, |user| {
        writer.write(user, model, &change)?;
        writer.activate(user, model)
    })?;
    drop(writer);
    let vectors = bytes_below(&folder.path().join("vaults"))?;
    let reader = IndexReader::new(folder.path(), Options::default());
    let reading = growth(&users, |user| {
        data.queries.iter().try_for_each(|query| reader.nearest(user, model, query, 10).map(drop))
    })?;
    figures.add("vectors.users1000.disk_mb", megabytes(vectors), Aim::AtMost(100.0));
    figures.add("vectors.users1000.writer_growth_mb", writing, Aim::AtMost(10.0));
    figures.add("vectors.users1000.reader_growth_mb", reading, Aim::AtMost(10.0));
    Ok(())
}

/// Growth of memory in megabytes after the first users.
fn growth(users: &[UserId], mut work: impl FnMut(&UserId) -> kimberly_core::error::Result<()>) -> Result<f64> {
    let pid = std::process::id();
    users.iter().take(FIRST).try_for_each(&mut work)?;
    let before = megabytes(resident_bytes(pid)?);
    users.iter().skip(FIRST).try_for_each(&mut work)?;
    Ok(megabytes(resident_bytes(pid)?) - before)
}
