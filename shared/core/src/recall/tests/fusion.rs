//! Tests of joining words and vectors.

use super::{at, gather, hit, score};
use crate::ids::Seq;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::{Candidate, Found};
use crate::recall::stages::neighbours::spots_around;
use crate::recall::{FoundBy, Fusion, Ranked};

fn by_both(seq: i64, words: f64, vector: f64) -> Found {
    let by = if words > 0.0 { FoundBy::TERM } else { FoundBy::default() };
    let by = if vector > 0.0 { by.and(FoundBy::VECTOR) } else { by };
    Found { vector, ..Found::new(hit(seq, words, None), words, by) }
}

fn semantic(found: Vec<Found>, fusion: Fusion) -> Vec<(i64, f64)> {
    let ranked = score(&gather(found, vec![]), &Analysis::default(), at(2026, 11, 20), fusion);
    ranked.iter().map(|one| (one.seq.0, one.parts.share)).collect()
}

#[track_caller]
fn near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
}

#[test]
fn sum_adds_strengths() {
    let all = semantic(vec![by_both(1, 4.0, 0.0), by_both(2, 1.0, 4.0), by_both(3, 0.0, 2.5)], Fusion::Sum);
    near(all[0].1, 4.0 / 5.0);
    near(all[1].1, 1.0);
    near(all[2].1, 2.5 / 5.0);
}

#[test]
fn rank_fusion_adds_reciprocal_ranks_and_forgets_strengths() {
    let ranks =
        |words: f64| semantic(vec![by_both(1, words, 0.0), by_both(2, 1.0, 4.0), by_both(3, 0.0, 2.5)], Fusion::Rrf);
    let all = ranks(4.0);
    assert_eq!(all, ranks(400.0));
    let best = 1.2 / 62.0 + 1.0 / 61.0;
    near(all[0].1, 1.2 / 61.0 / best);
    near(all[1].1, 1.0);
    near(all[2].1, 1.0 / 62.0 / best);
}

#[test]
fn without_vectors_both_ways_are_the_words_alone() {
    let bits = |fusion| -> Vec<(i64, u64)> {
        let found = (1..30_i32).map(|n| by_both(n.into(), 1.0 / f64::from(n), 0.0)).collect();
        semantic(found, fusion).into_iter().map(|(seq, value)| (seq, value.to_bits())).collect()
    };
    assert_eq!(bits(Fusion::Sum), bits(Fusion::Rrf));
}

#[test]
fn what_vectors_found_lends_to_its_neighbours_and_never_as_words() {
    let mut one = by_both(1, 0.0, 2.0);
    one.hit = hit(1, 0.0, Some((1, 5)));
    one.hit.traits.asks = true;
    assert_eq!(spots_around(std::slice::from_ref(&one)).len(), 8);
    let all = gather(vec![one], vec![hit(2, 0.0, Some((1, 6))), hit(3, 0.0, Some((1, 4))), hit(4, 0.0, Some((2, 6)))]);
    let of = |seq| -> &Candidate { all.iter().find(|other| other.hit.seq == Seq(seq)).expect("a candidate") };
    near(of(2).vector_context, (0.3 + 0.5 + 0.3) * 2.0);
    near(of(3).vector_context, (0.3 + 0.3) * 2.0);
    near(of(4).vector_context, 0.0);
    assert!(all.iter().all(|one| one.context == 0.0 && one.lexical == 0.0));
}

#[test]
fn speaker_time_and_form_weigh_for_vectors_too() {
    let query = Analysis { who: vec![7], ..Analysis::default() };
    for fusion in Fusion::ALL {
        let (plain, mut named) = (by_both(1, 0.0, 2.0), by_both(2, 0.0, 1.9));
        named.hit.speaker = Some(7);
        let ranked: Vec<Ranked> = score(&gather(vec![plain, named], vec![]), &query, at(2026, 11, 20), fusion);
        assert!(ranked[1].parts.semantic > ranked[0].parts.semantic, "{fusion}");
        assert!(ranked.iter().all(|one| one.parts.fusion == Some(fusion)));
    }
}

#[test]
fn names_read_back() {
    for fusion in Fusion::ALL {
        assert_eq!(fusion.name().parse(), Ok(fusion));
    }
    assert!("SUM".parse::<Fusion>().unwrap_err().contains("\"sum\" and \"rrf\""));
}
