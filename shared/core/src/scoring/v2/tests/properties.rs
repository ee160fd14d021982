//! Properties that hold for any input.

use proptest::prelude::*;

use super::*;

const WORDS: &[&str] = &["learn", "Spanish", "the", "run", "running", "ünïcode", "学习西班牙语", "x", "🙂", "is"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::collection::vec(proptest::sample::select(WORDS), 0..12).prop_map(|words| words.join(" ")),
        any::<String>(),
    ]
}

fn any_goal() -> impl Strategy<Value = Goal> {
    (0_u128..6, text(), text(), proptest::collection::vec(text(), 0..3), proptest::num::f64::ANY).prop_map(
        |(id, title, description, tags, importance)| {
            let mut goal = goal(id, &title, &description, &[]);
            goal.draft.tags = tags;
            goal.draft.importance = importance;
            goal
        },
    )
}

prop_compose! {
    fn any_item()(
        content in text(),
        tags in proptest::collection::vec(text(), 0..3),
        sentiment in proptest::num::f64::ANY,
        feedback in proptest::option::of(proptest::num::f64::ANY),
        counts in any::<[u64; 3]>(),
        times in any::<[i64; 2]>(),
    ) -> ScoringItem {
        ScoringItem {
            seq: Seq(0), content, tags, sentiment, feedback,
            helpful: counts[0], unhelpful: counts[1], access_count: counts[2],
            created_at: Timestamp(times[0]), last_seen_at: Timestamp(times[1]),
        }
    }
}

proptest! {
    #[test]
    fn every_signal_and_score_lies_between_zero_and_one(
        goals in proptest::collection::vec(any_goal(), 0..4),
        item in any_item(),
        weights in proptest::array::uniform4(proptest::num::f64::ANY),
        outcomes in any::<[u64; 2]>(),
        now in any::<i64>(),
    ) {
        let tags: Vec<_> = item.tags.iter().map(|name| tag(name, outcomes[0], outcomes[1])).collect();
        let record = Scorer::new(&goals, Weights::new(weights), &tags, Timestamp(now)).score(&item);
        let signals = record.signals;
        for value in [
            record.score, signals.relevance_to_goals, signals.emotional_weight, signals.predictive_value,
            signals.recency_freq,
        ] {
            prop_assert!((0.0..=1.0).contains(&value), "{record:?}");
        }
        prop_assert!(record.inputs.values().all(|input| input.is_finite()), "{record:?}");
        prop_assert_eq!(ScoreRecord::from_compact(&record.to_compact()).unwrap(), record);
    }

    #[test]
    fn score_depends_on_nothing_but_the_memory_and_the_goals(
        goals in proptest::collection::vec(any_goal(), 0..4),
        items in proptest::collection::vec(any_item(), 1..6),
    ) {
        let mut unique = goals;
        unique.sort_by_key(|goal| goal.id);
        unique.dedup_by_key(|goal| goal.id);
        let mut shared = scorer(&unique);
        unique.reverse();
        for item in items.iter().chain(items.iter().rev()) {
            prop_assert_eq!(shared.score(item), scorer(&unique).score(item));
        }
    }

    #[test]
    fn more_of_what_is_good_never_lowers_a_signal(hours in 0_u32..100_000, accesses in 0_u64..1_000, helpful in 0_u64..50) {
        let hours = f64::from(hours);
        prop_assert!(recency::value(hours, accesses) >= recency::value(hours + 1.0, accesses));
        prop_assert!(recency::value(hours, accesses) <= recency::value(hours, accesses + 1));
        prop_assert!(predictive::value((helpful, 3), (1, 1), 0.5) < predictive::value((helpful + 1, 3), (1, 1), 0.5));
        prop_assert!(predictive::value((helpful, 3), (1, 1), 0.5) > predictive::value((helpful, 4), (1, 1), 0.5));
    }
}
