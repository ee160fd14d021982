//! The check accepts everything that LMDB writes, in every state of growth and shrinkage.

use super::*;
use crate::environment::Environment;
use crate::store::{STAMP, block_key};
use kimberly_core::embedding::ModelKey;

#[test]
fn every_state_that_lmdb_leaves_a_file_in_is_found_sound() {
    let folder = tempfile::tempdir().unwrap();
    let env = Environment::create(folder.path(), 64 << 20).unwrap();
    let stamp = Stamp::new(ModelKey::new("m", "0123456789abcdef", 8).unwrap()).encode();
    let mut state = 1_u32;
    for round in 0..200_u32 {
        let mut txn = env.write_txn().unwrap();
        // Tree keys allow any value: long and short ones, added and removed in random order.
        for _ in 0..40 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = [[0, 1].as_slice(), &(state >> 20).to_be_bytes()].concat();
            if state % 5 < 2 {
                env.store.delete(&mut txn, &key).unwrap();
            } else {
                let length = [3, 200, 1_900, 5_000, 20_000][(state >> 8) as usize % 5];
                env.store.put(&mut txn, &key, &vec![7; length]).unwrap();
            }
        }
        env.store.put(&mut txn, STAMP, &stamp).unwrap();
        txn.commit().unwrap();
        // The stamp does not cover these trees; every other check must pass.
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.contains("its trees are not those that were written"), "round {round}: {error}");
    }
}

#[test]
fn unknown_keys_and_blocks_that_are_none_are_refused() {
    for (key, value, what) in [
        (b"X".as_slice(), b"1".as_slice(), "belongs to no vector index"),
        (&block_key(0), b"12345678901234", "is damaged: block 0"),
        (STAMP, b"SQLite", "is not a vector index"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let env = Environment::create(folder.path(), 0).unwrap();
        let mut txn = env.write_txn().unwrap();
        env.store.put(&mut txn, key, value).unwrap();
        txn.commit().unwrap();
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("data.mdb"), "{error}");
    }
}

#[test]
fn a_file_without_a_stamp_is_of_something_else() {
    let folder = tempfile::tempdir().unwrap();
    drop(Environment::create(folder.path(), 0).unwrap());
    assert!(check(folder.path()).unwrap_err().to_string().contains("no stamp"));
    assert!(check(&folder.path().join("nothing")).is_err());
}
