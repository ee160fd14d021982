//! Filters apply to vector results.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;

use super::{OTHERS, ask, ask_within, contents, embedded, system};

const QUERY: &str = "scared dog";

fn puppy(change: impl FnOnce(&mut pb::MemoryDraft)) -> pb::MemoryDraft {
    let mut puppy = draft("My puppy is afraid of thunderstorms");
    change(&mut puppy);
    puppy
}

#[tokio::test]
async fn filter_holds_for_what_is_found_by_its_vector() {
    let system = system(&[]).await;
    let mut user = system.user("ann");
    for text in OTHERS {
        user.remember(text).await;
    }
    let metadata = |change: &dyn Fn(&mut pb::Metadata)| {
        let mut metadata = pb::Metadata::default();
        change(&mut metadata);
        Some(metadata)
    };
    user.remember_draft(puppy(|d| d.metadata = metadata(&|m| m.tags = vec!["pets".to_owned()]))).await;
    user.remember_draft(puppy(|d| d.tier = pb::Tier::Permanent.into())).await;
    user.consent().await;
    user.remember_draft(puppy(|d| d.metadata = metadata(&|m| m.sensitive = true))).await;
    let archived = puppy(|d| {
        d.tier = pb::Tier::ShortTerm.into();
        d.session_id = "over".to_owned();
    });
    user.remember_draft(archived).await;
    // Another text, as all copies of one are forgotten together.
    let deleted = puppy(|d| d.content = "My other puppy is afraid of thunderstorms".to_owned());
    let deleted = user.remember_draft(deleted).await;
    let end = pb::EndSessionRequest { user_id: user.id(), session_id: "over".to_owned(), ..Default::default() };
    user.clients.memories.end_session(end).await.unwrap();
    user.forget(&deleted.id).await;
    embedded(&user).await;
    let found = async |filter: pb::MemoryFilter| contents(&ask_within(&user, QUERY, filter).await).len();
    let all = pb::MemoryFilter::default;
    assert_eq!(found(all()).await, 2, "sensitive ones have no vector, archived and deleted ones are not asked for");
    assert_eq!(found(pb::MemoryFilter { tags_any: vec!["pets".to_owned()], ..all() }).await, 1);
    assert_eq!(found(pb::MemoryFilter { tiers: vec![pb::Tier::Permanent.into()], ..all() }).await, 1);
    assert_eq!(found(pb::MemoryFilter { states: vec![pb::MemoryState::Archived.into()], ..all() }).await, 1);
    assert_eq!(found(pb::MemoryFilter { states: vec![pb::MemoryState::Deleted.into()], ..all() }).await, 0);
    assert_eq!(found(pb::MemoryFilter { session_id: "none".to_owned(), ..all() }).await, 0);
}

#[tokio::test]
async fn vectors_of_one_user_answer_no_other_user() {
    let system = system(&[]).await;
    let (mut ann, mut bob) = (system.user("ann"), system.user("bob"));
    for text in OTHERS {
        ann.remember(text).await;
        bob.remember(text).await;
    }
    ann.remember("My puppy is afraid of thunderstorms").await;
    embedded(&ann).await;
    embedded(&bob).await;
    assert_eq!(contents(&ask(&ann, QUERY).await)[0], "My puppy is afraid of thunderstorms");
    assert!(!contents(&ask(&bob, QUERY).await).iter().any(|text| text.contains("puppy")));
    assert_eq!(ask(&system.user("eve"), QUERY).await.semantic(), pb::SemanticStatus::NoIndex);
}
