//! Subjects other than the speaker.

use super::{assert_may_both_be, found, said};

#[test]
fn claims_about_others_are_compared_and_a_person_decides() {
    for (one, two) in [
        ("The API supports pagination", "The API does not support pagination"),
        ("My landlord allows pets", "My landlord doesn't allow pets"),
        ("We use Kubernetes in production", "We don't use Kubernetes in production"),
        ("We're using Kubernetes", "We don't use Kubernetes"),
        ("Dana can drive stick", "Dana can't drive stick"),
        ("My boss is okay with remote work", "My boss isn't okay with remote work"),
        ("My boss's name is Clara", "My boss is called Susan"),
        ("Ben's birthday is on July 2", "Ben's birthday is on August 3"),
        ("The server is hosted in Ghent", "The server is hosted in Porto"),
        ("Mein Bruder hat ein Auto", "Mein Bruder hat kein Auto"),
    ] {
        assert!(found(said(one), said(two)).is_some_and(|conflict| conflict.asks), "{one} {two}");
    }
}

#[test]
fn what_may_be_about_another_one_contradicts_nothing() {
    assert_may_both_be([
        (said("My roommate plays the drums"), said("My cousin doesn't play the drums")),
        (said("The beta supports plugins"), said("The trial does not support plugins")),
        (said("My brother lives in Porto"), said("My brother lives in Ghent")),
        (said("He lives in Porto"), said("He lives in Ghent")),
        (said("Omar speaks Arabic"), said("Omar's wife doesn't speak Arabic")),
        (said("We use Slack at work"), said("We don't use Slack at the club")),
        (said("I was born in May"), said("I was born in Ghent")),
        (said("My boss is good"), said("My boss is not good")),
    ]);
}
