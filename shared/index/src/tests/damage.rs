//! Damaged, truncated, foreign and newer files are reported, refused and replaced, without panics or crashes.

use std::fs;
use std::path::Path;

use kimberly_core::UserId;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};

use super::common::{Data, vault};
use crate::conformance::{goal, item, memories, model, vector};

/// A user with 300 vectors in a file of about 40 pages, some of them free.
fn filled(data: &Data) -> UserId {
    let (writer, user, model) = (data.writer(), data.user("u"), model(384));
    writer.write(&user, &model, &memories(384, 0..290)).unwrap();
    let mut change = memories(384, 290..300);
    change.put.push(item(goal(7), 1, vec![vector(384, 7)]));
    writer.write(&user, &model, &change).unwrap();
    writer.activate(&user, &model).unwrap();
    user
}

fn answers(data: &Data, user: &UserId) -> Vec<(i64, u32)> {
    let hits = data.reader().nearest(user, &model(384), &vector(384, 5), usize::MAX).unwrap();
    hits.into_iter().map(|hit| (hit.seq.0, hit.cosine.to_bits())).collect()
}

fn swap(path: &Path, bytes: &[u8]) {
    // Replaces the file, as a restore does.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_data_file_cut_off_anywhere_is_refused_and_can_be_rebuilt() {
    let data = Data::new();
    let user = filled(&data);
    let path = data.index(&user, &model(384)).join("data.mdb");
    let whole = fs::read(&path).unwrap();
    let right = answers(&data, &user);
    assert_eq!(right.len(), 300);
    let mut refused = 0;
    for length in (0..whole.len()).step_by(1_024) {
        swap(&path, &whole[..length]);
        let found = answers(&data, &user);
        // The last pages may be free and thus not needed.
        assert!(found.is_empty() || found == right, "{length}");
        if found.is_empty() {
            refused += 1;
            let error = data.writer().items(&user, &model(384)).unwrap_err().to_string();
            assert!(error.contains("data.mdb") && error.contains("kimberly rebuild --vectors"), "{error}");
        }
    }
    assert!(refused * 1_024 > whole.len() / 2, "{refused}");
    let writer = data.writer();
    swap(&path, &whole[..whole.len() / 2]);
    assert!(writer.write(&user, &model(384), &memories(384, 0..1)).is_err());
    writer.drop_all(&user).unwrap();
    writer.write(&user, &model(384), &memories(384, 0..3)).unwrap();
    writer.activate(&user, &model(384)).unwrap();
    assert_eq!(writer.nearest(&user, &model(384), &vector(384, 1), 9).unwrap().len(), 3);
}

#[test]
fn any_flipped_bit_is_seen_or_changes_nothing() {
    let data = Data::new();
    let user = filled(&data);
    let path = data.index(&user, &model(384)).join("data.mdb");
    let whole = fs::read(&path).unwrap();
    let right = answers(&data, &user);
    let mut seen = 0;
    let mut state = 88_172_645_463_325_252_u64;
    for round in 0..3_000_usize {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Every third flip hits the header of a page or a meta page, where it does the most damage.
        let at = usize::try_from(state >> 16).unwrap() % whole.len();
        let at = if round % 3 == 0 { at / 4_096 * 4_096 + at % 160 } else { at };
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (state % 8);
        swap(&path, &damaged);
        let found = answers(&data, &user);
        assert!(found.is_empty() || found == right, "bit {} of byte {at}", state % 8);
        seen += usize::from(found.is_empty());
    }
    assert!(seen > 1_500, "only {seen} of 3,000 were seen");
}

#[test]
fn what_is_no_index_of_ours_is_refused() {
    let data = Data::new();
    let user = filled(&data);
    let folder = data.index(&user, &model(384));
    let whole = fs::read(folder.join("data.mdb")).unwrap();
    let zeros = vec![0; whole.len()];
    let noise: Vec<u8> = (0..whole.len()).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    for bytes in [&zeros, &noise, &b"SQLite format 3\0".to_vec(), &Vec::new()] {
        swap(&folder.join("data.mdb"), bytes);
        assert_eq!(answers(&data, &user), []);
        assert_eq!(data.reader().active(&user).unwrap(), None);
        assert!(data.writer().state(&user, &model(384)).is_err());
    }
    // Another model's index under this model's name.
    swap(&folder.join("data.mdb"), &whole);
    let other = kimberly_core::embedding::ModelKey::new("other", "0123456789abcdef", 384).unwrap();
    fs::rename(&folder, data.index(&user, &other)).unwrap();
    assert_eq!(data.reader().nearest(&user, &other, &vector(384, 5), 9).unwrap(), []);
    assert!(data.writer().write(&user, &other, &memories(384, 0..1)).is_err());
}

#[test]
fn a_lock_file_too_short_to_be_one_is_refused_and_a_missing_one_is_made() {
    let data = Data::new();
    let user = filled(&data);
    let lock = data.index(&user, &model(384)).join("lock.mdb");
    assert_eq!(fs::metadata(&lock).unwrap().len(), 4_096);
    swap(&lock, &[0; 100]);
    assert_eq!(answers(&data, &user), []);
    let error = data.writer().state(&user, &model(384)).unwrap_err().to_string();
    assert!(error.contains("lock.mdb"), "{error}");
    fs::remove_file(&lock).unwrap();
    assert_eq!(answers(&data, &user).len(), 300);
    swap(&lock, &[0xff; 4_096]);
    assert_eq!(answers(&data, &user).len(), 300, "no process has it open, so it is recreated");
}

#[test]
fn a_damaged_note_of_what_is_active_means_that_nothing_answers_until_something_is_activated() {
    let data = Data::new();
    let user = filled(&data);
    let active = vault(&data.path(), &user).join("vectors/active");
    for text in ["", "x", "test-model-0123456789abcdef", "../../../x-0123456789abcdef 384\n", "a\0\u{1}\n"] {
        fs::write(&active, text).unwrap();
        assert_eq!(data.reader().active(&user).unwrap(), None, "{text:?}");
        assert_eq!(data.reader().building(&user).unwrap(), None, "{text:?}");
    }
    fs::write(&active, [0xff, 0xfe]).unwrap();
    assert_eq!(data.reader().active(&user).unwrap(), None);
    let writer = data.writer();
    writer.write(&user, &model(384), &memories(384, 300..301)).unwrap();
    writer.activate(&user, &model(384)).unwrap();
    assert_eq!(writer.active(&user).unwrap().unwrap().vectors, 302);
}

#[test]
fn leftovers_of_killed_writers_are_removed_by_the_next_one() {
    let data = Data::new();
    let user = filled(&data);
    let vectors = vault(&data.path(), &user).join("vectors");
    fs::create_dir(vectors.join(".staged")).unwrap();
    fs::write(vectors.join(".staged/data.mdb"), "half").unwrap();
    fs::write(vectors.join(".file"), "half").unwrap();
    fs::create_dir(vectors.join(".gone-old-0123456789abcdef")).unwrap();
    assert_eq!(answers(&data, &user).len(), 300);
    data.writer().write(&user, &model(384), &IndexChange { in_sync_at: Some(1), ..Default::default() }).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(&vectors).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["active", "test-model-0123456789abcdef"]);
}
