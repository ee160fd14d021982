//! Takes the best results, those of the active session first.

use super::explain::FoundBy;
use super::explain::Ranked;
use super::session::SessionMatch;
use super::weigh::{by_worth, final_score};
use crate::recall::Plan;
use crate::time::Timestamp;

/// Moves the best `count` to the front, in order: by score, ties by sequence number. The others follow in any order.
pub fn order(ranked: &mut [Ranked], count: usize) {
    let better = |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score).then(a.seq.cmp(&b.seq));
    if count > 0 && count < ranked.len() {
        ranked.select_nth_unstable_by(count - 1, better);
    }
    let count = count.min(ranked.len());
    ranked[..count].sort_unstable_by(better);
}

/// Returns at most `top_k` of the scored memories, plus `spare` more. Matches of the active session come first, ordered
/// by score. They fill at most half of the answer, rounded up, so that memories from outside of the session are not
/// crowded out. Further matches stand where their score puts them.
pub fn best(
    ranked: &mut [Ranked],
    session: &[SessionMatch],
    (top_k, spare): (usize, usize),
    (now, plan): (Timestamp, &Plan),
) -> Vec<Ranked> {
    let mut first: Vec<(usize, Ranked)> =
        session.iter().map(|one| (one.matched, as_ranked(one, ranked, (now, plan)))).collect();
    first.sort_unstable_by(|(matched_a, a), (matched_b, b)| {
        b.score.total_cmp(&a.score).then(matched_b.cmp(matched_a)).then(b.seq.cmp(&a.seq))
    });
    let mut answer: Vec<Ranked> = first.into_iter().take(top_k.div_ceil(2)).map(|(_, one)| one).collect();
    let firsts = answer.len();
    // Those that come first are also in `ranked`, and are skipped there.
    let most = top_k + spare;
    let considered = most.min(ranked.len());
    order(ranked, considered);
    for one in &ranked[..considered] {
        if answer.len() == most {
            break;
        }
        if !answer[..firsts].iter().any(|first| first.seq == one.seq) {
            answer.push(*one);
        }
    }
    answer
}

/// Returns a session match as ranked, or by its own score alone if it was not among the candidates.
fn as_ranked(one: &SessionMatch, ranked: &[Ranked], (now, plan): (Timestamp, &Plan)) -> Ranked {
    let mut result = ranked.iter().find(|other| other.seq == one.seq).copied().unwrap_or_else(|| {
        let parts = by_worth(one.score, one.occurred_at, now, plan);
        Ranked { seq: one.seq, score: final_score(&parts), parts }
    });
    result.parts.found_by = result.parts.found_by.and(FoundBy::SESSION);
    result
}
