//! Full-text search.

use std::collections::BTreeSet;

use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState, Tier};
use kimberly_core::ports::{LexicalQuery, LexicalTerm, Touch};
use kimberly_core::tables::{TableRow as _, count, find, put};
use kimberly_core::tagging::AutoTag;
use kimberly_core::text::porter;
use kimberly_core::text::words::{fold, words};
use kimberly_core::usage::{Count, Usage};
use uuid::Uuid;

use super::Bed;
use super::fixtures::{any_of, any_state, at, draft, new_memory};

fn term(words: &[&str], prefix: bool) -> LexicalTerm {
    LexicalTerm { words: words.iter().map(|word| (*word).to_owned()).collect(), prefix }
}

async fn remember(bed: &Bed, texts: &[&str]) {
    bed.remember("u", texts.iter().map(|text| draft(text))).await;
}

/// BM25 is positive, rare words weigh more, ties are ordered by number, and the limit keeps the best.
pub async fn better_matches_come_first(bed: &Bed) {
    remember(
        bed,
        &[
            "the heron stood in the river",
            "a river, a boat and a long afternoon of doing nothing in particular",
            "herons, herons: the heron is back",
            "nothing here",
            "same words",
            "same words",
        ],
    )
    .await;
    let hits =
        bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron", "river", "zebra"]), 10).await })).await;
    assert_eq!(hits.len(), 3);
    assert!(hits.windows(2).all(|pair| pair[0].bm25 >= pair[1].bm25));
    assert!(hits.iter().all(|hit| hit.bm25 > 0.0));
    assert_eq!(hits.last().unwrap().seq, Seq(2));
    assert_eq!(bed.found("u", any_of(&["same"])).await, [5, 6]);
    let best =
        bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron", "river", "zebra"]), 1).await })).await;
    assert_eq!(best, hits[..1]);
    let none = bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron"]), 0).await })).await;
    assert!(none.is_empty());
    // Stemmed, ignoring case and accents.
    assert_eq!(bed.found("u", any_of(&["STANDING"])).await, [0_i64; 0]);
    assert_eq!(bed.found("u", any_of(&["BOATS"])).await, [2]);
    assert_eq!(bed.found("u", any_of(&["bóats"])).await, [2]);
}

/// All of `all` and one of `any` must match; words of a term are adjacent; a prefix matches longer words.
pub async fn all_terms_phrases_and_prefixes_hold(bed: &Bed) {
    remember(bed, &["green tea in Kyoto", "tea that is green", "green tea", "Kyoto station", "teapot"]).await;
    let cases = [
        (vec![term(&["tea"], false)], vec![], vec![1, 2, 3]),
        (vec![term(&["green", "tea"], false)], vec![], vec![1, 3]),
        (vec![term(&["tea"], false), term(&["station"], false)], vec![term(&["kyoto"], false)], vec![1, 4]),
        (vec![], vec![term(&["kyoto"], false), term(&["tea"], false)], vec![1]),
        (vec![term(&["tea"], true)], vec![], vec![1, 2, 3, 5]),
        (vec![term(&["green", "te"], true)], vec![], vec![1, 3]),
        (vec![], vec![], vec![]),
        (vec![term(&["...", "!"], false)], vec![], vec![]),
        (vec![term(&["..."], false)], vec![term(&["tea"], false)], vec![]),
        (vec![term(&["..."], false), term(&["tea"], false)], vec![term(&["?"], false)], vec![1, 2, 3]),
    ];
    for (any, all, expected) in cases {
        let query = LexicalQuery { any, all, filter: MemoryFilter::default() };
        let mut found = bed.found("u", query.clone()).await;
        found.sort_unstable();
        assert_eq!(found, expected, "{query:?}");
    }
}

/// Deleted memories leave the index at once, whatever the filter; restored ones return. Archived ones are found on request.
pub async fn deleted_memories_are_not_found_and_come_back(bed: &Bed) {
    remember(bed, &["first heron", "second heron"]).await;
    let in_any_state = || LexicalQuery { filter: any_state(), ..any_of(&["heron"]) };
    bed.set_state("u", Seq(1), MemoryState::Archived).await;
    assert_eq!(bed.found("u", any_of(&["heron"])).await, [2]);
    assert_eq!(bed.found("u", in_any_state()).await.len(), 2);
    bed.set_state("u", Seq(1), MemoryState::Deleted).await;
    assert_eq!(bed.found("u", in_any_state()).await, [2]);
    let known = bed
        .read("u", |r| Box::pin(async move { r.known_words(&["first".to_owned(), "second".to_owned()], None).await }))
        .await;
    assert_eq!(known, [false, true]);
    bed.set_state("u", Seq(1), MemoryState::Active).await;
    assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), 2);
    bed.set_state("u", Seq(2), MemoryState::Deleted).await;
    bed.set_state("u", Seq(2), MemoryState::Archived).await;
    assert_eq!(bed.found("u", in_any_state()).await.len(), 2);
}

/// Changes between two reads are seen despite caches: new words, changed words, scores and states.
pub async fn new_and_changed_words_are_found_at_once(bed: &Bed) {
    remember(bed, &["first heron"]).await;
    for n in 2..30 {
        bed.insert("u", vec![new_memory(n, draft("another heron"))]).await;
        assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), n as usize);
        let mut last = bed.memory("u", n.into()).await.unwrap();
        last.draft.content = format!("heron number x{n}");
        last.score = f64::from(n) / 64.0;
        bed.write("u", move |tx| {
            let last = last.clone();
            Box::pin(async move { tx.update_memory(&last, None).await })
        })
        .await;
        let word = format!("x{n}");
        let hits = bed
            .read("u", move |r| {
                let query = any_of(&[&word]);
                Box::pin(async move { r.lexical(&query, 10).await })
            })
            .await;
        assert_eq!((hits.len(), hits[0].score.to_bits()), (1, (f64::from(n) / 64.0).to_bits()));
    }
    assert_eq!(bed.found("u", any_of(&["another"])).await, [0_i64; 0]);
}

/// Anywhere in a word, ignoring ASCII case, newest first, limited; deleted ones on request.
pub async fn substrings_are_found_without_case_newest_first(bed: &Bed) {
    remember(bed, &["Rheinbrücke", "the BRÜCKE", "Abenteuer am RHEIN", "nothing"]).await;
    let within = |text: &'static str, filter: MemoryFilter, limit| async move {
        let hits = bed
            .read("u", move |r| {
                let filter = filter.clone();
                Box::pin(async move { r.substring(text, &filter, limit).await })
            })
            .await;
        hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>()
    };
    assert_eq!(within("rHEin", MemoryFilter::default(), 10).await, [3, 1]);
    assert_eq!(within("rhein", MemoryFilter::default(), 1).await, [3]);
    assert_eq!(within("cke", MemoryFilter::default(), 10).await, [2, 1]);
    assert_eq!(within("zebra", MemoryFilter::default(), 10).await, [0_i64; 0]);
    bed.set_state("u", Seq(3), MemoryState::Deleted).await;
    assert_eq!(within("rhein", MemoryFilter::default(), 10).await, [1]);
    assert_eq!(within("rhein", any_state(), 10).await, [3, 1]);
}

/// Known stems; and stems by first letter and length, with the number of memories that contain them.
pub async fn words_and_their_neighbours_are_known(bed: &Bed) {
    remember(bed, &["herons and the heron", "a heron, a horse", "ähnlich, 123 hers"]).await;
    let words = ["heron", "Herons", "horse", "hen", "", "!", "heron horse", "123"].map(str::to_owned);
    let (known, vocabulary, short) = bed
        .read("u", move |r| {
            let words = words.clone();
            Box::pin(async move {
                let known = r.known_words(&words, None).await?;
                let vocabulary = r.vocabulary(&['h', '1', 'h'], 3, 5).await?;
                Ok((known, vocabulary, r.vocabulary(&['h'], 1, 4).await?))
            })
        })
        .await;
    assert_eq!(known, [true, true, true, false, false, false, false, true]);
    let mut vocabulary = vocabulary;
    vocabulary.sort();
    let expected = [("123", 1), ("her", 1), ("heron", 2), ("hors", 1)].map(|(word, n)| (word.to_owned(), n));
    assert_eq!(vocabulary, expected);
    assert_eq!(short.len(), 2, "{short:?}");
}

/// The index has the stems that core computes, by which tags are weighted.
pub async fn stems_of_the_index_are_those_of_core(bed: &Bed) {
    const TEXT: &str = "caresses ponies ties cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned \
        falling hissing fizzed failing filing happy sky relational conditional rational valency hesitancy digitizer \
        conformably radically differently vilely analogously vietnamization predication operator feudalism decisiveness \
        hopefulness callousness formality sensitivity sensibility triplicate formative formalize electricity electrical \
        goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment \
        dependent adoption homologous communism activate angularity effective bowdlerize probate rate cease controll roll \
        generalizations oscillators news university say quarterly analysis geology apologies trilogy by yes eye syzygy \
        agencies bees eed ing being beings zeppelins Grüße 42nd decision ionized unions";
    remember(bed, &[TEXT]).await;
    let letters: Vec<char> = ('a'..='z').chain('0'..='9').collect();
    let found = bed.read("u", move |r| {
        let letters = letters.clone();
        Box::pin(async move { r.vocabulary(&letters, 1, 64).await })
    });
    let found: BTreeSet<String> = found.await.into_iter().map(|(stem, _)| stem).collect();
    let expected: BTreeSet<String> = words(TEXT).map(|word| porter(&fold(word))).collect();
    assert_eq!(found, expected);
}

/// A rebuild changes nothing visible, also in the transaction of other changes.
pub async fn the_index_survives_a_rebuild(bed: &Bed) {
    remember(bed, &["first heron", "second heron", "third heron"]).await;
    bed.set_state("u", Seq(1), MemoryState::Deleted).await;
    bed.set_state("u", Seq(2), MemoryState::Archived).await;
    let before = (bed.usage("u").await, bed.found("u", any_of(&["heron"])).await);
    bed.write("u", |tx| {
        Box::pin(async move {
            tx.insert_memories(&[new_memory(9, draft("fourth zebra"))]).await?;
            let (run, mut after) = (Uuid::from_u128(1), tx.rebuild_index(Uuid::from_u128(1), None).await?);
            while after.is_some() {
                after = tx.rebuild_index(run, after).await?;
            }
            Ok(())
        })
    })
    .await;
    let after = (bed.usage("u").await, bed.found("u", any_of(&["heron"])).await);
    assert_eq!(before.1, after.1);
    assert_eq!(after.0.created, 4);
    assert_eq!(bed.found("u", any_of(&["zebra"])).await, [4]);
    bed.set_state("u", Seq(1), MemoryState::Active).await;
    bed.set_state("u", Seq(4), MemoryState::Deleted).await;
    assert_eq!(bed.found("u", any_of(&["heron", "zebra"])).await.len(), 2);
}

/// Other writes get in between any two pages: the index answers meanwhile, and the new one has all of them.
pub async fn a_rebuild_lets_other_writes_in_and_follows_them(bed: &Bed) {
    bed.remember("u", (0..700).map(|n| draft(&format!("heron {n}")))).await;
    let found = async |word: &str| bed.found("u", any_of(&[word])).await;
    let pages = bed
        .rebuild("u", async |page| {
            let n = i64::try_from(page).unwrap();
            let (early, late) = (Seq(2 * n), Seq(700 - 2 * n));
            for seq in [early, late] {
                let mut memory = bed.memory("u", u128::from(seq.0.unsigned_abs())).await.unwrap();
                memory.draft.content = format!("zebra w{}", seq.0);
                bed.write("u", move |tx| {
                    let memory = memory.clone();
                    Box::pin(async move { tx.update_memory(&memory, None).await })
                })
                .await;
                assert_eq!(found(&format!("w{}", seq.0)).await, [seq.0], "page {page}");
                bed.set_state("u", Seq(seq.0 + 1), MemoryState::Deleted).await;
            }
            let ids = bed.insert("u", vec![new_memory(10_000 + u32::try_from(page).unwrap(), draft("giraffe"))]).await;
            assert!(found("giraffe").await.contains(&ids[0].0), "page {page}");
        })
        .await;
    assert!(pages > 2, "{pages}");
    assert_eq!(found("zebra").await.len(), 2 * (pages - 1));
    assert_eq!(found("giraffe").await.len(), pages - 1);
    for page in 1..pages {
        let n = i64::try_from(page).unwrap();
        for seq in [2 * n, 700 - 2 * n] {
            assert_eq!(found(&format!("w{seq}")).await, [seq]);
            assert_eq!(found(&format!("{}", seq - 1)).await, [0_i64; 0], "a word of the text before");
        }
    }
    bed.usage("u").await;
}

/// The counters are corrected by the difference between two readings of an earlier snapshot.
pub async fn counters_are_corrected_by_a_difference(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let right = bed.usage("u").await;
    let mut wrong = right.clone();
    *wrong.count_mut(Tier::LongTerm, MemoryState::Archived) = Count { items: 5, bytes: 500 };
    let correct = async |stored: &Usage, counted: &Usage| {
        let (stored, counted) = (stored.clone(), counted.clone());
        bed.write("u", move |tx| {
            let (stored, counted) = (stored.clone(), counted.clone());
            Box::pin(async move { tx.correct_usage(&stored, &counted).await })
        })
        .await;
    };
    correct(&right, &wrong).await;
    assert_eq!(bed.read("u", |r| Box::pin(r.usage())).await, wrong);
    bed.insert("u", vec![new_memory(2, draft("two"))]).await;
    correct(&wrong, &right).await;
    assert_eq!(bed.usage("u").await.created, 2);
}

/// Also if readers cache facts per version: the speakers, and that a table is empty.
pub async fn what_a_commit_adds_is_seen_by_the_next_reader(bed: &Bed) {
    let look = || {
        bed.read("u", |r| {
            Box::pin(async move {
                r.data_version().await?;
                let (speakers, tags) = (r.speakers().await?, find::<AutoTag>(r, &AutoTag::query()).await?);
                Ok((speakers.len(), tags.len(), count(r, &AutoTag::query()).await?))
            })
        })
    };
    for (n, speaker) in [(1, "Mia"), (2, "Ada")] {
        bed.insert("u", vec![new_memory(n, MemoryDraft { speaker: Some(speaker.to_owned()), ..draft("tea") })]).await;
        let speakers = usize::try_from(n).unwrap();
        assert_eq!((look().await, look().await), ((speakers, 0, 0), (speakers, 0, 0)));
    }
    for (tags, tag) in [(1, "warm"), (2, "green")] {
        let row = AutoTag { memory: new_memory(1, draft("tea")).id, tag: tag.to_owned() };
        bed.write("u", move |tx| {
            let row = row.clone();
            Box::pin(async move { put(tx, &[row]).await })
        })
        .await;
        assert_eq!((look().await, look().await), ((2, tags, tags as u64), (2, tags, tags as u64)));
    }
}

/// Changes even for a commit that only touches, and never without a commit.
pub async fn the_version_changes_with_every_commit(bed: &Bed) {
    remember(bed, &["one"]).await;
    let version = || bed.read("u", |r| Box::pin(r.data_version()));
    let first = version().await;
    assert_eq!(version().await, first);
    bed.write("u", |tx| Box::pin(async move { tx.touch(&[Touch { seq: Seq(1), times: 1, at: at(9) }]).await })).await;
    let second = version().await;
    assert_ne!(second, first);
    bed.insert("u", vec![new_memory(2, draft("two"))]).await;
    assert_ne!(version().await, second);
}
