//! What recall finds in several styles of conversation, by words, beside BM25 of FTS5: two friends (LoCoMo), a person with
//! an assistant, meetings.
//!
//! The domain and the real store in one process, with the constants as fitted; `--ablation` takes one part away at a time,
//! `--fit` looks for better constants. Every style has a part that is developed on and one that is held back and only
//! scored. Answers and evidence are looked at only to count.

mod ablation;
mod baseline;
mod fit;
mod sets;
mod vaults;

use kimberly_core::recall::Weights;

use self::sets::{Part, Set};
use self::vaults::Vaults;
use super::locomo::measure::{Measures, NAMES};
use crate::report::{Report, Table, say};
use crate::{Options, Result};

/// How questions are answered.
#[derive(Clone, Copy, Debug)]
enum Way<'w> {
    /// By BM25 of each message.
    Bm25,
    /// By Kimberly.
    Words(&'w Weights),
}

/// A set with its conversations remembered.
struct Prepared {
    set: Set,
    vaults: Vaults,
}

/// Reads what sets there are, asks every question and prints the tables; says what sets are missing.
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
        return ablation::run(&prepared, report).await;
    }
    show(&prepared, report).await?;
    alarms(&prepared, report).await
}

/// Every set, part and measure.
async fn show(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let headings = ["", "questions", "BM25 R@10", "R@10", "times", "BM25 NDCG@10", "NDCG@10", "R@5", "R@20", "MRR"];
    let mut table = Table::new(&headings);
    for one in prepared {
        for part in Part::ALL {
            let base = one.measures(part, Way::Bm25).await?;
            let ours = one.measures(part, Way::Words(&Weights::FITTED)).await?;
            let (base_mean, mean) = (Measures::mean(&base), Measures::mean(&ours));
            for (way, measures) in [("bm25", base_mean), ("words", mean)] {
                for (name, value) in NAMES.iter().zip(measures.values) {
                    report.set(format!("{}.{}.{way}.{name}", one.set.name, part.name()), value);
                }
            }
            let ([_, base_10, _, base_ndcg, _], [at_5, at_10, at_20, ndcg, mrr]) = (base_mean.values, mean.values);
            let figures = [base_10, at_10, at_10 / base_10, base_ndcg, ndcg, at_5, at_20, mrr];
            let cells = figures.iter().map(|value| format!("{value:.3}"));
            let title = [format!("{} {}", one.set.name, part.name()), ours.len().to_string()];
            table.row(title.into_iter().chain(cells));
        }
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}

/// What estimates of relevance say: of the first result of questions asked of the right user and of another one.
async fn alarms(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let mut table = Table::new(&["", "first result relevant", "right user, at least .5", "wrong user, at least .5"]);
    for one in prepared {
        for part in Part::ALL {
            let told = one.vaults.relevance(&one.set, part).await?;
            let figures = [("first_precision", told.first), ("right_user", told.right), ("wrong_user", told.wrong)];
            for (name, value) in figures {
                report.set(format!("{}.{}.relevance.{name}", one.set.name, part.name()), value);
            }
            let cells = figures.iter().map(|(_, value)| format!("{value:.3}"));
            table.row(std::iter::once(format!("{} {}", one.set.name, part.name())).chain(cells));
        }
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}

impl Prepared {
    /// One measure per question of a part.
    async fn measures(&self, part: Part, way: Way<'_>) -> Result<Vec<Measures>> {
        let mut all = Vec::new();
        for (index, conversation) in self.set.of_part(part) {
            for question in &conversation.questions {
                let found = match way {
                    Way::Bm25 => self.vaults.bm25(index, &question.text).await?,
                    Way::Words(weights) => self.vaults.recall(index, &question.text, weights).await?,
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

    /// Their mean.
    async fn mean(&self, part: Part, way: Way<'_>) -> Result<Measures> {
        Ok(Measures::mean(&self.measures(part, way).await?))
    }
}
