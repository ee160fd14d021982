//! Scores memories page by page: computes outside of transactions, and stores each page in one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Hold, Runner, still_ours};
use crate::error::Result;
use crate::ids::Seq;
use crate::meditation::preview::Pages;
use crate::meditation::steps::read_page;
use crate::meditation::{Meditation, Scored, ScoringItem};
use crate::ports::VaultTransaction;
use crate::scoring::Scorer;
use crate::settings::EffectiveSettings;

impl Runner<'_> {
    /// Scores the memories that are due.
    pub(super) async fn score(
        &self,
        run: &Meditation,
        settings: &EffectiveSettings,
        mut scorer: Scorer,
    ) -> Result<Hold> {
        let (full, asked, settings) = (run.full, run.asked.clone(), settings.clone());
        let load = self.vaults.read(self.user, move |reader| {
            let (asked, settings) = (asked.clone(), settings.clone());
            Box::pin(async move { Pages::new(reader, full, &asked, &settings).await })
        });
        let mut pages = load.await?;
        pages.took(usize::try_from(run.processed).unwrap_or(usize::MAX));
        let mut after = None;
        loop {
            let of = pages.clone();
            let read = self.vaults.read(self.user, move |reader| {
                let of = of.clone();
                Box::pin(async move { of.read(reader, after).await })
            });
            let page = read.await?;
            let Some(last) = page.last() else { return Ok(Hold::Ours) };
            let next = Some(last.seq);
            let results = read_page(&run.steps, &mut scorer, &page);
            let read = page.len();
            let batch = Arc::new(Batch { run: run.clone(), pages: pages.clone(), after, page, scored: results });
            let store = self.vaults.transact(self.user, "meditation.score", move |tx| {
                let batch = Arc::clone(&batch);
                Box::pin(async move { batch.store(tx).await })
            });
            if store.await? == Hold::Lost {
                return Ok(Hold::Lost);
            }
            pages.took(read);
            after = next;
        }
    }
}

/// A page with its new scores.
struct Batch {
    run: Meditation,
    pages: Pages,
    after: Option<Seq>,
    page: Vec<ScoringItem>,
    scored: Vec<Scored>,
}

impl Batch {
    /// Stores the scores of memories that did not change since they were read. A memory that was accessed or changed
    /// keeps its mark, and the next run scores it.
    async fn store(&self, tx: &mut dyn VaultTransaction) -> Result<Hold> {
        let Some(mut run) = still_ours(tx, &self.run).await? else { return Ok(Hold::Lost) };
        let now = self.pages.read(tx.as_reader(), self.after).await?;
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
