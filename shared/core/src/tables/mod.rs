//! Tables of a vault whose rows are about memories, each declared once.
//!
//! **How to add one.** Write a type for its rows and implement [`TableRow`] for it: the [`Table`] (columns, key,
//! indices) and the conversion to and from rows. Add the table to [`ALL`]. Both backends then create, read, write and
//! migrate it. Rows are erased with the memories they are about, are hidden with them from callers who cannot reach
//! them and while they are withheld, and [`Kind::Words`] is encrypted where a memory is sensitive. Use cases call
//! [`find`], [`count`], [`put`] and [`delete`]. The conformance suite checks this for every declared table.
//!
//! Nothing here depends on SQL, and the store does not know the types of rows. Searches by more than columns (words,
//! nearness) have ports of their own.

mod cells;
mod declared;
mod query;
mod table;
#[cfg(test)]
mod tests;

pub use cells::{Cell, Cells, Row};
pub use declared::{ALL, is_of_forgetting};
pub use query::{Condition, RowCount, RowQuery};
pub use table::{Column, Kind, Table, TableRow};

use crate::error::Result;
use crate::ports::{VaultReader, VaultTransaction};

/// Returns the rows that a query matches, in order.
pub async fn find<T: TableRow>(reader: &mut dyn VaultReader, query: &RowQuery) -> Result<Vec<T>> {
    let rows = reader.rows(query).await?;
    rows.into_iter().map(|row| T::from_row(&mut Cells::new(row))).collect()
}

/// Counts the rows that a query matches.
pub async fn count(reader: &mut dyn VaultReader, query: &RowQuery) -> Result<u64> {
    Ok(reader.count_rows(query, None).await?.rows)
}

/// Inserts or replaces rows by key. The memories they are about must exist.
pub async fn put<T: TableRow>(tx: &mut dyn VaultTransaction, items: &[T]) -> Result<()> {
    let rows: Vec<Row> = items.iter().map(TableRow::to_row).collect();
    tx.put_rows(T::TABLE, &rows).await
}

/// Deletes the rows that a query matches, ignoring its limit; returns how many.
pub async fn delete(tx: &mut dyn VaultTransaction, query: &RowQuery) -> Result<u64> {
    tx.delete_rows(query).await
}
