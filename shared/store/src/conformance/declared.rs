//! Tables that `kimberly_core::tables` declares, tested with rows generated from their columns: a new table is covered
//! without any change here.

use kimberly_core::Error;
use kimberly_core::access::Rows;
use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryState, Tier};
use kimberly_core::ports::VaultReader;
use kimberly_core::tables::{ALL, Cell, Column, Condition, Kind, Row, RowCount, RowQuery, Table};
use uuid::Uuid;

use super::Bed;
use super::consents;
use super::fixtures::{at, draft, memory_id, user};
use super::rows::{draft_in, limited};

/// Memories that rows refer to.
const MEMORIES: u32 = 12;
/// Rows per table.
const ROWS: u32 = 9;

/// A word found nowhere else; repeated, it is long enough to be packed.
pub const WORDS: &str = "rowwordling";

/// Returns a row that is unique to `n`; `change` varies the non-key columns.
pub fn row(table: &Table, n: u32, change: u32) -> Row {
    let cell = |(at, column): (usize, &Column)| {
        let (of_key, at) = (at < table.keys, u32::try_from(at).unwrap());
        let change = if of_key { 0 } else { change };
        match column.kind {
            _ if column.nullable && (n + change).is_multiple_of(2) => Cell::Null,
            Kind::Int => Cell::Int(i64::from(n + at + change)),
            Kind::Real => Cell::Real(f64::from(n + change) / 8.0),
            Kind::Text => Cell::Text(format!("name {}", n + change)),
            Kind::Id => Cell::Id(Uuid::from_u128(u128::from(n + change))),
            Kind::Memory => memory_id(u128::from(1 + (n + at) % MEMORIES)).into(),
            Kind::Words { .. } if n.is_multiple_of(3) => {
                Cell::Text(format!("{n} {}", format!("{WORDS} ö\0 ").repeat(30)))
            }
            Kind::Words { .. } => Cell::Text(format!("{n} {WORDS} {change}")),
        }
    };
    table.columns.iter().enumerate().map(cell).collect()
}

fn rows_of(table: &Table, change: u32) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..ROWS).map(|n| row(table, n, change)).collect();
    rows.sort_by_key(|row| key(table, row));
    rows
}

/// Returns a value that sorts like the rows: texts by bytes, numbers by value.
fn key(table: &Table, row: &Row) -> Vec<(i64, String)> {
    let shown = |cell: &Cell| match cell {
        Cell::Int(number) => (*number, String::new()),
        Cell::Text(text) => (0, text.clone()),
        Cell::Id(id) => (0, id.to_string()),
        Cell::Null | Cell::Real(_) => (0, String::new()),
    };
    row.iter().take(table.keys).map(shown).collect()
}

/// Writes rows of every declared table into a vault.
pub async fn fill(bed: &Bed, who: &str, change: u32) {
    bed.write(who, move |tx| {
        Box::pin(async move {
            for table in ALL {
                tx.put_rows(table, &rows_of(table, change)).await?;
            }
            Ok(())
        })
    })
    .await;
}

async fn filled(bed: &Bed) {
    bed.remember("u", (1..=MEMORIES).map(|n| draft(&format!("memory {n}")))).await;
    fill(bed, "u", 0).await;
}

/// Returns all rows of every declared table.
pub async fn all(reader: &mut dyn VaultReader) -> Result<Vec<(&'static str, Vec<Row>)>> {
    let mut found = Vec::new();
    for table in ALL {
        found.push((table.name, reader.rows(&RowQuery::of(table).with_withheld()).await?));
    }
    Ok(found)
}

async fn found(bed: &Bed, query: RowQuery) -> Vec<Row> {
    bed.read("u", move |r| {
        let query = query.clone();
        Box::pin(async move { r.rows(&query).await })
    })
    .await
}

/// Rows read back in order, completely and in pages, and are upserted by key.
pub async fn rows_read_back_and_are_replaced_by_their_key(bed: &Bed) {
    filled(bed).await;
    for table in ALL {
        let (rows, query) = (rows_of(table, 0), RowQuery::of(table));
        assert_eq!(found(bed, query.clone()).await, rows, "{}", table.name);
        let back: Vec<Row> = rows.iter().rev().cloned().collect();
        assert_eq!(found(bed, query.clone().descending()).await, back, "{}", table.name);
        let after = rows[3].iter().take(table.keys).cloned().collect();
        let page = found(bed, query.clone().behind(after).at_most(2)).await;
        assert_eq!(page, rows[4..6], "{}", table.name);
    }
    fill(bed, "u", 2).await;
    for table in ALL {
        assert_eq!(found(bed, RowQuery::of(table)).await, rows_of(table, 2), "{}", table.name);
    }
    let others = bed.read("somebody", |r| Box::pin(all(r))).await;
    assert!(others.iter().all(|(_, rows)| rows.is_empty()), "no vault, no rows");
}

/// Rows are found by column values (one of several, a range, NULL) and counted.
pub async fn rows_are_found_by_their_values_and_counted(bed: &Bed) {
    filled(bed).await;
    for table in ALL {
        let rows = rows_of(table, 0);
        for (at, column) in table.columns.iter().enumerate().filter(|(_, c)| !matches!(c.kind, Kind::Words { .. })) {
            let wanted: Vec<Cell> =
                [2, 5, 7].map(|n| rows[n][at].clone()).into_iter().filter(|c| *c != Cell::Null).collect();
            let expected: Vec<_> = rows.iter().filter(|row| wanted.contains(&row[at])).cloned().collect();
            let name = column.name;
            let query = RowQuery::of(table).among(&[name], wanted);
            assert_eq!(found(bed, query).await, expected, "{}.{name}", table.name);
            let empty = rows.iter().filter(|row| row[at] == Cell::Null).cloned().collect::<Vec<_>>();
            assert_eq!(
                found(bed, RowQuery::of(table).that(Condition::Empty(name))).await,
                empty,
                "{}.{name}",
                table.name
            );
            let numbers = || rows.iter().filter_map(|row| if let Cell::Int(n) = row[at] { Some(n) } else { None });
            if column.kind != Kind::Int {
                continue;
            }
            let least = numbers().max().unwrap_or_default() - 2;
            let query = RowQuery::of(table).that(Condition::From(name, least.into()));
            let query = query.that(Condition::Before(name, (least + 2).into())).at_most(1);
            let expected: Vec<i64> = numbers().filter(|n| *n >= least && *n < least + 2).collect();
            let count = bed.read("u", move |r| {
                let query = query.clone();
                Box::pin(async move { r.count_rows(&query, Some(name)).await })
            });
            let counted = RowCount { rows: expected.len() as u64, sum: expected.iter().sum() };
            assert_eq!(count.await, counted, "{}.{name}, whatever the limit", table.name);
        }
        let nothing = RowQuery::of(table).among::<Cell>(&[table.columns[0].name], []);
        assert!(found(bed, nothing).await.is_empty(), "{}", table.name);
    }
}

fn is_about(table: &Table, row: &Row, id: MemoryId) -> bool {
    table.memories_of(row).any(|memory| memory == id.0)
}

/// Rows are removed by deletion, and with any memory that they refer to, however it is erased.
pub async fn rows_go_with_their_memories(bed: &Bed) {
    filled(bed).await;
    for table in ALL {
        let first = table.columns[0].name;
        let rows = rows_of(table, 0);
        let value = rows[4][0].clone();
        let expected: Vec<Row> = rows.iter().filter(|row| row[0] != value).cloned().collect();
        let gone = bed.write("u", move |tx| {
            let query = RowQuery::of(table).is(first, value.clone()).at_most(1);
            Box::pin(async move { tx.delete_rows(&query).await })
        });
        assert_eq!(gone.await, (rows.len() - expected.len()) as u64, "{}", table.name);
        assert_eq!(found(bed, RowQuery::of(table)).await, expected, "{}", table.name);
    }
    fill(bed, "u", 0).await;
    bed.write("u", |tx| Box::pin(async move { tx.erase_memories(&[Seq(3), Seq(8)], at(900)).await })).await;
    for table in ALL {
        let mut rows = rows_of(table, 0);
        rows.retain(|row| !is_about(table, row, memory_id(3)) && !is_about(table, row, memory_id(8)));
        assert_eq!(found(bed, RowQuery::of(table)).await, rows, "{}", table.name);
        let dangling = row(table, 2, 0);
        if is_about(table, &dangling, memory_id(3)) {
            let who = user("u");
            let put = bed.vaults.transact(&who, "test", move |tx| {
                let dangling = vec![dangling.clone()];
                Box::pin(async move { tx.put_rows(table, &dangling).await })
            });
            assert!(put.await.is_err(), "{} is about a memory that is gone", table.name);
        }
    }
}

/// A caller cannot see, write or remove rows about memories out of reach.
pub async fn rows_are_hidden_with_their_memories(bed: &Bed) {
    let reached = |n: u32| !n.is_multiple_of(4);
    let namespace = |n| if reached(n) { "work" } else { "home" };
    bed.remember("u", (1..=MEMORIES).map(|n| draft_in(namespace(n), Tier::LongTerm, false, "tea"))).await;
    fill(bed, "u", 0).await;
    let (who, vaults) = (user("u"), limited(bed, Rows::parse("grant", &["work".to_owned()], &[], false).unwrap()));
    for table in ALL.iter().copied().filter(|table| table.memories().next().is_some()) {
        let rows = rows_of(table, 0);
        let hidden = |row: &&Row| (1..=MEMORIES).any(|n| !reached(n) && is_about(table, row, memory_id(n.into())));
        let seen: Vec<Row> = rows.iter().filter(|row| !hidden(row)).cloned().collect();
        assert!(!seen.is_empty() && seen.len() < rows.len(), "{}", table.name);
        let query = RowQuery::of(table).with_withheld();
        let read = vaults.read(&who, move |r| {
            let query = query.clone();
            Box::pin(async move { Ok((r.rows(&query).await?, r.count_rows(&query, None).await?.rows)) })
        });
        assert_eq!(read.await.unwrap(), (seen.clone(), seen.len() as u64), "{}", table.name);
        for row in [rows.iter().find(hidden), seen.first()].into_iter().flatten() {
            let (allowed, row) = (seen.contains(row), row.clone());
            let put = vaults.transact(&who, "test", move |tx| {
                let rows = vec![row.clone()];
                Box::pin(async move { tx.put_rows(table, &rows).await })
            });
            let said = put.await;
            assert!(
                if allowed { said.is_ok() } else { matches!(said, Err(Error::Denied)) },
                "{}: {said:?}",
                table.name
            );
        }
        let removed = vaults
            .transact(&who, "test", move |tx| Box::pin(async move { tx.delete_rows(&RowQuery::of(table)).await }));
        assert_eq!(removed.await.unwrap(), seen.len() as u64, "{}", table.name);
        assert_eq!(found(bed, RowQuery::of(table)).await.len(), rows.len() - seen.len(), "{}", table.name);
    }
}

/// Rows about a withheld memory are visible only to queries that ask for them.
pub async fn rows_of_withheld_memories_are_hidden(bed: &Bed) {
    consents::put(bed, vec![consents::record(1)]).await;
    let withheld = |n: u32| n.is_multiple_of(4);
    let drafts = (1..=MEMORIES).map(|n| if withheld(n) { consents::under(1, false, "tea") } else { draft("tea") });
    bed.remember("u", drafts).await;
    fill(bed, "u", 0).await;
    consents::withhold(bed, 1, false).await;
    for table in ALL.iter().filter(|table| table.memories().next().is_some()) {
        let rows = rows_of(table, 0);
        let hidden = |row: &&Row| (1..=MEMORIES).any(|n| withheld(n) && is_about(table, row, memory_id(n.into())));
        let seen: Vec<Row> = rows.iter().filter(|row| !hidden(row)).cloned().collect();
        assert!(!seen.is_empty() && seen.len() < rows.len(), "{}", table.name);
        assert_eq!(found(bed, RowQuery::of(table)).await, seen, "{}", table.name);
        assert_eq!(found(bed, RowQuery::of(table).with_withheld()).await, rows, "{}", table.name);
    }
}

/// Memories are found that no row is about, or none that meets the conditions.
pub async fn memories_without_a_row_are_found(bed: &Bed) {
    consents::put(bed, vec![consents::record(1)]).await;
    let withheld = |n: u32| n.is_multiple_of(5);
    let drafts = (1..=MEMORIES).map(|n| if withheld(n) { consents::under(1, false, "tea") } else { draft("tea") });
    bed.remember("u", drafts).await;
    fill(bed, "u", 0).await;
    consents::withhold(bed, 1, false).await;
    let without = |query: RowQuery| {
        bed.read("u", move |r| {
            let query = query.clone();
            Box::pin(async move { r.seqs_without_row(&query).await })
        })
    };
    for table in ALL.iter().filter(|table| table.memories().count() == 1) {
        let rows = rows_of(table, 0);
        let named = |n: u32, rows: &[Row]| rows.iter().any(|row| is_about(table, row, memory_id(n.into())));
        let others = |rows: &[Row]| {
            let seqs = (1..=MEMORIES).filter(|n| !withheld(*n) && !named(*n, rows));
            seqs.map(|n| Seq(n.into())).collect::<Vec<_>>()
        };
        let query = RowQuery::of(table);
        assert_eq!(without(query.clone()).await, others(&rows), "{}", table.name);
        let (first, value) = (table.columns[0].name, rows[4][0].clone());
        let met: Vec<Row> = rows.iter().filter(|row| row[0] == value).cloned().collect();
        assert!(others(&met).len() > others(&rows).len(), "{}", table.name);
        assert_eq!(without(query.clone().is(first, value)).await, others(&met), "{}", table.name);
        let mut archived = query;
        archived.memories.states = vec![MemoryState::Archived];
        assert!(without(archived).await.is_empty(), "{}", table.name);
    }
}
