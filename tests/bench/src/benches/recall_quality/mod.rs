//! Recall quality in several styles of conversation, by words and with vectors, compared with BM25 of FTS5: two
//! friends (LoCoMo; whole sessions too), a person with an assistant, meetings.
//!
//! The domain and the real store in one process, with the chosen constants; `--ablation` removes one part at a time,
//! `--fit` tunes constants. Every style has a development part and a held-out part, which is only scored. Answers and
//! evidence are used only for scoring.

mod ablation;
mod baseline;
mod embedded;
mod fit;
pub(super) mod sets;
pub(super) mod squeeze;
mod switches;
mod tables;
mod vaults;

use std::sync::Arc;

use kimberly_core::recall::Weights;

use self::embedded::Embedder;
use self::sets::{Part, Set};
use self::vaults::Vaults;
use super::locomo::measure::Measures;
use crate::report::{Report, say};
use crate::{Options, Result};

/// A retrieval method.
#[derive(Clone, Copy, Debug)]
enum Way<'w> {
    /// Kimberly without one of its stages.
    Without(kimberly_core::recall::Stage),
    /// BM25 of each message.
    Bm25,
    /// Kimberly without vectors.
    Words(&'w Weights),
    /// Kimberly with all vectors.
    Vectors(&'w Weights),
}

/// A set with its imported conversations.
struct Prepared {
    set: Set,
    vaults: Vaults,
}

/// Reads the available sets, asks every question and prints the tables; reports missing sets.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let mut prepared = Vec::new();
    for set in sets::read()? {
        let vaults = Vaults::of(&set.conversations).await?;
        prepared.push(Prepared { set, vaults });
    }
    if options.fit {
        return fit::run(&prepared, report).await;
    }
    if options.ablation {
        ablation::run(&prepared, report).await?;
        return switches::run(&prepared, report).await;
    }
    tables::words(&prepared, report).await?;
    tables::alarms(&prepared, report).await?;
    match Embedder::start().await {
        Ok(embedder) => tables::vectors(&mut prepared, &Arc::new(embedder), report).await,
        Err(error) => {
            say(&format!("without vectors: {error}"));
            Ok(())
        }
    }
}

impl Prepared {
    /// The measures of each question of a part.
    async fn measures(&self, part: Part, way: Way<'_>) -> Result<Vec<Measures>> {
        let mut all = Vec::new();
        for (index, conversation) in self.set.of_part(part) {
            for question in &conversation.questions {
                let found = match way {
                    Way::Without(stage) => self.vaults.without(index, &question.text, stage).await?,
                    Way::Bm25 => self.vaults.bm25(index, &question.text).await?,
                    Way::Words(weights) => self.vaults.by_words(index, &question.text, weights).await?,
                    Way::Vectors(weights) => self.vaults.with_vectors(index, &question.text, weights).await?,
                };
                let ranks: Vec<usize> = question
                    .evidence
                    .iter()
                    .filter_map(|turn| found.iter().position(|one| Some(*one) == *turn))
                    .collect();
                all.push(Measures::of(&ranks, question.evidence.len()));
            }
        }
        Ok(all)
    }

    /// The mean over a part.
    async fn mean(&self, part: Part, way: Way<'_>) -> Result<Measures> {
        Ok(Measures::mean(&self.measures(part, way).await?))
    }
}
