//! Two models side by side, and changes in the vault while a query waits for its vector.

use kimberly_core::ids::Seq;
use kimberly_core::usecases::{CreateInput, DeleteInput, QueryOutput, SemanticStatus};

use super::{FOOD, Meanings, NOTHING, asking, harbour, model, newer, plain, scores};

/// A vault whose memories 1 and 2 are only in the active index, 3 only in the newer one, and one is in both with
/// different vectors.
async fn half_switched() -> Meanings {
    let (meanings, _) = Meanings::of(harbour()).await;
    let user = meanings.vault.user.clone();
    // The newer model gives boats the vector that the other one gives food.
    let newer = (4..24).map(|seq| (Seq(seq), NOTHING)).chain([(Seq(3), FOOD), (Seq(2), NOTHING)]).collect();
    meanings.index.building.lock().unwrap().insert(user.clone(), newer);
    meanings.index.vectors.lock().unwrap().get_mut(&user).unwrap().retain(|(seq, _)| *seq != Seq(3));
    meanings
}

fn found(output: &QueryOutput) -> Vec<i64> {
    let mut seqs: Vec<i64> = output.results.iter().map(|one| one.memory.seq.0).collect();
    seqs.sort_unstable();
    seqs
}

#[tokio::test]
async fn while_models_change_each_answers_for_its_own_vectors_and_the_newer_for_those_of_both() {
    let meanings = half_switched().await;
    let output = meanings.recall("who goes sailing").await;
    assert_eq!((output.semantic, found(&output)), (SemanticStatus::Used, vec![1, 3]));
    assert!(output.results.iter().all(|one| one.explanation.unwrap().cosine.unwrap() > 0.9));
    assert_eq!(meanings.embedder.asked.lock().unwrap().len(), 2, "a vector of each model");
    assert_eq!(scores(&meanings.recall("who goes sailing").await), scores(&output));
}

#[tokio::test]
async fn of_two_models_the_one_that_is_loaded_answers_alone() {
    let meanings = half_switched().await;
    for (lacks, expected) in [(model(), vec![3]), (newer(), vec![1, 2])] {
        *meanings.embedder.lacks.lock().unwrap() = vec![lacks];
        let output = meanings.recall("who goes sailing").await;
        assert_eq!((output.semantic, found(&output)), (SemanticStatus::Used, expected));
    }
    *meanings.embedder.lacks.lock().unwrap() = vec![model(), newer()];
    assert_eq!(meanings.recall("who goes sailing").await.semantic, SemanticStatus::Unavailable);
    meanings.index.vectors.lock().unwrap().clear();
    assert_eq!(meanings.recall("who goes sailing").await.semantic, SemanticStatus::Unavailable);
    *meanings.embedder.lacks.lock().unwrap() = vec![];
    assert_eq!(found(&meanings.recall("who goes sailing").await), [3]);
}

#[tokio::test]
async fn readers_of_a_vault_do_not_wait_for_a_query_s_vector() {
    let (meanings, _) = Meanings::of(harbour()).await;
    let vaults = meanings.vault.app.vaults.clone();
    let user = meanings.vault.user.clone();
    // More concurrent reads than a vault has readers, all waiting for the embedder.
    let (open, gate) = tokio::sync::watch::channel(false);
    let waiting = (0..16).map(|_| {
        let (app, user, mut gate) = (meanings.vault.app.clone(), user.clone(), gate.clone());
        let embedder = meanings.embedder.clone();
        async move {
            *embedder.meanwhile.lock().unwrap() = Some(Box::pin(async move {
                gate.wait_for(|open| *open).await.unwrap();
            }));
            app.query_memories(&user, asking("who goes sailing")).await.unwrap()
        }
    });
    let waiting = futures::future::join_all(waiting);
    let reading = async {
        while meanings.embedder.asked.lock().unwrap().len() < 16 {
            tokio::task::yield_now().await;
        }
        let version = vaults.read(&user, |vault| Box::pin(vault.data_version()));
        // This would wait forever if the queries held the readers.
        let version = tokio::time::timeout(std::time::Duration::from_mins(1), version).await.unwrap().unwrap();
        open.send(true).unwrap();
        version
    };
    let (outputs, version) = futures::future::join(waiting, reading).await;
    assert!(version > 0 && outputs.iter().all(|output| found(output) == [1, 2]));
}

#[tokio::test]
async fn what_is_written_while_the_vector_is_waited_for_is_searched_too() {
    let (meanings, ids) = Meanings::of(harbour()).await;
    let (app, user) = (meanings.vault.app.clone(), meanings.vault.user.clone());
    assert_eq!(found(&meanings.recall("who goes sailing, filler number 7").await)[..2], [1, 2]);
    *meanings.embedder.meanwhile.lock().unwrap() = Some(Box::pin(async move {
        let delete = DeleteInput { id: ids[0], etag: String::new(), request_id: String::new() };
        app.delete_memory(&user, delete).await.unwrap();
        let input =
            CreateInput { drafts: vec![plain("filler number 7 again")], always_new: true, ..CreateInput::default() };
        app.create_memories(&user, input).await.unwrap();
    }));
    let seqs = found(&meanings.recall("who goes sailing, filler number 7, or else").await);
    assert_eq!((seqs.first(), seqs.last()), (Some(&2), Some(&24)), "deleted memories are missing, new ones are found");
}

#[tokio::test]
async fn who_turned_embeddings_off_is_answered_by_words_though_vectors_are_there_still() {
    let (meanings, _) = Meanings::of(harbour()).await;
    meanings.vault.turn_embeddings_off().await;
    let output = meanings.recall("who sails the yacht at dawn, filler").await;
    assert_eq!(output.semantic, SemanticStatus::UserDisabled);
    assert_eq!(scores(&output), scores(&meanings.by_words_alone("who sails the yacht at dawn, filler").await));
}
