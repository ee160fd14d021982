//! Items waiting for a person are listed with the possible changes; applying and dismissing can be undone.

use kimberly_proto::v1::detail::Kind as Of;
use kimberly_proto::v1::{self as pb, Kind, MemoryState, Relation, ReviewChange, ReviewKind};
use kimberly_tests::drafts::draft;
use kimberly_tests::kinds::of_kind;
use kimberly_tests::{System, User, reason};

pub(super) async fn waiting(ana: &mut User, kinds: &[ReviewKind]) -> Vec<pb::Review> {
    let kinds = kinds.iter().map(|kind| (*kind).into()).collect();
    let request = pb::ListReviewsRequest { user_id: ana.id(), kinds, ..Default::default() };
    ana.clients.reviews.list_reviews(request).await.expect("a list").into_inner().reviews
}

pub(super) async fn apply(
    ana: &mut User,
    id: &str,
    choice: ReviewChange,
) -> Result<pb::ApplyReviewResponse, tonic::Status> {
    let (id, request_id) = (id.to_owned(), format!("{id} {choice:?}"));
    let request = pb::ApplyReviewRequest { user_id: ana.id(), id, choice: choice.into(), request_id };
    let first = ana.clients.reviews.apply_review(request.clone()).await?.into_inner();
    let again = ana.clients.reviews.apply_review(request).await.expect("a replay").into_inner();
    assert_eq!(first, again, "a replay is answered as the first");
    Ok(first)
}

pub(super) async fn undo(ana: &mut User, id: &str) -> Result<bool, tonic::Status> {
    let request = pb::UndoReviewRequest { user_id: ana.id(), id: id.to_owned() };
    ana.clients.reviews.undo_review(request).await.map(|answer| answer.into_inner().changed)
}

pub(super) async fn dismiss(ana: &mut User, id: &str) -> bool {
    let request = pb::DismissReviewRequest { user_id: ana.id(), id: id.to_owned() };
    ana.clients.reviews.dismiss_review(request).await.expect("it is dismissed").into_inner().changed
}

async fn link(ana: &mut User, from: &str, relation: Relation, to: &str) {
    let (from_id, to_id) = (from.to_owned(), to.to_owned());
    let link = Some(pb::MemoryLink { from_id, relation: relation.into(), to_id, ..Default::default() });
    let request = pb::LinkRequest { user_id: ana.id(), link, request_id: String::new() };
    ana.clients.links.link(request).await.expect("a link");
}

#[tokio::test]
async fn one_of_two_memories_supersedes_the_other_until_that_is_undone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = ana.remember("The spare key hangs behind the blue door").await.id;
    let new = ana.remember("the spare key hangs behind the blue door.").await.id;
    ana.remember("The spare key hangs behind the red door").await;
    let lisbon = ana.remember("Chen lives in Lisbon").await.id;
    let porto = ana.remember("Chen lives in Porto").await.id;
    link(&mut ana, &lisbon, Relation::Contradicts, &porto).await;
    let all = waiting(&mut ana, &[]).await;
    let kinds: Vec<ReviewKind> = all.iter().map(pb::Review::kind).collect();
    assert_eq!(kinds, [ReviewKind::Contradiction, ReviewKind::Duplicate], "{all:?}");
    let of = |review: &pb::Review| review.memories.iter().map(|memory| memory.id.clone()).collect::<Vec<_>>();
    assert_eq!((of(&all[0]), of(&all[1])), (vec![lisbon, porto.clone()], vec![old.clone(), new]));
    assert_eq!(all[1].proposes(), ReviewChange::KeepSecond, "the newer one");

    let (id, both) = (all[1].id.clone(), all[0].id.clone());
    let done = apply(&mut ana, &id, ReviewChange::Unspecified).await.expect("it is applied");
    assert_eq!(
        (done.applied(), done.changed_id.as_str(), done.undoable),
        (ReviewChange::KeepSecond, old.as_str(), true)
    );
    let done = apply(&mut ana, &both, ReviewChange::KeepFirst).await.expect("it is applied");
    assert_eq!(done.changed_id, porto);
    assert!(waiting(&mut ana, &[]).await.is_empty());
    let refused = apply(&mut ana, &id, ReviewChange::KeepFirst).await.expect_err("it waits no longer");
    assert_eq!(reason(&refused), "WRONG_STATE");
    assert!(undo(&mut ana, &id).await.expect("undone") && undo(&mut ana, &both).await.expect("undone"));
    assert!(!undo(&mut ana, &id).await.expect("nothing is left to undo"));
    let again: Vec<String> = waiting(&mut ana, &[]).await.into_iter().map(|review| review.id).collect();
    assert_eq!(again, [both.clone(), id]);

    apply(&mut ana, &both, ReviewChange::KeepBoth).await.expect("both hold");
    assert!(waiting(&mut ana, &[ReviewKind::Contradiction]).await.is_empty());
    assert!(undo(&mut ana, &both).await.expect("undone"));
    assert_eq!(waiting(&mut ana, &[ReviewKind::Contradiction]).await.len(), 1);
}

#[tokio::test]
async fn what_is_stale_or_uncertain_is_confirmed_or_forgotten() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let bases = [ana.remember("Ana wrote that the bakery moved").await.id, ana.remember("Bob said so too").await.id];
    let stale = ana.remember("The bakery is on the market square now").await.id;
    for base in &bases {
        link(&mut ana, &stale, Relation::DerivedFrom, base).await;
    }
    let ids = vec![bases[0].clone()];
    let request = pb::ForgetMemoriesRequest { user_id: ana.id(), ids, ..Default::default() };
    ana.clients.memories.forget_memories(request).await.expect("it is erased");
    let doubted =
        ana.remember_draft(pb::MemoryDraft { confidence: Some(0.2), ..draft("The museum may close on Mondays") }).await;
    let all = waiting(&mut ana, &[ReviewKind::Stale, ReviewKind::Uncertain]).await;
    let ids: Vec<&str> = all.iter().map(|review| review.memories[0].id.as_str()).collect();
    assert_eq!(ids, [stale.as_str(), doubted.id.as_str()]);

    let (stale, doubted) = (all[0].id.clone(), all[1].id.clone());
    let done = apply(&mut ana, &stale, ReviewChange::Confirm).await.expect("it is confirmed");
    assert!(!done.undoable);
    assert_eq!(reason(&undo(&mut ana, &stale).await.expect_err("it stays")), "WRONG_STATE");
    let wrong = apply(&mut ana, &doubted, ReviewChange::KeepBoth).await.expect_err("there is one memory");
    assert!(wrong.message().contains("choice"), "{wrong:?}");
    apply(&mut ana, &doubted, ReviewChange::Forget).await.expect("it is forgotten");
    assert!(waiting(&mut ana, &[]).await.is_empty());
    assert!(undo(&mut ana, &doubted).await.expect("undone"));
    assert_eq!(waiting(&mut ana, &[]).await.len(), 1, "it is back, and as uncertain as before");
}

#[tokio::test]
async fn what_is_dismissed_is_listed_again_when_a_memory_of_it_changes_or_that_is_undone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let doubted = pb::MemoryDraft { confidence: Some(0.2), ..draft("The museum may close on Mondays") };
    let memory = ana.remember_draft(doubted).await.id;
    let id = waiting(&mut ana, &[]).await[0].id.clone();
    assert!(dismiss(&mut ana, &id).await && !dismiss(&mut ana, &id).await);
    assert!(waiting(&mut ana, &[]).await.is_empty());
    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert_eq!(waiting(&mut ana, &[]).await.len(), 1);
    assert!(dismiss(&mut ana, &id).await);
    ana.write_over(&memory, "The museum may close on Tuesdays").await;
    assert_eq!(waiting(&mut ana, &[]).await.len(), 1, "another text waits for another decision");
}

#[tokio::test]
async fn pages_of_what_waits_hold_each_item_once() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let draft = |n: usize| pb::MemoryDraft { confidence: Some(0.2), ..draft(&format!("A doubt of number {}", n / 2)) };
    let lessons: [&[&str]; 4] = [
        &["Small releases break less", "Fridays are quiet"],
        &["Small releases break less", "Fridays are quiet"],
        &["Measure before you move"],
        &["Measure before you move"],
    ];
    let episodes = lessons.iter().enumerate().map(|(n, lessons)| episode(&format!("Release {n} went well"), lessons));
    ana.remember_all((0..6).map(draft).chain(episodes).collect()).await;
    let (mut seen, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListReviewsRequest { user_id: ana.id(), page_size: 2, page_token, ..Default::default() };
        let page = ana.clients.reviews.list_reviews(request).await.expect("a page").into_inner();
        assert!(page.reviews.len() <= 2);
        seen.extend(page.reviews.into_iter().map(|review| review.id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let count = |kind: &str| seen.iter().filter(|id| id.starts_with(kind)).count();
    let counts = ["uncertain_", "duplicate_", "promotion_"].map(count);
    assert_eq!((counts, seen.len()), ([6, 3, 2], 11), "of one pair, one lesson at a time: {seen:?}");
}

/// Stores a memory and backdates it by `days`.
async fn ago(ana: &mut User, memory: pb::MemoryDraft, days: i64) -> String {
    let id = ana.remember_draft(memory).await.id;
    ana.move_back(&id, days).await;
    id
}

fn episode(content: &str, lessons: &[&str]) -> pb::MemoryDraft {
    let lessons = lessons.iter().map(|&lesson| lesson.to_owned()).collect();
    let detail = pb::EpisodeDetail { objective: "release".to_owned(), lessons, ..Default::default() };
    of_kind(content, Kind::Episode, Some(Of::Episode(detail)))
}

async fn derived_from(ana: &mut User, id: &str) -> Vec<String> {
    let request = pb::LineageRequest { user_id: ana.id(), id: id.to_owned(), ..Default::default() };
    let steps = ana.clients.links.lineage(request).await.expect("a lineage").into_inner().steps;
    let mut ends: Vec<String> = steps.into_iter().filter_map(|step| Some(step.link?.to_id)).collect();
    ends.sort();
    ends
}

#[tokio::test]
async fn raw_records_of_a_session_become_an_episode_until_that_is_undone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let raw = |session: &str, content: &str| {
        let tags = vec!["walk".to_owned(), content.len().to_string()];
        let metadata = Some(pb::Metadata { tags, ..Default::default() });
        pb::MemoryDraft { session_id: session.to_owned(), metadata, ..of_kind(content, Kind::Raw, None) }
    };
    let notes = [
        "We walked along the cliffs to Sagres",
        "Bruno decided to stay in Sagres until Friday",
        "The ferry back to Porto leaves on Saturday at nine",
    ];
    let mut ids = Vec::new();
    for (note, days) in notes.into_iter().zip([4, 3, 2]) {
        assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty());
        ids.push(ago(&mut ana, raw("trip", note), days).await);
    }
    let home = pb::MemoryDraft { namespace: "home".to_owned(), ..raw("trip", "Water the plants") };
    ago(&mut ana, home, 2).await;
    for note in notes {
        ana.remember_draft(raw("today", note)).await;
    }
    let all = waiting(&mut ana, &[ReviewKind::Promotion]).await;
    assert_eq!(all.len(), 1, "another session goes on: {all:?}");
    let (id, makes) = (all[0].id.clone(), all[0].makes.clone());
    let of: Vec<&str> = all[0].memories.iter().map(|memory| memory.id.as_str()).collect();
    assert_eq!(
        (of, all[0].reason.as_str()),
        (ids.iter().map(String::as_str).collect(), "3 raw records of session trip")
    );
    assert!(makes.contains("Bruno decided to stay in Sagres until Friday"), "{makes}");

    assert!(dismiss(&mut ana, &id).await);
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty());
    ids.push(ago(&mut ana, raw("trip", "The ferry was late"), 1).await);
    assert_eq!(
        waiting(&mut ana, &[ReviewKind::Promotion]).await[0].memories.len(),
        4,
        "one more waits for another decision"
    );

    let done = apply(&mut ana, &id, ReviewChange::Unspecified).await.expect("it is applied");
    assert_eq!((done.applied(), done.undoable), (ReviewChange::Promote, true));
    let episode = ana.memory(&done.changed_id).await;
    assert_eq!(
        (episode.kind(), episode.session_id.as_str(), episode.source_type()),
        (Kind::Episode, "trip", pb::SourceType::Consolidation)
    );
    assert!(episode.content.contains("Bruno decided"), "{}", episode.content);
    assert_eq!(episode.metadata.expect("metadata").tags, ["walk"], "the tags of all");
    ids.sort();
    assert_eq!(derived_from(&mut ana, &episode.id).await, ids);
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty());
    let again = apply(&mut ana, &id, ReviewChange::Promote).await.expect_err("it waits no longer");
    assert_eq!(reason(&again), "WRONG_STATE");

    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert!(!undo(&mut ana, &id).await.expect("nothing is left to undo"));
    assert_eq!(ana.memory(&episode.id).await.state(), MemoryState::Deleted);
    assert_eq!(waiting(&mut ana, &[ReviewKind::Promotion]).await.len(), 1);
    let done = apply(&mut ana, &id, ReviewChange::Promote).await.expect("it is applied");
    let verify = pb::VerifyMemoryRequest { user_id: ana.id(), id: done.changed_id, ..Default::default() };
    ana.clients.records.verify_memory(verify).await.expect("it is confirmed");
    assert_eq!(reason(&undo(&mut ana, &id).await.expect_err("it was edited since")), "WRONG_STATE");
}

#[tokio::test]
async fn episodes_that_taught_the_same_become_a_belief_and_what_has_long_held_a_value() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = ana.remember_draft(episode("We released on Monday", &["Small releases break less"])).await.id;
    let elsewhere = episode("They released, too", &["Small releases break less"]);
    ana.remember_draft(pb::MemoryDraft { namespace: "work".to_owned(), ..elsewhere }).await;
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty());
    let second = ana.remember_draft(episode("We released on Tuesday", &["small releases break less."])).await.id;
    let all = waiting(&mut ana, &[ReviewKind::Promotion]).await;
    assert_eq!((all.len(), all[0].reason.as_str()), (1, "2 episodes have the same lesson"), "{all:?}");
    assert_eq!(all[0].makes, "small releases break less.");
    let belief = apply(&mut ana, &all[0].id, ReviewChange::Promote).await.expect("it is applied").changed_id;
    let mut sources = [first, second];
    sources.sort();
    assert_eq!(derived_from(&mut ana, &belief).await, sources);
    let made = ana.memory(&belief).await;
    assert_eq!((made.kind(), made.confidence.map(f64::to_bits)), (Kind::Belief, Some((0.75_f64 * 0.8).to_bits())));
    ana.remember_draft(episode("We released on Friday", &["Small releases break less"])).await;
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty(), "it is believed already");

    let held = ana.remember_draft(of_kind("Honesty comes before comfort", Kind::Belief, None)).await.id;
    for _ in 0..4 {
        let verify = pb::VerifyMemoryRequest { user_id: ana.id(), id: held.clone(), ..Default::default() };
        ana.clients.records.verify_memory(verify).await.expect("it is confirmed");
    }
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty(), "it has not held for long");
    ana.move_back(&held, 120).await;
    let all = waiting(&mut ana, &[ReviewKind::Promotion]).await;
    assert_eq!((all.len(), all[0].reason.as_str()), (1, "held for 120 days, confirmed 4 times"), "{all:?}");
    let value = apply(&mut ana, &all[0].id, ReviewChange::Promote).await.expect("it is applied").changed_id;
    let value = ana.memory(&value).await;
    assert_eq!((value.kind(), value.content.as_str()), (Kind::Value, "Honesty comes before comfort"));
    assert!(waiting(&mut ana, &[ReviewKind::Promotion]).await.is_empty());
    ana.forget(&value.id).await;
    assert_eq!(ana.memory(&held).await.state(), MemoryState::Deleted, "the belief states the same");
    ana.restore(&value.id).await;
    assert_eq!(ana.memory(&held).await.state(), MemoryState::Active);
}
