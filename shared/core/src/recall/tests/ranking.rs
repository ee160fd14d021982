//! Tests which memory comes first.

use super::{analyze, at, found, gather, hit, rank};
use crate::ids::Seq;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::{Candidate, Found, merge};
use crate::recall::stages::neighbours::spots_around;
use crate::recall::stages::words;
use crate::recall::weights::DEPTH;
use crate::recall::{FoundBy, Ranked, Weights};
use crate::time::Timestamp;

fn context(candidates: &[Candidate], seq: i64) -> f64 {
    candidates.iter().find(|one| one.hit.seq == Seq(seq)).expect("a candidate").context
}

fn order(ranked: &[Ranked]) -> Vec<i64> {
    ranked.iter().map(|one| one.seq.0).collect()
}

fn ranked(candidates: &[Candidate], query: &Analysis) -> Vec<Ranked> {
    rank(candidates, query, at(2026, 11, 20))
}

#[track_caller]
fn near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
}

#[test]
fn hits_lend_to_neighbours_by_distance_and_to_their_session() {
    let all =
        gather(vec![found(hit(10, 2.0, Some((1, 5))))], (6..=10).map(|p| hit(p + 20, 0.0, Some((1, p)))).collect());
    near(context(&all, 26), 0.3 * 2.0 + 0.3 * 2.0);
    near(context(&all, 27), 0.225 * 2.0 + 0.3 * 2.0);
    near(context(&all, 28), 0.15 * 2.0 + 0.3 * 2.0);
    near(context(&all, 29), 0.075 * 2.0 + 0.3 * 2.0);
    near(context(&all, 30), 0.3 * 2.0);
    near(context(&all, 10), 0.3 * 2.0);
}

#[test]
fn what_follows_a_question_is_lent_more() {
    let mut asking = hit(1, 2.0, Some((1, 5)));
    asking.traits.asks = true;
    let all = gather(vec![found(asking)], vec![hit(2, 0.0, Some((1, 6))), hit(3, 0.0, Some((1, 4)))]);
    near(context(&all, 2) - context(&all, 3), 0.5 * 2.0);
}

#[test]
fn what_asks_besides_telling_much_counts_as_told() {
    let mut asking = hit(1, 2.0, Some((1, 5)));
    asking.traits.asks = true;
    asking.traits.words = 60;
    let all = gather(vec![found(asking)], vec![hit(2, 0.0, Some((1, 6))), hit(3, 0.0, Some((1, 4)))]);
    near(context(&all, 2), context(&all, 3));
}

#[test]
fn length_counts_against_long_texts_alone() {
    let mut long = hit(1, 3.0, None);
    let short = words::found(long.clone(), &Weights::FITTED);
    long.traits.words = 380;
    near(short.strength, 3.0);
    near(words::found(long, &Weights::FITTED).strength, 1.5);
}

#[test]
fn person_and_assistant_count_by_whose_words_are_asked_for() {
    let speakers = [(1, "user".to_owned()), (2, "assistant".to_owned())];
    let said_by = |speaker: i64| {
        let mut one = hit(speaker, 1.0, Some((speaker, 1)));
        one.speaker = Some(speaker);
        found(one)
    };
    let order_of = |query: &str| {
        let query = analyze(query, &speakers, at(2026, 11, 20));
        order(&ranked(&gather(vec![said_by(1), said_by(2)], vec![]), &query))
    };
    assert_eq!(order_of("where is my bicycle"), [1, 2]);
    assert_eq!(order_of("where did you find my bicycle"), [2, 1]);
    assert_eq!(order_of("where is the bicycle"), [1, 2], "only the order of numbers parts them");
}

#[test]
fn standing_wishes_count_more_where_they_are_said_to_an_assistant() {
    let semantic = |speaker: Option<i64>, name: &str| {
        let query = analyze("window seat", &[(1, name.to_owned())], at(2026, 11, 20));
        let mut wish = hit(2, 1.0, None);
        (wish.traits.directs, wish.speaker) = (true, speaker);
        let ranked = ranked(&gather(vec![found(hit(1, 1.0, None)), found(wish)], vec![]), &query);
        ranked.iter().find(|one| one.seq == Seq(2)).expect("ranked").parts.form_boost
    };
    near(semantic(None, "Ann"), 2.0 * semantic(Some(1), "Ann"));
    near(semantic(Some(1), "user"), 2.0 * semantic(Some(1), "Ann"));
}

#[test]
fn holes_are_not_renumbered_and_sessions_do_not_mix() {
    let all = gather(
        vec![found(hit(1, 2.0, Some((1, 5))))],
        vec![hit(2, 0.0, Some((1, 10))), hit(3, 0.0, Some((2, 6))), hit(4, 0.0, None)],
    );
    near(context(&all, 2), 0.3 * 2.0);
    near(context(&all, 3), 0.0);
    near(context(&all, 4), 0.0);
}

#[test]
fn spots_around_hits_are_asked_for_once_and_without_the_hits() {
    let spots =
        spots_around(&[found(hit(1, 1.0, Some((1, 1)))), found(hit(2, 1.0, Some((1, 2)))), found(hit(3, 1.0, None))]);
    let positions: Vec<i64> = spots.iter().map(|spot| spot.position).collect();
    assert_eq!(positions, [0, 3, 4, 5, 6]);
    let by_time = Found::new(hit(1, 0.0, Some((1, 1))), 1.0, FoundBy::TIME);
    assert!(spots_around(&[by_time]).is_empty(), "what was not found by its text lends nothing");
}

#[test]
fn memory_found_in_two_ways_is_one_candidate() {
    let merged = merge(vec![found(hit(1, 2.0, None)), Found::new(hit(1, 0.0, None), 1.0, FoundBy::SUBSTRING)]);
    assert_eq!(merged.len(), 1);
    near(merged[0].strength, 3.0);
    assert_eq!(merged[0].by.names(), ["term", "substring"]);
    let all = gather(merged, vec![hit(1, 0.0, Some((3, 3)))]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].hit.spot.map(|spot| spot.session), Some(3), "its place is learnt from the neighbours");
}

#[test]
fn only_the_best_hits_take_part() {
    let many = (0..1_000_i32).map(|n| found(hit(i64::from(n), f64::from(n), None))).collect();
    let merged = merge(many);
    assert_eq!(merged.len(), DEPTH);
    assert_eq!(merged[0].hit.seq, Seq(900));
}

#[test]
fn speaker_question_length_and_time_weigh() {
    let mut query = analyze("when did Ann swim", &[(7, "Ann".to_owned())], at(2026, 11, 20));
    let plain = found(hit(1, 1.0, Some((1, 100))));
    let score_of = |change: &dyn Fn(&mut Found), query: &Analysis| {
        let mut other = found(hit(2, 1.0, Some((2, 100))));
        change(&mut other);
        let all = gather(vec![plain.clone(), other], vec![]);
        let ranked = ranked(&all, query);
        let part = |seq| ranked.iter().find(|one| one.seq == Seq(seq)).expect("ranked").parts.share;
        part(2) / part(1)
    };
    near(score_of(&|one| one.hit.speaker = Some(7), &query), 1.3);
    near(score_of(&|one| one.hit.speaker = Some(8), &query), 1.0);
    near(score_of(&|one| one.hit.traits.names_time = true, &query), 1.2);
    near(score_of(&|one| one.hit.traits.is_question = true, &query), 0.75);
    near(score_of(&|one| one.hit.traits.words = 3, &query), 0.75 / (10.0 / 11.0));
    query.times.years = vec![2024];
    near(score_of(&|one| one.hit.occurred_at = at(2024, 2, 2), &query), 2.0);
}

#[test]
fn question_outside_a_session_is_a_memory_like_any_other() {
    let mut asked = hit(1, 1.0, None);
    asked.traits.is_question = true;
    let ranked = ranked(&gather(vec![found(asked)], vec![]), &Analysis::default());
    near(ranked[0].parts.form_boost, 10.0 / 11.0);
}

#[test]
fn worth_and_freshness_decide_between_equal_matches() {
    let mut better = hit(2, 1.0, None);
    better.score = 0.9;
    let query = Analysis::default();
    assert_eq!(order(&ranked(&gather(vec![found(hit(1, 1.0, None)), found(better)], vec![]), &query)), [2, 1]);
    let mut fresh = hit(2, 1.0, None);
    fresh.occurred_at = at(2026, 11, 19);
    assert_eq!(order(&ranked(&gather(vec![found(hit(1, 1.0, None)), found(fresh)], vec![]), &query)), [2, 1]);
    assert_eq!(
        order(&ranked(&gather(vec![found(hit(1, 1.0, None)), found(hit(2, 1.0, None))], vec![]), &query)),
        [1, 2]
    );
}

#[test]
fn parts_join_to_the_score_as_published() {
    let mut one = hit(1, 3.0, Some((1, 1)));
    one.score = 0.8;
    for ranked in ranked(&gather(vec![found(one), found(hit(2, 1.0, None))], vec![]), &Analysis::default()) {
        let parts = ranked.parts;
        near(
            ranked.score,
            parts.lambda * parts.semantic + (1.0 - parts.lambda) * parts.memory_score + parts.freshness_boost,
        );
    }
}

#[test]
fn memories_of_the_future_and_without_words_are_ranked_too() {
    let mut odd = hit(1, 1.0, None);
    odd.occurred_at = Timestamp::MAX;
    odd.traits.words = 0;
    let ranked = ranked(&gather(vec![found(odd)], vec![]), &Analysis::default());
    near(ranked[0].parts.semantic, 1.0);
    assert!(ranked[0].score.is_finite());
}
