//! Reads and counts rows.

use std::fmt::Write as _;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::tables::{Cell, Condition, Kind, Row, RowCount, RowQuery, Table};
use uuid::Uuid;

use super::Connection;
use super::words;
use crate::rows::{ReadRow, WriteRow};
use crate::sealed::Seals;

/// Lengths of value lists, few so that few statements are prepared. Lists are padded with their last value.
const LENGTHS: [usize; 4] = [1, 8, 64, 512];

/// A query with a lower limit reads a page.
const MANY: usize = 10_000;

/// A row as stored, with texts as bytes.
pub(super) type Lying = Vec<LyingCell>;

/// A value as stored.
pub(super) enum LyingCell {
    Plain(Cell),
    Words(Vec<u8>),
}

/// Returns the rows that match a query.
pub(crate) async fn rows<C: Connection>(conn: &mut C, query: &RowQuery) -> Result<Vec<Row>> {
    let seals = conn.seals();
    let found = lying(conn, query).await?;
    found.into_iter().map(|row| opened(query.table, row, seals.as_deref())).collect()
}

/// Returns the same rows in stored form, unopened.
pub(super) async fn lying<C: Connection>(conn: &mut C, query: &RowQuery) -> Result<Vec<Lying>> {
    let selected =
        |name: &'static str| if query.without.contains(&name) { "NULL".to_owned() } else { format!("t.{name}") };
    let columns: Vec<_> = query.table.columns.iter().map(|column| selected(column.name)).collect();
    let (mut sql, mut args) =
        found_by(conn, &format!("SELECT {} FROM {} t", columns.join(", "), query.table.name), query)?;
    let order: Vec<_> =
        order(query).map(|name| format!("t.{name}{}", if query.descending { " DESC" } else { "" })).collect();
    args.put_int(i64::try_from(query.limit).unwrap_or(i64::MAX));
    let _ = write!(sql, " ORDER BY {} LIMIT {}{}", order.join(", "), C::OF_LIMIT, C::placeholder(&args));
    let table = query.table;
    conn.read("reading rows", sql, args, |c| table.columns.iter().map(|column| taken(c, column.kind)).collect()).await
}

/// Counts the rows that match a query; `sum` names a column to add up.
pub(crate) async fn count<C: Connection>(
    conn: &mut C,
    query: &RowQuery,
    sum: Option<&'static str>,
) -> Result<RowCount> {
    let summed = sum.map_or_else(|| "0".to_owned(), |name| format!("t.{name}"));
    let from = format!("SELECT count(*), CAST(coalesce(sum({summed}), 0) AS bigint) FROM {} t", query.table.name);
    let (sql, args) = found_by(conn, &from, query)?;
    let counts = conn.read("counting rows", sql, args, |c| Ok(RowCount { rows: c.count()?, sum: c.int()? })).await?;
    Ok(counts.first().copied().unwrap_or_default())
}

/// Returns the numbers of the memories that pass the query's filter and that no row is about for which its conditions hold.
pub(crate) async fn seqs_without_row<C: Connection>(conn: &mut C, query: &RowQuery) -> Result<Vec<Seq>> {
    let (mut sql, mut args) = (format!("SELECT m.seq FROM memories m WHERE {}", C::MEMORIES_OF_USER), conn.args());
    conn.push_filter(&mut sql, &mut args, &query.memories);
    // Writing to a string cannot fail.
    let _ = write!(sql, " AND NOT EXISTS (SELECT 1 FROM {} t WHERE {}", query.table.name, C::ROWS_OF_USER);
    for column in query.table.memories() {
        let _ = write!(sql, " AND t.{} = m.id", column.name);
    }
    for condition in &query.conditions {
        sql.push_str(" AND ");
        push_condition::<C>(&mut sql, &mut args, query.table, condition)?;
    }
    let _ = write!(sql, "{}) ORDER BY m.seq", C::ROW_BY_ROW);
    conn.read("listing memories without rows", sql, args, |c| c.int().map(Seq)).await
}

/// Returns `head` with a WHERE clause for a query on rows `t`, and its arguments.
pub(crate) fn found_by<C: Connection>(conn: &C, head: &str, query: &RowQuery) -> Result<(String, C::Args)> {
    let (mut sql, mut args) = (format!("{head} WHERE {}", C::ROWS_OF_USER), conn.args());
    for condition in &query.conditions {
        sql.push_str(" AND ");
        push_condition::<C>(&mut sql, &mut args, query.table, condition)?;
    }
    if !query.after.is_empty() {
        let names: Vec<_> = order(query).collect();
        let placeholders: Vec<_> = names
            .iter()
            .zip(&query.after)
            .map(|(name, value)| {
                put(&mut args, kind(query.table, name)?, value);
                Ok(C::placeholder(&args))
            })
            .collect::<Result<_>>()?;
        let columns: Vec<_> = names.iter().take(placeholders.len()).map(|name| format!("t.{name}")).collect();
        let behind = if query.descending { '<' } else { '>' };
        let _ = write!(sql, " AND ({}) {behind} ({})", columns.join(", "), placeholders.join(", "));
    }
    let listed = C::LISTS_MEMORIES && reads_most(query);
    for column in query.table.memories() {
        let (name, of_user) = (column.name, C::MEMORIES_OF_USER);
        let unless = if column.nullable { format!("t.{name} IS NULL OR ") } else { String::new() };
        // The plus sign keeps the rows in the order of the key: no index leads to fewer of them.
        let (is, end) = if listed {
            (format!("+t.{name} IN (SELECT m.id FROM memories m WHERE {of_user}"), "")
        } else {
            (format!("EXISTS (SELECT 1 FROM memories m WHERE {of_user} AND m.id = t.{name}"), C::ROW_BY_ROW)
        };
        let _ = write!(sql, " AND ({unless}{is}");
        conn.push_filter(&mut sql, &mut args, &query.memories);
        let _ = write!(sql, "{end}))");
    }
    Ok((sql, args))
}

/// Reports whether a query may read most rows of a table: no condition on the first column of a key or an index leads
/// to some of them, and it reads no page.
fn reads_most(query: &RowQuery) -> bool {
    let table = query.table;
    let leads = |name: &&str| {
        let first = [table.key()].into_iter().filter_map(|key| key.first()).map(|column| column.name);
        let indexed = table.indices.iter().filter_map(|columns| columns.first().copied());
        first.chain(indexed).chain(table.memories().map(|column| column.name)).any(|known| known == *name)
    };
    let is_led = |condition: &Condition| match condition {
        Condition::Among(names, _) => names.iter().all(leads),
        Condition::From(name, _) | Condition::Before(name, _) => leads(name),
        Condition::Empty(_) => false,
    };
    query.after.is_empty() && query.limit >= MANY && !query.conditions.iter().any(is_led)
}

fn push_condition<C: Connection>(
    sql: &mut String,
    args: &mut C::Args,
    table: &Table,
    condition: &Condition,
) -> Result<()> {
    let mut placeholder = |name: &str, value: &Cell| {
        put(args, kind(table, name)?, value);
        Ok(C::placeholder(args))
    };
    // Writing to a string cannot fail.
    let _ = match condition {
        Condition::Among(_, values) if values.is_empty() => write!(sql, "false"),
        Condition::Among(names, values) => {
            let mut ways = Vec::with_capacity(names.len());
            for name in names {
                let placeholders: Vec<_> =
                    padded(values).map(|value| placeholder(name, value)).collect::<Result<_>>()?;
                ways.push(format!("t.{name} IN ({})", placeholders.join(", ")));
            }
            write!(sql, "({})", ways.join(" OR "))
        }
        Condition::From(name, least) => write!(sql, "t.{name} >= {}", placeholder(name, least)?),
        Condition::Before(name, end) => write!(sql, "t.{name} < {}", placeholder(name, end)?),
        Condition::Empty(name) => write!(sql, "t.{name} IS NULL"),
    };
    Ok(())
}

/// Pads the values with the last one up to the next length in `LENGTHS`.
fn padded(values: &[Cell]) -> impl Iterator<Item = &Cell> {
    let length = LENGTHS.into_iter().find(|length| *length >= values.len()).unwrap_or(values.len());
    values.iter().chain(std::iter::repeat(&values[values.len() - 1])).take(length)
}

fn order(query: &RowQuery) -> impl Iterator<Item = &'static str> + use<> {
    let (keys, order) = (query.table.key(), query.order);
    let of_key = keys.iter().map(|column| column.name).filter(move |_| order.is_empty());
    order.iter().copied().chain(of_key)
}

/// Returns the kind of a column.
fn kind(table: &Table, name: &str) -> Result<Kind> {
    let unknown = || Error::storage(StorageFailure::Defect, format!("{} has no column {name}", table.name));
    table.column(name).map(|column| column.kind).ok_or_else(unknown)
}

/// Binds a value by its column's kind; the caller binds `Words` as bytes.
pub(super) fn put(args: &mut impl WriteRow, kind: Kind, value: &Cell) {
    match (kind, value) {
        (Kind::Int, Cell::Int(number)) => args.put_int(*number),
        (Kind::Real, Cell::Real(number)) => args.put_real(*number),
        (Kind::Text, Cell::Text(text)) => args.put_text(text.clone()),
        (Kind::Id | Kind::Memory, Cell::Id(id)) => args.put_opt_uuid(Some(*id)),
        // A value of the wrong kind becomes NULL, which the column's constraint rejects.
        (Kind::Int | Kind::Real, _) => args.put_opt_int(None),
        (Kind::Text, _) => args.put_opt_text(None),
        (Kind::Id | Kind::Memory, _) => args.put_opt_uuid(None),
        (Kind::Words { .. }, _) => args.put_opt_bytes(None),
    }
}

fn taken(c: &mut dyn ReadRow<'_>, kind: Kind) -> Result<LyingCell> {
    Ok(LyingCell::Plain(match kind {
        Kind::Int => c.opt_int()?.into(),
        Kind::Real => c.real()?.into(),
        Kind::Text => c.opt_str()?.into(),
        Kind::Id | Kind::Memory => c.opt_uuid()?.into(),
        Kind::Words { .. } => {
            return Ok(c.opt_bytes()?.map_or(LyingCell::Plain(Cell::Null), |bytes| LyingCell::Words(bytes.to_vec())));
        }
    }))
}

pub(super) fn opened(table: &Table, row: Lying, seals: Option<&Seals>) -> Result<Row> {
    let mut owner = MemoryId(Uuid::nil());
    let open = |(cell, column): (LyingCell, &kimberly_core::tables::Column)| match (cell, column.kind) {
        (LyingCell::Words(bytes), Kind::Words { sealed_as }) => {
            words::opened(&bytes, owner, sealed_as, seals).map(Cell::Text)
        }
        (LyingCell::Plain(cell), Kind::Memory) if owner.0.is_nil() => {
            owner = MemoryId(cell.id().unwrap_or_default());
            Ok(cell)
        }
        (LyingCell::Plain(cell), _) => Ok(cell),
        (LyingCell::Words(_), _) => Ok(Cell::Null),
    };
    row.into_iter().zip(table.columns).map(open).collect()
}
