//! Two models side by side, and switching between them.

use std::sync::atomic::{AtomicBool, Ordering};

use kimberly_core::ports::{VectorReader as _, VectorWriter as _};
use kimberly_index::conformance::{both_models_answer_until_the_switch, memories, model, newer};

use super::common::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_models_answer_for_their_own_vectors_until_the_switch() {
    let world = World::make().await;
    both_models_answer_until_the_switch(&world.vectors, &world.user("u").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_must_not_answer_stays_and_answers_again() {
    let world = World::make().await;
    let (writer, user, old, new) = (&world.vectors, world.user("u").await, model(8), newer());
    writer.deactivate(&user).unwrap();
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.activate(&user, &old).unwrap();
    writer.deactivate(&user).unwrap();
    writer.deactivate(&user).unwrap();
    assert_eq!(writer.active(&user).unwrap(), None);
    assert_eq!(writer.items(&user, &old).unwrap().len(), 10);
    writer.activate(&user, &old).unwrap();
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    writer.drop_others(&user, &[old.clone(), new.clone()]).unwrap();
    assert_eq!(writer.active(&user).unwrap().unwrap().vectors, 10);
    writer.drop_others(&user, std::slice::from_ref(&new)).unwrap();
    assert_eq!(writer.active(&user).unwrap(), None, "what answered is gone");
    assert_eq!(writer.building(&user).unwrap().unwrap().model, new);
    writer.drop_model(&user, &new).unwrap();
    writer.drop_model(&user, &new).unwrap();
    assert_eq!(writer.building(&user).unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_during_switches_sees_one_index_whole() {
    let world = World::make().await;
    let (writer, user, old, new) = (&world.vectors, world.user("u").await, model(8), newer());
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.activate(&user, &old).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen == 0 {
                // There is an active index at every moment.
                let state = writer.active(&user).unwrap().unwrap();
                let expected = if state.model == old { 10 } else { 5 };
                assert_eq!((state.vectors, state.items), (expected, expected));
                seen += 1;
            }
        });
        for _ in 0..10 {
            writer.write(&user, &new, &memories(16, 0..5)).unwrap();
            writer.activate(&user, &new).unwrap();
            writer.write(&user, &old, &memories(8, 0..10)).unwrap();
            writer.activate(&user, &old).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        read.join().unwrap();
    });
}
