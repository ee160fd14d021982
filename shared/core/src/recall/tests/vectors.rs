//! Tests of the effect of vectors.

use super::{found, hit};
use crate::embedding::{ModelKey, VectorHit};
use crate::ids::Seq;
use crate::ports::LexicalHit;
use crate::recall::FoundBy;
use crate::recall::calibration::{Calibration, apart};
use crate::recall::candidates::Found;
use crate::recall::stages::vectors::{Near, Nearest};

fn hits(cosines: &[f32]) -> Vec<VectorHit> {
    let mut hits: Vec<VectorHit> =
        (1..).zip(cosines).map(|(seq, cosine)| VectorHit { seq: Seq(seq), chunk: 0, cosine: *cosine }).collect();
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    hits
}

fn nearest(cosines: &[f32]) -> Near {
    Near::new([by("m", hits(cosines))])
}

/// The answer of one model's index, which holds nothing else.
fn by(model: &str, hits: Vec<VectorHit>) -> Nearest {
    let model = ModelKey::new(model, "0123456789abcdef", 3).unwrap();
    Nearest { model, calibration: Calibration::of_all(&hits), hits, complete: true }
}

/// All sequence numbers up to `last`, as a vault without a filter would know them.
fn known(last: i64) -> Vec<LexicalHit> {
    (1..=last).map(|seq| hit(seq, 0.0, None)).collect()
}

fn joined(nearest: &Near, mut found: Vec<Found>, passing: Vec<LexicalHit>) -> Vec<Found> {
    nearest.join(&mut found, passing, &|_| false);
    found
}

fn of(found: &[Found], seq: i64) -> &Found {
    found.iter().find(|one| one.hit.seq == Seq(seq)).expect("found")
}

/// Several hundred cosines spread around a mean, roughly normal and without a seed.
fn spread(mean: f32, deviation: f32, count: u16) -> Vec<f32> {
    let centred = |n: u16| {
        (f32::from(n * 7 % count) + f32::from(n * 13 % count) + f32::from(n * 29 % count)) / f32::from(count) - 1.5
    };
    (0..count).map(|n| mean + deviation * 2.0 * centred(n)).collect()
}

#[test]
fn query_is_asked_by_what_sets_it_apart_from_all_memories_of_its_user() {
    // All memories point along the first axis; the query along both.
    let (query, centre) = ([0.8, 0.6], [1.0, 0.0]);
    let left = |vectors: u64| apart(&query, &centre, vectors);
    assert!(left(600)[0] < 0.1 && (left(600)[1] - 0.6).abs() < 1e-6);
    assert!(left(2)[0] > 0.75, "two memories may be alike for what is asked: {:?}", left(2));
    assert_eq!(apart(&query, &[], 600), query, "no centre is known");
    assert_eq!(apart(&centre, &centre, 1_000_000), centre, "nothing is left");
}

#[test]
fn cosine_counts_by_how_far_it_stands_out_whatever_the_model() {
    for (mean, deviation) in [(0.1, 0.1), (0.75, 0.03), (0.0, 0.3)] {
        let calibration = Calibration::of_all(&hits(&spread(mean, deviation, 499)));
        assert!(!calibration.stands_out(mean) && calibration.stands_out(mean + 0.8 * deviation));
        let at = |deviations: f32| calibration.strength(mean + deviations * deviation);
        assert!((0.2..0.4).contains(&at(0.0)) && at(-2.0) < 0.1 && at(-2.0) > 0.0, "{mean} {}", at(0.0));
        let (three, four) = (at(3.0), at(4.0));
        assert!((1.7..2.5).contains(&three) && (0.7..1.2).contains(&(four - three)), "{mean} {three} {four}");
    }
}

#[test]
fn among_few_memories_a_paraphrase_counts_and_the_unrelated_does_not() {
    for (cosines, near) in
        [(&[0.5_f32][..], 1), (&[0.15], 0), (&[0.5, 0.05], 1), (&[0.1, 0.05, 0.2], 0), (&[0.55, 0.5, 0.1], 2)]
    {
        assert_eq!(nearest(cosines).standing_out().len(), near, "{cosines:?}");
    }
    assert!(nearest(&[]).standing_out().is_empty());
    assert!(nearest(&[1.0; 40]).standing_out().is_empty(), "where all are alike none stands out");
}

#[test]
fn end_of_a_distribution_tells_where_its_middle_is() {
    let all = hits(&spread(0.2, 0.1, 1_999));
    let (whole, end) = (Calibration::of_all(&all), Calibration::of_nearest(&all[..200], 1_999));
    for cosine in [0.35_f32, 0.4, 0.45] {
        let (exact, guess) = (whole.strength(cosine), end.strength(cosine));
        assert!((exact - guess).abs() < 0.35, "{cosine}: {exact} {guess}");
    }
    assert_eq!(Calibration::of_nearest(&[], 50_000), Calibration::of_all(&[]));
    let same = hits(&[0.5; 400]);
    assert_eq!(Calibration::of_nearest(&same, 50_000), Calibration::of_all(&same), "no end to see");
}

#[test]
fn what_is_near_joins_what_was_found_by_words() {
    let near = nearest(&[0.6, 0.05, 0.55, 0.0, 0.1]);
    let all = joined(&near, vec![found(hit(1, 5.0, None)), found(hit(2, 4.0, None))], known(5));
    assert_eq!(all.iter().map(|one| one.hit.seq.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(of(&all, 1).by.names(), ["term", "vector"]);
    assert_eq!(of(&all, 2).by.names(), ["term"]);
    assert_eq!(of(&all, 2).cosine, Some(0.05));
    assert!(of(&all, 2).vector > 0.0 && of(&all, 2).vector < of(&all, 3).vector / 2.0, "far, and known");
    assert_eq!((of(&all, 3).by, of(&all, 3).strength.to_bits()), (FoundBy::VECTOR, 0.0_f64.to_bits()));
    assert!(of(&all, 1).vector > of(&all, 3).vector && of(&all, 3).vector > 0.0);
}

#[test]
fn what_the_filter_excludes_is_not_found_by_its_vector() {
    let near = nearest(&[0.6, 0.55, 0.0]);
    assert_eq!(near.standing_out(), [Seq(1), Seq(2)]);
    let all = joined(&near, vec![], vec![hit(2, 0.0, None)]);
    assert_eq!(all.iter().map(|one| one.hit.seq.0).collect::<Vec<_>>(), [2]);
}

#[test]
fn where_words_are_weak_vectors_are_in_proportion() {
    let near = nearest(&[0.6, 0.05, 0.0]);
    let vector = |words: f64| of(&joined(&near, vec![found(hit(2, words, None))], known(3)), 1).vector;
    assert_eq!(vector(3.0).to_bits(), vector(30.0).to_bits());
    assert!((vector(1e-6) / vector(3.0) - 1e-6 / 3.0).abs() < 1e-12, "in a tiny vault every word is common");
    let alone = joined(&near, vec![], known(3));
    assert_eq!(of(&alone, 1).vector.to_bits(), vector(3.0).to_bits());
    let by_time = joined(&near, vec![Found::new(hit(2, 0.0, None), 0.3, FoundBy::TIME)], known(3));
    assert_eq!(of(&by_time, 1).vector.to_bits(), vector(3.0).to_bits(), "a time is no word");
}

#[test]
fn what_has_no_vector_yet_retains_its_rank_among_equals() {
    let near = nearest(&[0.6, 0.3, 0.05, 0.0, 0.02, 0.04]);
    let words = || vec![found(hit(1, 6.0, None)), found(hit(2, 4.0, None)), found(hit(9, 8.0, None))];
    let all = joined(&near, words(), known(6));
    let (first, second, new) = (of(&all, 1).vector, of(&all, 2).vector, of(&all, 9));
    assert!((new.vector - (8.0 * (2.0 * first + second) / 18.0).min(first)).abs() < 1e-12);
    assert!(new.vector > second);
    assert_eq!((new.cosine, new.by), (None, FoundBy::TERM));
    // A memory known to have a vector, though not among the nearest, is simply far.
    let mut found = words();
    near.join(&mut found, known(6), &|seq| seq == Seq(9));
    assert_eq!(of(&found, 9).vector.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn only_the_nearest_take_part() {
    let cosines: Vec<f32> = (0..2_000_u16).map(|n| if n < 300 { 0.9 - f32::from(n) / 2_000.0 } else { 0.0 }).collect();
    let all = joined(&nearest(&cosines), vec![], known(2_000));
    assert_eq!(all.len(), 200);
    assert_eq!(all.last().map(|one| one.hit.seq), Some(Seq(200)));
}

/// Cosines of memories by sequence number.
fn numbered(of: &[(i64, f32)]) -> Vec<VectorHit> {
    let mut hits: Vec<VectorHit> =
        of.iter().map(|(seq, cosine)| VectorHit { seq: Seq(*seq), chunk: 0, cosine: *cosine }).collect();
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    hits
}

#[test]
fn of_two_indices_each_counts_among_its_own_and_the_first_is_preferred() {
    // The second model puts unrelated texts at 0.7, where the first puts texts of the same meaning.
    let newer = by("new", numbered(&[(1, 0.7), (2, 0.1), (3, 0.05), (4, 0.12)]));
    let older =
        by("old", numbered(&[(2, 0.95), (3, 0.7), (4, 0.71), (5, 0.95), (6, 0.7), (7, 0.69), (8, 0.7), (9, 0.7)]));
    let alone = |index: &Nearest, seq| {
        let all = joined(&Near::new([index.clone()]), vec![], known(9));
        of(&all, seq).vector.to_bits()
    };
    let near = Near::new([newer.clone(), older.clone()]);
    assert_eq!(near.standing_out(), [Seq(1), Seq(5)], "2 is far by the index that it counts by");
    let all = joined(&near, vec![], known(9));
    assert_eq!(all.iter().map(|one| one.hit.seq.0).collect::<Vec<_>>(), [1, 5]);
    assert_eq!(of(&all, 1).vector.to_bits(), alone(&newer, 1));
    assert_eq!(of(&all, 5).vector.to_bits(), alone(&older, 5));
    assert_eq!((of(&all, 1).cosine, of(&all, 5).cosine), (Some(0.7), Some(0.95)));
    let by_words = joined(&near, vec![found(hit(2, 5.0, None))], known(9));
    assert_eq!(of(&by_words, 2).cosine, Some(0.1));
    // What the filter excludes stays excluded.
    assert_eq!(joined(&near, vec![], vec![hit(5, 0.0, None)]).len(), 1);
}

#[test]
fn an_index_without_hits_beside_another_changes_nothing() {
    let one = by("old", numbered(&[(1, 0.6), (2, 0.05), (3, 0.0)]));
    let words = || vec![found(hit(1, 5.0, None)), found(hit(9, 4.0, None))];
    let both = Near::new([by("new", vec![]), one.clone()]);
    assert_eq!(joined(&both, words(), known(3)), joined(&Near::new([one]), words(), known(3)));
    assert_eq!(joined(&Near::new([]), words(), known(3)), words());
}

#[test]
fn indices_that_may_hold_more_than_they_named_are_named() {
    let part = Nearest { complete: false, ..by("new", vec![]) };
    let near = Near::new([part, by("old", vec![])]);
    assert_eq!(near.incomplete().map(ModelKey::id).collect::<Vec<_>>(), ["new"]);
}
