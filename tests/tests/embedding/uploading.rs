//! Vectors computed elsewhere.

use kimberly_core::embedding::{EmbeddedItem, OverCap, VectorSubject, Window};
use kimberly_core::error::Error;
use kimberly_core::ids::Seq;
use kimberly_core::ports::IndexChange;
use kimberly_core::settings::{Origin, UserSettings};
use kimberly_core::usecases::embedding::{
    EmbeddingState, ExportTextsInput, SubjectTexts, UploadInput, UploadItem, UploadOutcome,
};

use super::cuts::replace;
use super::world::{Letters, World, vector};

async fn texts(world: &World, missing_only: bool) -> Vec<SubjectTexts> {
    let input = ExportTextsInput { missing_only, cursor: String::new() };
    let mut export = world.app.export_texts(&world.user, &input).unwrap();
    let mut all = Vec::new();
    while let Some(piece) = export.next().await.unwrap() {
        all.extend(piece.items);
    }
    all
}

fn item(of: &SubjectTexts) -> UploadItem {
    let vectors = of.texts.iter().map(|text| vector(text)).collect();
    UploadItem { id: of.id, fingerprint: of.fingerprint, vectors }
}

async fn upload(world: &World, items: Vec<UploadItem>) -> Result<Vec<UploadOutcome>, Error> {
    let model = world.updater.model.model().slug();
    world.app.upload_embeddings(&world.updater, &world.user, UploadInput { model, items }).await
}

#[tokio::test]
async fn texts_go_out_and_their_vectors_come_back_once() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| embedding.daily_limit = (1, Origin::Config)).await;
    world.remember(&["one", &"A long sentence about sailing. ".repeat(80), "three"]).await;
    let out = texts(&world, false).await;
    assert_eq!(out.len(), 3);
    let items: Vec<UploadItem> = out.iter().map(item).collect();
    assert_eq!(upload(&world, items.clone()).await.unwrap(), [UploadOutcome::Stored; 3]);
    assert_eq!(upload(&world, items).await.unwrap(), [UploadOutcome::Unchanged; 3]);
    world.sync().await;
    assert_eq!((model.texts(), world.status().await.state), (0, EmbeddingState::InSync), "the model was not asked");
    assert!(world.answering().is_some());
    assert!(texts(&world, true).await.is_empty());
    world.remember(&["four"]).await;
    assert_eq!(texts(&world, true).await.len(), 1);
}

#[tokio::test]
async fn an_upload_that_was_cut_after_its_vectors_were_written_is_finished_when_it_is_repeated() {
    let model = Letters::named("m");
    let world = World::with(&model, |embedding| {
        embedding.window = (Window::parse("12:00-13:00").unwrap(), Origin::Config);
    })
    .await;
    world.remember(&["one"]).await;
    world.sync().await;
    let sent = item(&texts(&world, false).await[0]);
    let written = EmbeddedItem {
        subject: VectorSubject::Memory(Seq(1)),
        revision: 1,
        fingerprint: sent.fingerprint,
        vectors: sent.vectors.clone(),
    };
    let put = IndexChange { put: vec![written], ..IndexChange::default() };
    world.updater.vectors.write(&world.user, &model.key(), &put).unwrap();
    let jobs = world.jobs().await;
    assert!(world.answering().is_none());
    assert_eq!(upload(&world, vec![sent.clone()]).await.unwrap(), [UploadOutcome::Unchanged]);
    assert_eq!(world.jobs().await, jobs + 1);
    world.sync().await;
    assert!(world.answering().is_some());
    assert_eq!(upload(&world, vec![sent]).await.unwrap(), [UploadOutcome::Unchanged]);
    assert_eq!(world.jobs().await, jobs + 1, "no further job is needed");
}

#[tokio::test]
async fn an_upload_rebuilds_a_damaged_index() {
    let model = Letters::named("m");
    let world = World::new(&model).await;
    world.remember(&["one", "two"]).await;
    world.sync().await;
    let items: Vec<UploadItem> = texts(&world, false).await.iter().map(item).collect();
    replace(&world.files("data.mdb").pop().unwrap(), &[0x5a; 8_192]);
    assert_eq!(upload(&world, items).await.unwrap(), [UploadOutcome::Stored; 2]);
    world.sync().await;
    assert_eq!(world.items().len(), 2);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_item_by_item() {
    let world = World::new(&Letters::named("m")).await;
    let made = world.remember(&["one", "two", "three"]).await;
    let out = texts(&world, false).await;
    world.edit(made[0].id, "one, but changed", false).await;
    world.edit(made[1].id, "two", true).await;
    let mut items: Vec<UploadItem> = out.iter().map(item).collect();
    items[2].vectors.push(vector("too many"));
    let outcomes = upload(&world, items).await.unwrap();
    assert_eq!(outcomes, [UploadOutcome::Stale, UploadOutcome::NotEligible, UploadOutcome::Stale]);
    assert!(world.items().is_empty());
}

#[tokio::test]
async fn another_model_or_dimension_is_refused_as_a_whole() {
    let world = World::new(&Letters::named("m")).await;
    world.remember(&["one"]).await;
    let good = item(&texts(&world, false).await[0]);
    let other = UploadInput { model: "other-fedcba9876543210".to_owned(), items: vec![good.clone()] };
    let refused = world.app.upload_embeddings(&world.updater, &world.user, other).await.unwrap_err();
    assert!(matches!(&refused, Error::WrongModel { known, .. } if known == "m-0123456789abcdef"), "{refused}");
    let elsewhere = UploadInput { model: "copy-of-m-0123456789abcdef".to_owned(), items: vec![good.clone()] };
    let taken = world.app.upload_embeddings(&world.updater, &world.user, elsewhere).await.unwrap();
    assert_eq!(taken, [UploadOutcome::Stored], "the same files in a folder of another name");
    let short = UploadItem { vectors: vec![vec![0.6, 0.8]], ..good.clone() };
    let refused = upload(&world, vec![short]).await.unwrap_err();
    assert!(refused.to_string().contains("has 2 numbers"), "{refused}");
    world.set(UserSettings { embedding_enabled: Some(false), ..UserSettings::default() }, "embedding_enabled").await;
    assert!(matches!(upload(&world, vec![good]).await, Err(Error::EmbeddingsOff { by: "user" })));
}

#[tokio::test]
async fn the_cap_holds_for_what_comes_from_elsewhere() {
    let world = World::with(&Letters::named("m"), |embedding| {
        embedding.window = (Window::Always, Origin::Config);
        embedding.vector_cap = (2, Origin::Config);
        embedding.over_cap = OverCap::Disable;
    })
    .await;
    world.remember(&["one", "two", "three"]).await;
    let items: Vec<UploadItem> = texts(&world, false).await.iter().map(item).collect();
    assert_eq!(upload(&world, items.clone()).await.unwrap(), [UploadOutcome::OverCap; 3]);
    world.set(UserSettings { vector_cap: Some(3), ..UserSettings::default() }, "vector_cap").await;
    assert_eq!(upload(&world, items).await.unwrap(), [UploadOutcome::Stored; 3]);
}

#[tokio::test]
async fn an_export_goes_on_from_its_cursor_and_from_no_other() {
    let world = World::new(&Letters::named("m")).await;
    let long = "A sentence that is repeated until there is much of it. ".repeat(400);
    world.remember(&vec![long.as_str(); 30]).await;
    let mut export = world.app.export_texts(&world.user, &ExportTextsInput::default()).unwrap();
    let first = export.next().await.unwrap().unwrap();
    assert!(first.items.len() < 30);
    let input = ExportTextsInput { missing_only: false, cursor: first.cursor.clone() };
    let mut rest = Vec::new();
    let mut export = world.app.export_texts(&world.user, &input).unwrap();
    while let Some(piece) = export.next().await.unwrap() {
        rest.extend(piece.items);
    }
    let all = texts(&world, false).await;
    assert_eq!([first.items, rest].concat(), all);
    let other = ExportTextsInput { missing_only: true, cursor: first.cursor };
    assert!(matches!(world.app.export_texts(&world.user, &other), Err(Error::InvalidCursor)));
}
