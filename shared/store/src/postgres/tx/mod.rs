//! Changes a vault: one file per concern, and the port's methods, which call them (`delegate`).
//!
//! Counters are changed in memory (`head`) and written, with the audit, at the end of the transaction.

mod attachments;
mod changes;
mod consents;
mod counted;
mod decide;
mod embedding;
mod erase;
mod goals;
mod imports;
mod index;
mod insert;
mod meditations;
mod name_refs;
mod names;
mod outbox;
mod outcomes;
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

/// Returns `count` parameters starting with `first`, separated by commas.
fn numbered(first: usize, count: usize) -> String {
    (first..first + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

crate::delegate::vault_transaction! {
    async fn insert_memories(&mut self, memories: &[NewMemory]) -> Result<Vec<Seq>> {
        insert::insert(self.conn, memories).await
    }
    async fn insert_records(&mut self, records: &[MemoryRecord], at: Timestamp) -> Result<Vec<Seq>> {
        insert::insert_records(self.conn, records, at).await
    }
    async fn update_memory(&mut self, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
        update::update(self.conn, memory, score).await
    }
    async fn put_rows(&mut self, table: &'static Table, rows: &[Row]) -> Result<()> {
        declared::put(self.conn, table, rows).await
    }
    async fn put_goal(&mut self, goal: &Goal) -> Result<()> {
        goals::put(self.conn, goal).await
    }
    async fn erase_memories(&mut self, seqs: &[Seq], at: Timestamp) -> Result<()> {
        erase::now(self.conn, seqs.iter().map(|seq| seq.0).collect(), at).await
    }
    async fn stage_blob(&mut self, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
        attachments::stage(self.conn, id, most, sealed, at).await
    }
    async fn put_request(&mut self, record: &RequestRecord) -> Result<()> {
        requests::put(self.conn, record).await
    }
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        let mut entry = entry.clone();
        if entry.actor == Actor::Caller {
            entry.actor = self.acting.clone();
        }
        self.conn.notes.audits.push(entry);
        Ok(())
    }
    async fn prune_audit(&mut self, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
        prune(&mut In::new(self.conn, Log::Vault), before, limit).await
    }
    async fn add_embedded(&mut self, day: i64, vectors: u64) -> Result<()> {
        embedding::add(self.conn, day, vectors).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered() {
        assert_eq!(numbered(3, 3), "$3, $4, $5");
        assert_eq!(numbered(3, 0), "");
    }
}
