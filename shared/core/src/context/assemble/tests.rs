//! Tests what a context takes, and how it is rendered.

use proptest::prelude::*;

use super::*;
use crate::context::Why;
use crate::context::fence::quoted;
use crate::memory::RecordKind;

fn item(part: Part, position: i64, words: &str) -> Item {
    Item {
        part,
        id: format!("{part}{position}"),
        source: uuid::Uuid::nil(),
        seq: None,
        kind: RecordKind::Unset,
        why: Why::Relevant,
        relevance: 0.0,
        position,
        text: quoted(words),
        words: words.to_owned(),
    }
}

fn items(part: Part, count: i64) -> Share {
    (part, (0..count).map(|position| item(part, position, "one two three four five six seven")).collect())
}

fn ids(context: &Assembled) -> Vec<&str> {
    context.taken.iter().map(|taken| taken.item.id.as_str()).collect()
}

#[test]
fn spans_say_where_everything_reads_and_the_frame_is_around_it() {
    let context = assemble(vec![items(Part::Wishes, 1), items(Part::Turns, 2)], 1_000, Estimator::Words);
    assert_eq!(ids(&context), ["wishes0", "turns0", "turns1"]);
    for taken in &context.taken {
        assert_eq!(context.text[taken.bytes.clone()], taken.item.text);
        assert_eq!(taken.tokens.len(), Estimator::Words.tokens(&taken.item.text));
    }
    assert!(context.text.starts_with("<kimberly-context>\n") && context.text.ends_with("\n</kimberly-context>\n"));
    assert!(context.tokens >= Estimator::Words.tokens(&context.text), "{} tokens", context.tokens);
    assert_eq!(context.left_out, []);
}

#[test]
fn nothing_taken_is_no_text() {
    assert_eq!(assemble(vec![items(Part::Goals, 0)], 1_000, Estimator::Words), Assembled::default());
    let small = assemble(vec![items(Part::Goals, 2)], 10, Estimator::Words);
    assert_eq!((small.text.as_str(), small.left_out), ("", vec![(Part::Goals, 2)]));
}

#[test]
fn what_changes_least_reads_the_same_whatever_follows() {
    let steady = |recalled, turns| {
        let parts = vec![items(Part::Core, 40), items(Part::Wishes, 2), items(Part::Goals, 3)];
        let parts = [parts, vec![items(Part::Recalled, recalled), items(Part::Turns, turns)]].concat();
        let text = assemble(parts, 900, Estimator::Words).text;
        text.split(Part::Recalled.heading()).next().unwrap_or_default().trim_end().to_owned()
    };
    assert!(steady(1, 0).contains(Part::Goals.heading()));
    assert_eq!(steady(1, 0), steady(30, 30));
    assert_eq!(steady(1, 0), steady(2, 9));
}

#[test]
fn room_that_is_not_used_passes_on_and_the_last_goes_to_what_was_recalled() {
    let share = |parts: Vec<Share>, of: Part| {
        let context = assemble(parts, 600, Estimator::Words);
        context.taken.iter().filter(|taken| taken.item.part == of).count()
    };
    let all = |wishes, recalled, turns| {
        vec![items(Part::Wishes, wishes), items(Part::Recalled, recalled), items(Part::Turns, turns)]
    };
    assert!(share(all(0, 99, 99), Part::Recalled) > share(all(99, 99, 99), Part::Recalled));
    assert!(share(all(9, 99, 0), Part::Recalled) > share(all(9, 99, 99), Part::Recalled));
}

#[test]
fn of_turns_none_is_missing_between_two() {
    let long = item(Part::Turns, 1, &"word ".repeat(400));
    let turns = vec![item(Part::Turns, 2, "last"), long, item(Part::Turns, 0, "first")];
    let context = assemble(vec![(Part::Turns, turns)], 300, Estimator::Words);
    assert_eq!((ids(&context), context.left_out.as_slice()), (vec!["turns2"], &[(Part::Turns, 2)][..]));
}

proptest! {
    #[test]
    fn no_context_is_over_its_budget_by_any_estimate(
        budget in 0..3_000_usize,
        texts in prop::collection::vec("\\PC{0,300}", 0..40),
        factor in prop::option::of(0.05..2.0_f64),
    ) {
        let by = factor.map_or(Estimator::Words, Estimator::PerByte);
        let parts = Part::ALL.iter().map(|part| {
            (*part, texts.iter().zip(0..).map(|(text, position)| item(*part, position, text)).collect())
        });
        let context = assemble(parts.collect(), budget, by);
        prop_assert!(context.tokens <= budget, "{} of {budget}", context.tokens);
        prop_assert!(by.tokens(&context.text) <= context.tokens);
    }
}
