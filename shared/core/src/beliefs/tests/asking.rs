//! Statements that seldom exclude each other end no memory: a person decides, if anything is found.

use super::{assert_may_both_be, found, said};

#[test]
fn what_may_both_be_true_ends_nothing() {
    for (one, two) in [
        ("I don't drive", "I can drive"),
        ("I don't smoke", "I smoke brisket"),
        ("I don't hunt", "I hunt for vintage records"),
        ("I don't like movies", "I love movie nights"),
        ("I don't work from home", "I'm working from home"),
        ("I don't drive", "I'm driving to Berlin"),
        ("My wife is Ana", "My wife is Swedish"),
        ("My name is Elizabeth", "I'm called Liz"),
        ("My blood type is O negative", "My blood type is rare"),
        ("My eye color is hazel", "My eye color is light brown"),
        ("My middle name is Ann", "My middle name is Rose"),
    ] {
        assert!(found(said(one), said(two)).is_none_or(|conflict| conflict.asks), "{two}");
    }
}

#[test]
fn hedges_behind_a_mark_and_past_possessions_contradict_nothing() {
    assert_may_both_be([
        (said("I don't eat meat"), said("I eat meat, I think")),
        (said("I drink coffee"), said("I don't drink coffee, I drink it only at work")),
        (said("I don't have a dog"), said("I had a dog")),
        (said("I have a car"), said("I had no car")),
    ]);
}
