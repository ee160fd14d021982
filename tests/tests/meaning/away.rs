//! An embedder that is stopped, killed or slow: recall still answers by words, in time, and says so; vectors recover.

use kimberly_proto::v1::SemanticStatus;
use kimberly_tests::{User, eventually};
use rustix::process::{Pid, Signal, kill_process};

use super::{OTHERS, ask, contents, embedded, system};

const PUPPY: &str = "My puppy is afraid of thunderstorms";

async fn filled(user: &mut User) {
    for text in OTHERS.iter().chain(&[PUPPY]) {
        user.remember(text).await;
    }
    embedded(user).await;
}

/// Asks a new question, whose vector is not cached.
async fn status(user: &User, number: usize) -> SemanticStatus {
    let answer = ask(user, &format!("puppy, question {number}")).await;
    assert_eq!(contents(&answer)[0], PUPPY, "words always answer");
    answer.semantic()
}

async fn vectors_come_back(user: &User) {
    let mut number = 1_000;
    eventually("vectors to take part again", || {
        number += 1;
        async move { (status(user, number).await == SemanticStatus::Used).then_some(()) }
    })
    .await;
}

#[tokio::test]
async fn words_answer_while_the_embedder_is_killed_or_stopped() {
    let mut system = system(&[]).await;
    let mut user = system.user("ann");
    filled(&mut user).await;
    assert_eq!(status(&user, 0).await, SemanticStatus::Used);
    for kill in [true, false] {
        if kill {
            system.embedder.kill9();
        } else {
            system.embedder.stop();
        }
        for number in 1..20 {
            assert_eq!(status(&user, number).await, SemanticStatus::Unavailable);
        }
        assert_eq!(status(&user, 0).await, SemanticStatus::Used, "the vector of an earlier query is cached");
        system.embedder.start_again();
        vectors_come_back(&user).await;
    }
}

#[tokio::test]
async fn words_answer_in_time_while_the_embedder_stands_still() {
    let system = system(&[("KIMBERLY_RECALL__EMBED_DEADLINE", "200ms")]).await;
    let mut user = system.user("ann");
    filled(&mut user).await;
    vectors_come_back(&user).await;
    let embedder = Pid::from_raw(i32::try_from(system.embedder.pid()).unwrap()).unwrap();
    kill_process(embedder, Signal::STOP).unwrap();
    for number in 0..50 {
        assert_eq!(status(&user, number).await, SemanticStatus::TimedOut);
    }
    kill_process(embedder, Signal::CONT).unwrap();
    vectors_come_back(&user).await;
}

#[tokio::test]
async fn words_answer_to_the_bit_alike_with_and_without_an_embedder() {
    let mut system = system(&[]).await;
    let mut user = system.user("ann");
    filled(&mut user).await;
    system.embedder.kill9();
    let now = prost_types::Timestamp { seconds: 1_800_000_000, nanos: 0 };
    let ask = async |text: &str| {
        let request = kimberly_proto::v1::QueryMemoriesRequest {
            user_id: user.id(),
            query: text.to_owned(),
            reference_time: Some(now),
            ..Default::default()
        };
        let answer = user.clients.clone().memories.query_memories(request).await.unwrap().into_inner();
        let scores: Vec<_> =
            answer.results.iter().map(|one| (one.memory.clone().unwrap().id, one.score.to_bits())).collect();
        (answer.semantic(), scores)
    };
    let (status, away) = ask("the puppy and the tram").await;
    assert_eq!(status, SemanticStatus::Unavailable);
    // The same with embeddings off.
    system.api.stop();
    system.api.unset("KIMBERLY_EMBEDDER__MODEL");
    system.api.start_again();
    system.wait_until_api_serves().await;
    let (status, off) = ask("the puppy and the tram").await;
    assert_eq!((status, off), (SemanticStatus::Off, away));
}
