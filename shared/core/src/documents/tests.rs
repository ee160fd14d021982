//! Tests of documents: reading originals, cutting texts, finding passages.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::bounds::{MAX_PASSAGE_CHARS, MIN_PASSAGE_CHARS};
use crate::ids::{MemoryId, UserId};
use crate::time::Timestamp;

fn html(page: &str) -> DocumentText {
    read(page, MediaType::Html)
}

fn cut(text: &str) -> Vec<&str> {
    split(text).into_iter().map(|span| &text[span]).collect()
}

#[test]
fn a_page_reads_as_it_is_seen() {
    let page = "<!doctype html><html><head><title> Leave &amp;\n policy </title><style>p { color: red }</style>\
        <script>if (a < b) { \"</p>\" }</script></head><body><h1>Leave</h1><p>Staff have <b>25</b> days,\n  and \
        <i>part</i>-timers a share.</p><ul><li>Ask early<li>Ask in writing</ul><table><tr><td>May<td>2</tr></table>\
        <pre>a  b\n  c</pre><!-- no --><p hidden>x &lt;y&gt;</p></body></html>";
    let read = html(page);
    assert_eq!(read.title, "Leave & policy");
    assert_eq!(
        read.body,
        "Leave\n\nStaff have 25 days, and part-timers a share.\n\nAsk early\nAsk in writing\n\nMay 2\n\na  b\n  c\n\nx <y>"
    );
}

#[test]
fn what_a_page_leaves_open_hides_no_more_than_it_does_in_a_browser() {
    assert_eq!(html("a<script>b").body, "a");
    assert_eq!(html("a</script>b").body, "ab");
    assert_eq!(html("<svg><svg>b</svg>c</svg>d").body, "d");
    assert_eq!(html("<svg/>a<script/>b").body, "a", "no slash ends a script");
    assert_eq!(html("<title>t</title><title>u</title>b"), DocumentText { title: "t".into(), body: "ub".into() });
    // A million unclosed elements must not take quadratic time or overflow the stack.
    assert_eq!(html(&"<a href=x><div>".repeat(200_000)).body, "");
}

#[test]
fn markdown_and_plain_text_stay_as_they_are() {
    let read_as = |media_type| read("\u{feff}\r\n# Travel ##\r\nBring *two* bags.\0", media_type);
    assert_eq!(read_as(MediaType::Plain).title, "");
    assert_eq!(read_as(MediaType::Markdown).title, "Travel");
    assert_eq!(read_as(MediaType::Markdown).body, "\n# Travel ##\nBring *two* bags.\n");
    assert_eq!(MediaType::of_name("a/b.HTM"), Some(MediaType::Html));
    assert_eq!(MediaType::of_name("a.b/c"), None);
}

#[test]
fn a_passage_ends_with_its_paragraph_or_before_the_sentence_that_is_too_long() {
    let sentence = |letter: char, length: usize| format!("{}.", letter.to_string().repeat(length - 1));
    let (a, b, c) = (sentence('a', 300), sentence('b', 400), sentence('c', 400));
    let text = format!("{a} {b}\n\n{c}\n\n{a} {b} {c}");
    assert_eq!(cut(&text), [format!("{a} {b}"), format!("{c}\n\n{a}"), format!("{b} {c}")]);
    assert_eq!(cut("  \n "), Vec::<&str>::new());
    assert_eq!(cut("One. Two."), ["One. Two."]);
    let long = "word ".repeat(1_000);
    let (_, all) = cut(&long).split_last().map(|(last, all)| ((*last).to_owned(), all.to_vec())).expect("passages");
    assert!(all.iter().all(|passage| passage.len() <= MAX_PASSAGE_CHARS && passage.len() > MIN_PASSAGE_CHARS));
}

#[test]
fn words_are_found_in_whatever_form_and_rare_ones_say_most() {
    let index = |texts: &[&str]| Arc::new(Index::new(texts.iter().copied()));
    let documents = [
        index(&["The office is open on weekdays.", "Cats sleep in the office.", "Offices have doors."]),
        index(&["Dogs run.", "A cat and a dog sleep."]),
        index(&[]),
    ];
    let sought =
        |words: &[&str]| Sought { any: words.iter().map(|word| vec![(*word).to_owned()]).collect(), all: Vec::new() };
    let search = |documents: &[Arc<Index>], sought: &Sought| search(documents, sought, 100);
    let found = search(&documents, &sought(&["sleeping", "cats"]));
    let told: Vec<_> = found.iter().map(|one| (one.document, one.passages.clone(), one.words)).collect();
    assert_eq!(told, [(0, vec![1], 5), (1, vec![1], 6)]);
    assert!(found[0].bm25 > found[1].bm25, "the shorter passage");
    assert_eq!(search(&documents, &sought(&["office"]))[0].passages.len(), 3);
    assert_eq!(search(&documents, &sought(&["bird"])), []);
    assert_eq!(search(&[], &sought(&["cats"])), []);
    let quoted = Sought { all: vec!["door".to_owned()], ..sought(&["office"]) };
    assert_eq!(search(&documents, &quoted)[0].passages, [2], "only what holds all of it");
    let alone = super::search(&documents[..1], &sought(&["cats"]), 0)[0].bm25;
    assert!(alone > 0.0 && alone < search(&documents[..1], &sought(&["cats"]))[0].bm25, "rarer among more");
    assert!(documents[0].knows("cats") && documents[0].knows("cat") && !documents[0].knows("bird"));
}

#[test]
fn a_cache_holds_what_was_read_last_and_forgets_a_user() {
    let (cache, user) = (DocumentCache::default(), UserId::parse("ann").expect("a user id"));
    let (document, index) = (MemoryId(uuid::Uuid::from_u128(1)), Arc::new(Index::new(["a b"])));
    cache.put(&user, document, Timestamp(1), Arc::clone(&index));
    assert!(cache.get(&user, document, Timestamp(2)).is_none());
    cache.put(&user, document, Timestamp(2), index);
    assert!(cache.get(&user, document, Timestamp(2)).is_some());
    let large = Arc::new(Index::new((0..40).map(|_| WORDS.as_str())));
    for n in 2..200 {
        cache.put(&user, MemoryId(uuid::Uuid::from_u128(n)), Timestamp(1), Arc::clone(&large));
    }
    assert!(cache.get(&user, document, Timestamp(2)).is_none(), "it was unused for longest");
    let last = MemoryId(uuid::Uuid::from_u128(199));
    assert!(cache.get(&user, last, Timestamp(1)).is_some());
    cache.forget(&user);
    assert!(cache.get(&user, last, Timestamp(1)).is_none());
}

/// A text of a thousand different words.
static WORDS: std::sync::LazyLock<String> =
    std::sync::LazyLock::new(|| (0..1_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" "));

proptest! {
    #[test]
    fn passages_hold_every_character_but_white_space_in_order(text in "[a-zä。. \n<&;>]{0,3000}") {
        let passages = split(&text);
        let joined: String = passages.iter().map(|span| &text[span.clone()]).collect();
        let shown = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(shown(&joined), shown(&text));
        prop_assert!(passages.windows(2).all(|two| two[0].end <= two[1].start));
        prop_assert!(passages.iter().all(|span| text[span.clone()].chars().count() <= MAX_PASSAGE_CHARS));
        read(&text, MediaType::Html);
    }
}
