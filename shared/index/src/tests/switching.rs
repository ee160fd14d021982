//! Two models side by side, and the switch between them.

use std::sync::atomic::{AtomicBool, Ordering};

use kimberly_core::embedding::ModelKey;
use kimberly_core::error::Error;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};

use super::common::{Data, vault};
use crate::conformance::{
    both_models_answer_until_the_switch, cosine, goal, item, memories, memory, model, newer, vector,
};

#[test]
fn both_models_answer_for_their_own_vectors_until_the_switch() {
    let data = Data::new();
    both_models_answer_until_the_switch(&data.writer(), &data.user("u"));
}

#[test]
fn an_index_that_must_not_answer_stays_and_answers_again() {
    let data = Data::new();
    let (writer, user, old, new) = (data.writer(), data.user("u"), model(8), newer());
    writer.deactivate(&user).unwrap();
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.activate(&user, &old).unwrap();
    writer.deactivate(&user).unwrap();
    writer.deactivate(&user).unwrap();
    assert_eq!(writer.active(&user).unwrap(), None);
    assert_eq!(writer.items(&user, &old).unwrap().len(), 10);
    writer.activate(&user, &old).unwrap();
    assert_eq!(writer.active(&user).unwrap().unwrap().vectors, 10);
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    writer.drop_others(&user, &[old.clone(), new.clone()]).unwrap();
    assert!(data.index(&user, &new).exists());
    writer.drop_others(&user, std::slice::from_ref(&new)).unwrap();
    assert!(!data.index(&user, &old).exists() && data.index(&user, &new).exists());
    assert_eq!(writer.active(&user).unwrap(), None, "the active index is gone");
    std::fs::write(data.index(&user, &new).join("data.mdb"), b"damaged").unwrap();
    writer.drop_model(&user, &new).unwrap();
    writer.drop_model(&user, &new).unwrap();
    assert!(!data.index(&user, &new).exists());
}

#[test]
fn an_index_that_is_being_built_answers_beside_the_other_as_long_as_it_is_there_and_sound() {
    let data = Data::new();
    let (writer, user, old, new) = (data.writer(), data.user("u"), model(8), newer());
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    assert_eq!(writer.building(&user).unwrap(), None, "no index is active before the activation");
    writer.activate(&user, &old).unwrap();
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    let third = ModelKey::new("third", "fedcba9876543210", 16).unwrap();
    writer.write(&user, &third, &memories(16, 0..2)).unwrap();
    assert_eq!(writer.building(&user).unwrap().unwrap().model, third, "the index that was last written to");
    writer.drop_model(&user, &third).unwrap();
    assert_eq!(writer.building(&user).unwrap(), None);
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    std::fs::write(data.index(&user, &new).join("data.new"), b"damaged").unwrap();
    std::fs::rename(data.index(&user, &new).join("data.new"), data.index(&user, &new).join("data.mdb")).unwrap();
    assert_eq!(writer.building(&user).unwrap(), None);
    assert_eq!(writer.active(&user).unwrap().unwrap().model, old);
    writer.deactivate(&user).unwrap();
    assert_eq!(writer.building(&user).unwrap(), None, "no index is active after the deactivation");
}

#[test]
fn a_switch_cut_off_after_its_first_step_is_finished_by_the_next_write() {
    let data = Data::new();
    let (writer, user, old, new) = (data.writer(), data.user("u"), model(8), newer());
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.write(&user, &new, &memories(16, 0..5)).unwrap();
    let active = vault(&data.path(), &user).join("vectors/active");
    std::fs::write(&active, format!("{} 16\ngone {}\n", new.slug(), old.slug())).unwrap();
    assert_eq!(writer.active(&user).unwrap().unwrap().model, new);
    writer.write(&user, &new, &memories(16, 5..6)).unwrap();
    assert!(!data.index(&user, &old).exists());
    assert_eq!(std::fs::read_to_string(&active).unwrap(), format!("{} 16\n", new.slug()));
}

#[test]
fn a_read_during_switches_sees_one_complete_index() {
    let data = Data::new();
    let (writer, user, old, new) = (data.writer(), data.user("u"), model(8), newer());
    writer.write(&user, &old, &memories(8, 0..10)).unwrap();
    writer.activate(&user, &old).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen == 0 {
                // Between reading the active model and opening its index, the index may be gone for a moment.
                if let Some(state) = writer.active(&user).unwrap() {
                    let expected = if state.model == old { 10 } else { 5 };
                    assert_eq!((state.vectors, state.items), (expected, expected));
                    seen += 1;
                }
            }
        });
        for _ in 0..30 {
            writer.write(&user, &new, &memories(16, 0..5)).unwrap();
            writer.activate(&user, &new).unwrap();
            writer.write(&user, &old, &memories(8, 0..10)).unwrap();
            writer.activate(&user, &old).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        read.join().unwrap();
    });
}

#[test]
fn what_does_not_fit_the_model_is_refused_with_the_item_named() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(8));
    let refused = |put| {
        let change = IndexChange { put, ..IndexChange::default() };
        let error = writer.write(&user, &model, &change).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{error}");
        error.to_string()
    };
    let good = item(memory(1), 1, vec![vector(8, 1)]);
    assert!(refused(vec![good.clone(), item(memory(2), 1, vec![vector(7, 1)])]).contains("items[1].vectors"));
    assert!(refused(vec![item(memory(2), 1, vec![])]).contains("1 to 65535"));
    assert!(refused(vec![item(memory(2), 1, vec![vec![0.0; 8]])]).contains("must be finite"));
    assert!(refused(vec![item(memory(2), 1, vec![vec![f32::NAN; 8]])]).contains("must be finite"));
    assert!(refused(vec![item(memory(-1), 1, vec![vector(8, 1)])]).contains("negative"));
    assert_eq!(writer.state(&user, &model).unwrap(), None, "no index was created");
    assert!(writer.activate(&user, &model).is_err());
    assert!(writer.nearest(&user, &model, &[1.0; 7], 1).is_err());
    assert!(writer.nearest(&user, &model, &[0.0; 8], 1).is_err());
}

#[test]
fn cosines_are_of_the_nearest_chunks_and_none_without_vectors() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(64));
    let v = |seed| vector(64, seed);
    let goal = goal(1);
    let put =
        vec![item(memory(1), 1, vec![v(1), v(2)]), item(memory(2), 1, vec![v(3)]), item(goal, 1, vec![v(4), v(2)])];
    writer.write(&user, &model, &IndexChange { put, ..IndexChange::default() }).unwrap();
    writer.activate(&user, &model).unwrap();
    let found = writer.cosines(&user, &[memory(1), memory(9), memory(2)], &[goal, memory(9)]).unwrap();
    assert_eq!((found[0][1], found[1][0], found[1][1], found[2][1]), (None, None, None, None));
    assert!((found[0][0].unwrap() - 1.0).abs() < 1e-4, "both hold the same chunk");
    let best = cosine(&v(3), &v(4)).max(cosine(&v(3), &v(2)));
    assert!((found[2][0].unwrap() - best).abs() < 0.01);
    // Goals are not returned as memories.
    let hits = writer.nearest(&user, &model, &v(4), usize::MAX).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.seq.0).collect::<std::collections::BTreeSet<_>>(), [1, 2].into());
    assert_eq!(hits.len(), 2, "each once");
    let hits = writer.nearest(&user, &model, &v(2), 1).unwrap();
    assert_eq!((hits[0].seq.0, hits[0].chunk), (1, 1));
}
