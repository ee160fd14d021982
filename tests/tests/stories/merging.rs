//! One memory replaces several that overlap, once a person or a setting decides so, until that is undone.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, MemoryState, Relation, ReviewChange, ReviewKind};
use kimberly_tests::drafts::{draft, in_tier};
use kimberly_tests::{System, User, reason};
use tonic::Code;

use super::reviews::{apply, dismiss, undo, waiting};

const CONSOLIDATE: &[&str] = &["consolidate"];
const SHORT: &str = "Ana plays the cello in the youth orchestra of Basel";
const LONG: &str = "Ana plays cello in the youth orchestra of Basel on Tuesdays, but never in July";
const OTHER: &str = "Ana plays the cello in the youth orchestra of Bern";

fn tagged(content: &str, tag: &str, importance: i32) -> pb::MemoryDraft {
    let metadata = Some(pb::Metadata { tags: vec![tag.to_owned()], ..Default::default() });
    pb::MemoryDraft { metadata, importance, ..draft(content) }
}

/// Stores two memories with the same meaning, and another one.
async fn told(ana: &mut User) -> [String; 2] {
    let short = ana.remember_draft(tagged(SHORT, "music", 8)).await.id;
    let long = ana.remember_draft(tagged(LONG, "week", 3)).await.id;
    ana.remember(OTHER).await;
    [short, long]
}

/// The targets of a memory's links, sorted.
async fn linked(ana: &mut User, id: &str, relation: Relation) -> Vec<String> {
    let request = pb::ListLinksRequest { user_id: ana.id(), id: id.to_owned(), ..Default::default() };
    let links = ana.clients.links.list_links(request).await.expect("links").into_inner().links;
    let of = links.into_iter().filter(|link| link.relation() == relation);
    let mut ends: Vec<String> = of.map(|link| link.to_id).collect();
    ends.sort();
    ends
}

async fn merges(ana: &mut User) -> Vec<pb::Review> {
    waiting(ana, &[ReviewKind::Merge]).await
}

/// The recalled contents, sorted.
async fn found(ana: &mut User) -> Vec<String> {
    let mut found = ana.recalled("who plays the cello").await;
    found.sort();
    found
}

#[tokio::test]
async fn one_memory_replaces_those_that_say_the_same_until_that_is_undone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana).await;
    let all = merges(&mut ana).await;
    assert_eq!(all.len(), 1, "{all:?}");
    let of: Vec<&str> = all[0].memories.iter().map(|memory| memory.id.as_str()).collect();
    assert_eq!((of, all[0].makes.as_str(), all[0].proposes()), (vec![&*ids[0], &*ids[1]], LONG, ReviewChange::Merge));
    let id = all[0].id.clone();
    assert!(dismiss(&mut ana, &id).await && merges(&mut ana).await.is_empty());
    assert!(undo(&mut ana, &id).await.expect("undone"));

    let done = apply(&mut ana, &id, ReviewChange::Unspecified).await.expect("it is applied");
    assert_eq!((done.applied(), done.undoable), (ReviewChange::Merge, true));
    let made = ana.memory(&done.changed_id).await;
    let tags = made.metadata.clone().expect("metadata").tags;
    assert_eq!((made.importance, tags), (8, vec!["music".to_owned(), "week".to_owned()]));
    for relation in [Relation::DerivedFrom, Relation::Supersedes] {
        assert_eq!(linked(&mut ana, &made.id, relation).await, ids, "{relation:?}");
    }
    assert_eq!(found(&mut ana).await, [LONG, OTHER], "the sources hold no longer");
    assert!(merges(&mut ana).await.is_empty());
    assert_eq!(reason(&apply(&mut ana, &id, ReviewChange::Merge).await.expect_err("it is done")), "WRONG_STATE");

    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert_eq!(ana.memory(&made.id).await.state(), MemoryState::Deleted);
    assert_eq!(found(&mut ana).await, [LONG, SHORT, OTHER].map(str::to_owned), "both hold again");
    assert!(merges(&mut ana).await.is_empty() && ana.plan_of(CONSOLIDATE).await.is_empty(), "it is not done again");
    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert_eq!(merges(&mut ana).await.len(), 1, "a person may change their mind");
}

#[tokio::test]
async fn a_night_merges_where_the_user_says_so_and_a_run_that_is_asked_to() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana).await;
    let planned = ana.plan_of(CONSOLIDATE).await;
    let [one] = &planned[..] else { panic!("{planned:?}") };
    assert_eq!((one.action(), one.reason()), (DecisionAction::Merge, DecisionReason::SaysTheSame));
    assert_eq!((&one.memory_id, &one.further_ids[..]), (&ids[0], &ids[1..]));
    assert_eq!(one.explanation, "2 memories say the same, and one can replace them");
    ana.meditate().await;
    assert_eq!(merges(&mut ana).await.len(), 1, "nights propose");

    let on = pb::UserSettings { merging_enabled: Some(true), ..Default::default() };
    ana.set(on, &["merging_enabled"]).await;
    ana.meditate().await;
    assert_eq!(found(&mut ana).await, [LONG, OTHER]);
    let id = format!("merge_{}_{}", ids[0].replace("mem_", ""), ids[1].replace("mem_", ""));
    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert_eq!(found(&mut ana).await.len(), 3);
    ana.meditate().await;
    assert_eq!(found(&mut ana).await.len(), 3, "what was taken back is not done again");
    assert!(undo(&mut ana, &id).await.expect("undone"));
    let merged = ana.night_of(CONSOLIDATE).await.decisions;
    assert_eq!(merged.len(), 1, "{merged:?}");
    assert!(ana.plan_of(CONSOLIDATE).await.is_empty(), "a second night has nothing to merge");
}

#[tokio::test]
async fn with_a_source_goes_what_was_merged_of_it_and_the_others_hold_again() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    for how in ["erased", "deleted", "changed"] {
        let ids = told(&mut ana).await;
        let id = merges(&mut ana).await[0].id.clone();
        let made = apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied").changed_id;
        match how {
            "erased" => _ = ana.forget_now(&[&ids[1]]).await,
            "deleted" => _ = ana.forget(&ids[1]).await,
            _ => {
                say(&mut ana, &ids[1], "Bruno collects stamps of Portugal").await;
                assert_eq!(ana.memory(&ids[1]).await.valid_to, None, "it holds again, too");
            }
        }
        let request =
            pb::GetMemoryRequest { user_id: ana.id(), id: made.clone(), explain: false, ..Default::default() };
        assert_eq!(
            ana.clients.memories.get_memory(request).await.expect_err("it is erased").code(),
            Code::NotFound,
            "{how}"
        );
        assert_eq!(found(&mut ana).await, [SHORT, OTHER], "{how}");
        assert!(linked(&mut ana, &ids[0], Relation::Supersedes).await.is_empty(), "{how}");
        if how == "deleted" {
            ana.restore(&ids[1]).await;
            assert_eq!(found(&mut ana).await, [LONG, SHORT, OTHER], "as it was before");
        }
        let all: Vec<String> = ana.everything().await.into_iter().map(|memory| memory.id).collect();
        ana.forget_now(&all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
}

/// Changes a memory's content.
async fn say(ana: &mut User, id: &str, content: &str) {
    change(ana, id, "content", draft(content)).await;
}

/// Changes a field of a memory.
async fn change(ana: &mut User, id: &str, field: &str, to: pb::MemoryDraft) {
    let change = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: id.to_owned(),
        memory: Some(to),
        update_mask: Some(prost_types::FieldMask { paths: vec![field.to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(change).await.expect("it is changed");
}

#[tokio::test]
async fn what_a_caller_says_was_merged_stays_whatever_becomes_of_its_source() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let source = ana.remember(SHORT).await.id;
    let own = pb::MemoryDraft {
        created_by: pb::Creator::System.into(),
        source_type: pb::SourceType::Consolidation.into(),
        ..draft("Ana's own notes on orchestras")
    };
    let own = ana.remember_draft(own).await.id;
    let link = pb::MemoryLink {
        from_id: own.clone(),
        relation: Relation::DerivedFrom.into(),
        to_id: source.clone(),
        source_type: pb::SourceType::Consolidation.into(),
        ..Default::default()
    };
    let request = pb::LinkRequest { user_id: ana.id(), link: Some(link), request_id: String::new() };
    ana.clients.links.link(request).await.expect("a link");
    say(&mut ana, &source, "Ana gave up the cello").await;
    assert_eq!(ana.memory(&own).await.state(), MemoryState::Active);
    ana.forget(&source).await;
    assert_eq!(ana.memory(&own).await.state(), MemoryState::Active);
}

#[tokio::test]
async fn what_rests_on_a_merged_memory_stays_as_long_as_one_of_its_sources_does() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana).await;
    let id = merges(&mut ana).await[0].id.clone();
    let made = apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied").changed_id;
    let own = ana.remember("Ana may like a concert").await.id;
    let link = pb::MemoryLink {
        from_id: own.clone(),
        relation: Relation::DerivedFrom.into(),
        to_id: made.clone(),
        ..Default::default()
    };
    let request = pb::LinkRequest { user_id: ana.id(), link: Some(link), request_id: String::new() };
    ana.clients.links.link(request).await.expect("a link");
    let forgotten = ana.forget_now(&[&ids[1]]).await;
    assert_eq!((forgotten.derived_erased, forgotten.marked_stale), (0, 1), "{forgotten:?}");
    assert!(ana.memory(&own).await.stale_since.is_some());
}

#[tokio::test]
async fn a_merged_memory_that_a_person_wrote_to_is_stale_when_a_source_changes_and_goes_when_one_is_erased() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    for how in ["changed", "deleted"] {
        let ids = told(&mut ana).await;
        let id = merges(&mut ana).await[0].id.clone();
        let made = apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied").changed_id;
        say(&mut ana, &made, "Ana leads the cellos of the youth orchestra of Basel").await;
        match how {
            "changed" => say(&mut ana, &ids[1], "Bruno collects stamps of Portugal").await,
            _ => _ = ana.forget(&ids[1]).await,
        }
        assert!(ana.memory(&made).await.stale_since.is_some(), "{how}");
        assert!(ana.memory(&ids[0]).await.valid_to.is_some(), "it holds in their place, {how}");
        ana.forget_now(&[&ids[1]]).await;
        let request =
            pb::GetMemoryRequest { user_id: ana.id(), id: made.clone(), explain: false, ..Default::default() };
        assert_eq!(ana.clients.memories.get_memory(request).await.expect_err("erased").code(), Code::NotFound, "{how}");
        assert_eq!(found(&mut ana).await, [SHORT, OTHER], "{how}");
        let all: Vec<String> = ana.everything().await.into_iter().map(|memory| memory.id).collect();
        ana.forget_now(&all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
}

#[tokio::test]
async fn no_word_of_what_turned_sensitive_stays_in_a_merged_memory_whatever_a_person_did_to_it() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.consent().await;
    for how in ["made important", "written over"] {
        let ids = told(&mut ana).await;
        let id = merges(&mut ana).await[0].id.clone();
        let made = apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied").changed_id;
        match how {
            "made important" => {
                change(&mut ana, &made, "importance", pb::MemoryDraft { importance: 9, ..Default::default() }).await;
            }
            _ => say(&mut ana, &made, "Ana leads the cellos on Tuesdays").await,
        }
        let metadata = Some(pb::Metadata { sensitive: true, ..Default::default() });
        change(&mut ana, &ids[1], "metadata.sensitive", pb::MemoryDraft { metadata, ..Default::default() }).await;
        let request =
            pb::GetMemoryRequest { user_id: ana.id(), id: made.clone(), explain: false, ..Default::default() };
        assert_eq!(ana.clients.memories.get_memory(request).await.expect_err("erased").code(), Code::NotFound, "{how}");
        let all: Vec<String> = ana.everything().await.into_iter().map(|memory| memory.id).collect();
        ana.forget_now(&all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
}

#[tokio::test]
async fn undoing_a_merge_leaves_an_end_that_a_person_set() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let ids = told(&mut ana).await;
    let id = merges(&mut ana).await[0].id.clone();
    apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied");
    let until = Some(prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 });
    let change = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: ids[0].clone(),
        memory: Some(pb::MemoryDraft { valid_to: until, ..Default::default() }),
        update_mask: Some(prost_types::FieldMask { paths: vec!["valid_to".to_owned()] }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(change).await.expect("it is changed");
    assert!(undo(&mut ana, &id).await.expect("undone"));
    assert_eq!((ana.memory(&ids[0]).await.valid_to, ana.memory(&ids[1]).await.valid_to), (until, None));
}

#[tokio::test]
async fn merges_that_built_on_each_other_are_undone_from_the_last_one_back() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    told(&mut ana).await;
    let first = merges(&mut ana).await[0].id.clone();
    apply(&mut ana, &first, ReviewChange::Merge).await.expect("it is applied");
    let again = "Ana plays the cello in the youth orchestra of Basel on Tuesdays";
    ana.remember(again).await;
    let second = merges(&mut ana).await[0].id.clone();
    apply(&mut ana, &second, ReviewChange::Merge).await.expect("it is applied");
    assert_eq!(found(&mut ana).await, [LONG, OTHER]);
    assert_eq!(reason(&undo(&mut ana, &first).await.expect_err("another one holds in its place")), "WRONG_STATE");
    assert!(undo(&mut ana, &second).await.expect("undone"));
    assert!(undo(&mut ana, &first).await.expect("undone"));
    let mut all = [LONG, SHORT, OTHER, again];
    all.sort_unstable();
    assert_eq!(found(&mut ana).await, all);
}

#[tokio::test]
async fn what_was_archived_meanwhile_is_restored_when_its_replacement_goes() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let said_in = |session: &str, content: &str| pb::MemoryDraft {
        session_id: session.to_owned(),
        ..in_tier(pb::Tier::ShortTerm, content)
    };
    let long = ana.remember_draft(said_in("s1", LONG)).await.id;
    let short = ana.remember_draft(said_in("s2", SHORT)).await.id;
    let id = merges(&mut ana).await[0].id.clone();
    apply(&mut ana, &id, ReviewChange::Merge).await.expect("it is applied");
    let request = pb::EndSessionRequest { user_id: ana.id(), session_id: "s1".to_owned(), ..Default::default() };
    ana.clients.memories.end_session(request).await.expect("a session ends");
    assert_eq!(ana.memory(&long).await.state(), MemoryState::Archived);
    say(&mut ana, &short, "Bruno collects stamps of Portugal").await;
    let back = ana.memory(&long).await;
    assert_eq!((back.state(), back.valid_to), (MemoryState::Active, None));
}
