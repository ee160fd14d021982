//! Writes and deletes rows.

use std::collections::HashSet;

use kimberly_core::entities::EVIDENCE;
use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::memory::{MemoryFilter, SensitivityFilter};
use kimberly_core::tables::{ALL, Cell, Kind, Row, RowQuery, Table};
use uuid::Uuid;

use super::select::{self, LyingCell, found_by, lying};
use super::words;
use super::{Connection, NOTHING};
use crate::chunks::chunks;
use crate::rows::WriteRow as _;
use crate::sealed::Seals;

/// Upserts rows by their key.
pub(crate) async fn put<C: Connection>(conn: &mut C, table: &'static Table, rows: &[Row]) -> Result<()> {
    let (names, keys): (Vec<_>, Vec<_>) = (
        table.columns.iter().map(|column| column.name).collect(),
        table.key().iter().map(|column| column.name).collect(),
    );
    let updated: Vec<_> = names.iter().skip(keys.len()).map(|name| format!("{name} = excluded.{name}")).collect();
    let updated = if updated.is_empty() { NOTHING.to_owned() } else { format!("UPDATE SET {}", updated.join(", ")) };
    let (user, of_user) = C::USER;
    let of_key = format!("ON CONFLICT ({user}{}) DO", keys.join(", "));
    let sensitive = if table.has_words() { sensitive(conn, table, rows).await? } else { HashSet::new() };
    let seals = conn.seals().filter(|seals| seals.are_on());
    if !rows.is_empty() {
        conn.make_room(table).await?;
        note_evidence(conn, table);
    }
    for chunk in chunks(rows) {
        let (mut args, mut values) = (conn.args(), Vec::with_capacity(chunk.len()));
        for row in chunk {
            let seals = seals.as_deref().filter(|_| table.memories_of(row).any(|id| sensitive.contains(&id)));
            values.push(format!("({of_user}{})", pushed::<C>(&mut args, table, row, seals)?.join(", ")));
        }
        let insert = format!("INSERT INTO {} ({user}{}) VALUES {}", table.name, names.join(", "), values.join(", "));
        conn.upsert(&insert, (of_key.as_str(), updated.as_str()), chunk.len(), args).await?;
    }
    Ok(())
}

/// Adds the values of a row; returns their placeholders.
fn pushed<C: Connection>(args: &mut C::Args, table: &Table, row: &Row, seals: Option<&Seals>) -> Result<Vec<String>> {
    let owner = MemoryId(table.memories_of(row).next().unwrap_or_default());
    let mut placeholders = Vec::with_capacity(row.len());
    for (cell, column) in row.iter().zip(table.columns) {
        match (column.kind, cell) {
            (Kind::Words { sealed_as }, Cell::Text(text)) => {
                args.put_opt_bytes(Some(words::stored(text, owner, sealed_as, seals)?));
            }
            (kind, cell) => select::put(args, kind, cell),
        }
        placeholders.push(C::placeholder(args));
    }
    Ok(placeholders)
}

/// Returns which of the memories that the rows name are sensitive.
async fn sensitive<C: Connection>(conn: &mut C, table: &Table, rows: &[Row]) -> Result<HashSet<Uuid>> {
    let ids: HashSet<Uuid> = rows.iter().flat_map(|row| table.memories_of(row)).collect();
    let mut found = HashSet::new();
    let filter = MemoryFilter { sensitivity: SensitivityFilter::Only, ..whatever() };
    for chunk in chunks(&ids.into_iter().collect::<Vec<_>>()) {
        let (mut args, mut placeholders) = (conn.args(), Vec::with_capacity(chunk.len()));
        for id in chunk {
            args.put_uuid(*id);
            placeholders.push(C::placeholder(&args));
        }
        let mut sql = format!(
            "SELECT m.id FROM memories m WHERE {} AND m.id IN ({})",
            C::MEMORIES_OF_USER,
            placeholders.join(", ")
        );
        conn.push_filter(&mut sql, &mut args, &filter);
        found.extend(conn.read("checking for sensitive memories", sql, args, |c| c.uuid()).await?);
    }
    Ok(found)
}

/// Matches memories in any state, including withheld ones.
fn whatever() -> MemoryFilter {
    MemoryFilter { withheld: true, ..any_state() }
}

fn any_state() -> MemoryFilter {
    let states = kimberly_core::memory::MemoryState::ALL.to_vec();
    MemoryFilter { states, ..MemoryFilter::default() }
}

/// Deletes the rows that match a query.
pub(crate) async fn delete<C: Connection>(conn: &mut C, query: &RowQuery) -> Result<u64> {
    let (sql, args) = found_by(conn, &format!("DELETE FROM {} AS t", query.table.name), query)?;
    let removed = conn.run("removing rows", sql, args).await?;
    if removed > 0 {
        conn.erases();
        note_evidence(conn, query.table);
    }
    Ok(removed)
}

/// Notes that rows changed, if graphs are built from them.
fn note_evidence<C: Connection>(conn: &mut C, table: &Table) {
    if EVIDENCE.iter().any(|evidence| evidence.name == table.name) {
        conn.evidence_changed();
    }
}

/// Seals the texts of rows about a memory that has become sensitive.
pub(crate) async fn seal_words_of<C: Connection>(conn: &mut C, id: MemoryId) -> Result<()> {
    let seals = conn.seals();
    if !seals.as_ref().is_some_and(|seals| seals.are_on()) {
        return Ok(());
    }
    for table in ALL.iter().filter(|table| table.has_words()) {
        let columns: Vec<_> = table.memories().map(|column| column.name).collect();
        let query = RowQuery { memories: whatever(), ..RowQuery::of(table).among(&columns, [id]) };
        let plain =
            |row: &select::Lying| row.iter().any(|cell| matches!(cell, LyingCell::Words(w) if !words::are_sealed(w)));
        let rows: Vec<_> = lying(conn, &query).await?.into_iter().filter(plain).collect();
        let rows =
            rows.into_iter().map(|row| select::opened(table, row, seals.as_deref())).collect::<Result<Vec<_>>>()?;
        put(conn, table, &rows).await?;
    }
    Ok(())
}
