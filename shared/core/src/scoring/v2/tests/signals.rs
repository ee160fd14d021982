//! Each signal in plain cases.

use super::*;
use crate::error::{Error, StorageFailure};
use crate::goals::TASK_LIFETIME;
use crate::scoring::SCORING_VERSION;

fn relevance(goals: &[Goal], content: &str, tags: &[&str]) -> f64 {
    scorer(goals).score(&item(content, tags)).signals.relevance_to_goals
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn memory_that_says_what_the_goal_says_is_relevant_in_any_form_of_the_words() {
    let goals = [goal(1, "Learn Spanish", "", &[])];
    assert!(close(relevance(&goals, "I was LEARNING spanish verbs", &[]), 1.0));
    assert!(close(relevance(&goals, "my Spanish teacher", &[]), 0.5));
    assert!(close(relevance(&goals, "the train is late", &[]), 0.0));
    assert!(close(relevance(&[], "Learn Spanish", &["spanish"]), 0.0));
}

#[test]
fn stop_words_of_a_goal_do_not_make_anything_relevant() {
    let goals = [goal(1, "Get over the flu", "what to do about it and when", &[])];
    assert!(close(relevance(&goals, "I will get over it and do what they do", &[]), 0.0));
    assert!(relevance(&[goal(1, "To be or not to be", "", &[])], "to be", &[]) > 0.0);
}

#[test]
fn description_and_tags_add_evidence() {
    let goals = [goal(1, "Marathon", "training plan, running shoes, diet", &["Sport"])];
    let shoes = relevance(&goals, "new running shoes", &[]);
    assert!(close(shoes, 0.5 * (2.0 / 6.0)));
    let tagged = relevance(&goals, "feeling well", &["sport"]);
    assert!(tagged > 0.66, "a shared tag counts without regard to case: {tagged}");
    assert!(relevance(&goals, "new running shoes", &["sport"]) > tagged.max(shoes));
    assert!(close(relevance(&goals, "feeling well", &["sport", "Sport"]), tagged));
}

#[test]
fn words_count_once_however_often_they_are_said() {
    let goals = [goal(1, "Marathon", "shoes", &[])];
    assert!(close(relevance(&goals, "shoes shoes shoes Shoes", &["shoe"]), relevance(&goals, "shoes", &[])));
}

#[test]
fn scripts_without_gaps_are_compared_too() {
    let goals = [goal(1, "学习西班牙语", "", &[])];
    let near = relevance(&goals, "我在上西班牙语课", &[]);
    assert!(near > 0.5 && relevance(&goals, "天气很好", &[]) < 0.01, "{near}");
}

#[test]
fn best_goal_wins_and_of_equals_the_oldest() {
    let mut small = goal(3, "Spanish", "", &[]);
    small.draft.importance = 0.25;
    let goals = [goal(2, "Learn Spanish", "", &[]), small.clone(), goal(1, "Teach Spanish", "", &[])];
    let record = scorer(&goals).score(&item("Spanish", &[]));
    assert_eq!(record.best_goal, Some(GoalId(Uuid::from_u128(1))));
    assert!(close(record.signals.relevance_to_goals, 0.5));
    assert!(close(relevance(&[small], "Spanish", &[]), 0.25));
}

#[test]
fn done_goals_and_old_tasks_do_not_count() {
    let mut done = goal(1, "Spanish", "", &[]);
    done.draft.status = GoalStatus::Done;
    let mut old = goal(2, "Spanish", "", &[]);
    old.draft.kind = GoalKind::Task;
    old.updated_at = NOON.minus(TASK_LIFETIME);
    let record = scorer(&[done, old.clone()]).score(&item("Spanish", &[]));
    assert!(close(record.signals.relevance_to_goals, 0.0) && record.best_goal.is_none());
    old.updated_at = Timestamp(old.updated_at.0 + 1);
    assert!(close(relevance(&[old], "Spanish", &[]), 1.0));
}

#[test]
fn feedback_moves_the_emotional_weight_both_ways() {
    for sentiment in [0.0, 0.4, -1.0] {
        let none = emotional::weight(sentiment, None);
        assert!(emotional::weight(sentiment, Some(-1.0)) < none, "thumbs down at {sentiment}");
        assert!(emotional::weight(sentiment, Some(-0.5)) < none);
        assert!(emotional::weight(sentiment, Some(1.0)) > none);
        assert!(close(emotional::weight(sentiment, Some(0.0)), none));
    }
    assert!(close(emotional::weight(-0.8, None), emotional::weight(0.8, None)));
    assert!(emotional::weight(0.8, None) > emotional::weight(0.0, None));
    assert!(emotional::weight(1.0, Some(-1.0)) < emotional::weight(0.0, None));
}

#[test]
fn nearness_counts_where_it_is_more_than_words_say() {
    let mut half = goal(8, "Cook more", "", &[]);
    half.draft.importance = 0.5;
    let goals = [goal(7, "Learn Spanish", "", &[]), half];
    let scored = |content: &str, near: &[(GoalId, f64)]| {
        let nearness = GoalNearness::new([(Seq(1), near.to_vec())].into());
        scorer(&goals).with_nearness(nearness).score(&item(content, &[]))
    };
    let (first, second, other) = (goals[0].id, goals[1].id, GoalId(Uuid::from_u128(9)));
    let near = scored("x", &[(first, 0.6)]);
    assert!(close(near.signals.relevance_to_goals, 0.6));
    assert_eq!((near.best_goal, near.inputs.get("goal_nearness")), (Some(first), Some(&0.6)));
    assert_eq!(ScoreRecord::from_compact(&near.to_compact()).unwrap(), near);
    let weighed = scored("x", &[(first, 0.4), (second, 0.9)]);
    assert!(close(weighed.signals.relevance_to_goals, 0.45) && weighed.best_goal == Some(second));
    for near in [&[][..], &[(first, 0.3)], &[(other, 1.0)]] {
        assert_eq!(scored("Spanish lesson", near), scorer(&goals).score(&item("Spanish lesson", &[])), "{near:?}");
    }
}

#[test]
fn own_outcomes_outweigh_those_of_similar_memories_in_the_end() {
    let tags = [tag("food", 9, 1), tag("work", 0, 10)];
    let mut scorer = Scorer::new(&[], Preset::Balanced.weights(), &tags, NOON);
    let mut value = |tags: &[&str], helpful, unhelpful| {
        let item = ScoringItem { helpful, unhelpful, ..item("x", tags) };
        scorer.score(&item).signals.predictive_value
    };
    let expected = 0.1 + 0.8 * informativeness::of("x");
    assert!(close(value(&[], 0, 0), expected), "without outcomes the text decides");
    assert!(value(&["food"], 0, 0) > 0.75);
    assert!(value(&["work"], 0, 0) < 0.1);
    assert!(value(&["work"], 10, 0) > 0.7);
    assert!(value(&["food"], 0, 9) < value(&["food"], 0, 0));
    assert!(close(value(&["work"], 0, 10), (4.0 * expected) / 14.0), "its own outcomes are no news about similar ones");
}

#[test]
fn text_that_tells_of_persons_in_few_words_is_more_informative() {
    let tells = informativeness::of("I moved to Lisbon with my sister Ana in 2023.");
    let german = informativeness::of("Ich bin 2023 mit meiner Schwester Ana nach Lissabon gezogen.");
    assert!(tells > 0.6 && german > 0.6, "{tells} {german}");
    for less in ["Thanks, sounds good!", "Really? And what happened then?", "", "!?", "学习"] {
        let value = informativeness::of(less);
        assert!((0.0..0.4).contains(&value), "{less}: {value}");
    }
    assert!(
        informativeness::of("我在里斯本学习葡萄牙语并且住在河边。")
            > informativeness::of("我在里斯本学习葡萄牙语并且住在河边？")
    );
    assert!(informativeness::of("im Haus am See") < informativeness::of("mein Haus am See"));
    let statement = "The spare key hangs behind the blue door";
    assert!(informativeness::of(&format!("{statement}.")) > informativeness::of(&format!("{statement}?")));
    let long = "Here are some ideas that could help with this. ".repeat(60);
    assert!(informativeness::of(&long) < 0.1);
    assert!(informativeness::of(&"1 ".repeat(100_000)) < 0.1, "a long content is read in stretches");
}

#[test]
fn recency_halves_in_two_weeks_and_frequency_fills_up() {
    assert!(close(recency::value(0.0, 0), 0.7));
    assert!(close(recency::value(14.0 * 24.0, 0), 0.35));
    assert!(close(recency::value(0.0, 50), 1.0));
    assert!(close(recency::value(0.0, u64::MAX), 1.0));
    assert!(recency::value(1e9, 3) > recency::value(1e9, 2));
}

#[test]
fn score_is_the_weighted_sum_and_records_its_inputs() {
    let goals = [goal(7, "Learn Spanish", "", &[])];
    let week_ago = NOON.minus(Span::days(7));
    let seen = NOON.minus(Span::hours(36));
    let memory = ScoringItem {
        sentiment: 0.5,
        feedback: Some(0.5),
        helpful: 2,
        access_count: 3,
        created_at: week_ago,
        last_seen_at: seen,
        ..item("Spanish lesson", &[])
    };
    let weights = Weights::new([0.8, 0.6, 0.4, 0.2]);
    let record = Scorer::new(&goals, weights, &[], NOON).score(&memory);
    let Signals { relevance_to_goals: r, emotional_weight: e, predictive_value: p, recency_freq: f } = record.signals;
    assert!(close(record.score, 0.4 * r + 0.3 * e + 0.2 * p + 0.1 * f));
    assert_eq!((record.version.as_str(), record.scored_at), (SCORING_VERSION, NOON));
    for (name, value) in [
        ("age_days", 7.0),
        ("days_since_seen", 1.5),
        ("access_count", 3.0),
        ("sentiment", 0.5),
        ("feedback", 0.5),
        ("helpful", 2.0),
        ("unhelpful", 0.0),
        ("goals", 1.0),
        ("goal_importance", 1.0),
        ("goal_title_words", 2.0),
        ("goal_title_matched", 1.0),
    ] {
        assert_eq!(record.inputs.get(name).map(|have| close(*have, value)), Some(true), "{name} {:?}", record.inputs);
    }
}

#[test]
fn stored_record_is_short_and_reads_back_to_the_bit() {
    let goals = [goal(7, "Learn Spanish", "words", &["es"])];
    let old = NOON.minus(Span::hours(1_001));
    let plain = scorer(&[]).score(&item("x", &[]));
    let matched = ScoringItem { feedback: Some(0.0), created_at: old, last_seen_at: old, ..item("Spanish", &["es"]) };
    let matched = Scorer::new(&goals, Weights::new([0.1, 0.2, 0.3, 0.1]), &[], NOON).score(&matched);
    for record in [&plain, &matched] {
        assert_eq!(&ScoreRecord::from_compact(&record.to_compact()).unwrap(), record);
    }
    assert!(plain.to_compact().len() <= 150, "{}", plain.to_compact());
    assert!(matched.to_compact().len() <= 320, "{}", matched.to_compact());
}

#[test]
fn damaged_record_is_an_error_that_shows_none_of_it() {
    for damaged in ["", "{}", "null", r#"{"v":1,"t":0,"s":"secret"}"#, r#"{"v":1,"t":0,"s":0,"x":[1],"w":[],"i":{}}"#] {
        let error = ScoreRecord::from_compact(damaged).unwrap_err();
        assert!(matches!(error, Error::Storage { failure: StorageFailure::Corrupt, .. }));
        assert!(!error.to_string().contains("secret"));
    }
}
