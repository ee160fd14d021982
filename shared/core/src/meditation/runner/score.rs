//! Scores page by page: computed outside, stored in one transaction a page.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Hold, Runner, still_ours};
use crate::error::Result;
use crate::ids::Seq;
use crate::meditation::preview::PAGE;
use crate::meditation::steps::read_page;
use crate::meditation::{Meditation, Scored, ScoringItem};
use crate::ports::VaultTransaction;
use crate::scoring::Scorer;

impl Runner<'_> {
    /// Scores what is to be scored.
    pub(super) async fn score(&self, run: &Meditation, mut scorer: Scorer) -> Result<Hold> {
        let (full, mut after) = (run.full, None);
        loop {
            let read = self.vaults.read(self.user, move |reader| Box::pin(reader.scoring_items(full, after, PAGE)));
            let page = read.await?;
            let Some(last) = page.last() else { return Ok(Hold::Ours) };
            let next = Some(last.seq);
            let results = read_page(run.trigger, &mut scorer, &page);
            let batch = Arc::new(Batch { run: run.clone(), after, page, scored: results });
            let store = self.vaults.transact(self.user, "meditation.score", move |tx| {
                let batch = Arc::clone(&batch);
                Box::pin(async move { batch.store(tx).await })
            });
            if store.await? == Hold::Lost {
                return Ok(Hold::Lost);
            }
            after = next;
        }
    }
}

/// A page with its new scores.
struct Batch {
    run: Meditation,
    after: Option<Seq>,
    page: Vec<ScoringItem>,
    scored: Vec<Scored>,
}

impl Batch {
    /// Stores the scores of memories that are still as they were read. One that was touched or changed since keeps its
    /// mark, and the next run scores it.
    async fn store(&self, tx: &mut dyn VaultTransaction) -> Result<Hold> {
        let Some(mut run) = still_ours(tx, &self.run).await? else { return Ok(Hold::Lost) };
        let now = tx.scoring_items(run.full, self.after, PAGE).await?;
        let now: HashMap<Seq, &ScoringItem> = now.iter().map(|item| (item.seq, item)).collect();
        let unchanged = self.page.iter().filter(|item| now.get(&item.seq) == Some(item)).map(|item| item.seq);
        let unchanged: HashSet<Seq> = unchanged.collect();
        let scores: Vec<Scored> = self.scored.iter().filter(|s| unchanged.contains(&s.seq)).cloned().collect();
        tx.apply_scores(&scores).await?;
        run.processed += scores.len() as u64;
        tx.put_meditation(&run).await?;
        Ok(Hold::Ours)
    }
}
