//! Filters in lists, searches, neighbours and reads by number.

use kimberly_core::consent::ConsentScope;
use kimberly_core::ids::Seq;
use kimberly_core::links::Ending;
use kimberly_core::memory::{
    Layer, ListOrder, MemoryDraft, MemoryFilter, MemoryState, RecordKind, Scope, SensitivityFilter, Source, SourceType,
    Tier,
};
use kimberly_core::ports::{LexicalHit, LexicalQuery, NewMemory, SessionSpot};
use kimberly_core::tables::{self, TableRow as _};
use kimberly_core::tagging::AutoTag;

use super::Bed;
use super::fixtures::{any_of, at, draft, memory_id, new_memory};

/// Seven memories, such that each condition distinguishes some.
async fn vault(bed: &Bed) {
    let with = |change: &dyn Fn(&mut MemoryDraft)| {
        let mut new = draft("filtered heron");
        change(&mut new);
        new
    };
    let drafts = [
        with(&|d| d.tier = Tier::ShortTerm),
        with(&|d| d.metadata.tags = vec!["a".to_owned(), "b".to_owned()]),
        with(&|d| d.metadata.tags = vec!["b".to_owned(), "ü\"".to_owned()]),
        with(&|d| {
            d.metadata.sensitive = true;
            d.metadata.source = Source::Agent;
        }),
        with(&|d| {
            d.metadata.scope = Scope::Public;
            d.occurred_at = Some(at(-1_000));
        }),
        with(&|d| {
            d.session_id = Some("s2".to_owned());
            d.speaker = Some("Ömer".to_owned());
        }),
        with(&|d| d.tier = Tier::Permanent),
    ];
    let in_session = |mut d: MemoryDraft| {
        d.session_id.get_or_insert_with(|| "s1".to_owned());
        d
    };
    let seqs = bed.remember("u", drafts.map(in_session)).await;
    bed.set_state("u", seqs[6], MemoryState::Archived).await;
}

/// Returns what passes a filter, and asserts that lists, searches, substrings, neighbours and numbers agree.
async fn passing(bed: &Bed, filter: MemoryFilter) -> Vec<i64> {
    let in_transaction = filter.clone();
    let (listed, found) = bed
        .read("u", move |r| {
            let query = LexicalQuery { filter: filter.clone(), ..any_of(&["heron"]) };
            Box::pin(async move {
                let listed = r.list(&query.filter, ListOrder::OldestFirst, None, 100, 1_000_000).await?;
                let found = r.lexical(&query, 100).await?;
                let near = r.at_spots(&spots(), &query.filter).await?;
                let within = r.substring("RED HER", &query.filter, 100).await?;
                let numbered = r.at_seqs(&numbers(), &query.filter).await?;
                Ok((listed, [found, near, within, numbered]))
            })
        })
        .await;
    let listed: Vec<_> = listed.iter().map(|m| m.seq.0).collect();
    for hits in found.into_iter().chain(passing_inside(bed, in_transaction).await) {
        let mut seqs: Vec<_> = hits.iter().map(|hit| hit.seq.0).collect();
        seqs.sort_unstable();
        assert_eq!(seqs, listed);
    }
    listed
}

/// All spots of the vault, and some that do not exist.
fn spots() -> Vec<SessionSpot> {
    [1, 2].into_iter().flat_map(|session| (0..9).map(move |position| SessionSpot { session, position })).collect()
}

/// All numbers of the vault, and some that do not exist.
fn numbers() -> Vec<Seq> {
    (-1..12).map(Seq).collect()
}

/// Returns what a transaction finds, which may take another code path than a reader.
async fn passing_inside(bed: &Bed, filter: MemoryFilter) -> [Vec<LexicalHit>; 3] {
    bed.write("u", move |tx| {
        let query = LexicalQuery { filter: filter.clone(), ..any_of(&["heron"]) };
        Box::pin(async move {
            let found = tx.lexical(&query, 100).await?;
            let near = tx.at_spots(&spots(), &query.filter).await?;
            Ok([found, near, tx.at_seqs(&numbers(), &query.filter).await?])
        })
    })
    .await
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// Tests one condition at a time.
pub async fn each_condition_lets_the_right_memories_through(bed: &Bed) {
    vault(bed).await;
    let all = || MemoryFilter { states: MemoryState::ALL.to_vec(), ..MemoryFilter::default() };
    let cases: Vec<(MemoryFilter, &[i64])> = vec![
        (MemoryFilter::default(), &[1, 2, 3, 4, 5, 6]),
        (all(), &[1, 2, 3, 4, 5, 6, 7]),
        (MemoryFilter { states: vec![MemoryState::Archived], ..all() }, &[7]),
        (MemoryFilter { tiers: vec![Tier::ShortTerm, Tier::Permanent], ..all() }, &[1, 7]),
        (MemoryFilter { tags_any: names(&["a", "ü\""]), ..all() }, &[2, 3]),
        (MemoryFilter { tags_all: names(&["a", "b"]), ..all() }, &[2]),
        (MemoryFilter { tags_all: names(&["b"]), ..all() }, &[2, 3]),
        (MemoryFilter { tags_any: names(&["A"]), ..all() }, &[]),
        (MemoryFilter { created_after: Some(at(3)), ..all() }, &[3, 4, 5, 6, 7]),
        (MemoryFilter { created_before: Some(at(3)), ..all() }, &[1, 2]),
        (MemoryFilter { occurred_after: Some(at(6)), ..all() }, &[6, 7]),
        (MemoryFilter { occurred_before: Some(at(2)), ..all() }, &[1, 5]),
        (MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..all() }, &[1, 2, 3, 5, 6, 7]),
        (MemoryFilter { sensitivity: SensitivityFilter::Only, ..all() }, &[4]),
        (MemoryFilter { sources: vec![Source::Agent, Source::Import], ..all() }, &[4]),
        (MemoryFilter { scopes: vec![Scope::Public], ..all() }, &[5]),
        (MemoryFilter { session_id: Some("s2".to_owned()), ..all() }, &[6]),
        (MemoryFilter { session_id: Some("s3".to_owned()), ..all() }, &[]),
        (MemoryFilter { speakers: names(&["nobody", "öMER"]), ..all() }, &[6]),
        (MemoryFilter { speakers: names(&["nobody"]), ..all() }, &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(passing(bed, filter.clone()).await, expected, "{filter:?}");
    }
}

/// Conditions on kinds and belief, also for sealed memories; subjects are compared ignoring case.
pub async fn kinds_and_belief_let_the_right_memories_through(bed: &Bed) {
    let with = |n: u32, author: &str, change: &dyn Fn(&mut MemoryDraft)| {
        let mut new = draft("filtered heron");
        new.session_id = Some("s1".to_owned());
        change(&mut new);
        NewMemory { author: author.to_owned(), ..new_memory(n, new) }
    };
    let about = |d: &mut MemoryDraft, subject: &str| d.subject = Some(subject.to_owned());
    let news = vec![
        with(1, "", &|_| {}),
        with(2, "bot", &|d| {
            d.kind = RecordKind::Raw;
            d.confidence = Some(0.5);
            d.source_type = Some(SourceType::Correction);
        }),
        with(3, "bot's \"twin\"", &|d| {
            (d.kind, d.importance) = (RecordKind::Decision, 5);
            about(d, "Ömer");
        }),
        with(4, "", &|d| {
            (d.kind, d.importance, d.metadata.sensitive) = (RecordKind::Decision, 10, true);
            about(d, "ÖMER");
            d.valid_from = Some(at(100));
        }),
        with(5, "", &|d| {
            d.kind = RecordKind::Value;
            about(d, "Ana");
            (d.valid_from, d.valid_to) = (Some(at(50)), Some(at(100)));
        }),
    ];
    bed.insert("u", news).await;
    let all = MemoryFilter::default;
    let cases: Vec<(MemoryFilter, &[i64])> = vec![
        (all(), &[1, 2, 3, 4, 5]),
        (MemoryFilter { kinds: vec![RecordKind::Unset], ..all() }, &[1]),
        (MemoryFilter { kinds: vec![RecordKind::Decision, RecordKind::Raw], ..all() }, &[2, 3, 4]),
        (MemoryFilter { kinds: vec![RecordKind::Decision, RecordKind::Unset], ..all() }, &[1, 3, 4]),
        (MemoryFilter { layers: vec![Layer::Knowledge], ..all() }, &[1, 3, 4]),
        (MemoryFilter { layers: vec![Layer::Identity, Layer::Capture], ..all() }, &[2, 5]),
        (MemoryFilter { kinds: vec![RecordKind::Raw], layers: vec![Layer::Knowledge], ..all() }, &[]),
        (MemoryFilter { subjects: names(&["ömer"]), ..all() }, &[3, 4]),
        (MemoryFilter { subjects: names(&["ana", "nobody"]), ..all() }, &[5]),
        (MemoryFilter { subjects: names(&["nobody"]), ..all() }, &[]),
        (MemoryFilter { min_confidence: 0.5, ..all() }, &[1, 2, 3, 4, 5]),
        (MemoryFilter { min_confidence: 0.51, ..all() }, &[1, 3, 4, 5]),
        (MemoryFilter { below_confidence: 0.5, ..all() }, &[]),
        (MemoryFilter { below_confidence: 0.51, ..all() }, &[2]),
        (MemoryFilter { min_importance: 5, ..all() }, &[3, 4]),
        (MemoryFilter { min_importance: 6, ..all() }, &[4]),
        (MemoryFilter { valid_at: Some(at(99)), ..all() }, &[1, 2, 3, 5]),
        (MemoryFilter { valid_at: Some(at(100)), ..all() }, &[1, 2, 3, 4]),
        (MemoryFilter { valid_at: Some(at(49)), ..all() }, &[1, 2, 3]),
        (MemoryFilter { authors: names(&["bot", "bot's \"twin\""]), ..all() }, &[2, 3]),
        (MemoryFilter { authors: names(&["Bot"]), ..all() }, &[]),
    ];
    let stored = bed.read("u", |r| Box::pin(async move { r.memories(&numbers()).await })).await;
    for (filter, expected) in cases {
        assert_eq!(passing(bed, filter.clone()).await, expected, "{filter:?}");
        let by_rule: Vec<_> = stored.iter().filter(|memory| filter.passes(memory)).map(|m| m.seq.0).collect();
        assert_eq!(by_rule, expected, "{filter:?}");
    }
}

/// A memory whose end was recorded later passes as it was known then; a memory stored later does not pass.
pub async fn what_was_known_at_a_time_passes_as_it_held_then(bed: &Bed) {
    let ended = |n: u32| {
        let mut new = draft("filtered heron");
        (new.session_id, new.valid_to) = (Some("s1".to_owned()), Some(at(50)));
        new_memory(n, new)
    };
    bed.insert("u", vec![ended(1), ended(2), ended(300)]).await;
    let said = |n: u32, when: i64| Ending {
        memory: memory_id(n.into()),
        at: at(when),
        until: Some(at(50)),
        why: "it was moved".to_owned(),
    };
    let endings = [said(1, 100), said(2, 200)];
    bed.write("u", move |tx| {
        let endings = endings.clone();
        Box::pin(async move { tables::put(tx, &endings).await })
    })
    .await;
    let known = |valid: i64, known: i64| MemoryFilter {
        valid_at: Some(at(valid)),
        known_as_of: Some(at(known)),
        ..MemoryFilter::default()
    };
    for (filter, expected) in [
        (known(150, 99), &[1, 2][..]),
        (known(150, 100), &[2]),
        (known(150, 199), &[2]),
        (known(150, 200), &[]),
        (known(49, 200), &[1, 2]),
        (known(49, 299), &[1, 2]),
        (known(49, 300), &[1, 2, 3]),
        (known(49, 1), &[1]),
        (known(49, 0), &[]),
    ] {
        assert_eq!(passing(bed, filter.clone()).await, expected, "{filter:?}");
    }
}

/// Filters by staleness, and each hit reports whether it is stale.
pub async fn stale_memories_are_distinguished(bed: &Bed) {
    vault(bed).await;
    for n in [3, 4] {
        let mut stale = bed.memory("u", n).await.unwrap();
        stale.belief.stale_since = Some(at(60));
        bed.write("u", move |tx| {
            let stale = stale.clone();
            Box::pin(async move { tx.update_memory(&stale, None).await })
        })
        .await;
    }
    assert_eq!(passing(bed, MemoryFilter { stale: true, ..MemoryFilter::default() }).await, [3, 4]);
    let hits = bed.read("u", |r| {
        Box::pin(async move {
            let found = r.lexical(&any_of(&["heron"]), 100).await?;
            Ok([found, r.at_seqs(&numbers(), &MemoryFilter::default()).await?])
        })
    });
    for hits in hits.await {
        let mut stale: Vec<_> = hits.iter().filter(|hit| hit.stale).map(|hit| hit.seq.0).collect();
        stale.sort_unstable();
        assert_eq!(stale, [3, 4], "a hit says whether it is stale");
    }
}

/// Tags given by meditation count in filters like tags given by people, but not for consents.
pub async fn tags_of_nights_pass_as_those_of_people(bed: &Bed) {
    vault(bed).await;
    let given = |n: u32, tag: &str| AutoTag { memory: memory_id(n.into()), tag: tag.to_owned() };
    let rows = vec![given(1, "a"), given(2, "x"), given(2, "ü"), given(5, "b"), given(5, "x")];
    bed.write("u", move |tx| {
        let rows = rows.clone();
        Box::pin(async move { tables::put(tx, &rows).await })
    })
    .await;
    let any = |tags: &[&str]| MemoryFilter { tags_any: names(tags), ..MemoryFilter::default() };
    let every = |tags: &[&str]| MemoryFilter { tags_all: names(tags), ..MemoryFilter::default() };
    let cases: [(MemoryFilter, &[i64]); 9] = [
        (any(&["a"]), &[1, 2]),
        (any(&["x"]), &[2, 5]),
        (any(&["b", "ü"]), &[2, 3, 5]),
        (any(&["X", "none"]), &[]),
        (every(&["a", "x"]), &[2]),
        (every(&["b", "x"]), &[2, 5]),
        (every(&["x", "none"]), &[]),
        (MemoryFilter { own_tags: true, ..any(&["a", "x"]) }, &[2]),
        (MemoryFilter { own_tags: true, ..every(&["b", "x"]) }, &[]),
    ];
    let stored = bed.read("u", |r| {
        Box::pin(async move {
            let mut stored = r.memories(&numbers()).await?;
            for row in tables::find::<AutoTag>(r, &AutoTag::query()).await? {
                stored
                    .iter_mut()
                    .filter(|memory| memory.id == row.memory)
                    .for_each(|m| m.auto_tags.push(row.tag.clone()));
            }
            Ok(stored)
        })
    });
    let stored = stored.await;
    for (filter, expected) in cases {
        assert_eq!(passing(bed, filter.clone()).await, expected, "{filter:?}");
        let by_rule: Vec<_> = stored.iter().filter(|memory| filter.passes(memory)).map(|m| m.seq.0).collect();
        assert_eq!(by_rule, expected, "{filter:?}");
    }
    let scope = ConsentScope { tags: names(&["x"]), ..ConsentScope::default() };
    assert!(crate::consents::filter(&scope).own_tags);
}

/// Two conditions that one memory meets, and two that none meets.
pub async fn conditions_are_joined_with_and(bed: &Bed) {
    vault(bed).await;
    let both = MemoryFilter {
        tags_any: names(&["b"]),
        created_after: Some(at(3)),
        speakers: Vec::new(),
        sensitivity: SensitivityFilter::Exclude,
        tiers: vec![Tier::LongTerm],
        ..MemoryFilter::default()
    };
    assert_eq!(passing(bed, both.clone()).await, [3]);
    assert!(passing(bed, MemoryFilter { scopes: vec![Scope::Public], ..both }).await.is_empty());
}
