//! Resources of indices: bytes on disk, open files; and that no removed vector remains.

use crate::{IndexReader, IndexWriter, Options};
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};

use crate::quantize::Quantized;

use super::common::{Data, vault};
use crate::conformance::{item, memories, memory, model, vector};

fn bytes_below(folder: &std::path::Path) -> u64 {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| if entry.path().is_dir() { bytes_below(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

#[test]
fn two_hundred_vectors_take_less_than_100_kb_with_everything_around_them() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(384));
    let change = IndexChange { in_sync_at: Some(7), ..memories(384, 5_000..5_200) };
    writer.write(&user, &model, &change).unwrap();
    writer.activate(&user, &model).unwrap();
    let bytes = bytes_below(&vault(&data.path(), &user).join("vectors"));
    assert!(bytes < 100_000, "{bytes}");
    let state = writer.active(&user).unwrap().unwrap();
    assert!(bytes - state.disk_bytes < 100, "the index says {} of {bytes}", state.disk_bytes);
}

#[test]
fn an_index_stays_small_through_years_of_changes() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(384));
    writer.write(&user, &model, &memories(384, 0..200)).unwrap();
    writer.activate(&user, &model).unwrap();
    for day in 0..300_i64 {
        let change = IndexChange {
            gone: (0..3).map(|i| memory(day * 3 + i)).collect(),
            in_sync_at: Some(day.cast_unsigned()),
            ..memories(384, 200 + day * 3..203 + day * 3)
        };
        writer.write(&user, &model, &change).unwrap();
        let state = writer.active(&user).unwrap().unwrap();
        assert_eq!(state.vectors, 200);
        assert!(state.disk_bytes < 110_000, "day {day}: {}", state.disk_bytes);
    }
}

#[test]
fn additions_alone_do_not_let_files_grow_far_beyond_what_they_hold() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(384));
    for seq in 0..200 {
        writer.write(&user, &model, &memories(384, seq..=seq)).unwrap();
        let state = writer.state(&user, &model).unwrap().unwrap();
        let live = 20_000 + state.vectors * 420;
        assert!(state.disk_bytes < live * 5 / 4 + 50_000, "{seq}: {}", state.disk_bytes);
    }
}

#[test]
fn removed_and_replaced_vectors_are_in_no_file_when_the_write_returns() {
    let data = Data::new();
    let (writer, user, model) = (data.writer(), data.user("u"), model(64));
    writer.write(&user, &model, &memories(64, 0..100)).unwrap();
    let stored = || std::fs::read(data.index(&user, &model).join("data.mdb")).unwrap();
    let traces = |seed: u64| {
        let vector = vector(64, seed);
        let components: Vec<u8> =
            Quantized::of(&vector).unwrap().components.into_iter().map(i8::cast_unsigned).collect();
        stored().windows(64).filter(|window| *window == components).count()
    };
    assert_eq!((traces(5), traces(50), traces(60)), (1, 1, 1));
    let change = IndexChange {
        gone: vec![memory(5)],
        put: vec![item(memory(50), 2, vec![vector(64, 1_000)])],
        ..IndexChange::default()
    };
    writer.write(&user, &model, &change).unwrap();
    assert_eq!((traces(5), traces(50), traces(60), traces(1_000)), (0, 0, 1, 1));
}

#[test]
fn a_thousand_users_are_read_and_written_with_few_files_open() {
    let data = Data::new();
    let options = Options { max_open: 8, ..Options::default() };
    let (writer, model) = (IndexWriter::new(data.path(), options), model(8));
    let users: Vec<_> = (0..1_000).map(|i| data.user(&format!("user-{i}"))).collect();
    for (i, user) in (0..).zip(&users) {
        writer.write(user, &model, &memories(8, i..i + 2)).unwrap();
        writer.activate(user, &model).unwrap();
        assert!(writer.open_indices() <= 8);
    }
    drop(writer);
    let before = open_files();
    let reader = IndexReader::new(data.path(), options);
    for round in 0..2 {
        for (i, user) in (0_i64..).zip(&users) {
            let hits = reader.nearest(user, &model, &vector(8, i.cast_unsigned()), 1).unwrap();
            assert_eq!(hits[0].seq.0, i, "round {round}");
        }
        assert!(reader.open_indices() <= 8);
    }
    // Two files per open index, plus files of other tests in this process.
    let after = open_files();
    assert!(after < before + 400, "{before} files open before, {after} after");
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn what_is_not_used_is_closed() {
    let data = Data::new();
    let options = Options { idle: std::time::Duration::from_millis(20), ..Options::default() };
    let (writer, user, model) = (IndexWriter::new(data.path(), options), data.user("u"), model(8));
    writer.write(&user, &model, &memories(8, 0..2)).unwrap();
    assert_eq!(writer.nearest(&user, &model, &vector(8, 1), 9).unwrap().len(), 2);
    assert_eq!(writer.open_indices(), 1);
    while writer.open_indices() > 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(writer.nearest(&user, &model, &vector(8, 1), 9).unwrap().len(), 2);
}

#[test]
fn nothing_is_made_for_a_user_without_a_vault_and_nothing_breaks_when_the_folder_goes() {
    let data = Data::new();
    let (writer, reader, model) = (data.writer(), IndexReader::new(data.path(), Options::default()), model(8));
    let nobody = kimberly_core::UserId::parse("nobody").unwrap();
    assert!(writer.write(&nobody, &model, &memories(8, 0..2)).is_err());
    assert!(!vault(&data.path(), &nobody).exists());
    assert_eq!(reader.active(&nobody).unwrap(), None);

    let user = data.user("u");
    writer.write(&user, &model, &memories(8, 0..2)).unwrap();
    writer.activate(&user, &model).unwrap();
    assert_eq!(writer.nearest(&user, &model, &vector(8, 1), 9).unwrap().len(), 2);
    std::fs::remove_dir_all(vault(&data.path(), &user)).unwrap();
    assert_eq!(writer.nearest(&user, &model, &vector(8, 1), 9).unwrap(), []);
    assert_eq!(
        (writer.active(&user).unwrap(), writer.contains(&user, &model, &[memory(1)]).unwrap()),
        (None, vec![false])
    );
    assert!(writer.write(&user, &model, &memories(8, 0..2)).is_err());
    assert!(!vault(&data.path(), &user).exists());
    // A recreated vault of the same user starts without vectors.
    data.user("u");
    assert_eq!(writer.active(&user).unwrap(), None);
    writer.write(&user, &model, &memories(8, 5..6)).unwrap();
    writer.activate(&user, &model).unwrap();
    assert_eq!(writer.nearest(&user, &model, &vector(8, 5), 9).unwrap().len(), 1);
}
