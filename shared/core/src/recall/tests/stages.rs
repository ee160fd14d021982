//! Tests of the table of stages, and that a stage that is off takes no part.

use std::collections::BTreeMap;

use super::{analyze_by, at, found, hit};
use crate::ids::Seq;
use crate::ports::LexicalHit;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::Found;
use crate::recall::stages::neighbours::gather;
use crate::recall::stages::{Stage, Stages, Switch, cold, cut, session::SessionMatch, weigh};
use crate::recall::{Explanation, Fusion, Plan};
use crate::time::Timestamp;

fn without(stage: Stage) -> Plan {
    Plan { stages: Stages::default().with(stage, false), ..Plan::default() }
}

fn named(name: &str, on: bool) -> Result<Stages, String> {
    Stages::default().switched(&BTreeMap::from([(name.to_owned(), on)]))
}

/// The parts of one found memory, with a neighbour that was not found.
fn parts(one: Found, query: &Analysis, plan: &Plan) -> Explanation {
    let seq = one.hit.seq;
    let beside = hit(99, 0.0, Some((1, 2)));
    let ranked = weigh::score(&gather(vec![one], vec![beside], plan), query, at(2026, 11, 20), (Fusion::Sum, plan));
    ranked.iter().find(|one| one.seq == seq).expect("a candidate").parts
}

#[track_caller]
fn is_one(factor: f64) {
    assert!((factor - 1.0).abs() < f64::EPSILON, "{factor}");
}

#[test]
fn stages_have_names_of_their_own_and_say_what_they_do_in_a_line() {
    let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    assert_eq!(names.len(), names.iter().collect::<std::collections::BTreeSet<_>>().len());
    for stage in Stage::ALL.iter().copied() {
        assert!(stage.about().ends_with('.') && stage.about().len() < 120, "{}", stage.name());
        assert_eq!(Stages::default().on(stage), stage.switch() != Switch::Off, "{}", stage.name());
    }
}

#[test]
fn stages_are_switched_by_name_and_others_are_refused_with_what_is_allowed() {
    for stage in Stage::ALL.iter().copied() {
        for on in [true, false] {
            match named(stage.name(), on) {
                Ok(stages) => assert_eq!(stages, Stages::default().with(stage, on)),
                Err(_) => assert_eq!(stage.switch(), Switch::Always),
            }
        }
    }
    for name in ["", "fuse", "Words", "nothing"] {
        let problem = named(name, false).unwrap_err();
        assert!(problem.contains(&format!("{name:?}")) && problem.contains("typos, words, "), "{problem}");
        assert!(problem.split_whitespace().count() <= 36, "{problem}");
    }
    assert!(Stages::default().with(Stage::Cut, false).on(Stage::Cut), "there is no answer without it");
}

#[test]
fn speaker_time_and_form_count_for_nothing_without_their_stages() {
    let mut one = hit(1, 1.0, Some((1, 1)));
    (one.speaker, one.occurred_at) = (Some(7), at(2024, 2, 2));
    (one.traits.is_question, one.traits.names_time) = (true, true);
    let speakers = [(7, "Ann".to_owned())];
    let parts_by = |plan: &Plan| {
        let query = analyze_by("when did Ann swim in 2024", &speakers, plan);
        parts(found(one.clone()), &query, plan)
    };
    let all = parts_by(&Plan::default());
    assert!(all.speaker_boost > 1.0 && all.time_boost > 1.0 && all.form_boost < 1.0);
    is_one(parts_by(&without(Stage::Roles)).speaker_boost);
    is_one(parts_by(&without(Stage::Time)).time_boost);
    is_one(parts_by(&without(Stage::Form)).form_boost);
}

#[test]
fn what_is_stale_counts_half_unless_that_stage_is_off() {
    let stale = LexicalHit { stale: true, ..hit(1, 1.0, None) };
    let of = |one: &LexicalHit, plan: &Plan| parts(found(one.clone()), &Analysis::default(), plan).stale_factor;
    assert!((of(&stale, &Plan::default()) - 0.5).abs() < f64::EPSILON);
    is_one(of(&stale, &without(Stage::Stale)));
    is_one(of(&hit(1, 1.0, None), &Plan::default()));
}

#[test]
fn what_is_cold_counts_nine_tenths_of_its_final_score() {
    let plan = Plan::default();
    let candidates = gather(vec![found(hit(1, 1.0, None)), found(hit(2, 0.95, None))], Vec::new(), &plan);
    let mut ranked = weigh::score(&candidates, &Analysis::default(), at(2026, 11, 20), (Fusion::Sum, &plan));
    let before = ranked[0].score;
    assert!(before > ranked[1].score);
    is_one(ranked[0].parts.cold_factor);
    cold::lower(&mut ranked[0], &plan.weights);
    assert!((ranked[0].score - 0.9 * before).abs() < 1e-12 && (ranked[0].parts.cold_factor - 0.9).abs() < f64::EPSILON);
    cut::order(&mut ranked, 1);
    assert_eq!(ranked[0].seq, Seq(2), "its place is given away");
}

#[test]
fn query_is_about_no_time_speaker_or_pair_without_their_stages() {
    let speakers = [(7, "Ann".to_owned()), (8, "assistant".to_owned())];
    let query = |stage| analyze_by("what did my friend Ann cook last week, E-4711", &speakers, &without(stage));
    assert!(!query(Stage::Time).asks_when && query(Stage::Time).times.ranges.is_empty());
    assert!(!query(Stage::Roles).times.ranges.is_empty());
    assert!(query(Stage::Roles).who.is_empty() && query(Stage::Roles).asked == crate::recall::roles::Asked::Anybody);
    assert!(query(Stage::Phrases).pairs.is_empty() && query(Stage::Phrases).joined.is_empty());
    assert!(!query(Stage::Time).pairs.is_empty() && !query(Stage::Time).joined.is_empty());
}

#[test]
fn nothing_is_lent_without_neighbours() {
    let of = |plan: &Plan| {
        let all = gather(vec![found(hit(1, 2.0, Some((1, 1))))], vec![hit(2, 0.0, Some((1, 2)))], plan);
        all.iter().map(|one| one.context + one.vector_context).sum::<f64>()
    };
    assert!(of(&Plan::default()) > 1.0);
    assert!(of(&without(Stage::Neighbours)).abs() < f64::EPSILON);
}

#[test]
fn only_what_was_found_counts_without_weighing() {
    let mut one = hit(1, 1.0, None);
    (one.score, one.occurred_at) = (0.9, at(2026, 11, 19));
    let weighed = parts(found(one.clone()), &Analysis::default(), &Plan::default());
    let parts = parts(found(one), &Analysis::default(), &without(Stage::Weigh));
    assert!(weighed.freshness_boost > 0.0 && weighed.lambda < 1.0);
    is_one(parts.lambda + parts.freshness_boost);
    let matched = [SessionMatch { seq: Seq(5), matched: 1, score: 0.9, occurred_at: Timestamp(0) }];
    let best = cut::best(&mut [], &matched, (1, 0), (at(2026, 11, 20), &without(Stage::Weigh)));
    assert!(best[0].score.abs() < f64::EPSILON);
}
