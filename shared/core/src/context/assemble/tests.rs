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

const fn offered(tokens: usize) -> Budget {
    Budget { tokens, most: None }
}

fn ids(context: &Assembled) -> Vec<&str> {
    context.taken.iter().map(|taken| taken.item.id.as_str()).collect()
}

#[test]
fn spans_say_where_everything_reads_and_the_frame_is_around_it() {
    let context = assemble(vec![items(Part::Wishes, 1), items(Part::Turns, 2)], offered(1_000), Estimator::Words);
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
    assert_eq!(assemble(vec![items(Part::Goals, 0)], offered(1_000), Estimator::Words), Assembled::default());
    let small = assemble(vec![items(Part::Goals, 2)], offered(10), Estimator::Words);
    assert_eq!((small.text.as_str(), small.left_out), ("", vec![(Part::Goals, 2)]));
}

#[test]
fn what_changes_least_reads_the_same_whatever_follows() {
    let steady = |recalled, turns| {
        let parts = vec![items(Part::Core, 40), items(Part::Wishes, 2), items(Part::Goals, 3)];
        let parts = [parts, vec![items(Part::Recalled, recalled), items(Part::Turns, turns)]].concat();
        let text = assemble(parts, offered(900), Estimator::Words).text;
        text.split(Part::Recalled.heading()).next().unwrap_or_default().trim_end().to_owned()
    };
    assert!(steady(1, 0).contains(Part::Goals.heading()));
    assert_eq!(steady(1, 0), steady(30, 30));
    assert_eq!(steady(1, 0), steady(2, 9));
}

#[test]
fn room_that_is_not_used_passes_on_and_the_last_goes_to_what_was_recalled() {
    let share = |parts: Vec<Share>, of: Part| {
        let context = assemble(parts, offered(600), Estimator::Words);
        context.taken.iter().filter(|taken| taken.item.part == of).count()
    };
    let all = |wishes, recalled, turns| {
        vec![items(Part::Wishes, wishes), items(Part::Recalled, recalled), items(Part::Turns, turns)]
    };
    assert!(share(all(0, 99, 99), Part::Recalled) > share(all(99, 99, 99), Part::Recalled));
    assert!(share(all(9, 99, 0), Part::Recalled) > share(all(9, 99, 99), Part::Recalled));
}

#[test]
fn core_memory_is_whole_and_the_rest_gets_a_quarter_of_the_budget_all_the_same() {
    let block = |position| item(Part::Core, position, &"word ".repeat(600));
    let parts = || vec![(Part::Core, (0..3).map(block).collect()), items(Part::Wishes, 9), items(Part::Recalled, 99)];
    let of = |context: &Assembled, part: Part| context.taken.iter().filter(|taken| taken.item.part == part).count();
    let context = assemble(parts(), offered(2_000), Estimator::Words);
    assert_eq!(of(&context, Part::Core), 3);
    assert!((2_250..2_600).contains(&context.tokens), "{} tokens", context.tokens);
    let recalled = context.taken.iter().filter(|taken| taken.item.part == Part::Recalled);
    assert!(recalled.map(|taken| taken.tokens.len()).sum::<usize>() > 400, "{:?}", context.left_out);
    // Only the window bounds it.
    let context = assemble(parts(), Budget { tokens: 2_000, most: Some(1_500) }, Estimator::Words);
    assert_eq!((of(&context, Part::Core), context.tokens <= 1_500), (2, true));
}

#[test]
fn what_is_only_perhaps_relevant_stands_below_a_heading_within_the_budget() {
    let perhaps = |position| Item { why: Why::Perhaps, ..item(Part::Recalled, position, "one two three") };
    let found = vec![item(Part::Recalled, 0, "sure"), perhaps(1), perhaps(2)];
    let context = assemble(vec![(Part::Recalled, found)], offered(300), Estimator::Words);
    let headings: Vec<&str> = context.text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [Part::Recalled.heading().trim_end(), Why::Perhaps.heading().trim_end()]);
    assert!(context.text.find("sure") < context.text.find("### Perhaps"));
    assert!(Estimator::Words.tokens(&context.text) <= context.tokens);
}

#[test]
fn of_turns_none_is_missing_between_two() {
    let long = item(Part::Turns, 1, &"word ".repeat(400));
    let turns = vec![item(Part::Turns, 2, "last"), long, item(Part::Turns, 0, "first")];
    let context = assemble(vec![(Part::Turns, turns)], offered(300), Estimator::Words);
    assert_eq!((ids(&context), context.left_out.as_slice()), (vec!["turns2"], &[(Part::Turns, 2)][..]));
}

proptest! {
    #[test]
    fn no_context_is_over_its_budget_by_any_estimate(
        budget in 0..3_000_usize,
        most in prop::option::of(0..3_000_usize),
        texts in prop::collection::vec("\\PC{0,300}", 0..40),
        factor in prop::option::of(0.05..2.0_f64),
    ) {
        let by = factor.map_or(Estimator::Words, Estimator::PerByte);
        let parts = Part::ALL.iter().map(|part| {
            (*part, texts.iter().zip(0..).map(|(text, position)| item(*part, position, text)).collect())
        });
        let context = assemble(parts.collect(), Budget { tokens: budget, most }, by);
        let before = context.taken.iter().rfind(|taken| taken.item.part == Part::Core).map_or(0, |last| last.tokens.end);
        let end = by.tokens(END) + by.tokens("\n");
        let allowed = budget.max(if before > 0 { before + end + budget / 4 } else { 0 }).min(most.unwrap_or(usize::MAX));
        prop_assert!(context.tokens <= allowed, "{} of {allowed}", context.tokens);
        prop_assert!(by.tokens(&context.text) <= context.tokens);
    }
}
