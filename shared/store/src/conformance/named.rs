//! Records with names: found and listed by them, and unique.

use kimberly_core::Error;
use kimberly_core::error::Result;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState};
use kimberly_core::ports::{Named, NamesQuery};

use super::Bed;
use super::fixtures::{draft, memory_id, new_memory, user};

fn named(name: &str) -> MemoryDraft {
    MemoryDraft { name: Some(name.to_owned()), ..draft(&format!("the file {name}")) }
}

async fn id(bed: &Bed, namespace: &'static str, name: &str) -> Option<u128> {
    let name = name.to_owned();
    let found = bed.read("u", move |r| {
        let name = name.clone();
        Box::pin(async move { r.id_named(namespace, &name).await })
    });
    found.await.map(|id| id.0.as_u128())
}

async fn insert(bed: &Bed, n: u32, draft: MemoryDraft) -> Result<()> {
    let (new, who) = (new_memory(n, draft), user("u"));
    let stored = bed.vaults.transact(&who, "test", move |tx| {
        let new = new.clone();
        Box::pin(async move { tx.insert_memories(&[new]).await })
    });
    stored.await.map(drop)
}

/// Renames a memory, or removes its name.
async fn rename(bed: &Bed, n: u128, name: Option<&str>) -> Result<()> {
    let mut changed = bed.memory("u", n).await.unwrap();
    changed.draft.name = name.map(str::to_owned);
    changed.revision += 1;
    let who = user("u");
    let stored = bed.vaults.transact(&who, "test", move |tx| {
        let changed = changed.clone();
        Box::pin(async move { tx.update_memory(&changed, None).await })
    });
    stored.await
}

fn is_taken<T: std::fmt::Debug>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::NameTaken))
}

/// A name matches byte for byte, only in its namespace and only while the record is active.
pub async fn a_record_is_found_by_its_name_within_its_namespace(bed: &Bed) {
    let elsewhere = MemoryDraft { namespace: "büro".to_owned(), ..named("notes/a") };
    let seqs = bed.remember("u", [named("notes/a"), named("notes/ü b"), draft("nameless"), elsewhere]).await;
    assert_eq!((id(bed, "", "notes/a").await, id(bed, "büro", "notes/a").await), (Some(1), Some(4)));
    assert_eq!(id(bed, "", "notes/ü b").await, Some(2));
    for unknown in ["notes", "Notes/a", "notes/a ", "notes/ü", ""] {
        assert_eq!(id(bed, "", unknown).await, None, "{unknown}");
    }
    assert_eq!((id(bed, "none", "notes/a").await, id(bed, "büro", "notes/ü b").await), (None, None));
    rename(bed, 1, Some("notes/c")).await.unwrap();
    assert_eq!((id(bed, "", "notes/a").await, id(bed, "", "notes/c").await), (None, Some(1)));
    rename(bed, 1, None).await.unwrap();
    assert_eq!(id(bed, "", "notes/c").await, None);
    bed.set_state("u", seqs[1], MemoryState::Deleted).await;
    assert_eq!(id(bed, "", "notes/ü b").await, None);
    bed.usage("u").await;
}

/// Uniqueness holds for inserts, renames and restores; a refused write changes nothing.
pub async fn no_two_active_records_have_one_name(bed: &Bed) {
    let seqs = bed.remember("u", [named("a"), named("b")]).await;
    assert!(is_taken(&insert(bed, 3, named("a")).await));
    let mut sensitive = named("a");
    sensitive.metadata.sensitive = true;
    assert!(is_taken(&insert(bed, 4, sensitive.clone()).await), "one that is sealed has the same name");
    assert!(is_taken(&rename(bed, 2, Some("a")).await));
    let who = user("u");
    let twins = [new_memory(5, named("c")), new_memory(6, named("c"))];
    let both = bed.vaults.transact(&who, "test", move |tx| {
        let twins = twins.clone();
        Box::pin(async move { tx.insert_memories(&twins).await })
    });
    assert!(is_taken(&both.await));
    assert_eq!((id(bed, "", "a").await, id(bed, "", "c").await), (Some(1), None));
    rename(bed, 1, Some("a")).await.unwrap();
    bed.set_state("u", seqs[0], MemoryState::Archived).await;
    insert(bed, 7, sensitive).await.unwrap();
    assert_eq!(id(bed, "", "a").await, Some(7));
    let mut back = bed.memory("u", 1).await.unwrap();
    (back.state, back.archived_at, back.delete_after) = (MemoryState::Active, None, None);
    let back = bed.vaults.transact(&who, "test", move |tx| {
        let back = back.clone();
        Box::pin(async move { tx.update_memory(&back, None).await })
    });
    assert!(is_taken(&back.await), "what was archived comes back under a name that is free alone");
    assert_eq!(bed.memory("u", 1).await.unwrap().state, MemoryState::Archived);
    let elsewhere = MemoryDraft { namespace: "other".to_owned(), ..named("a") };
    insert(bed, 8, elsewhere).await.unwrap();
    bed.usage("u").await;
}

async fn page(bed: &Bed, query: NamesQuery) -> Vec<Named> {
    bed.read("u", move |r| {
        let query = query.clone();
        Box::pin(async move { r.names(&query).await })
    })
    .await
}

/// Names are listed by prefix and page; a filter by prefix finds only memories that are not sensitive.
pub async fn names_come_in_the_order_of_their_bytes_sealed_or_not(bed: &Bed) {
    let sealed = |name: &str| {
        let mut new = named(name);
        new.metadata.sensitive = true;
        new
    };
    let all = [named("b"), sealed("a/é"), named("a/z"), sealed("a/b"), named("a"), named("aa"), draft("nameless")];
    let elsewhere = MemoryDraft { namespace: "other".to_owned(), ..named("a/x") };
    let seqs = bed.remember("u", all.into_iter().chain([elsewhere])).await;
    bed.set_state("u", seqs[5], MemoryState::Archived).await;
    let filter = MemoryFilter { namespaces: vec![String::new()], ..MemoryFilter::default() };
    let query = |prefix: &str, after: &str, limit| NamesQuery {
        filter: filter.clone(),
        prefix: prefix.to_owned(),
        after: after.to_owned(),
        limit,
    };
    let names = async |prefix: &str, after: &str, limit| -> Vec<String> {
        page(bed, query(prefix, after, limit)).await.into_iter().map(|one| one.name).collect()
    };
    assert_eq!(names("", "", 9).await, ["a", "a/b", "a/z", "a/é", "b"]);
    assert_eq!(names("", "", 2).await, ["a", "a/b"]);
    assert_eq!(names("", "a/b", 2).await, ["a/z", "a/é"]);
    assert_eq!(names("a/", "", 9).await, ["a/b", "a/z", "a/é"]);
    assert_eq!(names("a/", "a/z", 9).await, ["a/é"]);
    assert_eq!(names("c", "", 9).await, [""; 0]);
    let first = page(bed, query("a/b", "", 1)).await.remove(0);
    assert_eq!((first.id, first.seq, first.sensitive, first.revision), (memory_id(4), seqs[3], true, 1));
    assert_eq!(first.content_bytes, "the file a/b".len() as u64);
    let prefix = |prefix: &str| MemoryFilter { name_prefix: Some(prefix.to_owned()), ..filter.clone() };
    for (asked, expected) in [("a", vec![3, 5]), ("a/", vec![3]), ("b", vec![1]), ("c", vec![])] {
        let filter = prefix(asked);
        let listed = bed.read("u", move |r| {
            let filter = filter.clone();
            Box::pin(
                async move { r.list(&filter, kimberly_core::memory::ListOrder::OldestFirst, None, 9, 1 << 20).await },
            )
        });
        let listed = listed.await;
        assert!(listed.iter().all(|memory| prefix(asked).passes(memory)), "{asked}");
        assert_eq!(listed.iter().map(|memory| memory.seq.0).collect::<Vec<_>>(), expected, "{asked}");
    }
}

/// Fifteen of them are refused because the name is taken.
pub async fn sixteen_writers_of_one_name_leave_one_record(bed: &Bed) {
    let writers = (1..=16).map(|n| insert(bed, n, named("one")));
    let done = futures::future::join_all(writers).await;
    assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
    assert_eq!(done.iter().filter(|done| is_taken(done)).count(), 15, "{done:?}");
    assert!(id(bed, "", "one").await.is_some());
    bed.usage("u").await;
}
