//! Copies one user, and finds differences between the two sides.

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};

use super::cell::{Cell, Contents, Row, Summing, hex};
use super::side::{Filling, Known, Rows, Side};
use super::{Moving, keys, refused};
use crate::tables::{Table, of_user};

/// Copies a user unless the vault is unchanged since it was last copied. Returns the number of rows if it was copied.
pub(super) async fn user(moving: &Moving, user: &UserId) -> Result<Option<u64>> {
    let (from, to) = (&*moving.from, &*moving.to);
    let known = to.known(user).await?;
    let Some((rows, stamp)) = from.read(user).await? else {
        if known.is_some() {
            // The user was purged since.
            to.remove(user).await?;
        }
        return Ok(None);
    };
    if known.is_some_and(|known| known.stamp == stamp) {
        rows.end().await;
        return Ok(None);
    }
    refuse_attachments(moving, user).await?;
    // If the lock was lost, the target may already serve and its keys must stay.
    moving.still_held().await?;
    keys::copy_of_user(&from.keys(), &to.keys(), user).await?;
    let into = to.fill(user).await?;
    let contents = all(rows, into, stamp, of_user()).await?;
    if !moving.objects && contents.rows_of("attachments") > 0 {
        to.forget(user).await?;
        return Err(refused(NO_SHARED_STORE));
    }
    let found = read_back(to, user).await?;
    if found != contents {
        let problem = difference(moving, user).await;
        to.forget(user).await?;
        return Err(problem?);
    }
    Ok(Some(contents.rows()))
}

const NO_SHARED_STORE: &str =
    "it has attachments, and no store for both sides is configured: name the one with their bytes in [attachments.s3]";

/// Fails if attachments are stored in the vault's folder: they are not moved, and the target could not read them.
async fn refuse_attachments(moving: &Moving, user: &UserId) -> Result<()> {
    if !moving.to.stores_attachments() && moving.from.has_attachments(user).await? {
        return Err(refused(
            "bytes of attachments are in its folder, which `migrate` does not move: download them with `kimberly \
             attachments get` and remove them, or keep using the data folder",
        ));
    }
    Ok(())
}

/// Copies tables and commits them if everything succeeded; returns the sums of what was read.
pub(super) async fn all(
    mut rows: Box<dyn Rows>,
    mut into: Box<dyn Filling>,
    stamp: String,
    tables: &'static [Table],
) -> Result<Contents> {
    let copied = read(&mut *rows, Some(&mut *into), tables).await;
    rows.end().await;
    match copied {
        Ok(contents) => {
            into.commit(Known { stamp, digest: contents.digest() }).await?;
            Ok(contents)
        }
        Err(error) => {
            into.give_up().await;
            Err(error)
        }
    }
}

/// Reads and sums tables, and writes their rows to `into` if it is given.
async fn read(
    rows: &mut dyn Rows,
    mut into: Option<&mut (dyn Filling + 'static)>,
    tables: &'static [Table],
) -> Result<Contents> {
    let mut contents = Contents::default();
    for table in tables {
        let (mut sum, mut last) = (Summing::default(), None);
        loop {
            let page = rows.page(table, last.as_ref()).await.map_err(|error| in_table(table, error))?;
            let Some(next) = page.last().cloned() else { break };
            for row in &page {
                sum.add(row);
            }
            if let Some(into) = &mut into {
                into.put(table, page).await.map_err(|error| in_table(table, error))?;
            }
            last = Some(next);
        }
        contents.0.push((table.name, sum.end()));
    }
    Ok(contents)
}

/// Sums what a side stores for a user.
pub(super) async fn read_back(side: &dyn Side, user: &UserId) -> Result<Contents> {
    match side.read(user).await? {
        Some((rows, _)) => sum(rows, of_user()).await,
        None => Ok(Contents::default()),
    }
}

/// Sums a snapshot.
pub(super) async fn sum(mut rows: Box<dyn Rows>, tables: &'static [Table]) -> Result<Contents> {
    let summed = read(&mut *rows, None, tables).await;
    rows.end().await;
    summed
}

/// Returns an error that names the first row of the user that differs between the two sides.
pub(super) async fn difference(moving: &Moving, user: &UserId) -> Result<Error> {
    let shown = moving.to.shown();
    let Some((mut found, _)) = moving.to.read(user).await? else {
        return Ok(changed(format!("the vault is not in {shown}, its destination")));
    };
    let Some((mut expected, _)) = moving.from.read(user).await? else {
        found.end().await;
        return Ok(changed("the vault no longer exists at its source".to_owned()));
    };
    let difference = first_difference(&mut *expected, &mut *found, of_user()).await;
    expected.end().await;
    found.end().await;
    Ok(changed(match difference? {
        Some(difference) => {
            format!("the copy in {shown} differs from the source: {difference}; the next run copies it again")
        }
        None => format!("the copy in {shown} differed from the source and was corrected; run this again"),
    }))
}

fn changed(detail: String) -> Error {
    Error::storage(StorageFailure::Corrupt, detail)
}

/// Returns table and row of the first difference, without the values.
pub(super) async fn first_difference(
    expected: &mut dyn Rows,
    found: &mut dyn Rows,
    tables: &'static [Table],
) -> Result<Option<String>> {
    for table in tables {
        let mut last = None;
        loop {
            let (here, there) = (expected.page(table, last.as_ref()).await?, found.page(table, last.as_ref()).await?);
            for number in 0..here.len().max(there.len()) {
                match (here.get(number), there.get(number)) {
                    (Some(row), Some(other)) if row == other => {}
                    // The two pages have different lengths; the longer one is continued in the next round.
                    (Some(_), None) | (None, Some(_)) if number > 0 => break,
                    (row, other) => return Ok(Some(named(table, row, other))),
                }
            }
            let Some(next) = here.iter().zip(&there).map(|(row, _)| row.clone()).next_back() else { break };
            last = Some(next);
        }
    }
    Ok(None)
}

/// Names a row by its key, and the columns that differ.
fn named(table: &Table, row: Option<&Row>, other: Option<&Row>) -> String {
    let key = |row: &Row| {
        let parts = table.columns.iter().zip(row).take(table.keys).map(|(column, cell)| match cell {
            Cell::Int(number) => format!("{} {number}", column.database),
            Cell::Bytes(bytes) => format!("{} {}", column.database, hex(bytes)),
            // Values that callers chose are not shown.
            _ => format!("a {}", column.database),
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let at = |what: &str, row: &Row| format!("in the table {} the row with {} {what}", table.name, key(row));
    match (row, other) {
        (Some(row), Some(other)) if row.iter().zip(other).take(table.keys).all(|(one, two)| one == two) => {
            let differ = |(one, two): &(&Cell, &Cell)| one != two;
            let columns = table.columns.iter().zip(row.iter().zip(other)).filter(|(_, pair)| differ(pair));
            let columns: Vec<_> = columns.map(|(column, _)| column.database).collect();
            if table.keys == 0 {
                return format!("in the table {} {} differs", table.name, columns.join(", "));
            }
            at(&format!("differs in {}", columns.join(", ")), row)
        }
        (Some(row), _) => at("is missing", row),
        (None, Some(other)) => at("is too many", other),
        (None, None) => format!("in the table {}", table.name),
    }
}

/// Adds the table's name to an error.
fn in_table(table: &Table, error: Error) -> Error {
    match error {
        Error::Storage { failure, detail } => Error::storage(failure, format!("table {}: {detail}", table.name)),
        other => other,
    }
}
