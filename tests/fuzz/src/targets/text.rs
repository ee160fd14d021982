//! Texts that people write: memories, queries, ids, tokens, times.

use kimberly_core::embedding::Window;
use kimberly_core::embedding::chunks::chunks;
use kimberly_core::meditation::PlanToken;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::recall::stages::typos;
use kimberly_core::recall::{self, analysis};
use kimberly_core::text::{TextTraits, sentiment, words};
use kimberly_core::time::Timestamp;
use kimberly_core::usecases::embedding::SubjectId;
use kimberly_core::{MemoryId, UserId};

use super::{seeds, text};
use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "content",
        about: "the text of a memory: words, traits, mood, chunks",
        seeds: contents,
        run: content,
    },
    Target { name: "query", about: "what is asked: words, phrases, names, times", seeds: queries, run: query },
    Target { name: "ids", about: "ids, tokens of plans and hours of a day", seeds: ids_seeds, run: ids },
];

const NOW: Timestamp = Timestamp(1_790_000_000_000_000);

fn contents() -> Vec<Vec<u8>> {
    seeds(&[
        "Ana keeps bees. She loves them! Last May, 2023, she lost a hive :-(",
        "\u{6211}\u{4EEC}\u{660E}\u{5929}\u{89C1}\u{3002} e\u{301}te\u{301} [photo: a hive]",
        "fn main() { println!(\"x\"); }\n\n- one\n- two",
    ])
}

fn content(bytes: &[u8]) {
    let Some(content) = text(bytes) else { return };
    let whole: String = chunks(content).concat();
    assert!(content.contains(whole.trim()) || !whole.is_empty(), "chunks are pieces of the text");
    for chunk in chunks(content) {
        assert!(content.contains(chunk), "a chunk is not of the text");
    }
    let mood = sentiment::compound(content);
    assert!((-1.0..=1.0).contains(&mood), "mood {mood}");
    let _traits = TextTraits::of(content);
    for word in words::words(content) {
        let _stem = words::stem(&words::fold(word));
    }
    let _composed = words::composed(content);
}

fn queries() -> Vec<Vec<u8>> {
    seeds(&[
        "what did Ana say about \"bees and hives\" last May?",
        "when did we meet 3 weeks ago",
        "\"exact\" -x NEAR(a b) a* ^b",
        "\u{660E}\u{5929} 14 March 2023",
    ])
}

fn query(bytes: &[u8]) {
    let Some(raw) = text(bytes) else { return };
    let speakers = [(1, "Ana".to_owned()), (2, "Bo Li".to_owned())];
    let analysis = analysis::analyze(raw, &speakers, NOW, &recall::Plan::default());
    let _query = analysis.lexical_query(std::iter::empty(), &MemoryFilter::default(), true);
    for word in typos::words_to_check(&analysis) {
        let _spellings = typos::spellings(&word);
    }
    let _meaning = analysis::has_meaning(raw);
}

fn ids_seeds() -> Vec<Vec<u8>> {
    let plan = PlanToken::of(NOW.start_of_hour(), &[]).to_string();
    seeds(&[
        "ana",
        "mem_0190b5a0-0000-7000-8000-000000000001",
        "goal_0190b5a0-0000-7000-8000-000000000001",
        "01:00-05:00",
        "always",
        &plan,
    ])
}

fn ids(bytes: &[u8]) {
    let Some(raw) = text(bytes) else { return };
    let _user = UserId::parse(raw);
    let _subject = SubjectId::parse("id", raw);
    let _window = Window::parse(raw);
    if let Ok(id) = MemoryId::parse("id", raw) {
        assert_eq!(MemoryId::parse("id", &id.to_string()).expect("its own text is read"), id);
    }
    if let Ok(token) = PlanToken::parse(raw, NOW) {
        assert_eq!(token.to_string(), raw, "a token has one text");
    }
}
