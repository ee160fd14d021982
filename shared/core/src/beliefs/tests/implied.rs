//! Claims that follow from the meaning of words.

use super::{assert_may_both_be, found, said};

#[test]
fn what_follows_from_a_statement_is_denied_by_its_denial_and_a_person_decides() {
    for (one, two) in [
        ("I'm a vegetarian", "I eat beef every week"),
        ("I'm vegan", "I eat cheese"),
        ("I never drink alcohol", "I drink a glass of wine every evening"),
        ("We have a dog", "We don't have any pets"),
        ("I'm single", "I'm married"),
        ("I'm left-handed", "I'm right-handed"),
        ("I smoke", "I'm a non-smoker"),
        ("I have two sons", "I have no children"),
        ("Ich bin ledig", "Ich bin verheiratet"),
        ("Ich trinke nie Alkohol", "Ich trinke jeden Abend ein Bier"),
    ] {
        let conflict = found(said(one), said(two));
        assert!(conflict.is_some_and(|conflict| conflict.asks), "{one} {two}");
    }
    assert_may_both_be([
        (said("I'm not a vegetarian"), said("I don't eat meat")),
        (said("I eat meat"), said("I don't eat beef")),
        (said("I like beef"), said("I don't like meat")),
        (said("I don't have a dog"), said("I have pets")),
        (said("I'm not single"), said("I'm not married")),
    ]);
}

#[test]
fn an_affirmation_does_not_need_its_amount_manner_or_recurring_time() {
    for (one, two) in [
        ("I speak Italian fluently", "I don't speak any Italian"),
        ("I drink two cups of coffee every day", "I don't drink coffee at all"),
        ("Ana eats breakfast at seven every day", "Ana never eats breakfast"),
        ("I always deploy on Fridays", "I never deploy on Fridays"),
        ("I drive to work", "I don't drive"),
    ] {
        assert!(found(said(one), said(two)).is_some(), "{one} {two}");
    }
    assert_may_both_be([
        (said("I speak Italian"), said("I don't speak Italian fluently")),
        (said("I don't always deploy on Fridays"), said("I deploy on Fridays")),
        (said("I deploy on Fridays"), said("I never deploy before holidays")),
        (said("I smoke"), said("I don't smoke cigars")),
    ]);
}

#[test]
fn two_numbers_of_the_same_relatives_contradict_each_other() {
    assert!(found(said("I have two kids"), said("I have three children")).is_some_and(|conflict| conflict.asks));
    assert_may_both_be([
        (said("I have two kids"), said("I have two children")),
        (said("I have two kids"), said("I have three nephews")),
        (said("I have two kids"), said("I have three kids in my class")),
        (said("I have a sister"), said("I have two sisters")),
    ]);
}
