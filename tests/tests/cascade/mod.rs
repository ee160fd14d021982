//! Erasing memories on request also erases memories derived from them alone, and marks those derived from them in part:
//! in any graph of derivations, with cycles, within a bound, for callers with limited access, and with a retracted
//! consent.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use std::collections::BTreeSet;
use std::sync::Arc;

use kimberly_core::access::{Caller, Grant, Rows};
use kimberly_core::bounds::MAX_CASCADE;
use kimberly_core::consent::{ConsentDraft, Retraction};
use kimberly_core::links::{Link, LinkDraft, Relation};
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState, Metadata};
use kimberly_core::ports::NoObserver;
use kimberly_core::settings::ServerDefaults;
use kimberly_core::time::Span;
use kimberly_core::usecases::consents::{GrantConsentInput, RetractConsentInput};
use kimberly_core::usecases::{App, CreateInput, DeleteInput, ForgetInput, Forgotten, MeditateInput, VerifyInput};
use kimberly_core::{Error, MemoryId, Timestamp, UserId, tables};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

const NOW: Timestamp = Timestamp(1_795_176_000_000_000);

struct World {
    app: App,
    clock: Arc<FakeClock>,
    user: UserId,
    _store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FakeClock::at(NOW));
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await.unwrap();
        let ids = Arc::new(CountingIds::default());
        let app =
            App::new(store.vaults(), clock.clone(), ids, Arc::new(ServerDefaults::default()), Arc::new(NoObserver));
        Self { app, clock, user: UserId::parse("ana").unwrap(), _store: store, _folder: folder }
    }

    async fn remember(&self, drafts: Vec<MemoryDraft>) -> Vec<MemoryId> {
        let mut ids = Vec::new();
        for drafts in drafts.chunks(1_000) {
            let input =
                CreateInput { drafts: drafts.to_vec(), batch: true, always_new: true, ..CreateInput::default() };
            ids.extend(self.app.create_memories(&self.user, input).await.unwrap().iter().map(|receipt| receipt.id));
        }
        ids
    }

    /// Links the first of each pair to the second, as derived from it.
    async fn derive(&self, pairs: Vec<(MemoryId, MemoryId)>) {
        let link = |(from, to)| LinkDraft::new(from, Relation::DerivedFrom, to).checked("link", NOW).unwrap();
        let links: Arc<Vec<Link>> = Arc::new(pairs.into_iter().map(link).collect());
        let put = self.app.vaults.transact(&self.user, "test", move |tx| {
            let links = Arc::clone(&links);
            Box::pin(async move { tables::put(tx, &links).await })
        });
        put.await.unwrap();
    }

    async fn forget(&self, app: &App, ids: Vec<MemoryId>) -> Result<Forgotten, Error> {
        app.forget_memories(&self.user, ForgetInput { ids, request_id: String::new(), traceparent: None }).await
    }

    /// All remaining memories, and those of them that are stale.
    async fn left(&self) -> (BTreeSet<MemoryId>, BTreeSet<MemoryId>) {
        let of = async |filter: MemoryFilter| {
            let read = self.app.vaults.read(&self.user, move |reader| {
                let filter = filter.clone();
                Box::pin(async move { reader.export(&filter, None, 10_000, 64 * 1024 * 1024).await })
            });
            read.await.unwrap().iter().map(|record| record.memory.id).collect::<BTreeSet<_>>()
        };
        let all = MemoryFilter { states: MemoryState::ALL.to_vec(), withheld: true, ..MemoryFilter::default() };
        (of(all.clone()).await, of(MemoryFilter { stale: true, ..all }).await)
    }

    /// The use cases for a caller with access to one namespace only.
    fn limited(&self, namespace: &str) -> App {
        let rows = Rows::parse("rows", &[namespace.to_owned()], &[], false).unwrap();
        let grant = Grant { rows, ..Grant::everything() };
        self.app.clone().with_caller(Arc::new(Caller { grant: Arc::new(grant), ..Caller::open() }))
    }
}

fn plain(count: usize) -> Vec<MemoryDraft> {
    (0..count).map(|n| MemoryDraft { content: format!("thing {n}"), ..MemoryDraft::default() }).collect()
}

/// All nodes that depend on erased ones, directly or not.
fn touched(pairs: &[(usize, usize)], erased: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut reached = erased.clone();
    loop {
        let more: Vec<usize> = pairs
            .iter()
            .filter(|(from, to)| !reached.contains(from) && reached.contains(to))
            .map(|(from, _)| *from)
            .collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

#[tokio::test]
async fn in_any_graph_what_rests_on_the_erased_alone_goes_and_what_rests_on_it_in_part_is_stale() {
    let world = World::new().await;
    let mut dice = StdRng::seed_from_u64(22);
    for _ in 0..60 {
        let (before, _) = world.left().await;
        world.forget_all(before).await;
        let count = dice.random_range(2..12);
        let ids = world.remember(plain(count)).await;
        let links = dice.random_range(1..2 * count);
        let mut pairs: Vec<(usize, usize)> =
            (0..links).map(|_| (dice.random_range(0..count), dice.random_range(0..count))).collect();
        pairs.retain(|(from, to)| from != to);
        pairs.sort_unstable();
        pairs.dedup();
        world.derive(pairs.iter().map(|(from, to)| (ids[*from], ids[*to])).collect()).await;
        let erased: BTreeSet<usize> = (0..dice.random_range(1..3)).map(|_| dice.random_range(0..count)).collect();
        let named = erased.iter().map(|n| ids[*n]).collect();
        let forgotten = world.forget(&world.app, named).await.unwrap();

        let touched = touched(&pairs, &erased);
        let gone = |n: &usize| erased.contains(n) || (touched.contains(n) && !holds(*n, &pairs, (&touched, &erased)));
        let expected: BTreeSet<MemoryId> = (0..count).filter(|n| !gone(n)).map(|n| ids[n]).collect();
        let (left, stale) = world.left().await;
        assert_eq!(left, expected, "{pairs:?} without {erased:?}");
        let in_part: BTreeSet<MemoryId> = touched.iter().copied().filter(|n| !gone(n)).map(|n| ids[n]).collect();
        assert_eq!(stale, in_part, "{pairs:?} without {erased:?}");
        let along = touched.iter().copied().filter(|n| gone(n) && !erased.contains(n)).count() as u64;
        assert_eq!((forgotten.derived_erased, forgotten.marked_stale), (along, in_part.len() as u64));
    }
}

/// Whether a node is derived, at any depth, from something that the erasure does not touch.
fn holds(n: usize, pairs: &[(usize, usize)], (touched, erased): (&BTreeSet<usize>, &BTreeSet<usize>)) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![n]);
    while let Some(one) = next.pop() {
        if !touched.contains(&one) {
            return true;
        }
        if seen.insert(one) && !erased.contains(&one) {
            next.extend(pairs.iter().filter(|(from, _)| *from == one).map(|(_, to)| *to));
        }
    }
    false
}

impl World {
    async fn forget_all(&self, ids: BTreeSet<MemoryId>) {
        for ids in ids.into_iter().collect::<Vec<_>>().chunks(100) {
            let (left, _) = self.left().await;
            let ids: Vec<_> = ids.iter().copied().filter(|id| left.contains(id)).collect();
            if !ids.is_empty() {
                self.forget(&self.app, ids).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_verified_memory_is_stale_no_more() {
    let world = World::new().await;
    let ids = world.remember(plain(3)).await;
    world.derive(vec![(ids[2], ids[0]), (ids[2], ids[1])]).await;
    world.forget(&world.app, vec![ids[0]]).await.unwrap();
    assert_eq!(world.left().await.1, BTreeSet::from([ids[2]]));
    let input = VerifyInput { id: ids[2], etag: String::new(), request_id: String::new(), traceparent: None };
    world.app.verify_memory(&world.user, input).await.unwrap();
    assert!(world.left().await.1.is_empty());
    world.forget(&world.app, vec![ids[1]]).await.unwrap();
    assert!(world.left().await.0.is_empty(), "it rested on what was left of its sources");
}

#[tokio::test]
async fn more_than_a_thousand_that_rest_on_it_are_refused_and_nothing_is_erased() {
    let world = World::new().await;
    let sources = world.remember(plain(2)).await;
    let derived = world.remember(plain(MAX_CASCADE + 1)).await;
    let pairs = derived.iter().enumerate().map(|(n, id)| (*id, sources[n % 2])).collect();
    world.derive(pairs).await;
    let refused = world.forget(&world.app, sources.clone()).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict { field, .. } if field == "ids"), "{refused}");
    assert!(refused.to_string().contains("lineage"), "{refused}");
    assert_eq!(world.left().await.0.len(), MAX_CASCADE + 3);
    let forgotten = world.forget(&world.app, vec![sources[0]]).await.unwrap();
    assert_eq!(forgotten.derived_erased, MAX_CASCADE as u64 / 2 + 1);
}

#[tokio::test]
async fn the_end_of_a_grace_window_leaves_what_was_derived() {
    let world = World::new().await;
    let ids = world.remember(plain(2)).await;
    world.derive(vec![(ids[1], ids[0])]).await;
    let input = DeleteInput { id: ids[0], etag: String::new(), request_id: String::new() };
    world.app.delete_memory(&world.user, input).await.unwrap();
    world.clock.advance(Span::days(60));
    let run = world.app.meditate(&world.user, MeditateInput::default()).await.unwrap();
    world.app.run_meditation(&world.user, run.meditation.id).await.unwrap();
    let (left, stale) = world.left().await;
    assert_eq!(left, BTreeSet::from([ids[1]]), "the source is erased");
    assert!(stale.is_empty());
}

#[tokio::test]
async fn a_caller_who_sees_a_part_takes_along_what_it_sees_and_nothing_that_rests_on_more() {
    let world = World::new().await;
    let within = |namespace: &str, content: &str| MemoryDraft {
        namespace: namespace.to_owned(),
        content: content.to_owned(),
        ..MemoryDraft::default()
    };
    let shop = |content: &str| within("shop", content);
    let ids = world.remember(vec![shop("said"), within("home", "hidden"), shop("on both"), shop("on one")]).await;
    let elsewhere = world.remember(vec![within("home", "made of it")]).await[0];
    world.derive(vec![(ids[2], ids[0]), (ids[2], ids[1]), (ids[3], ids[0]), (elsewhere, ids[0])]).await;
    let bot = world.limited("shop");
    let forgotten = world.forget(&bot, vec![ids[0]]).await.unwrap();
    assert_eq!((forgotten.derived_erased, forgotten.marked_stale), (1, 1));
    let (left, stale) = world.left().await;
    assert_eq!(left, BTreeSet::from([ids[1], ids[2], elsewhere]), "what it does not see stays");
    assert_eq!(stale, BTreeSet::from([ids[2]]), "it rests on what is hidden, too");
}

#[tokio::test]
async fn a_retraction_takes_along_what_rests_on_the_erased_alone() {
    let world = World::new().await;
    let mut consents = Vec::new();
    for purpose in ["one", "two"] {
        let draft = ConsentDraft { purpose: purpose.to_owned(), ..ConsentDraft::default() };
        let input = GrantConsentInput { draft, ..GrantConsentInput::default() };
        consents.push(world.app.grant_consent(&world.user, input).await.unwrap().consent.id);
    }
    let under = |consent, content: &str| MemoryDraft {
        content: content.to_owned(),
        consent_id: Some(consent),
        metadata: Metadata { sensitive: true, ..Metadata::default() },
        ..MemoryDraft::default()
    };
    let (one, two) = (consents[0], consents[1]);
    let ids = world.remember(vec![under(one, "said"), under(two, "on one"), under(two, "on both"), under(two, "else")]);
    let ids = ids.await;
    world.derive(vec![(ids[1], ids[0]), (ids[2], ids[0]), (ids[2], ids[3])]).await;
    let retraction = Some(Retraction::Purge);
    let input = RetractConsentInput { id: one, retraction, request_id: String::new(), traceparent: None };
    let done = world.app.retract_consent(&world.user, input).await.unwrap();
    assert_eq!((done.withheld, done.erased, done.left), (1, 1, 0));
    let (left, stale) = world.left().await;
    assert_eq!((left, stale), (BTreeSet::from([ids[2], ids[3]]), BTreeSet::from([ids[2]])));
}
