//! New texts get vectors, and memories that must not have one lose it.

use kimberly_core::embedding::{VectorSubject, Window};
use kimberly_core::goals::GoalDraft;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, Metadata};
use kimberly_core::settings::{Origin, UserSettings};
use kimberly_core::usecases::RestoreInput;
use kimberly_core::usecases::embedding::EmbeddingState;
use kimberly_core::usecases::goals::{CreateGoalInput, DeleteGoalInput};

use super::world::{Letters, World, draft};

fn seqs(world: &World) -> Vec<i64> {
    let number = |subject| match subject {
        VectorSubject::Memory(Seq(seq)) => seq,
        VectorSubject::Goal(_) => -1,
    };
    world.items().into_iter().map(|item| number(item.subject)).collect()
}

#[tokio::test]
async fn a_write_asks_for_one_job_and_a_sync_makes_its_vectors() {
    let world = World::new(&Letters::named("m")).await;
    assert_eq!(world.sync().await.computed, 0, "a user without a vault");
    world.remember(&["I drink tea", "I drink coffee"]).await;
    world.remember(&["I drink water"]).await;
    assert_eq!(world.jobs().await, 1, "at most one waits");
    assert_eq!(world.status().await.state, EmbeddingState::Pending);
    let synced = world.sync().await;
    assert_eq!((synced.computed, synced.next, synced.failed), (3, None, 0));
    assert_eq!((seqs(&world), world.answering()), (vec![1, 2, 3], Some(("m".to_owned(), 3))));
    let status = world.status().await;
    assert_eq!((status.state, status.reason.as_str(), status.ledger.today), (EmbeddingState::InSync, "", 3));
    assert!(!world.needs_sync().await);
    world.remember(&["I drink juice"]).await;
    assert_eq!(world.jobs().await, 2, "a write after the start of a sync requests another");
}

#[tokio::test]
async fn nothing_is_asked_for_while_embeddings_are_off() {
    let world = World::with(&Letters::named("m"), |embedding| embedding.on = false).await;
    world.remember(&["I drink tea"]).await;
    assert_eq!(world.jobs().await, 0);
    assert!(!world.status().await.is_on());
}

#[tokio::test]
async fn what_did_not_change_costs_no_model_call() {
    let model = Letters::named("m");
    let world = World::new(&model).await;
    let made = world.remember(&["I drink tea", "I drink coffee"]).await;
    world.sync().await;
    world.forget(made[0].id).await;
    world.sync().await;
    assert_eq!(seqs(&world), [2]);
    world.edit(made[1].id, "I drink coffee", false).await;
    world.sync().await;
    assert_eq!(model.texts(), 2, "another revision of the same text");
    assert_eq!(world.items()[0].revision, 2);
    world.edit(made[1].id, "I drink cocoa", false).await;
    assert_eq!(world.sync().await.computed, 1);
    let restore = RestoreInput { id: made[0].id, protect: false, request_id: String::new(), traceparent: None };
    world.app.restore_memory(&world.user, restore).await.unwrap();
    assert_eq!(world.sync().await.computed, 1);
    assert_eq!(seqs(&world), [1, 2]);
}

#[tokio::test]
async fn what_becomes_sensitive_does_not_wait_for_the_end_of_a_long_sync() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| {
        embedding.window = (Window::Always, Origin::Config);
        embedding.vector_cap = (5_000, Origin::Config);
        embedding.daily_limit = (0, Origin::Config);
        embedding.weekly_limit = (0, Origin::Config);
    })
    .await;
    let notes: Vec<String> = (0..700).map(|n| format!("note {n}")).collect();
    let made = world.remember(&notes.iter().map(String::as_str).collect::<Vec<_>>()).await;
    model.waits_after(2);
    let (app, updater, user) = (world.app.clone(), world.updater.clone(), world.user.clone());
    let long = tokio::spawn(async move { app.sync_vectors(&updater, &user, 1).await.unwrap() });
    kimberly_tests::eventually("the sync has begun", || async { (world.items().len() == 128).then_some(()) }).await;
    world.edit(made[699].id, "note 699", true).await;
    model.goes_on();
    assert_eq!(long.await.unwrap().computed, 512, "it stops early for the new write");
    world.sync().await;
    assert_eq!(world.items().len(), 699);
    assert!(!seqs(&world).contains(&700));
}

#[tokio::test]
async fn sensitive_memories_never_have_vectors_and_lose_those_they_had_outside_of_the_window_too() {
    let model = Letters::named("m");
    let world = World::with(&model, |_| {}).await;
    let secret =
        MemoryDraft { metadata: Metadata { sensitive: true, ..Metadata::default() }, ..draft("my PIN is 1234") };
    model.cannot_read("PIN");
    world.remember_drafts(vec![secret, draft("I drink tea")]).await;
    let other = world.remember(&["my doctor is called Smith", "I like rain"]).await;
    assert_eq!(world.sync().await.failed, 0, "the model does not get the text");
    assert_eq!(seqs(&world), [2, 3, 4]);
    world.pass(kimberly_core::time::Span::hours(10));
    world.edit(other[0].id, "my doctor is called Smith", true).await;
    world.forget(other[1].id).await;
    let synced = world.sync().await;
    assert_eq!((seqs(&world), synced.computed), (vec![2], 0));
}

#[tokio::test]
async fn an_old_text_loses_its_vector_at_once_and_the_new_one_waits_for_the_window() {
    let world = World::with(&Letters::named("m"), |_| {}).await;
    let made = world.remember(&["the old text"]).await;
    world.sync().await;
    world.pass(kimberly_core::time::Span::hours(10));
    world.edit(made[0].id, "the new text", false).await;
    let synced = world.sync().await;
    assert!(seqs(&world).is_empty() && synced.next.is_some());
    assert_eq!(world.status().await.reason, "waits for 01:00 UTC");
    assert!(!world.needs_sync().await, "the window is closed");
    world.pass(kimberly_core::time::Span::hours(13));
    assert!(world.needs_sync().await);
    assert_eq!(world.sync().await.computed, 1);
}

#[tokio::test]
async fn goals_have_vectors_while_they_are_active() {
    let world = World::new(&Letters::named("m")).await;
    let draft = GoalDraft { title: "learn to sail".to_owned(), importance: 1.0, ..GoalDraft::default() };
    let goal = world.app.create_goal(&world.user, CreateGoalInput { draft, request_id: String::new() }).await.unwrap();
    assert_eq!(world.jobs().await, 1);
    world.sync().await;
    assert_eq!(world.items()[0].subject, VectorSubject::Goal(goal.id));
    let gone = DeleteGoalInput { id: goal.id, request_id: String::new() };
    world.app.delete_goal(&world.user, gone).await.unwrap();
    world.sync().await;
    assert!(world.items().is_empty());
}

#[tokio::test]
async fn long_content_has_a_vector_for_each_chunk() {
    let world = World::new(&Letters::named("m")).await;
    let long = "This is a sentence about sailing boats. ".repeat(60);
    world.remember(&[&long, "short"]).await;
    let synced = world.sync().await;
    let items = world.items();
    assert!(items[0].chunks >= 3 && items[1].chunks == 1);
    assert_eq!(synced.computed, u64::from(items[0].chunks) + 1);
}

#[tokio::test]
async fn a_rebuild_drops_and_recomputes_all_vectors_each_time() {
    let model = Letters::named("m");
    let world = World::with(&model, |_| {}).await;
    world.remember(&["I drink tea"]).await;
    world.sync().await;
    world.pass(kimberly_core::time::Span::hours(10));
    world.app.rebuild_derived(&world.user, true).await.unwrap();
    assert_eq!(world.sync().await.computed, 1);
    assert_eq!((model.texts(), world.answering()), (2, Some(("m".to_owned(), 1))));
    assert_eq!(world.sync().await.computed, 0, "once");
}

#[tokio::test]
async fn who_turns_embeddings_off_loses_the_vectors_and_gets_them_back() {
    let world = World::new(&Letters::named("m")).await;
    world.remember(&["I drink tea"]).await;
    world.sync().await;
    let jobs = world.jobs().await;
    world.set(UserSettings { embedding_enabled: Some(false), ..UserSettings::default() }, "embedding_enabled").await;
    assert_eq!(world.jobs().await, jobs + 1);
    world.sync().await;
    assert!(world.items().is_empty() && world.answering().is_none());
    assert_eq!(world.status().await.reason, "embeddings are off for this user");
    world.remember(&["I drink coffee"]).await;
    assert_eq!(world.jobs().await, jobs + 1, "nothing to do for this user");
    world.set(UserSettings::default(), "embedding_enabled").await;
    assert_eq!(world.sync().await.computed, 2);
}
