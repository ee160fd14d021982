//! Tunes constants by coordinate search: each in turn takes the best of a few values around its own, until none
//! changes.
//!
//! The objective is the mean over styles of recall at 10 and NDCG at 10, each relative to BM25, on the development
//! parts only; a change must improve it by half a thousandth. Deterministic: the same data gives the same constants.

use kimberly_core::recall::Weights;

use super::sets::Part;
use super::{Prepared, Way};
use crate::Result;
use crate::report::{Report, say};

/// Maximum rounds over all constants.
const ROUNDS: usize = 3;
/// Minimum improvement of a change.
const LEAST_GAIN: f64 = 0.000_5;
/// Values to try, as factors of the present one.
const STEPS: [f64; 4] = [0.6, 0.8, 1.25, 1.6];

type Field = (&'static str, fn(&mut Weights) -> &mut f64);

const FIELDS: [Field; 14] = [
    ("long_from", |weights| &mut weights.long_from),
    ("halved_by", |weights| &mut weights.halved_by),
    ("lent_to_next", |weights| &mut weights.lent_to_next),
    ("lent_to_answer", |weights| &mut weights.lent_to_answer),
    ("lent_by_session", |weights| &mut weights.lent_by_session),
    ("brief", |weights| &mut weights.brief),
    ("question", |weights| &mut weights.question),
    ("half_length", |weights| &mut weights.half_length),
    ("speaker", |weights| &mut weights.speaker),
    ("tells_when", |weights| &mut weights.tells_when),
    ("assistant", |weights| &mut weights.assistant),
    ("assistant_asked", |weights| &mut weights.assistant_asked),
    ("directive", |weights| &mut weights.directive),
    ("directive_words", |weights| &mut weights.directive_words),
];

/// Prints each trial and the resulting constants.
pub(super) async fn run(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let mut bases = Vec::new();
    for one in prepared {
        let [_, at_10, _, ndcg, _] = one.mean(Part::Developed, Way::Bm25).await?.values;
        bases.push((at_10, ndcg));
    }
    let mut weights = Weights::FITTED;
    let mut best = worth(prepared, &bases, &weights).await?;
    say(&format!("as fitted: {best:.4}"));
    for round in 1..=ROUNDS {
        let before = weights;
        for (name, field) in FIELDS {
            let own = *field(&mut weights);
            for step in STEPS {
                let mut tried = weights;
                *field(&mut tried) = own * step;
                let value = worth(prepared, &bases, &tried).await?;
                if value > best + LEAST_GAIN {
                    (best, weights) = (value, tried);
                }
            }
            say(&format!("round {round}: {name} {own:.3} -> {:.3}, worth {best:.4}", field(&mut weights)));
        }
        if weights == before {
            break;
        }
    }
    for (name, field) in FIELDS {
        report.set(format!("fit.{name}"), *field(&mut weights));
    }
    report.set("fit.worth", best);
    say(&format!("{weights:#?}"));
    Ok(())
}

async fn worth(prepared: &[Prepared], bases: &[(f64, f64)], weights: &Weights) -> Result<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for (one, (base_10, base_ndcg)) in prepared.iter().zip(bases) {
        let [_, at_10, _, ndcg, _] = one.mean(Part::Developed, Way::Words(weights)).await?.values;
        sum += f64::midpoint(at_10 / base_10, ndcg / base_ndcg);
        count += 1.0;
    }
    Ok(sum / count)
}
