//! Records that memories were recalled or read, and who read them. Callers batch this, off the path of a request.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::App;
use super::statements::spans;
use crate::audit::AuditEntry;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq, UserId};
use crate::links::Direction;
use crate::memory::SourceType;
use crate::ports::{Touch, VaultReader};

/// Most memories that are read at once.
const AT_ONCE: usize = 256;

impl App {
    /// Adds touches, and audit entries about reads, in one transaction; skips memories that are gone. Touches change no
    /// etag. Makes no vault for a user without one: there was nothing to read, or the user was purged since.
    #[boxed]
    pub async fn touch(&self, user: &UserId, touches: Vec<Touch>, reads: Vec<AuditEntry>) -> Result<()> {
        if touches.is_empty() && reads.is_empty() {
            return Ok(());
        }
        match self.is_untouched(user).await {
            Ok(false) => {}
            Ok(true) | Err(Error::Purging) => return Ok(()),
            Err(error) => return Err(error),
        }
        let work: Arc<(Vec<Touch>, Vec<AuditEntry>)> = Arc::new((touches, reads));
        let running = self.vaults.transact(user, "touch", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move {
                let (touches, reads) = &*work;
                if !touches.is_empty() {
                    let touches = with_turns(tx.as_reader(), touches).await?;
                    tx.touch(&touches).await?;
                }
                for read in reads {
                    tx.audit(read).await?;
                }
                Ok(())
            })
        });
        running.await
    }

    async fn is_untouched(&self, user: &UserId) -> Result<bool> {
        Ok(self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0)
    }
}

/// Adds the turns from which touched records were learned: a turn counts at least as often as what it states. The other
/// way round, recall itself adds the records whose spans it found.
async fn with_turns(reader: &mut dyn VaultReader, touches: &[Touch]) -> Result<Vec<Touch>> {
    let mut all: BTreeMap<Seq, Touch> = touches.iter().map(|touch| (touch.seq, *touch)).collect();
    let seqs: Vec<Seq> = all.keys().copied().collect();
    for seqs in seqs.chunks(AT_ONCE) {
        let read = reader.memories(seqs).await?.into_iter();
        let learned = read.filter(|memory| memory.draft.source_type() == SourceType::Extraction);
        let learned: HashMap<MemoryId, Seq> = learned.map(|memory| (memory.id, memory.seq)).collect();
        if learned.is_empty() {
            continue;
        }
        let links = spans(reader, learned.keys().copied(), Direction::Out).await?;
        let turns: Vec<MemoryId> = links.iter().map(|link| link.to).collect();
        let turns: HashMap<MemoryId, Seq> = reader.seqs(&turns).await?.into_iter().collect();
        for link in links {
            let record = learned.get(&link.from).and_then(|seq| all.get(seq)).copied();
            let (Some(record), Some(turn)) = (record, turns.get(&link.to)) else { continue };
            let touch = all.entry(*turn).or_insert(Touch { seq: *turn, ..record });
            touch.times = touch.times.max(record.times);
            touch.at = touch.at.max(record.at);
        }
    }
    Ok(all.into_values().collect())
}
