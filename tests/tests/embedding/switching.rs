//! Switching from one model to another.

use kimberly_core::ports::VectorWriter as _;
use kimberly_core::settings::Origin;
use kimberly_core::time::Span;

use super::world::{Letters, World};

#[tokio::test]
async fn the_old_model_answers_until_the_new_ones_index_is_whole() {
    let (old, new) = (Letters::named("old"), Letters::named("new"));
    let mut world = World::with(&old, |embedding| embedding.daily_limit = (2, Origin::Config)).await;
    let made = world.remember(&["one", "two"]).await;
    world.sync().await;
    world.pass(Span::days(1));
    world.remember(&["three"]).await;
    world.sync().await;
    world.pass(Span::days(1));
    world.switch_to(&new);
    assert!(world.needs_sync().await, "a new model is detected");
    assert_eq!(world.sync().await.computed, 2);
    assert_eq!(world.answering(), Some(("old".to_owned(), 3)));
    world.forget(made[1].id).await;
    world.sync().await;
    assert_eq!(world.answering(), Some(("old".to_owned(), 2)), "vectors of deleted memories go from both");
    world.pass(Span::days(1));
    world.sync().await;
    assert_eq!(world.answering(), Some(("new".to_owned(), 2)));
    assert_eq!(world.writer.state(&world.user, &old.key()).unwrap(), None, "the old one is gone");
}

#[tokio::test]
async fn an_index_of_a_model_in_between_is_removed() {
    let models = ["first", "second", "third"].map(Letters::named);
    let mut world = World::with(&models[0], |embedding| embedding.daily_limit = (2, Origin::Config)).await;
    world.remember(&["one", "two"]).await;
    world.sync().await;
    world.pass(Span::days(1));
    world.remember(&["three"]).await;
    world.switch_to(&models[1]);
    world.sync().await;
    assert!(world.writer.state(&world.user, &models[1].key()).unwrap().is_some());
    world.pass(Span::days(1));
    world.switch_to(&models[2]);
    world.sync().await;
    assert!(world.writer.state(&world.user, &models[1].key()).unwrap().is_none());
    assert_eq!(world.answering(), Some(("first".to_owned(), 2)));
}
