//! Fills the database: one transaction per user, and one for the tables shared by all users.

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_core::memory::with_texts;

use super::hold::Fills;
use super::sql;
use crate::moving::cell::{Cell, Row};
use crate::moving::side::{Filling, Known};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::erasure::delete_rows;
use crate::postgres::text::index_values;
use crate::slots;
use crate::tables::{Kind, Lies, OF_ALL, Table};

const DOING: &str = "filling the database";
/// Disables timeouts: data may be large, and the source may be slow to read.
pub(super) const NO_HURRY: &str =
    "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)";
const MAKE: &str = "INSERT INTO vaults (user_id, commit_mark) VALUES ($1, gen_random_uuid())";
const VAULT: &str = "UPDATE vaults SET items = $2, bytes = $3, settings = $4, settings_revision = $5, audit_pruned = $6, \
         audit_pruned_hash = $7, changes_last = $8, outbox_last = $9, embedding_asked_at = $10, \
         audit_hash = coalesce((SELECT hash FROM audit WHERE user_id = $1 ORDER BY no DESC LIMIT 1), $7) \
     WHERE user_id = $1";
const KNOW: &str = "INSERT INTO moved_users (user_id, stamp, digest) VALUES ($1, $2, $3) \
     ON CONFLICT (user_id) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest";
const LOG: &str = "UPDATE system_audit_log SET name = $1, last = $2, \
     hash = (SELECT hash FROM system_audit ORDER BY no DESC LIMIT 1) WHERE one = 1";
/// Columns that recall needs of a memory and that are not moved.
const INDEXED: &[(&str, &str, &str)] = &[("indexed", "::tsvector", "text"), ("tokens", "", "bigint")];

/// A vault being filled.
pub(super) struct FillingUser {
    conn: Conn,
    fills: Fills,
    head: Row,
    items: Vec<i64>,
    bytes: Vec<i64>,
}

impl FillingUser {
    /// Begins by deleting all rows of the user and creating an empty vault.
    pub(super) async fn begin(mut conn: Conn, fills: Fills) -> Result<Self> {
        conn.run(DOING, NO_HURRY, Args::none()).await?;
        fills.check(&mut conn).await?;
        delete_rows(&mut conn).await?;
        let args = conn.args();
        conn.run(DOING, MAKE, args).await?;
        let empty = vec![0; slots::INDEXED + 1];
        Ok(Self { conn, fills, head: Row::new(), items: empty.clone(), bytes: empty })
    }

    fn count(&mut self, rows: &[Row]) {
        for row in rows {
            if let [Cell::Int(slot), Cell::Int(items), Cell::Int(bytes)] = row.as_slice() {
                let slot = usize::try_from(*slot).unwrap_or(usize::MAX);
                if let (Some(to_items), Some(to_bytes)) = (self.items.get_mut(slot), self.bytes.get_mut(slot)) {
                    (*to_items, *to_bytes) = (*items, *bytes);
                }
            }
        }
    }

    /// Inserts memories with their full-text index.
    async fn put_memories(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        let [state, withheld, sealed, content, texts] = ["state", "withheld", "sealed_content", "content", "texts"]
            .map(|name| table.at(name).unwrap_or(usize::MAX));
        let is_searched = |row: &Row| {
            row.get(state) != Some(&Cell::Int(2))
                && row.get(withheld) == Some(&Cell::Int(0))
                && row.get(sealed) == Some(&Cell::Null)
        };
        let searched = |row: &Row| {
            let (content, texts) = (row.get(content)?.text()?, row.get(texts).and_then(Cell::text));
            Some(with_texts(content, texts))
        };
        let texts: Vec<_> = rows.iter().filter(|row| is_searched(row)).filter_map(searched).collect();
        let mut indexed = self.conn.tokens(&texts).await?.into_iter().map(|tokens| index_values(&tokens));
        let (mut words, mut tokens) = (Vec::new(), Vec::new());
        for row in rows {
            let found = if is_searched(row) { indexed.next() } else { None };
            let (text, count) = found.map_or((None, 0), |(text, count)| (Some(text), count));
            words.push(text);
            tokens.push(count);
        }
        if let (Some(items), Some(bytes)) = (self.items.get_mut(slots::INDEXED), self.bytes.get_mut(slots::INDEXED)) {
            *items += i64::try_from(texts.len()).unwrap_or(i64::MAX);
            *bytes += tokens.iter().sum::<i64>();
        }
        let mut args = columns(self.conn.args(), table, rows);
        args.push(words);
        args.push(tokens);
        self.conn.run(DOING, sql::insert(table, true, INDEXED), args).await.map(drop)
    }

    async fn end(&mut self, known: Known) -> Result<()> {
        let mut args = self.conn.args().with(self.items.clone()).with(self.bytes.clone());
        if let [settings, revision, pruned, hash, changes, outbox, asked] = self.head.as_slice() {
            args.push(settings.text());
            args.push(revision.int());
            args.push(pruned.int());
            args.push(hash.bytes());
            args.push(changes.int());
            args.push(outbox.int());
            args.push(asked.int());
        }
        self.conn.run(DOING, VAULT, args).await?;
        let args = self.conn.args().with(known.stamp).with(known.digest.to_vec());
        self.conn.run(DOING, KNOW, args).await?;
        self.fills.check(&mut self.conn).await
    }
}

#[async_trait]
impl Filling for FillingUser {
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        match table.lies {
            Lies::Head => self.head = rows.into_iter().next().unwrap_or_default(),
            Lies::Counters => self.count(&rows),
            Lies::Log => {}
            Lies::Alike if table.name == "memories" => self.put_memories(table, &rows).await?,
            Lies::Alike => {
                let args = columns(self.conn.args(), table, &rows);
                self.conn.run(DOING, sql::insert(table, true, &[]), args).await?;
            }
        }
        Ok(())
    }

    async fn commit(mut self: Box<Self>, known: Known) -> Result<()> {
        let ended = self.end(known).await;
        self.conn.end(ended).await
    }

    async fn give_up(self: Box<Self>) {
        self.conn.roll_back().await;
    }
}

fn columns(mut args: Args, table: &Table, rows: &[Row]) -> Args {
    for (at, column) in table.columns.iter().enumerate() {
        sql::push_column(&mut args, column.kind, rows, at);
    }
    args
}

/// The tables shared by all users, being filled.
pub(super) struct FillingAll {
    conn: Conn,
    fills: Fills,
}

impl FillingAll {
    /// Begins with empty tables.
    pub(super) async fn begin(mut conn: Conn, fills: Fills) -> Result<Self> {
        conn.run(DOING, NO_HURRY, Args::none()).await?;
        fills.check(&mut conn).await?;
        for table in OF_ALL.iter().filter(|table| table.lies == Lies::Alike) {
            conn.run(DOING, format!("DELETE FROM {}", table.database), Args::none()).await?;
        }
        Ok(Self { conn, fills })
    }
}

#[async_trait]
impl Filling for FillingAll {
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        let (sql, args) = match (table.lies, rows.first().map(Vec::as_slice)) {
            (Lies::Log, Some([name, last])) => {
                let mut args = Args::none();
                sql::push_key(&mut args, Kind::Text, name);
                sql::push_key(&mut args, Kind::Int, last);
                (LOG.to_owned(), args)
            }
            _ => (sql::insert(table, false, &[]), columns(Args::none(), table, &rows)),
        };
        self.conn.run(DOING, sql, args).await.map(drop)
    }

    async fn commit(mut self: Box<Self>, _known: Known) -> Result<()> {
        let held = self.fills.check(&mut self.conn).await;
        self.conn.end(held).await
    }

    async fn give_up(self: Box<Self>) {
        self.conn.roll_back().await;
    }
}
