//! Claims that something ended.

use super::{assert_may_both_be, found, said};

#[test]
fn what_ended_contradicts_that_it_holds_if_that_was_said_before() {
    for (before, ended) in [
        ("I eat meat", "I no longer eat meat"),
        ("I work at Acme", "I don't work at Acme anymore"),
        ("I go to yoga on Tuesdays", "I don't go to yoga any more"),
        ("I play the cello", "I've quit playing the cello"),
        ("I smoke", "I stopped smoking"),
        ("I am a vegetarian", "I stopped being a vegetarian"),
        ("Ich arbeite bei Acme", "Ich arbeite nicht mehr bei Acme"),
        ("Ich esse Fleisch", "Ich esse kein Fleisch mehr"),
    ] {
        assert!(found(said(before), said(ended)).is_some(), "{ended}");
        assert_eq!(found(said(ended), said(before)), None, "{before} began again");
    }
}

#[test]
fn the_end_of_something_else_contradicts_nothing() {
    assert_may_both_be([
        (said("I eat meat"), said("I no longer eat beef")),
        (said("I eat meat"), said("I don't eat any more meat")),
        (said("I smoke"), said("I stopped to smoke")),
        (said("I don't eat meat"), said("I no longer eat meat")),
        (said("I smoke"), said("I never stopped smoking")),
        (said("I love coffee"), said("I no longer hate coffee")),
        (said("I love coffee"), said("I don't hate coffee anymore")),
        (said("Ich mag Hunde"), said("Ich mag Hunde mehr")),
        (said("I cycle to work"), said("I no longer cycle to work every day in winter")),
    ]);
}
