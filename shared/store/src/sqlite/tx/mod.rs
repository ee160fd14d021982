//! Changes a vault: one file per concern, and the port's methods, which call them (`delegate`).
//!
//! Audit entries and stored answers are postponed in the connection's notes and sent with the commit. New memories are
//! added to the full-text index once per commit. Triggers maintain the counters and the rest of the index.

mod attachments;
mod changes;
mod consents;
mod decide;
mod embedding;
mod erase;
mod goals;
mod imports;
mod insert;
mod meditations;
mod name_refs;
mod names;
mod outbox;
mod outcomes;
mod put_off;
mod rebuild;
mod requests;
mod scores;
mod settings;
mod state;
mod touch;
mod traits;
mod update;

use super::audit::{self, In, Log};
use super::reader::{Access, Writing};
use crate::audit::prune;
use crate::declared;

pub(crate) use put_off::write_put_off;

/// Returns `row` repeated `times` times, separated by commas.
fn repeated(row: &str, times: usize) -> String {
    let mut sql = String::with_capacity((row.len() + 1) * times);
    for n in 0..times {
        if n > 0 {
            sql.push(',');
        }
        sql.push_str(row);
    }
    sql
}

crate::delegate::vault_transaction! {
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>> {
        self.refuse_adding()?;
        insert::insert(self.conn, memories).await
    }
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
        self.refuse_adding()?;
        insert::insert_records(self.conn, records, at).await
    }
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
        self.refuse_adding()?;
        update::update(self.conn, memory, score).await
    }
    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        if !kimberly_core::tables::is_of_forgetting(table) {
            self.refuse_adding()?;
        }
        declared::put(self.conn, table, rows).await
    }
    async fn put_goal(&mut self, goal: &Goal) -> Result<()> {
        self.refuse_adding()?;
        goals::put(self.conn, goal).await
    }
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()> {
        erase::now(self.conn, seqs.iter().map(|seq| seq.0), at).await
    }
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
        self.refuse_adding()?;
        attachments::stage(self.conn, id, most, sealed, at).await
    }
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        self.conn.notes.put_off.requests.push(record.clone());
        Ok(())
    }
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let mut entry = entry.clone();
        if entry.actor == Actor::Caller {
            entry.actor = self.acting.clone();
        }
        self.conn.notes.put_off.audits.push(entry);
        Ok(())
    }
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
        prune(&mut In::new(self.conn, &Log::VAULT), before, limit).await
    }
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()> {
        self.refuse_adding()?;
        embedding::add(self.conn, day, vectors).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_repeat() {
        assert_eq!(repeated("(?)", 3), "(?),(?),(?)");
    }
}
