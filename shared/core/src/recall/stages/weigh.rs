//! The final score of K-5.3: `lambda * semantic + (1 - lambda) * memory_score + freshness_boost`.
//!
//! A question of fact needs the memory that answers it, however low its own score is. So the memory's own score and its
//! freshness only decide between candidates that fit about equally well.

use super::explain::{Explanation, Ranked};
use super::fusion::Fusion;
use super::{form, fuse, roles, stale, time};
use crate::ports::LexicalHit;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::Candidate;
use crate::recall::weights::{FRESHNESS, FRESHNESS_HALVED, LAMBDA, RANK, RANKS};
use crate::recall::{Plan, Stage, Weights};
use crate::time::Timestamp;

/// Scores candidates, in the order given; [`super::cut`] sorts them. Freshness counts from `now`. `fusion` says how
/// words and vectors are joined, if any vector counts.
pub fn score(
    candidates: &[Candidate],
    query: &Analysis,
    now: Timestamp,
    (fusion, plan): (Fusion, &Plan),
) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = candidates.iter().map(|candidate| joined(candidate, query, now, plan)).collect();
    if ranked.iter().any(|one| one.parts.vector > 0.0) {
        fuse::fuse(&mut ranked, fusion);
    }
    let mut strengths: Vec<f64> = ranked.iter().map(|one| one.parts.semantic).collect();
    strengths.sort_unstable_by(|a, b| b.total_cmp(a));
    for one in &mut ranked {
        (one.parts.share, one.parts.semantic) = shares(one.parts.semantic, &strengths);
        one.score = final_score(&one.parts);
    }
    ranked
}

/// Returns a strength as a share of the best (`strengths` are sorted, the best first), and that share combined with its
/// place.
#[expect(clippy::cast_precision_loss, reason = "a few places")]
fn shares(strength: f64, strengths: &[f64]) -> (f64, f64) {
    if strength <= 0.0 {
        return (0.0, 0.0);
    }
    let share = strength / strengths.first().copied().unwrap_or(strength);
    let before = strengths.partition_point(|other| *other > strength).min(RANKS);
    let rank = 1.0 - before as f64 / RANKS as f64;
    (share, (1.0 - RANK) * share + RANK * rank)
}

/// Returns the parts of a memory that has only its own score.
pub(super) fn by_worth(memory_score: f64, occurred_at: Timestamp, now: Timestamp, plan: &Plan) -> Explanation {
    let weighs = plan.on(Stage::Weigh);
    Explanation {
        speaker_boost: 1.0,
        time_boost: 1.0,
        form_boost: 1.0,
        stale_factor: 1.0,
        cold_factor: 1.0,
        ended_factor: 1.0,
        memory_score,
        freshness_boost: if weighs { freshness(occurred_at, now) } else { 0.0 },
        lambda: if weighs { LAMBDA } else { 1.0 },
        ..Explanation::default()
    }
}

pub(super) fn final_score(parts: &Explanation) -> f64 {
    let whole = parts.lambda * parts.semantic + (1.0 - parts.lambda) * parts.memory_score + parts.freshness_boost;
    whole * parts.cold_factor * parts.ended_factor
}

fn joined(candidate: &Candidate, query: &Analysis, now: Timestamp, plan: &Plan) -> Ranked {
    let of = |stage: Stage, factor: fn(&LexicalHit, &Analysis, &Weights) -> f64| {
        if plan.on(stage) { factor(&candidate.hit, query, &plan.weights) } else { 1.0 }
    };
    let speaker = of(Stage::Roles, roles::factor);
    let (time, form) = (of(Stage::Time, time::factor), of(Stage::Form, form::factor));
    let stale = of(Stage::Stale, stale::factor);
    let parts = Explanation {
        lexical: candidate.lexical,
        context: candidate.context,
        cosine: candidate.cosine,
        vector: candidate.vector,
        vector_context: candidate.vector_context,
        speaker_boost: speaker,
        time_boost: time,
        form_boost: form,
        stale_factor: stale,
        semantic: (candidate.lexical + candidate.context) * speaker * time * form * stale,
        found_by: candidate.by,
        ..by_worth(candidate.hit.score, candidate.hit.occurred_at, now, plan)
    };
    Ranked { seq: candidate.hit.seq, score: 0.0, parts }
}

fn freshness(occurred_at: Timestamp, now: Timestamp) -> f64 {
    FRESHNESS / (1.0 + now.since(occurred_at).as_days() / FRESHNESS_HALVED.as_days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_separates_candidates_that_hold_only_frequent_words() {
        let strengths = [8.0, 0.000_002, 0.000_001, 0.0];
        let all = strengths.map(|strength| shares(strength, &strengths).1);
        assert!((all[0] - 1.0).abs() < 1e-9, "{all:?}");
        assert!(all[1] - all[2] > 0.003_9 && all[3] == 0.0, "{all:?}");
        assert!((shares(4.0, &strengths).0 - 0.5).abs() < 1e-9, "a share is of the strength alone");
        assert_eq!(shares(0.0, &[0.0, 0.0]), (0.0, 0.0));
    }
}
