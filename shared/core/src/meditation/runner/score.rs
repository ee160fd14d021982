//! Scores memories page by page. A page is read, scored and stored in one transaction, so that no other writer changes a memory
//! in between.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Hold, Runner, still_ours};
use crate::error::Result;
use crate::ids::Seq;
use crate::meditation::Meditation;
use crate::meditation::preview::Pages;
use crate::meditation::steps::read_page;
use crate::ports::VaultTransaction;
use crate::scoring::Scorer;

impl Runner<'_> {
    /// Scores the memories that are due.
    pub(super) async fn score(&self, run: &Meditation, mut pages: Pages, scorer: Scorer) -> Result<Hold> {
        pages.took(usize::try_from(run.processed).unwrap_or(usize::MAX));
        let (scorer, mut after) = (Arc::new(Mutex::new(scorer)), None);
        loop {
            let page = Page { run: run.clone(), pages: pages.clone(), after, scorer: Arc::clone(&scorer) };
            let page = Arc::new(page);
            let store = self.vaults.transact(self.user, "meditation.score", move |tx| {
                let page = Arc::clone(&page);
                Box::pin(async move { page.score(tx).await })
            });
            let Some((read, last)) = store.await? else { return Ok(Hold::Lost) };
            if read == 0 {
                return Ok(Hold::Ours);
            }
            pages.took(read);
            after = last;
        }
    }
}

/// The page of a run after a memory.
struct Page {
    run: Meditation,
    pages: Pages,
    after: Option<Seq>,
    scorer: Arc<Mutex<Scorer>>,
}

impl Page {
    /// Stores the scores of the page's memories; returns how many it has, and the last one. `None` if another worker has
    /// the run by now.
    async fn score(&self, tx: &mut dyn VaultTransaction) -> Result<Option<(usize, Option<Seq>)>> {
        let Some(mut run) = still_ours(tx, &self.run).await? else { return Ok(None) };
        let page = self.pages.read(tx.as_reader(), self.after).await?;
        let scores = {
            let mut scorer = self.scorer.lock().unwrap_or_else(PoisonError::into_inner);
            read_page(&self.run.steps, &mut scorer, &page)
        };
        if !page.is_empty() {
            tx.apply_scores(&scores).await?;
            run.processed += scores.len() as u64;
            tx.put_meditation(&run).await?;
        }
        Ok(Some((page.len(), page.last().map(|item| item.seq))))
    }
}
