//! Tests of what extraction leaves out: talk that looks like a statement. The texts are invented.

use super::*;
use crate::memory::Role;

fn contents(text: &str) -> Vec<String> {
    let said = Said { role: Role::User, name: "Ana", content: text, at: None };
    let found = extract(Language::guess(text), &said, &[], Options::default());
    found.candidates.into_iter().map(|one| one.content).collect()
}

/// Each text on the left yields nothing, and its neighbour, which differs in the point at issue, yields one statement.
fn only_the_second(pairs: &[(&str, &str)]) {
    for (left_out, kept) in pairs {
        assert_eq!(contents(left_out), [""; 0], "{left_out}");
        assert_eq!(contents(kept).len(), 1, "{kept}");
    }
}

#[test]
fn a_plan_for_the_moment_or_to_go_on_needs_a_time() {
    only_the_second(&[
        ("I'll keep polishing the old boat.", "I'll repaint the old boat."),
        ("I'm going to show you the garden plans.", "I'm going to show Lea the garden plans on Friday."),
        ("We'll now go to Lea Brandt.", "We'll now pay Lea Brandt."),
        ("We'll move on to the third item.", "We'll move to the third floor next month."),
        ("I'll look at the leaking boiler.", "I'll look at the leaking boiler next week."),
        ("I'm getting ready for bed.", "I'm getting ready for the exam on Friday."),
    ]);
}

#[test]
fn a_preference_names_what_is_liked_beyond_the_thing_at_hand() {
    only_the_second(&[
        ("I like the blue one.", "I like blue mugs."),
        ("I don't care.", "I don't care for olives."),
        ("It's one of my favorites.", "Chess is one of my favorites."),
        ("It's my favorite.", "Chess is my favorite hobby."),
        ("The islands I want to visit.", "I want to visit the islands."),
        ("We love it.", "We love night trains."),
    ]);
}

#[test]
fn an_opinion_or_a_glance_is_no_state_of_affairs() {
    only_the_second(&[
        ("My suggestion is that Lea takes over on Friday.", "My rehearsal is at nine on Friday."),
        ("Our next questions are from Lea Brandt.", "Our next trains are from Lea Brandt."),
        ("When I look at Porto, the hills stand out.", "In spring I row at Porto."),
        ("Just before I bring Lea in at 9.", "In spring I row at 9."),
    ]);
}

#[test]
fn vague_praise_and_progress_are_no_facts() {
    only_the_second(&[
        ("I'm learning a ton.", "I'm learning a dance."),
        ("I have been working hard.", "I have been working at the dam."),
        ("I'm making progress towards better results.", "I'm making candles for sale."),
        ("My team has been super supportive.", "My team has been training in Porto."),
        ("Our team spirit is awesome and it carries everybody.", "Our team coach moved to Porto for good."),
        ("Going forward the rents will rise.", "Going forward, please round the rents."),
        ("Remember that staying calm helps a lot.", "Remember that the gate code changes."),
    ]);
}

#[test]
fn an_aside_states_nothing_by_itself() {
    only_the_second(&[("The hull leaks, as I reported to Lea in June.", "I reported the leak to Lea in June.")]);
    let reason = contents("I run at dawn, as I'm training for a marathon.");
    assert!(reason.iter().any(|content| content.contains("marathon")), "{reason:?}");
}

#[test]
fn a_main_clause_that_denies_takes_the_rest_along() {
    only_the_second(&[("I don't feel like I'm building a boat.", "I can't believe I'm building a boat.")]);
}

#[test]
fn what_only_points_at_the_next_line_is_left_out() {
    only_the_second(&[(
        "I've also been using the following scheme to prune roses:",
        "I've also been using the Japanese scheme to prune roses.",
    )]);
}

#[test]
fn nouns_and_infinitives_after_and_stay_as_they_are() {
    for (text, content) in [
        ("I use Figma for layout and design.", "Ana uses Figma for layout and design."),
        ("I use mornings to train and paint boats.", "Ana uses mornings to train and paint boats."),
        ("I live in Porto and work.", "Ana lives in Porto and works."),
        ("I live in Porto and work in Braga.", "Ana lives in Porto and works in Braga."),
        ("I run races for a good cause.", "Ana runs races for a good cause."),
        ("I have been building the boat for a while.", "Ana has been building the boat for a while."),
    ] {
        assert_eq!(contents(text), [content], "{text}");
    }
}

#[test]
fn a_statement_stands_by_itself_without_the_person_addressed() {
    for (text, content) in [
        ("Lea, I love chess.", "Ana loves chess."),
        (
            "In May I paused pottery, which I use for training.",
            "In May Ana paused pottery, which Ana uses for training.",
        ),
        ("Can you help, given that I'm using Django 5?", "Ana is using Django 5."),
        ("I work as a baker in Porto, so here is my plan.", "Ana works as a baker in Porto."),
        ("Dad hates olives.", "Ana: Dad hates olives."),
        ("I need to pay Lea by 9 May.", "Ana needs to pay Lea by 9 May."),
    ] {
        assert_eq!(contents(text), [content], "{text}");
    }
}

#[test]
fn what_is_shown_or_only_aimed_at_states_nothing() {
    only_the_second(&[
        ("Here's a mural I painted in Porto.", "I painted a mural in Porto."),
        ("This book is one of my favorites.", "Chess is one of my favorites."),
        ("I want to make sure that my rent is 900 euros.", "I learned that my rent is 900 euros."),
        ("I'll wait until I have sold 20 boats.", "I have sold 20 boats."),
        ("I've repainted the boat for Lea like this:", "I've repainted the boat for Lea."),
    ]);
}

#[test]
fn attempts_promises_and_the_thing_at_hand_are_left_out() {
    only_the_second(&[
        ("I've tried restarting the router in Porto.", "I've restarted the router in Porto."),
        ("I'll start with the rusty boat.", "I'll repaint the rusty boat."),
        ("I'll run the audit and note the metrics.", "I'll sell the boat and the trailer."),
        ("I love the texture and the color.", "I love the sea."),
        ("I'm still waiting for my refund.", "I'm still saving for my boat."),
        ("I like holding them.", "I like holding turtles."),
        ("I received lots of compliments.", "I received an award for compliments."),
        ("Remember that sometimes walls are doors.", "Remember that the walls are wet."),
    ]);
}

#[test]
fn texts_to_work_on_and_long_quotations_are_not_the_speakers() {
    only_the_second(&[
        ("Write a story: I am a robot and I live on Mars.", "A story: I live in Porto."),
        ("Shorten \"Dear all, hello. I live in Porto. Bye.\"", "Shorten hello. I live in Porto. Bye."),
    ]);
}

#[test]
fn a_part_of_an_endless_sentence_begins_at_its_own_clause() {
    let text = format!("{}and I moved to Porto in May.", "we talk of boats and masts, ".repeat(24));
    assert_eq!(contents(&text), ["Ana moved to Porto in May."]);
}

#[test]
fn a_day_in_a_german_sentence_does_not_end_it() {
    let said = Said { role: Role::User, name: "Ana", content: "Wir fliegen am 3. August nach Kreta.", at: None };
    let found = extract(Language::german(), &said, &[], Options::default());
    assert_eq!(found.candidates.len(), 1, "{found:?}");
}

#[test]
fn speakers_named_by_their_function_hold_a_meeting() {
    let read = |names: [&str; 3]| {
        let texts = ["The boats are late.", "Fine.", "I've painted a boat for the club."];
        let all = [0, 1, 2].map(|at| Said { role: Role::User, name: names[at], content: texts[at], at: None });
        extract(Language::english(), &all[2], &all[..2], Options::default()).candidates.len()
    };
    assert_eq!((read(["The Chair", "Hon. Lea Brandt", "Ana"]), read(["Bo", "Lea", "Ana"])), (0, 1));
}

#[test]
fn a_relative_needs_no_owner() {
    only_the_second(&[
        ("Mum is at the station.", "Mum works at the station."),
        ("Papa hat heute keine Zeit.", "Papa hat im Mai Geburtstag."),
    ]);
}

#[test]
fn strong_feelings_raise_importance() {
    let importance = |text: &str| {
        let said = Said { role: Role::User, name: "Ana", content: text, at: None };
        extract(Language::guess(text), &said, &[], Options::default()).candidates[0].importance
    };
    for (felt, told) in [
        ("I sold the old boat to Lea and I am heartbroken.", "I sold the old boat to Lea and I am relieved."),
        (
            "Ich habe gestern das Boot verkauft und bin verzweifelt.",
            "Ich habe gestern das Boot verkauft und bin hungrig.",
        ),
    ] {
        assert_eq!(importance(felt), importance(told) + 1, "{felt}");
    }
}

#[test]
fn a_transcript_yields_only_what_is_sure_or_dated() {
    let contents = |texts: [&str; 3]| {
        let all = [("Ana", texts[0]), ("Bob", texts[1]), ("Cid", texts[2])];
        let [first, second, last] = all.map(|(name, content)| Said { role: Role::User, name, content, at: None });
        let language = Language::guess(last.content);
        extract(language, &last, &[first, second], Options::default()).candidates.len()
    };
    let (spoken, written) = (["Um, the the kiln is on.", "Uh, fine."], ["The kiln is on.", "Fine."]);
    for (text, aloud) in [
        ("I've painted a boat for the club.", 0),
        ("I've painted a boat for the club on Friday.", 1),
        ("I've painted a boat for the club of 2019.", 1),
        ("I've painted a boat for the club for £90.", 1),
        ("I live in Porto.", 1),
        ("We decided to buy the orange kiln.", 1),
    ] {
        assert_eq!(contents([spoken[0], spoken[1], text]), aloud, "{text}");
        assert_eq!(contents([written[0], written[1], text]), 1, "{text}");
    }
    let session = ["The committee is here.", "Thanks to the chairwoman."];
    assert_eq!(contents([session[0], session[1], "I've painted a boat for the club."]), 0);
    let chat = ["I'm there in 10 minutes.", "5 minutes away."];
    assert_eq!(contents([chat[0], chat[1], "I've painted a boat for the club."]), 1);
}

#[test]
fn a_contrast_with_what_the_speaker_does_corrects_nothing() {
    only_the_second(&[("Not easy but I believe in boats.", "Not the harbour but Porto hosts the boats.")]);
}
