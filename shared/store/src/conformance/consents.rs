//! Records of consent, and their effects on memories.

use std::sync::Arc;

use kimberly_core::bounds::MAX_PAGE_BYTES;
use kimberly_core::consent::{ConsentDraft, ConsentRecord, ConsentScope, GivenBy, Retraction};
use kimberly_core::error::{Entity, Error};
use kimberly_core::ids::{ConsentId, Seq};
use kimberly_core::links::{Direction, Link, LinkDraft, Relation};
use kimberly_core::memory::{ChangeKind, ListOrder, MemoryDraft, MemoryFilter, MemoryState, Metadata};
use kimberly_core::ports::{ChangeQuery, ConsentCount, ConsentQuery, SessionSpot};
use kimberly_core::tables::{self, RowQuery};
use uuid::Uuid;

use super::Bed;
use super::fixtures::{any_of, any_state, at, draft, memory_id, new_memory, user};

fn id(n: u128) -> ConsentId {
    ConsentId(Uuid::from_u128(n))
}

/// A record granted `n` seconds after the start.
pub(super) fn record(n: u8) -> ConsentRecord {
    let scope = ConsentScope { tags: vec!["ü\"".to_owned()], ..ConsentScope::default() };
    ConsentRecord {
        id: id(n.into()),
        draft: ConsentDraft {
            purpose: format!("purpose {n}"),
            scope,
            given_by: GivenBy::Guardian,
            note: "signed".to_owned(),
            expires_at: None,
            wording_sha256: Some("a".repeat(64)),
        },
        recorded_by: "user".to_owned(),
        granted_at: at(n.into()),
        retracted_at: None,
        retracted_by: None,
        retraction: None,
        revision: 1,
    }
}

pub(super) async fn put(bed: &Bed, records: Vec<ConsentRecord>) {
    let records = Arc::new(records);
    bed.write("u", move |tx| {
        let records = Arc::clone(&records);
        Box::pin(async move {
            for record in records.iter() {
                tx.put_consent(record).await?;
            }
            Ok(())
        })
    })
    .await;
}

async fn read(bed: &Bed, query: ConsentQuery) -> Vec<ConsentRecord> {
    bed.read("u", move |r| {
        let query = query.clone();
        Box::pin(async move { r.consents(&query).await })
    })
    .await
}

/// A memory in a session, under a record of consent.
pub(super) fn under(record: u128, sensitive: bool, text: &str) -> MemoryDraft {
    MemoryDraft {
        consent_id: Some(id(record)),
        consent: true,
        session_id: Some("s".to_owned()),
        metadata: Metadata { sensitive, ..draft("").metadata },
        ..draft(text)
    }
}

pub(super) async fn withhold(bed: &Bed, consent: u128, erase: bool) -> u64 {
    bed.write("u", move |tx| Box::pin(async move { tx.withhold(id(consent), erase, at(500)).await })).await
}

/// Erases memories marked for erasure up to a limit; returns how many, and how many are left.
async fn erase(bed: &Bed, limit: usize) -> (usize, u64) {
    bed.write("u", move |tx| {
        Box::pin(async move {
            let seqs: Vec<Seq> = tx.doomed(limit).await?.oldest.into_iter().map(|(_, seq)| seq).collect();
            tx.erase_memories(&seqs, at(600)).await?;
            Ok((seqs.len(), tx.doomed(0).await?.all))
        })
    })
    .await
}

/// Returns all changes: kind, fixture number of the memory, and whether an empty filter lets them pass.
async fn told(bed: &Bed) -> Vec<(ChangeKind, u128, bool)> {
    let query = ChangeQuery {
        filter: any_state(),
        with_memories: true,
        limit: 1_000,
        max_bytes: 1 << 20,
        ..Default::default()
    };
    let seen = bed
        .read("u", move |r| {
            let query = query.clone();
            Box::pin(async move { r.changes(&query).await })
        })
        .await;
    seen.iter().map(|seen| (seen.change.kind, seen.change.memory_id.0.as_u128(), seen.passes)).collect()
}

/// Records read back newest first, by id, by page and by activity; a second write replaces the first.
pub async fn records_of_consent_round_trip_newest_first(bed: &Bed) {
    assert_eq!(read(bed, ConsentQuery::Active(at(1))).await, []);
    let expiring = ConsentRecord { draft: ConsentDraft { expires_at: Some(at(50)), ..record(2).draft }, ..record(2) };
    let same_time = ConsentRecord { granted_at: at(3), ..record(4) };
    put(bed, vec![record(1), expiring.clone(), record(3), same_time.clone()]).await;
    let retracted = ConsentRecord {
        retracted_at: Some(at(40)),
        retracted_by: Some("user".to_owned()),
        retraction: Some(Retraction::Seal),
        revision: 2,
        ..record(3)
    };
    put(bed, vec![retracted.clone()]).await;
    let all = [same_time.clone(), retracted.clone(), expiring.clone(), record(1)];
    let page = |retracted, after, limit| ConsentQuery::Page { retracted, after, limit };
    assert_eq!(read(bed, page(true, None, 10)).await, all);
    assert_eq!(read(bed, page(true, Some((at(3), id(4))), 2)).await, all[1..3]);
    assert_eq!(read(bed, page(false, None, 2)).await, [same_time.clone(), expiring.clone()]);
    assert_eq!(read(bed, ConsentQuery::Ids(vec![id(3), id(9), id(1)])).await, [retracted, record(1)]);
    assert_eq!(read(bed, ConsentQuery::Active(at(49))).await, [same_time.clone(), expiring, record(1)]);
    assert_eq!(read(bed, ConsentQuery::Active(at(50))).await, [same_time, record(1)]);
    for (when, active) in [(49, 3), (50, 2)] {
        let count = bed.read("u", move |r| Box::pin(r.count_consents(at(when)))).await;
        assert_eq!(count, ConsentCount { all: 4, active });
    }
}

/// A memory's record of consent reads back, also after an update; an unknown record is refused.
pub async fn a_memory_is_under_its_record_and_an_unknown_one_is_refused(bed: &Bed) {
    put(bed, vec![record(1), record(2)]).await;
    bed.remember("u", [under(1, true, "one"), draft("two")]).await;
    assert_eq!(bed.memory("u", 1).await.unwrap().draft, under(1, true, "one"));
    assert_eq!(bed.memory("u", 2).await.unwrap().draft.consent_id, None);
    let mut memory = bed.memory("u", 1).await.unwrap();
    memory.draft.consent_id = Some(id(2));
    bed.write("u", move |tx| {
        let memory = memory.clone();
        Box::pin(async move { tx.update_memory(&memory, None).await })
    })
    .await;
    assert_eq!(bed.memory("u", 1).await.unwrap().draft.consent_id, Some(id(2)));
    let unknown = Arc::new([new_memory(3, under(9, true, "three"))]);
    let who = user("u");
    let refused = bed.vaults.transact(&who, "test", move |tx| {
        let memories = Arc::clone(&unknown);
        Box::pin(async move { tx.insert_memories(&*memories).await })
    });
    let refused = refused.await;
    assert!(matches!(refused, Err(Error::NotFound { entity: Entity::Consent, .. })), "{refused:?}");
    let exported =
        bed.read("u", |r| Box::pin(async move { r.export(&any_state(), None, 9, MAX_PAGE_BYTES).await })).await;
    assert_eq!(exported[0].memory.draft.consent_id, Some(id(2)));
}

/// No read returns withheld memories, sensitive or not, in any state, except exports that ask for them. They still
/// count, retention ignores them, and followers are notified once.
pub async fn what_is_withheld_is_hidden_from_every_read(bed: &Bed) {
    put(bed, vec![record(1), record(2)]).await;
    let drafts = [
        under(1, true, "tea one"),
        under(2, true, "tea two"),
        under(1, false, "tea three"),
        draft("tea four"),
        under(1, true, "tea five"),
    ];
    bed.remember("u", drafts).await;
    bed.set_state("u", Seq(5), MemoryState::Archived).await;
    let usage = bed.usage("u").await;
    assert_eq!(withhold(bed, 1, false).await, 3);
    assert_eq!(withhold(bed, 1, false).await, 0, "it is done");
    assert_eq!(bed.usage("u").await, usage, "what is kept counts");
    hidden(bed, &[1, 3, 5], &[2, 4]).await;
    let records = bed
        .read("u", |r| {
            let filter = MemoryFilter { withheld: true, ..any_state() };
            Box::pin(async move { r.export(&filter, None, 9, MAX_PAGE_BYTES).await })
        })
        .await;
    let withheld: Vec<_> = records.iter().map(|record| (record.memory.seq.0, record.memory.withheld)).collect();
    assert_eq!(withheld, [(1, true), (2, false), (3, true), (4, false), (5, true)]);
    assert_eq!((records[0].memory.revision, records[0].memory.updated_at), (2, at(500)));
    let known = bed.read("u", |r| Box::pin(async move { r.records(&[memory_id(1)]).await })).await;
    assert_eq!(known.len(), 1, "imports must know of it");
    let told = told(bed).await;
    let hidden: Vec<_> = told.iter().filter(|(kind, ..)| *kind == ChangeKind::Withheld).collect();
    assert_eq!(
        hidden,
        [&(ChangeKind::Withheld, 1, true), &(ChangeKind::Withheld, 3, true), &(ChangeKind::Withheld, 5, true)]
    );
    assert!(told.iter().any(|(kind, n, passes)| (*kind, *n) == (ChangeKind::Created, 1) && !passes));
}

/// Checks that every read omits the memories `gone` and returns those `there`; all are about tea and in session `s` or
/// none.
async fn hidden(bed: &Bed, gone: &[i64], there: &[i64]) {
    let all: Vec<Seq> = gone.iter().chain(there).map(|seq| Seq(*seq)).collect();
    let found = bed
        .read("u", move |r| {
            let all = all.clone();
            Box::pin(async move {
                let ids: Vec<_> = all.iter().map(|seq| memory_id(u128::try_from(seq.0).unwrap())).collect();
                let mut reads: Vec<Vec<i64>> = Vec::new();
                let mut memories = Vec::new();
                for id in &ids {
                    memories.extend(r.memory(*id).await?.map(|memory| memory.seq.0));
                }
                reads.push(memories);
                reads.push(r.memories(&all).await?.iter().map(|memory| memory.seq.0).collect());
                reads.push(r.seqs(&ids).await?.iter().map(|(_, seq)| seq.0).collect());
                let filter = any_state();
                let query = kimberly_core::ports::LexicalQuery { filter: filter.clone(), ..any_of(&["tea"]) };
                reads.push(r.lexical(&query, 100).await?.iter().map(|hit| hit.seq.0).collect());
                reads.push(r.at_seqs(&all, &filter).await?.iter().map(|hit| hit.seq.0).collect());
                reads.push(r.substring("tea", &filter, 100).await?.iter().map(|hit| hit.seq.0).collect());
                let list = r.list(&filter, ListOrder::OldestFirst, None, 100, MAX_PAGE_BYTES).await?;
                reads.push(list.iter().map(|memory| memory.seq.0).collect());
                let exported = r.export(&filter, None, 100, MAX_PAGE_BYTES).await?;
                reads.push(exported.iter().map(|record| record.memory.seq.0).collect());
                reads.push(r.scoring_items(true, None, 100).await?.iter().map(|item| item.seq.0).collect());
                reads.push(r.retention_items().await?.iter().map(|item| item.seq.0).collect());
                let spots: Vec<_> = (0..9).map(|position| SessionSpot { session: 1, position }).collect();
                let near: Vec<i64> = r.at_spots(&spots, &filter).await?.iter().map(|hit| hit.seq.0).collect();
                let known = r.known_words(&["five".to_owned(), "four".to_owned()], None).await?;
                Ok((reads, near, known))
            })
        })
        .await;
    let (reads, near, known) = found;
    for (index, mut read) in reads.into_iter().enumerate() {
        read.sort_unstable();
        assert_eq!(read, there, "read {index}");
    }
    assert!(near.iter().all(|seq| there.contains(seq)), "{near:?}");
    assert_eq!(known, [!gone.contains(&5), true]);
}

/// A new record releases the memories in its scope; all others stay withheld.
pub async fn what_is_withheld_comes_back_as_far_as_the_new_scope_holds_it(bed: &Bed) {
    put(bed, vec![record(1), record(2)]).await;
    let tagged = |content: &str, session: &str| {
        let metadata = Metadata { tags: vec!["ü\"".to_owned()], ..under(1, true, "").metadata };
        MemoryDraft { metadata, session_id: Some(session.to_owned()), ..under(1, true, content) }
    };
    bed.remember(
        "u",
        [tagged("tea one", "s"), tagged("tea two", "t"), under(1, true, "tea three"), under(2, true, "tea four")],
    )
    .await;
    withhold(bed, 1, false).await;
    let scope = ConsentScope { session_ids: vec!["s".to_owned()], ..record(5).draft.scope };
    let into = ConsentRecord { draft: ConsentDraft { scope, ..record(5).draft }, ..record(5) };
    put(bed, vec![into.clone()]).await;
    let release = |into: ConsentRecord| {
        bed.write("u", move |tx| {
            let into = into.clone();
            Box::pin(async move { tx.release_withheld(id(1), &into, at(700)).await })
        })
    };
    assert_eq!(release(into.clone()).await, 1);
    let back = bed.memory("u", 1).await.unwrap();
    assert_eq!(
        (back.draft.consent_id, back.withheld, back.revision, back.updated_at),
        (Some(id(5)), false, 3, at(700))
    );
    assert_eq!(bed.found("u", any_of(&["tea"])).await, [1, 4]);
    assert_eq!(told(bed).await.last(), Some(&(ChangeKind::Restored, 1, true)));
    let everything =
        ConsentRecord { draft: ConsentDraft { scope: ConsentScope::default(), ..record(6).draft }, ..record(6) };
    put(bed, vec![everything.clone()]).await;
    assert_eq!(release(everything.clone()).await, 2);
    assert_eq!(release(everything).await, 0, "nothing is withheld any more");
    assert_eq!(bed.found("u", any_of(&["tea"])).await, [1, 2, 3, 4]);
}

/// Erasing proceeds in steps, includes memories that were already withheld, and leaves only changes. Retention still
/// sees what an owner deleted under a record of consent.
pub async fn what_is_to_be_erased_goes_in_steps_and_leaves_nothing(bed: &Bed) {
    assert_eq!(erase(bed, 10).await, (0, 0));
    put(bed, vec![record(1), record(2)]).await;
    let drafts = (0..5)
        .map(|n| under(1, n % 2 == 0, &format!("tea {n}")))
        .chain([under(2, true, "tea five"), draft("tea four")]);
    bed.remember("u", drafts).await;
    bed.set_state("u", Seq(2), MemoryState::Deleted).await;
    withhold(bed, 1, false).await;
    let retained = bed.read("u", |r| Box::pin(r.retention_items())).await;
    assert_eq!(retained.iter().map(|item| item.seq.0).collect::<Vec<_>>(), [2, 6, 7]);
    let movable = bed.read("u", |r| Box::pin(r.movable_bytes())).await;
    let active = retained.iter().filter(|item| item.state == MemoryState::Active).map(|item| item.size_bytes);
    assert_eq!(movable.iter().sum::<u64>(), active.sum::<u64>(), "nor what is withheld");
    assert_eq!(erase(bed, 10).await, (0, 0), "hidden is not to be erased");
    assert_eq!(withhold(bed, 1, true).await, 0, "they were hidden already");
    let shown = MemoryFilter { withheld: true, ..any_state() };
    let exported = bed
        .read("u", move |r| {
            let shown = shown.clone();
            Box::pin(async move { r.export(&shown, None, 100, MAX_PAGE_BYTES).await })
        })
        .await;
    assert_eq!(exported.iter().map(|record| record.memory.seq.0).collect::<Vec<_>>(), [6, 7], "not even by an export");
    assert_eq!(erase(bed, 2).await, (2, 3));
    assert_eq!(erase(bed, 3).await, (3, 0));
    assert_eq!(erase(bed, 3).await, (0, 0));
    let usage = bed.usage("u").await;
    assert_eq!((usage.created, usage.deleted), (7, 5));
    assert_eq!(bed.read("u", |r| Box::pin(async move { r.records(&[memory_id(1), memory_id(5)]).await })).await, []);
    let erased = told(bed).await.into_iter().filter(|(kind, ..)| *kind == ChangeKind::Erased).map(|(_, n, _)| n);
    assert_eq!(erased.collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(bed.found("u", any_of(&["tea"])).await, [6, 7]);
    let next = bed.insert("u", vec![new_memory(8, under(2, true, "tea six"))]).await;
    assert_eq!(next, [Seq(8)]);
}

/// Records that must be erased along with others are found through their links to withheld memories.
pub async fn links_of_what_is_to_be_erased_are_seen_where_that_is_asked(bed: &Bed) {
    put(bed, vec![record(1)]).await;
    bed.remember("u", [under(1, false, "tea one"), under(1, false, "tea two"), draft("tea three")]).await;
    let link = |from, to| LinkDraft::new(memory_id(from), Relation::DerivedFrom, memory_id(to)).checked("link", at(5));
    let links = [link(3, 1).unwrap(), link(2, 1).unwrap()];
    bed.write("u", move |tx| {
        let links = links.clone();
        Box::pin(async move { tables::put(tx, &links).await })
    })
    .await;
    let seen = async |query: RowQuery| {
        let links = bed.read("u", move |r| {
            let query = query.clone();
            Box::pin(async move { tables::find::<Link>(r, &query).await })
        });
        links.await.len()
    };
    let of = || Link::of([memory_id(1)], Direction::In);
    assert_eq!(seen(of()).await, 2);
    for (erase, withheld) in [(false, 2), (true, 0)] {
        withhold(bed, 1, erase).await;
        let counts = (seen(of()).await, seen(of().with_withheld()).await, seen(of().with_doomed()).await);
        assert_eq!(counts, (0, withheld, 2), "to be erased: {erase}");
    }
    let doomed = bed.write("u", |tx| Box::pin(async move { tx.doomed(1).await })).await;
    assert_eq!((doomed.oldest, doomed.all), (vec![(memory_id(1), Seq(1))], 2));
}
