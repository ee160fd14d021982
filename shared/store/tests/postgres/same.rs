//! Both backends give the same hits in the same order with the same BM25, for any query.

use std::sync::Arc;

use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState, SensitivityFilter, Tier};
use kimberly_core::ports::{LexicalHit, LexicalQuery, LexicalTerm, NewMemory, SessionSpot};
use kimberly_crypto::{Keys, Loads};
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_state, at, draft, new_memory};
use kimberly_store::{PgOptions, PgStore, SqliteOptions, SqliteStore};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::postgres::common::{Database, Machine, Still, bed};

/// Words of texts and queries: equal stems, accents, other scripts, quotes, and characters that the tokenizer splits or
/// drops.
const WORDS: [&str; 40] = [
    "heron",
    "herons",
    "river",
    "rivers",
    "the",
    "a",
    "boat",
    "tea",
    "teapot",
    "Kyoto",
    "running",
    "runs",
    "ran",
    "université",
    "Ångström",
    "straße",
    "o'neil",
    "a\\b",
    "e-mail",
    "x86_64",
    "50%",
    "2024-11-22",
    "東京",
    "日本語",
    "Привет",
    "привет",
    "ﬁne",
    "naïve",
    "e\u{301}tude",
    "İstanbul",
    "🦀",
    "²",
    "one",
    "two",
    "three",
    "colour",
    "connection",
    "connected",
    "\"quoted\"",
    "http://example.org/a?b=c",
];

struct Both {
    sqlite: Bed,
    /// A process with caches.
    caching: Bed,
    /// Another process on the same database, without caches, which uses the index of words.
    asking: Bed,
    /// A process without caches, which scans rows.
    looking: Bed,
}

impl Both {
    /// Opens both backends empty, with or without keys.
    async fn make(sealed: bool) -> Self {
        let folder = Machine::new();
        let keys = if sealed { folder.keys_in_files() } else { Keys::off() };
        let options = SqliteOptions { keys, ..SqliteOptions::new(folder.data()) };
        let store = SqliteStore::open(options, Arc::new(Still)).await.unwrap();
        let sqlite = Bed::of(store, folder);
        let (database, machine) = (Database::with_tables().await, Machine::new());
        let keys = || if sealed { machine.keys(&database, Loads::Both) } else { Keys::off() };
        let options = || PgOptions { keys: keys(), ..database.options() };
        let caching = PgStore::open(options(), Arc::new(Still)).await.unwrap();
        let asking = PgOptions { kept_bytes: 0, looks_through: 0, ..options() };
        let asking = PgStore::open(asking, Arc::new(Still)).await.unwrap();
        let looking = PgOptions { kept_bytes: 0, ..options() };
        let looking = PgStore::open(looking, Arc::new(Still)).await.unwrap();
        let [asking, looking] = [asking, looking].map(|store| bed(store, ()));
        Self { sqlite, caching: bed(caching, (database, machine)), asking, looking }
    }

    /// The beds to write to: one process changes what another one caches.
    fn written(&self) -> [&Bed; 2] {
        [&self.sqlite, &self.asking]
    }

    fn asked(&self) -> [&Bed; 4] {
        [&self.sqlite, &self.caching, &self.asking, &self.looking]
    }

    async fn insert(&self, memories: &[NewMemory]) {
        for bed in self.written() {
            for memories in memories.chunks(50) {
                bed.insert("u", memories.to_vec()).await;
            }
        }
    }

    async fn set_state(&self, seq: i64, state: MemoryState) {
        for bed in self.written() {
            bed.set_state("u", Seq(seq), state).await;
        }
    }

    /// Toggles whether a memory is sensitive.
    async fn turn(&self, n: u128) {
        for bed in self.written() {
            let mut memory = bed.memory("u", n).await.unwrap();
            memory.draft.metadata.sensitive ^= true;
            bed.write("u", move |tx| {
                let memory = memory.clone();
                Box::pin(async move { tx.update_memory(&memory, None).await })
            })
            .await;
        }
    }

    /// Returns the answer, after asserting that all give the same.
    async fn lexical(&self, query: &LexicalQuery, limit: usize) -> Vec<LexicalHit> {
        let mut answers = Vec::new();
        for bed in self.asked() {
            let query = query.clone();
            let answer = bed.read("u", move |r| {
                let query = query.clone();
                Box::pin(async move { r.lexical(&query, limit).await })
            });
            answers.push(answer.await);
        }
        let [expected, kept, found, looked] = <[_; 4]>::try_from(answers).unwrap();
        same(&expected, &found, &format!("{query:?}"));
        same(&expected, &kept, &format!("kept: {query:?}"));
        same(&expected, &looked, &format!("looked through: {query:?}"));
        found
    }
}

fn same(expected: &[LexicalHit], found: &[LexicalHit], asked: &str) {
    let order = |hits: &[LexicalHit]| hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>();
    assert_eq!(order(found), order(expected), "{asked}");
    for (expected, found) in expected.iter().zip(found) {
        assert!((expected.bm25 - found.bm25).abs() < 1e-9, "{asked}: {expected:?}, {found:?}");
        assert_eq!(LexicalHit { bm25: 0.0, ..found.clone() }, LexicalHit { bm25: 0.0, ..expected.clone() }, "{asked}");
    }
}

fn word(rng: &mut StdRng) -> &'static str {
    // Some words are far more frequent than others.
    let bound = rng.random_range(1..=WORDS.len());
    WORDS[rng.random_range(0..bound)]
}

fn text(rng: &mut StdRng, words: usize) -> String {
    let gaps = [" ", " ", " ", ", ", "; ", "\n", " - "];
    (0..words).flat_map(|_| [word(rng), gaps[rng.random_range(0..gaps.len())]]).collect()
}

fn memory(rng: &mut StdRng, n: u32, content: &str) -> NewMemory {
    let mut draft = MemoryDraft { consent: true, ..draft(content) };
    draft.tier = Tier::ALL[rng.random_range(0..Tier::ALL.len())];
    draft.metadata.tags =
        ["red", "green", "blue"].into_iter().filter(|_| rng.random_bool(0.4)).map(str::to_owned).collect();
    draft.session_id = rng.random_bool(0.5).then(|| format!("s{}", rng.random_range(0..4)));
    draft.speaker = rng.random_bool(0.5).then(|| ["Ada", "ADA", "Zoë", "bob"][rng.random_range(0..4)].to_owned());
    ["", "work", "home"][rng.random_range(0..3)].clone_into(&mut draft.namespace);
    draft.occurred_at = rng.random_bool(0.3).then(|| at(rng.random_range(0..400)));
    new_memory(n, draft)
}

fn filter(rng: &mut StdRng) -> MemoryFilter {
    let mut filter = if rng.random_bool(0.3) { any_state() } else { MemoryFilter::default() };
    let some = |rng: &mut StdRng, of: &[&str]| vec![of[rng.random_range(0..of.len())].to_owned()];
    match rng.random_range(0..13) {
        0 => filter.tags_any = vec!["red".to_owned(), "no such".to_owned()],
        1 => filter.tags_all = vec!["red".to_owned(), "blue".to_owned()],
        2 => filter.session_id = Some(format!("s{}", rng.random_range(0..5))),
        3 => filter.speakers = some(rng, &["ada", "ZOË", "nobody", "a\0b"]),
        4 => filter.namespaces = some(rng, &["", "work", "none"]),
        5 => filter.tiers = vec![Tier::ALL[rng.random_range(0..3)]],
        6 => (filter.created_after, filter.created_before) = (Some(at(100)), Some(at(300))),
        7 => (filter.occurred_after, filter.occurred_before) = (Some(at(50)), Some(at(250))),
        8 => filter.sensitivity = SensitivityFilter::Exclude,
        9 => filter.sensitivity = SensitivityFilter::Only,
        _ => {}
    }
    filter
}

fn term(rng: &mut StdRng) -> LexicalTerm {
    let count = [1, 1, 1, 2, 2, 3][rng.random_range(0..6)];
    let mut words: Vec<String> = (0..count).map(|_| word(rng).to_owned()).collect();
    let prefix = rng.random_bool(0.25);
    if prefix || rng.random_bool(0.1) {
        let last = words.pop().unwrap();
        let cut: String = last.chars().take(rng.random_range(1..4)).collect();
        words.push(if rng.random_bool(0.8) { cut } else { format!("{last}!?") });
    }
    LexicalTerm { words, prefix }
}

fn query(rng: &mut StdRng) -> LexicalQuery {
    let terms = |rng: &mut StdRng, most: usize| (0..rng.random_range(0..=most)).map(|_| term(rng)).collect();
    LexicalQuery { any: terms(rng, 4), all: terms(rng, 2), filter: filter(rng) }
}

/// With sealing, a third of the memories is sensitive.
async fn filled(rng: &mut StdRng, sealed: bool) -> Both {
    let both = Both::make(sealed).await;
    let mut memories: Vec<NewMemory> = Vec::new();
    for n in 1..=300 {
        let words = rng.random_range(0..40);
        let content = if n % 50 == 0 { "?!".to_owned() } else { format!("{}.", text(rng, words)) };
        let mut memory = memory(rng, n, &content);
        memory.draft.metadata.sensitive = sealed && rng.random_bool(0.35);
        memories.push(memory);
    }
    both.insert(&memories).await;
    if sealed {
        for n in (1..=300).step_by(7) {
            both.turn(n).await;
        }
    }
    for seq in [3, 30, 200] {
        both.set_state(seq, MemoryState::Deleted).await;
        both.set_state(seq + 1, MemoryState::Archived).await;
    }
    both
}

/// Words, phrases and prefixes, `all` and `any`, with and without filters and cached columns.
#[tokio::test]
async fn queries_find_the_same_with_the_same_bm25() {
    queries(0x6b69, false).await;
}

/// The same with some sealed memories, which no index contains.
#[tokio::test]
async fn queries_find_the_same_where_some_memories_are_sealed() {
    queries(0x6b6a, true).await;
}

async fn queries(seed: u64, sealed: bool) {
    let mut rng = StdRng::seed_from_u64(seed);
    let both = Box::pin(filled(&mut rng, sealed)).await;
    let mut hits = 0;
    for n in 0..400 {
        if n % 20 == 19 {
            change(&mut rng, &both, n).await;
        }
        let limit = if rng.random_bool(0.2) { 7 } else { 1_000 };
        hits += both.lexical(&query(&mut rng), limit).await.len();
    }
    assert!(hits > 10_000, "{hits} hits are too few to say anything");
}

/// Adds some memories, or deletes one and toggles another one's sensitivity.
async fn change(rng: &mut StdRng, both: &Both, n: u32) {
    if rng.random_bool(0.5) {
        let more: Vec<_> = (0..3).map(|more| (1_000 + 3 * n + more, text(rng, 30))).collect();
        let more: Vec<_> = more.into_iter().map(|(n, content)| memory(rng, n, &content)).collect();
        both.insert(&more).await;
    } else {
        both.set_state(i64::from(n) / 2 + 32, MemoryState::Deleted).await;
        both.turn(u128::from(n) / 2 + 3).await;
    }
}

/// Texts beyond the limits of Postgres' index: more than 255 positions of a word, high positions, long words, long texts.
#[tokio::test]
async fn long_texts_find_the_same() {
    let mut rng = StdRng::seed_from_u64(2);
    let both = Both::make(false).await;
    let long_word = "ä".repeat(3_000);
    let texts = [
        format!("{}heron river", "tea ".repeat(400)),
        format!("{} heron kyoto tea {}", text(&mut rng, 12_000), "boat ".repeat(300)),
        format!("{} naïve étude", text(&mut rng, 6_000)),
        format!("{long_word} {long_word}x boat"),
        (0..60_000).map(|n| format!("{n:x}")).collect::<Vec<_>>().join(" "),
        "heron river boat tea".to_owned(),
        "boat".to_owned(),
    ];
    let memories: Vec<NewMemory> = (1..).zip(&texts).map(|(n, text)| memory(&mut rng, n, text)).collect();
    both.insert(&memories).await;
    let one = |words: &str, prefix| LexicalTerm { words: words.split(' ').map(str::to_owned).collect(), prefix };
    let asked = [
        (vec![one("tea", false)], vec![]),
        (vec![one("tea heron", false)], vec![]),
        (vec![one("tea tea", false), one("heron kyoto tea", false)], vec![]),
        (vec![one("naive etude", false)], vec![one("heron", false)]),
        (vec![one("boat boa", true), one("heron riv", true)], vec![]),
        (vec![one(&"ä".repeat(3_000), false)], vec![]),
        (vec![one(&format!("{}x boat", "ä".repeat(3_000)), false), one(&"ä".repeat(1_500), true)], vec![]),
        (vec![one("ea5f ea60", false), one("ea5e ea5f", false)], vec![]),
        (vec![one("te", true)], vec![one("boat", false)]),
    ];
    let mut found = 0;
    for (any, all) in asked {
        found += both.lexical(&LexicalQuery { any, all, ..LexicalQuery::default() }, 100).await.len();
    }
    assert!(found > 15, "{found}");
    for _ in 0..60 {
        both.lexical(&query(&mut rng), 100).await;
    }
    for bed in both.asked() {
        let (long, longer) = ("ä".repeat(3_000), "ä".repeat(3_001));
        let words = ["tea heron", "ea60 ea5f", "kyoto tea", "ea5f ea60", "boat boat boat", &long, &longer];
        let words = words.map(str::to_owned);
        let known = bed.read("u", move |r| {
            let words = words.clone();
            Box::pin(async move { r.known_words(&words, None).await })
        });
        assert_eq!(known.await, [true, false, true, false, true, true, false]);
    }
}

/// Substrings, known words, the vocabulary, and memories by number and spot.
#[tokio::test]
async fn whatever_else_recall_asks_for_is_the_same() {
    whatever_else(3, false).await;
}

/// The same with some sealed memories.
#[tokio::test]
async fn whatever_else_recall_asks_for_is_the_same_where_some_memories_are_sealed() {
    whatever_else(4, true).await;
}

async fn whatever_else(seed: u64, sealed: bool) {
    let mut rng = StdRng::seed_from_u64(seed);
    let both = Box::pin(filled(&mut rng, sealed)).await;
    for round in 0..120 {
        let filter = filter(&mut rng);
        let piece: String =
            text(&mut rng, 2).chars().skip(rng.random_range(0..4)).take(rng.random_range(0..9)).collect();
        let words: Vec<String> = (0..4).map(|_| term(&mut rng).words.join(" ")).collect();
        let letters: Vec<char> = piece.chars().chain(['h', 'т']).collect();
        let mut answers = Vec::new();
        for bed in both.asked() {
            let (filter, piece, words, letters) = (filter.clone(), piece.clone(), words.clone(), letters.clone());
            let answer = bed.read("u", move |r| {
                let (filter, piece, words, letters) = (filter.clone(), piece.clone(), words.clone(), letters.clone());
                Box::pin(async move {
                    let hits = r.substring(&piece, &filter, 50).await?;
                    let known = (r.known_words(&words, None).await?, r.known_words(&words, Some(&filter)).await?);
                    let mut vocabulary = r.vocabulary(&letters, 1 + round % 4, 4 + round % 9).await?;
                    vocabulary.sort();
                    let seqs: Vec<Seq> = (0..40).map(|n| Seq(n * 9 - 3)).collect();
                    let mut by_number = r.at_seqs(&seqs, &filter).await?;
                    let spots: Vec<SessionSpot> =
                        (0..30).map(|n| SessionSpot { session: n % 4 + 1, position: n }).collect();
                    by_number.extend(r.at_spots(&spots, &filter).await?);
                    by_number.sort_by_key(|hit| hit.seq);
                    Ok((hits, by_number, known, vocabulary))
                })
            });
            answers.push(answer.await);
        }
        let asked = format!("{piece:?} {filter:?} {words:?} {letters:?}");
        let [expected, kept, found, looked] = <[_; 4]>::try_from(answers).unwrap();
        for found in [kept, found, looked] {
            same(&expected.0, &found.0, &asked);
            same(&expected.1, &found.1, &asked);
            assert_eq!((&found.2, &found.3), (&expected.2, &expected.3), "{asked}");
        }
    }
}
