//! Cap, limits, window and budget.

use std::sync::Arc;

use kimberly_core::embedding::{OverCap, VectorSubject, Window};
use kimberly_core::error::Error;
use kimberly_core::ids::Seq;
use kimberly_core::memory::EmbedMark;
use kimberly_core::settings::{Origin, UserSettings};
use kimberly_core::time::Span;
use kimberly_core::usecases::embedding::{RequestEmbeddingInput, Synced};

use super::world::{Letters, NIGHT, World};

const SIX: [&str; 6] =
    ["one is first", "two is second", "three is third", "four is fourth", "five is fifth", "six is sixth"];

/// Embeds at any hour, with a cap of three vectors.
async fn capped(model: &Arc<Letters>) -> World {
    World::with(model, |embedding| {
        embedding.window = (Window::Always, Origin::Config);
        embedding.vector_cap = (3, Origin::Config);
    })
    .await
}

#[tokio::test]
async fn over_the_cap_the_best_have_vectors_and_never_more_than_it_allows() {
    let model = Letters::named("m");
    let world = capped(&model).await;
    let made = world.remember(&SIX).await;
    world.sync().await;
    assert_eq!(world.answering(), Some(("m".to_owned(), 3)));
    let status = world.status().await;
    assert_eq!(
        (status.reason.as_str(), status.is_on()),
        ("6 vectors are needed, but vector_cap is 3; the marked and best-scored memories have them", true)
    );
    let texts = model.texts();
    world.sync().await;
    assert_eq!(model.texts(), texts, "a user at the cap costs nothing");
    assert!(!world.app.needs_sync(&world.updater, &world.user).await.unwrap());
    // Among equals, the newest have vectors; when one is deleted, the next one gets its place.
    world.forget(made[5].id).await;
    world.sync().await;
    assert_eq!((world.answering(), model.texts()), (Some(("m".to_owned(), 3)), texts + 1));
}

#[tokio::test]
async fn what_is_marked_always_has_its_vector_before_others_and_what_is_marked_never_has_none() {
    let model = Letters::named("m");
    let world = capped(&model).await;
    let made = world.remember(&SIX).await;
    let seqs = || world.items().into_iter().map(|item| item.subject).collect::<Vec<_>>();
    let of = |seqs: [i64; 3]| seqs.map(|seq| VectorSubject::Memory(Seq(seq)));
    world.sync().await;
    assert_eq!(seqs(), of([4, 5, 6]), "of equals the newest");
    world.set_embed(made[0].id, EmbedMark::Always).await;
    world.set_embed(made[5].id, EmbedMark::Never).await;
    assert!(world.status().await.ledger.waiting, "the user waits for a sync");
    world.sync().await;
    assert_eq!(seqs(), of([1, 4, 5]));
    assert_eq!(
        world.status().await.reason,
        "5 vectors are needed, but vector_cap is 3; the marked and best-scored memories have them"
    );
    for one in &made[1..5] {
        world.set_embed(one.id, EmbedMark::Always).await;
    }
    world.sync().await;
    assert_eq!(seqs(), of([3, 4, 5]), "the cap holds for these, too");
    for one in &made {
        world.set_embed(one.id, EmbedMark::Never).await;
    }
    world.sync().await;
    let status = world.status().await;
    assert_eq!((seqs(), status.ledger.report.unwrap().needed, status.reason.as_str()), (Vec::new(), 0, ""));
    world.set_embed(made[0].id, EmbedMark::Auto).await;
    world.sync().await;
    assert_eq!(seqs(), [VectorSubject::Memory(Seq(1))]);
}

#[tokio::test]
async fn over_the_cap_nothing_answers_and_below_it_everything_does_again_without_the_model() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| {
        embedding.over_cap = OverCap::Disable;
        embedding.window = (Window::Always, Origin::Config);
        embedding.vector_cap = (5, Origin::Config);
    })
    .await;
    let made = world.remember(&SIX[..5]).await;
    world.sync().await;
    assert_eq!(world.answering(), Some(("m".to_owned(), 5)));
    let sixth = world.remember(&SIX[5..]).await;
    assert_eq!(world.sync().await.computed, 0);
    assert_eq!((world.answering(), world.items().len()), (None, 5), "their vectors are kept, unused");
    let status = world.status().await;
    assert_eq!((status.reason.as_str(), status.is_on()), ("over the cap: 6 vectors of 5", false));
    world.forget(made[0].id).await;
    world.sync().await;
    assert_eq!((world.answering(), model.texts()), (Some(("m".to_owned(), 5)), 6), "only the sixth was missing");
    world.remember(&["seven"]).await;
    world.sync().await;
    world.forget(sixth[0].id).await;
    world.remember(&["eight"]).await;
    world.sync().await;
    assert_eq!(world.items().len(), 4, "vectors of deleted memories go, even over the cap");
    world.set(UserSettings { vector_cap: Some(6), ..UserSettings::default() }, "vector_cap").await;
    world.sync().await;
    assert_eq!(world.answering(), Some(("m".to_owned(), 6)));
}

#[tokio::test]
async fn the_cap_counts_chunks() {
    let world = World::with(&Letters::named("m"), |embedding| {
        embedding.over_cap = OverCap::Disable;
        embedding.window = (Window::Always, Origin::Config);
        embedding.vector_cap = (5, Origin::Config);
    })
    .await;
    world.remember(&["short", &"A sentence that is about forty letters. ".repeat(150)]).await;
    world.sync().await;
    assert!(world.answering().is_none());
    assert!(world.status().await.reason.starts_with("over the cap: "));
}

#[tokio::test]
async fn daily_and_weekly_limits_let_so_much_through_and_the_rest_later() {
    let world = World::with(&Letters::named("m"), |embedding| {
        embedding.daily_limit = (4, Origin::Config);
        embedding.weekly_limit = (5, Origin::Config);
    })
    .await;
    world.remember(&SIX).await;
    let first = world.sync().await;
    assert_eq!((first.computed, first.next), (4, Some(NIGHT.plus(Span::hours(23)))), "tomorrow at 01:00");
    assert_eq!(world.status().await.reason, "daily limit reached: 4 vectors");
    assert_eq!(world.answering(), Some(("m".to_owned(), 4)), "existing vectors are used");
    assert_eq!(world.sync().await.computed, 0);
    world.pass(Span::hours(23));
    let second = world.sync().await;
    assert_eq!(second.computed, 1);
    assert_eq!(world.status().await.reason, "weekly limit reached: 5 vectors");
    world.pass(Span::days(1));
    assert_eq!(world.sync().await.computed, 0);
    world.pass(Span::days(5));
    assert_eq!(world.sync().await.computed, 1);
    assert_eq!(world.items().len(), 6);
}

#[tokio::test]
async fn outside_of_the_window_new_vectors_wait_unless_they_are_asked_for() {
    let world = World::with(&Letters::named("m"), |embedding| embedding.daily_limit = (2, Origin::Config)).await;
    world.pass(Span::hours(10));
    world.remember(&["one"]).await;
    let synced = world.sync().await;
    assert_eq!((synced.computed, synced.next), (0, Some(NIGHT.plus(Span::hours(23)))));
    let jobs = world.jobs().await;
    let input = RequestEmbeddingInput { request_id: "r".to_owned(), traceparent: None };
    for _ in 0..2 {
        world.app.request_embedding(&*world.store.registry(), &world.user, input.clone()).await.unwrap();
    }
    assert_eq!(world.jobs().await, jobs + 1, "a repeated request is one request");
    assert_eq!(world.sync().await.computed, 1);
    world.remember(&["two"]).await;
    assert_eq!(world.sync().await.computed, 0, "a request covers the memories of its time");
    world.remember(&["three", "four"]).await;
    world.app.request_embedding(&*world.store.registry(), &world.user, RequestEmbeddingInput::default()).await.unwrap();
    assert_eq!(world.sync().await.computed, 1, "limits apply to requests");
}

#[tokio::test]
async fn the_systems_budget_is_shared_by_all_users() {
    let mut world = World::with(&Letters::named("m"), |embedding| {
        embedding.window = (Window::Always, Origin::Config);
        embedding.system_daily_budget = 4;
    })
    .await;
    world.remember(&SIX[..3]).await;
    assert_eq!(world.sync().await.computed, 3);
    world.user = kimberly_core::UserId::parse("bob").unwrap();
    world.remember(&SIX[..3]).await;
    let bob = world.sync().await;
    assert_eq!(bob.computed, 1);
    assert_eq!(world.store.registry().embedded_on(NIGHT.day()).await.unwrap(), 4);
    assert_eq!(world.status().await.reason, "the server's budget for today is used up");
    world.pass(Span::days(1));
    assert_eq!(world.sync().await.computed, 2);
}

#[tokio::test]
async fn requests_are_refused_where_there_is_nothing_to_ask_for() {
    let world = World::with(&Letters::named("m"), |embedding| embedding.on = false).await;
    let refused =
        world.app.request_embedding(&*world.store.registry(), &world.user, RequestEmbeddingInput::default()).await;
    assert!(matches!(refused, Err(Error::EmbeddingsOff { by: "server" })));
    let world = World::new(&Letters::named("m")).await;
    let nobody = world
        .app
        .request_embedding(&*world.store.registry(), &world.user, RequestEmbeddingInput::default())
        .await
        .unwrap();
    assert!(nobody.reason.is_empty());
    assert_eq!(world.store.registry().count_users().await.unwrap(), 0, "no vault is created");
    world.set(UserSettings { embedding_enabled: Some(false), ..UserSettings::default() }, "embedding_enabled").await;
    let refused =
        world.app.request_embedding(&*world.store.registry(), &world.user, RequestEmbeddingInput::default()).await;
    assert!(matches!(refused, Err(Error::EmbeddingsOff { by: "user" })));
}

/// A sync of several batches that blocks within the first one.
async fn long_sync(world: &World, model: &Letters, count: usize) -> tokio::task::JoinHandle<Synced> {
    let notes: Vec<String> = (0..count).map(|n| format!("note {n}")).collect();
    world.remember(&notes.iter().map(String::as_str).collect::<Vec<_>>()).await;
    model.waits_after(0);
    let (app, updater, user) = (world.app.clone(), world.updater.clone(), world.user.clone());
    let long = tokio::spawn(async move { app.sync_vectors(&updater, &user, 1).await.unwrap() });
    kimberly_tests::eventually("the first piece is counted", || async {
        (world.store.registry().embedded_on(NIGHT.day()).await.unwrap() == 64).then_some(())
    })
    .await;
    long
}

#[tokio::test]
async fn a_sync_that_outlasts_the_window_ends_with_it() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| embedding.daily_limit = (0, Origin::Config)).await;
    let long = long_sync(&world, &model, 150).await;
    world.pass(Span::hours(4));
    model.goes_on();
    assert_eq!((long.await.unwrap().computed, world.items().len()), (64, 64), "the running sync completes");
    let rest = world.sync().await;
    assert_eq!((rest.computed, rest.next), (0, Some(NIGHT.plus(Span::hours(23)))));
    assert_eq!(world.status().await.reason, "waits for 01:00 UTC");
    world.pass(Span::hours(19));
    assert_eq!((world.sync().await.computed, world.items().len()), (86, 150));
}

#[tokio::test]
async fn what_others_leave_of_a_days_budget_is_used_to_the_last() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| {
        embedding.daily_limit = (0, Origin::Config);
        embedding.system_daily_budget = 150;
    })
    .await;
    let long = long_sync(&world, &model, 100).await;
    let taken = world.store.registry().take_embedding_budget(NIGHT.day(), 60, 150).await.unwrap();
    assert_eq!(taken, 60, "another user, between two batches");
    model.goes_on();
    assert_eq!((long.await.unwrap().computed, world.items().len()), (90, 90));
    assert_eq!(world.status().await.ledger.today, 90, "and no more is counted for the user");
}
