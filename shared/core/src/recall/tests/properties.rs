//! Properties of recall that hold for any input.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{analyze, at, found, gather, hit, rank, score};
use crate::embedding::{ModelKey, VectorHit};
use crate::ids::Seq;
use crate::memory::MemoryFilter;
use crate::recall::calibration::Calibration;
use crate::recall::candidates::{Found, merge};
use crate::recall::stages::neighbours::spots_around;
use crate::recall::stages::vectors::{Near, Nearest};
use crate::recall::stages::{parts, typos};
use crate::recall::weights::DEPTH;
use crate::recall::{FoundBy, Fusion, MAX_TERMS, Ranked};
use crate::text::TextTraits;

/// Texts that are hard to handle: any characters, quotes, digits, other scripts, marks, signs.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,200}",
        "[\"“” a-zA-Z0-9.,?!'\\-]{0,200}",
        "(last|ago|yesterday|May|2023|[0-9]{1,5}|weeks|days|of|on|Friday|\"| ){0,40}",
        "[\u{0}-\u{20}\u{300}-\u{36F}東京かなกขअआ🎂👍\u{FE0F}\u{200D}\"ßİ]{0,100}",
        "[a-z ]{8000,8192}",
    ]
}

fn hits() -> impl Strategy<Value = Vec<Found>> {
    let one = (0.01_f64..20.0, prop::option::of((0_i64..4, 0_i64..40)), any::<[bool; 3]>(), 0_u32..60, 0.0_f64..1.0);
    vec(one, 0..150).prop_map(|raw| {
        let mut spots = std::collections::HashSet::new();
        raw.into_iter()
            .zip(1..)
            .filter(|((_, spot, ..), _)| spot.is_none_or(|spot| spots.insert(spot)))
            .map(|((bm25, spot, [asks, is_question, names_time], words, score), seq)| {
                let mut hit = hit(seq, bm25, spot);
                hit.traits = TextTraits { asks, is_question, names_time, directs: asks && names_time, words, rules: 0 };
                hit.score = score;
                found(hit)
            })
            .collect()
    })
}

/// Hits by words, by vectors, or by both.
fn found_by_both() -> impl Strategy<Value = Vec<Found>> {
    (hits(), vec((0_u8..3, 0.001_f64..9.0), 150)).prop_map(|(found, kinds)| {
        let kind = |(one, (kind, vector)): (Found, (u8, f64))| match kind {
            0 => one,
            1 => Found { vector, by: one.by.and(FoundBy::VECTOR), ..one },
            _ => Found { vector, ..Found::new(one.hit, 0.0, FoundBy::VECTOR) },
        };
        found.into_iter().zip(kinds).map(kind).collect()
    })
}

fn bits(ranked: &[Ranked]) -> Vec<(i64, u64)> {
    ranked.iter().map(|one| (one.seq.0, one.score.to_bits())).collect()
}

proptest! {
    #[test]
    fn any_text_is_read(text in any_text(), name in any_text(), reference in any::<i64>()) {
        let query = analyze(&text, &[(1, name)], crate::time::Timestamp(reference));
        prop_assert!(query.terms.len() <= MAX_TERMS);
        let lexical = query.lexical_query(std::iter::empty(), &MemoryFilter::default(), true);
        prop_assert!(query.is_wordless() || !lexical.any.is_empty());
        let nothing_known = vec![false; typos::words_to_check(&query).len()];
        let unknown = typos::unknown_terms(&query, &nothing_known);
        prop_assert_eq!(unknown.len(), query.terms.len());
        for term in typos::misspelled(&unknown) {
            let range = typos::vocabulary_range(term);
            prop_assert!(range.lengths.0 <= range.lengths.1 && !range.first_letters.is_empty());
            prop_assert_eq!(typos::nearest(term, &[(term.folded.clone(), 1)]).len(), 1);
        }
        prop_assert!(parts::of(&query, &unknown).iter().all(|part| !part.is_empty()));
    }

    #[test]
    fn any_text_has_traits(text in any_text()) {
        let traits = TextTraits::of(&text);
        prop_assert!(!traits.is_question || traits.asks);
        prop_assert_eq!(TextTraits::from_bits(traits.bits(), traits.words), traits);
    }

    #[test]
    fn ranking_does_not_depend_on_the_order_of_what_was_found(
        (found, shuffled) in hits().prop_flat_map(|hits| (Just(hits.clone()), Just(hits).prop_shuffle())),
    ) {
        let query = analyze("when did it rain in May", &[], at(2026, 11, 20));
        let (own, near): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.hit.seq.0 % 3 != 0);
        let (other_own, other_near): (Vec<_>, Vec<_>) = shuffled.into_iter().partition(|one| one.hit.seq.0 % 3 != 0);
        let all = |own: Vec<Found>, near: Vec<Found>| {
            let candidates = gather(merge(own), near.into_iter().map(|one| one.hit).collect());
            bits(&rank(&candidates, &query, at(2026, 11, 20)))
        };
        prop_assert_eq!(all(own, near), all(other_own, other_near));
    }

    #[test]
    fn every_candidate_is_ranked_once_with_parts_in_bounds(found in hits()) {
        let count = found.len().min(DEPTH);
        let ranked = rank(&gather(merge(found), vec![]), &analyze("rain", &[], at(2026, 11, 20)), at(2026, 11, 20));
        prop_assert_eq!(ranked.len(), count);
        prop_assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
        for one in ranked {
            prop_assert!((0.0..=1.0).contains(&one.parts.semantic) && one.score.is_finite());
        }
    }

    #[test]
    fn both_lists_together_rank_all_in_bounds_and_in_no_order_but_theirs(
        (found, shuffled) in found_by_both().prop_flat_map(|found| (Just(found.clone()), Just(found).prop_shuffle())),
    ) {
        let query = analyze("when did it rain in May", &[], at(2026, 11, 20));
        for fusion in Fusion::ALL {
            let all = |found: Vec<Found>| score(&gather(found, vec![]), &query, at(2026, 11, 20), fusion);
            let ranked = all(found.clone());
            prop_assert_eq!(ranked.len(), found.len());
            for one in &ranked {
                prop_assert!((0.0..=1.0).contains(&one.parts.semantic) && one.score.is_finite());
            }
            prop_assert!(found.is_empty() || ranked.iter().any(|one| one.parts.semantic > 0.999_999));
            let mut other = all(shuffled.clone());
            other.sort_by_key(|one| ranked.iter().position(|same| same.seq == one.seq));
            prop_assert_eq!(bits(&other), bits(&ranked));
        }
    }

    /// An empty ranking by vectors changes nothing, to the bit: answers without vectors stay the same.
    #[test]
    fn vectors_that_find_nothing_change_nothing(found in hits(), cosines in vec(-1.0_f32..1.0, 0..60)) {
        let mut hits: Vec<VectorHit> = (1_000..).zip(cosines).map(|(seq, cosine)| VectorHit { seq: Seq(seq), chunk: 0, cosine }).collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        let model = ModelKey::new("m", "0123456789abcdef", 3).unwrap();
        let nearest = Near::new([Nearest { model, calibration: Calibration::of_all(&hits), hits, complete: true }]);
        let query = analyze("rain", &[], at(2026, 11, 20));
        let plain = merge(found);
        let mut joined = plain.clone();
        // The filter passes none of them.
        nearest.join(&mut joined, vec![], &|_| false);
        prop_assert_eq!(&joined, &plain);
        for fusion in Fusion::ALL {
            let ranked = |found: &[Found]| bits(&score(&gather(found.to_vec(), vec![]), &query, at(2026, 11, 20), fusion));
            prop_assert_eq!(ranked(&joined), ranked(&plain));
        }
    }

    #[test]
    fn any_cosines_have_bounded_strengths_that_rise_with_them(cosines in vec(-1.0_f32..=1.0, 0..500), all in 0_u64..100_000) {
        let mut hits: Vec<VectorHit> = (1..).zip(cosines).map(|(seq, cosine)| VectorHit { seq: Seq(seq), chunk: 0, cosine }).collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        for calibration in [Calibration::of_all(&hits), Calibration::of_nearest(&hits, all)] {
            let strengths: Vec<f64> = hits.iter().map(|hit| calibration.strength(hit.cosine)).collect();
            prop_assert!(strengths.windows(2).all(|pair| pair[0] >= pair[1]));
            prop_assert!(strengths.iter().all(|strength| strength.is_finite() && *strength >= 0.0));
        }
    }

    /// Excluded memories are not passed in, so they cannot have an effect, because only memories found by their text add strength.
    #[test]
    fn memories_not_found_by_their_text_change_nothing_for_others(found in hits(), spot in (0_i64..4, 50_i64..60)) {
        let query = analyze("rain", &[], at(2026, 11, 20));
        let plain = rank(&gather(merge(found.clone()), vec![]), &query, at(2026, 11, 20));
        let mut more = found;
        more.push(Found::new(hit(10_000, 0.0, Some(spot)), 1e-9, FoundBy::TIME));
        let fits = more.len() <= DEPTH;
        prop_assert!(spots_around(&more).iter().all(|near| near.position < 50));
        let mut other = rank(&gather(merge(more), vec![]), &query, at(2026, 11, 20));
        other.retain(|one| one.seq.0 != 10_000);
        // Only the places of the others move.
        let shares = |ranked: &[Ranked]| ranked.iter().map(|one| (one.seq, one.parts.share.to_bits())).collect::<BTreeMap<_, _>>();
        prop_assert!(!fits || plain.is_empty() || shares(&other) == shares(&plain));
    }
}
