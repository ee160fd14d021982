//! What changed by itself is listed with the words that did it, and undone in one step.

use kimberly_proto::v1::{self as pb, Relation, ReviewChange, ReviewKind, SourceType};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};
use serde_json::json;

use super::default_user::kimberly;
use super::reviews::{apply, dismiss, undo, waiting};
use super::together::{says, tool};

async fn changed(user: &mut User) -> Vec<pb::Review> {
    waiting(user, &[ReviewKind::Replaced]).await
}

async fn holds(user: &mut User, id: &str) -> bool {
    user.memory(id).await.valid_to.is_none()
}

#[tokio::test]
async fn what_newer_words_ended_is_listed_the_latest_first_in_pages() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut made = Vec::new();
    for said in ["I live in Berlin.", "I moved to Madrid.", "I moved to Lisbon."] {
        made.push(says(&mut ana, said).await.made_ids.remove(0));
    }
    assert!(waiting(&mut ana, &[]).await.is_empty(), "nothing waits for a decision");
    let all = changed(&mut ana).await;
    let pairs: Vec<[&str; 2]> = all.iter().map(|one| [&*one.memories[0].id, &*one.memories[1].id]).collect();
    assert_eq!(pairs, [[&*made[1], &*made[2]], [&*made[0], &*made[1]]], "{all:?}");
    assert!(all[0].reason.starts_with("ended 20") && all[0].reason.contains("I moved to Lisbon"), "{:?}", all[0]);
    assert!(all.iter().all(|one| one.memories[0].valid_to.is_some() && one.arose_at.is_some()), "{all:?}");
    let (mut seen, mut page_token) = (Vec::new(), String::new());
    loop {
        let kinds = vec![ReviewKind::Replaced.into()];
        let request = pb::ListReviewsRequest { user_id: ana.id(), kinds, page_size: 1, page_token };
        let page = ana.clients.reviews.list_reviews(request).await.expect("a page").into_inner();
        seen.extend(page.reviews.into_iter().map(|one| one.id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(seen, [all[0].id.clone(), all[1].id.clone()]);
    assert!(dismiss(&mut ana, &all[0].id).await, "it was right");
    assert_eq!(changed(&mut ana).await.len(), 1);
}

#[tokio::test]
async fn undone_the_old_one_holds_beside_the_new_one_and_the_same_words_end_it_no_more() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = says(&mut ana, "I live in Berlin.").await.made_ids.remove(0);
    let new = says(&mut ana, "I moved to Madrid.").await.made_ids.remove(0);
    let id = changed(&mut ana).await[0].id.clone();
    let ended = ana.memory(&old).await.valid_to;
    let done = apply(&mut ana, &id, ReviewChange::Unspecified).await.expect("it is undone");
    assert_eq!((done.applied(), done.changed_id.as_str(), done.undoable), (ReviewChange::KeepBoth, &*old, true));
    assert!(holds(&mut ana, &old).await && holds(&mut ana, &new).await && changed(&mut ana).await.is_empty());
    says(&mut ana, "I moved to Madrid!").await;
    assert!(holds(&mut ana, &old).await && holds(&mut ana, &new).await, "the same words");
    assert!(waiting(&mut ana, &[ReviewKind::Contradiction]).await.is_empty(), "that both hold is decided");

    let other = says(&mut ana, "I moved to Lisbon.").await;
    assert_eq!(other.superseded_ids.len(), 2, "other words end both: {other:?}");
    ana.forget(&other.made_ids[0]).await;
    assert!(holds(&mut ana, &old).await && holds(&mut ana, &new).await);
    let refused = undo(&mut ana, &id).await.expect_err("its memories changed since");
    assert_eq!(kimberly_tests::reason(&refused), "WRONG_STATE");
    assert!(ended.is_some());
}

#[tokio::test]
async fn the_new_one_is_dropped_on_demand_and_does_not_end_the_old_one_when_said_again() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let old = says(&mut ana, "I live in Berlin.").await.made_ids.remove(0);
    let new = says(&mut ana, "I moved to Madrid.").await.made_ids.remove(0);
    let (id, ended) = (changed(&mut ana).await[0].id.clone(), ana.memory(&old).await.valid_to);
    apply(&mut ana, &id, ReviewChange::KeepFirst).await.expect("it is undone");
    assert!(holds(&mut ana, &old).await && !holds(&mut ana, &new).await);
    assert!(ana.recalled("Where do I live?").await[0].contains("Berlin"));
    assert!(undo(&mut ana, &id).await.expect("back"), "the decision itself is undone");
    assert_eq!(ana.memory(&old).await.valid_to, ended, "it ended when it had ended");
    assert!(holds(&mut ana, &new).await && changed(&mut ana).await.len() == 1);
    let request =
        pb::ApplyReviewRequest { user_id: ana.id(), id, choice: ReviewChange::KeepFirst.into(), ..Default::default() };
    ana.clients.reviews.apply_review(request).await.expect("it is dropped again");
    let again = says(&mut ana, "I moved to Madrid!").await;
    assert!(again.superseded_ids.is_empty() && !again.made_ids.is_empty(), "{again:?}");
    assert!(holds(&mut ana, &old).await, "the same words end it no more");
}

#[tokio::test]
async fn what_a_night_ended_is_listed_and_undone_as_well() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let about = |content: &str| pb::MemoryDraft { subject: "Dora".to_owned(), ..draft(content) };
    let mut guess = about("Dora works at Acme");
    guess.set_source_type(SourceType::Inference);
    let old = ana.remember_draft(guess).await.id;
    let new = ana.remember_draft(about("Dora works at Beta Labs")).await.id;
    ana.night_of(&["believe"]).await;
    let all = changed(&mut ana).await;
    assert_eq!(all.iter().map(|one| &one.memories[0].id).collect::<Vec<_>>(), [&old], "{all:?}");
    apply(&mut ana, &all[0].id, ReviewChange::KeepBoth).await.expect("it is undone");
    assert!(holds(&mut ana, &old).await && holds(&mut ana, &new).await);
    ana.night_of(&["believe"]).await;
    assert!(holds(&mut ana, &old).await, "no night decides it again");
    assert!(undo(&mut ana, &all[0].id).await.expect("back") && !holds(&mut ana, &old).await);
    let links = pb::ListLinksRequest { user_id: ana.id(), id: old.clone(), ..Default::default() };
    let links = ana.clients.links.list_links(links).await.expect("links").into_inner().links;
    assert!(links.iter().any(|link| link.relation() == Relation::Supersedes && link.from_id == new), "{links:?}");
}

#[tokio::test]
async fn the_command_and_assistants_show_and_undo_it() {
    let system = System::start().await;
    let mut me = system.user("me");
    let old = says(&mut me, "I live in Berlin.").await.made_ids.remove(0);
    says(&mut me, "I moved to Madrid.").await;
    let shown = kimberly(&system, &["review", "--kind", "replaced"], "");
    assert!(shown.contains("Berlin") && shown.contains("Madrid") && shown.contains("ended 20"), "{shown}");
    let open = kimberly(&system, &["review"], "");
    assert!(open.contains("no open decisions"), "{open}");
    let listed = tool(&system, "review_memories", &json!({"kinds": ["replaced"]}));
    let review = &listed["structuredContent"]["reviews"][0];
    assert!(review["reason"].as_str().is_some_and(|reason| reason.contains("I moved to Madrid")), "{listed}");
    tool(&system, "review_memories", &json!({"action": "apply", "id": review["id"]}));
    assert!(holds(&mut me, &old).await);
    let id = review["id"].as_str().expect("an id");
    assert!(kimberly(&system, &["review", "undo", id], "").contains("undone"));
    assert!(!holds(&mut me, &old).await);
    kimberly(&system, &["review", "apply", &format!("replaced_{}", &id[id.len() - 8..])], "");
    assert!(holds(&mut me, &old).await);
}
