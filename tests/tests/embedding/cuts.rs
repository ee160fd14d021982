//! Failures of the model, of single texts, of the process, of files.

use kimberly_core::embedding::{VectorSubject, Window};
use kimberly_core::ids::Seq;
use kimberly_core::settings::Origin;
use kimberly_core::usecases::embedding::EmbeddingState;

use super::world::{Letters, World};

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("memory number {n}")).collect()
}

#[tokio::test]
async fn a_text_that_the_model_cannot_read_stops_none_of_the_others() {
    let model = Letters::named("m");
    let world = World::new(&model).await;
    model.cannot_read("number 50");
    let texts = numbered(120);
    world.remember(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let synced = world.sync().await;
    assert_eq!((synced.computed, synced.failed), (119, 1));
    let status = world.status().await;
    assert_eq!((status.state, world.items().len()), (EmbeddingState::Failed, 119));
    assert!(status.reason.contains("could not read 1"), "{}", status.reason);
    assert_eq!(world.answering(), Some(("m".to_owned(), 119)), "the others answer");
    model.can_read_all();
    world.sync().await;
    assert_eq!((world.status().await.state, world.items().len()), (EmbeddingState::InSync, 120));
}

#[tokio::test]
async fn a_sync_that_is_cut_anywhere_goes_on_where_it_was() {
    let texts = numbered(150);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for calls in 0..3 {
        let model = Letters::named("m");
        let world = World::new(&model).await;
        world.remember(&texts).await;
        model.stops_after(calls);
        assert!(world.app.sync_vectors(&world.updater, &world.user, 1).await.is_err());
        assert!(!world.status().await.ledger.waiting, "the interrupted job is retried and is not the cause");
        let done = world.items().len();
        world.sync().await;
        assert_eq!((world.items().len(), model.texts()), (150, 150), "after {calls} calls {done} were there");
    }
}

#[tokio::test]
async fn after_a_failure_texts_go_one_by_one_and_from_either_end_in_turn() {
    let model = Letters::named("m");
    let world = World::new(&model).await;
    let texts = numbered(20);
    world.remember(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // Each attempt dies at its fourth text, as if that text were the cause.
    for (attempt, there) in [(2, vec![1, 2, 3]), (3, vec![1, 2, 3, 18, 19, 20])] {
        model.stops_after(3);
        assert!(world.app.sync_vectors(&world.updater, &world.user, attempt).await.is_err());
        let seqs: Vec<VectorSubject> = there.into_iter().map(|seq| VectorSubject::Memory(Seq(seq))).collect();
        assert_eq!(world.items().iter().map(|item| item.subject).collect::<Vec<_>>(), seqs);
    }
}

#[tokio::test]
async fn a_damaged_or_lost_index_is_rebuilt_automatically() {
    let model = Letters::named("m");
    let world = World::new(&model).await;
    world.remember(&["one", "two"]).await;
    world.sync().await;
    for damage in ["the data", "which answers", "all of it"] {
        let active = world.files("active").pop().unwrap();
        let data = world.files("data.mdb").pop().unwrap();
        match damage {
            "the data" => replace(&data, &[0x5a; 8_192]),
            "which answers" => replace(&active, b"../../x 3\n"),
            _ => std::fs::remove_dir_all(active.parent().unwrap()).unwrap(),
        }
        assert_eq!((world.answering(), world.status().await.state), (None, EmbeddingState::Pending), "{damage}");
        assert!(world.needs_sync().await, "{damage}");
        world.sync().await;
        assert_eq!(world.answering(), Some(("m".to_owned(), 2)), "{damage}");
        assert!(!world.needs_sync().await && world.status().await.state == EmbeddingState::InSync, "{damage}");
    }
}

/// Replaces a file by rename: a mapped file must not be modified.
pub(crate) fn replace(file: &std::path::Path, bytes: &[u8]) {
    let beside = file.with_extension("new");
    std::fs::write(&beside, bytes).unwrap();
    std::fs::rename(&beside, file).unwrap();
}

#[tokio::test]
async fn a_requested_rebuild_happens_once_wherever_it_is_interrupted() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| {
        embedding.window = (Window::Always, Origin::Config);
        embedding.daily_limit = (0, Origin::Config);
    })
    .await;
    let texts = numbered(150);
    world.remember(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    world.sync().await;
    world.app.rebuild_derived(&world.user, true).await.unwrap();
    model.stops_after(1);
    assert!(world.app.sync_vectors(&world.updater, &world.user, 1).await.is_err());
    let status = world.status().await;
    assert_eq!((status.state, world.items().len()), (EmbeddingState::Pending, 64));
    assert_eq!(status.reason, "150 of 150 vectors are being computed");
    assert!(world.needs_sync().await);
    let synced = world.sync().await;
    assert_eq!((synced.computed, world.items().len()), (86, 150), "new vectors are not computed again");
    world.app.rebuild_derived(&world.user, true).await.unwrap();
    assert_eq!(world.sync().await.computed, 150);
    assert!(!world.needs_sync().await);
}
