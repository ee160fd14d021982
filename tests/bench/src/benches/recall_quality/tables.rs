//! The tables of all sets and parts.

use std::sync::Arc;

use kimberly_core::recall::Weights;

use super::embedded::Embedder;
use super::sets::Part;
use super::{Prepared, Way};
use crate::Result;
use crate::benches::locomo::measure::{Measures, NAMES};
use crate::report::{Report, Table, say};

/// More vectors than any user needs, and the default cap.
const CAPS: [(&str, u64); 2] = [("vectors", 1_000_000), ("vectors_200", 200)];

/// Recall by words.
pub(super) async fn words(prepared: &[Prepared], report: &mut Report) -> Result<()> {
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

/// The gain by vectors, unlimited and with the default cap.
pub(super) async fn vectors(prepared: &mut [Prepared], embedder: &Arc<Embedder>, report: &mut Report) -> Result<()> {
    for (way, cap) in CAPS {
        let headings = [way, "R@10", "times BM25", "more than words", "NDCG@10", "times BM25", "more than words"];
        let mut table = Table::new(&headings);
        for one in prepared.iter_mut() {
            one.vaults.embed(embedder, cap).await?;
            for part in Part::ALL {
                let [_, base_10, _, base_ndcg, _] = one.mean(part, Way::Bm25).await?.values;
                let [_, words_10, _, words_ndcg, _] = one.mean(part, Way::Words(&Weights::FITTED)).await?.values;
                let mean = one.mean(part, Way::Vectors(&Weights::FITTED)).await?;
                for (name, value) in NAMES.iter().zip(mean.values) {
                    report.set(format!("{}.{}.{way}.{name}", one.set.name, part.name()), value);
                }
                let [_, at_10, _, ndcg, _] = mean.values;
                let figures = [at_10, at_10 / base_10, at_10 - words_10, ndcg, ndcg / base_ndcg, ndcg - words_ndcg];
                let cells = figures.iter().map(|value| format!("{value:.3}"));
                table.row(std::iter::once(format!("{} {}", one.set.name, part.name())).chain(cells));
            }
        }
        say(&format!("\n{}", table.text()));
    }
    Ok(())
}

/// Relevance estimates of first results: for the right user, and for a wrong one.
pub(super) async fn alarms(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let mut table = Table::new(&["", "first result relevant", "right user, at least .5", "wrong user, at least .5"]);
    for one in prepared {
        for part in Part::ALL {
            let estimates = one.vaults.relevance(&one.set, part).await?;
            let figures = [
                ("first_precision", estimates.first),
                ("right_user", estimates.right),
                ("wrong_user", estimates.wrong),
            ];
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
