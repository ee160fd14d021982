//! Claims about what was never done against what was done.

use super::{ASKS, found, said};
use crate::beliefs::Conflict;

#[test]
fn never_contradicts_what_was_done_before_and_not_what_came_later() {
    let never = || said("I've never attended any pottery class or ridden a horse");
    for done in
        ["I attended a pottery class on May 3", "I've just visited the pottery classes", "I rode a horse in Spain"]
    {
        let conflict = Conflict { may_change: false, asks: ASKS };
        assert_eq!(found(said(done), never()), Some(conflict), "{done}");
        assert_eq!(found(never(), said(done)), None, "{done} came later");
    }
    for done in ["I attended a cooking class", "I will attend a pottery class", "I didn't attend the pottery class"] {
        assert_eq!(found(said(done), never()), None, "{done}");
    }
    assert_eq!(found(said("I ate meat"), said("I've never eaten meat since May")), None);
    assert_eq!(found(said("I ate meat"), said("I never eat meat")), None, "a habit");
}

#[test]
fn a_denial_with_any_is_a_never_and_covers_each_example() {
    for (done, denied) in [
        ("I attended a pottery class on May 3", "I haven't attended any pottery class"),
        ("I met Bob at the Ghent pottery fair", "I've never attended any pottery fair or market"),
        ("I just downloaded Zyntra", "I've never used any note taking software, like Zyntra"),
        ("I use the orange kiln", "I've never used any orange kiln"),
        ("We managed to sell the orange kiln", "I've never sold any orange kiln"),
        ("I sold the orange kiln, but I'm not sure I was paid", "I've never sold any orange kiln"),
        ("I managed a large team", "I've never managed any large team"),
    ] {
        assert!(found(said(done), said(denied)).is_some(), "{done}");
    }
    for (done, denied) in [
        ("I attended a pottery class on May 3", "I haven't attended the pottery class"),
        ("I met Bob near the Ghent pottery fair", "I've never attended any pottery fair or market"),
        ("I just downloaded Porta", "I've never used any note taking software, like Zyntra"),
        ("I have to use the orange kiln", "I've never used any orange kiln"),
        ("I'm glad I didn't sell the orange kiln", "I've never sold any orange kiln"),
        ("I attended a pottery class on May 3", "We've never attended any pottery class"),
        ("I attended a pottery class on May 3", "I haven't attended the pottery class because I never have any time"),
        ("I used the orange kiln", "I haven't used the orange kiln any more"),
        ("I start the pottery course tomorrow", "I've never started any pottery course"),
    ] {
        assert_eq!(found(said(done), said(denied)), None, "{done}");
    }
}

#[test]
fn never_is_also_said_in_the_past_and_of_places_and_by_who_does_not_have() {
    for (done, denied) in [
        ("I wrote three poems", "I never wrote a poem"),
        ("I went to Greece with my parents", "I've never been to Greece"),
        ("I've been to Greece", "I've never visited Greece"),
        ("I visited Greece", "I've never been to Greece"),
        ("I rented a kiln in Ghent", "I'm worried about not having rented any kiln"),
        ("I sent my poem", "I've never sent my final poem"),
    ] {
        assert!(found(said(done), said(denied)).is_some(), "{denied}");
    }
    for (done, denied) in [
        ("I wrote a poem", "I never write poems"),
        ("I went to bed", "I've never been to Greece"),
        ("I rented a kiln in Ghent", "I'm worried about not having rented the kiln"),
        ("I sent my poem", "I've never sent my second poem"),
    ] {
        assert_eq!(found(said(done), said(denied)), None, "{denied}");
    }
}

#[test]
fn what_was_handled_was_used_and_what_was_read_was_not() {
    for done in ["I installed Zyntra", "I configured the Zyntra service", "I've fixed a bug in Zyntra"] {
        for denied in ["I've never used Zyntra", "I've never worked with Zyntra"] {
            assert!(found(said(done), said(denied)).is_some(), "{done} {denied}");
        }
    }
    for (done, denied) in [
        ("I learned about Zyntra", "I've never used Zyntra"),
        ("I installed Zyntra", "I've never sold Zyntra"),
        ("I configured a kiln", "I've never used kilns"),
    ] {
        assert_eq!(found(said(done), said(denied)), None, "{done}");
    }
}

#[test]
fn a_verb_entails_others_and_a_name_must_be_the_same() {
    for (done, denied) in [
        ("I bought a used Toyota in March", "I've never owned a Toyota"),
        ("I enrolled in a pottery course", "I've never taken any pottery course"),
        ("I lived in Chile for a year", "I've never been to Chile"),
        ("I was diagnosed with asthma as a child", "I've never been diagnosed with asthma"),
        ("I had a meeting about the kiln", "I've never had any meeting about a kiln"),
        ("I talked to Dr. Kim about my kiln", "I've never spoken to Dr. Kim about my kiln"),
    ] {
        assert!(found(said(done), said(denied)).is_some(), "{denied}");
    }
    for (done, denied) in [
        ("I talked to Dr. Lee about my kiln", "I've never spoken to Dr. Kim about my kiln"),
        ("I sold a Toyota", "I've never owned a Ford"),
        ("I designed a budget app", "I've never made a budget"),
    ] {
        assert_eq!(found(said(done), said(denied)), None, "{done}");
    }
}
