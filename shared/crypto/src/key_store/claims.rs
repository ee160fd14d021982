//! The conformance suite of [`KeyStore`]. Each test takes an empty store.
#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a claim that does not hold stops its test")]

use std::thread;

use super::{Created, Destroyed, KeyName, KeyStore, MAX_KEY_FILE_BYTES, UserHash};

/// The name of a user whose hash starts with `first`.
pub fn user(first: &str) -> KeyName {
    KeyName::User(UserHash::parse(&format!("{first}{}", "0".repeat(64 - first.len()))).unwrap())
}

/// Runs all tests that can share a store; each leaves it empty.
pub fn all(store: &dyn KeyStore) {
    the_id_of_the_first_start_stays(store);
    what_was_created_is_read(store);
    only_what_was_read_is_replaced(store);
    what_was_destroyed_is_not_brought_back_by_who_read_it_before(store);
    one_of_many_who_create_at_once_wins_and_all_read_its_bytes(store);
    of_many_who_replace_at_once_none_undoes_another(store);
    destroying_against_replacing_leaves_nothing(store);
    users_are_listed_in_order_and_by_pages(store);
    what_is_past_the_bound_is_cut_one_byte_behind_it(store);
}

/// A later start gets the stored id.
pub fn the_id_of_the_first_start_stays(store: &dyn KeyStore) {
    assert_eq!(store.id().unwrap(), None);
    assert_eq!(store.get_or_insert_id("0011223344556677").unwrap(), "0011223344556677");
    assert_eq!(store.get_or_insert_id("8899aabbccddeeff").unwrap(), "0011223344556677");
    assert_eq!(store.id().unwrap().as_deref(), Some("0011223344556677"));
    assert!(store.list(None, 10).unwrap().is_empty(), "the id is no user");
}

/// Each name has its own entry; the first creation wins.
pub fn what_was_created_is_read(store: &dyn KeyStore) {
    let names = [KeyName::System, KeyName::Queue, user("3f"), user("4")];
    for name in &names {
        assert_eq!(store.read(name).unwrap(), None);
        assert_eq!(store.create_new(name, name.name().as_bytes()).unwrap(), Created::Made);
        assert_eq!(store.create_new(name, b"two").unwrap(), Created::Existed);
    }
    for name in &names {
        assert_eq!(store.read(name).unwrap().unwrap(), name.name().as_bytes());
        assert_eq!(store.destroy(name).unwrap(), Destroyed::Done);
    }
}

/// A missing entry is not replaced either.
pub fn only_what_was_read_is_replaced(store: &dyn KeyStore) {
    let name = user("aa");
    assert!(!store.replace(&name, b"", b"new").unwrap(), "nothing was there to be replaced");
    store.create_new(&name, b"old").unwrap();
    assert!(!store.replace(&name, b"other", b"new").unwrap());
    assert!(store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap().unwrap(), b"new");
    store.destroy(&name).unwrap();
}

/// A second destroy is a no-op.
pub fn what_was_destroyed_is_not_brought_back_by_who_read_it_before(store: &dyn KeyStore) {
    let name = user("aa");
    store.create_new(&name, b"old").unwrap();
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Done);
    assert!(!store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap(), None);
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Absent);
    assert_eq!(store.destroy(&user("bb")).unwrap(), Destroyed::Absent);
    assert_eq!(store.create_new(&name, b"again").unwrap(), Created::Made, "its name is free");
    store.destroy(&name).unwrap();
}

/// Several threads create the same name.
pub fn one_of_many_who_create_at_once_wins_and_all_read_its_bytes(store: &dyn KeyStore) {
    let name = user("aa");
    let made: usize = thread::scope(|scope| {
        let one = |byte: u8| {
            let name = &name;
            scope.spawn(move || {
                let made = store.create_new(name, &[b'a' + byte; 500]).unwrap();
                let read = store.read(name).unwrap().unwrap();
                assert!(read.len() == 500 && read.iter().all(|&other| other == read[0]));
                (made == Created::Made, read[0])
            })
        };
        let threads: Vec<_> = (0..8).map(one).collect();
        let results: Vec<(bool, u8)> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(results.iter().all(|(_, byte)| *byte == results[0].1), "they do not agree: {results:?}");
        results.iter().filter(|(made, _)| *made).count()
    });
    assert_eq!(made, 1);
    store.destroy(&name).unwrap();
}

/// The final content holds every replacement that returned success.
pub fn of_many_who_replace_at_once_none_undoes_another(store: &dyn KeyStore) {
    let name = user("ab");
    store.create_new(&name, b"").unwrap();
    let done: usize = thread::scope(|scope| {
        let one = |byte: u8| {
            let name = &name;
            scope.spawn(move || {
                let append = |_: &u8| {
                    let old = store.read(name).unwrap().unwrap();
                    store.replace(name, &old, &[old.as_slice(), &[byte]].concat()).unwrap()
                };
                (0..10_u8).filter(append).count()
            })
        };
        let threads: Vec<_> = (b'a'..b'e').map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(store.read(&name).unwrap().unwrap().len(), done);
    store.destroy(&name).unwrap();
}

/// Both run concurrently, in any interleaving.
pub fn destroying_against_replacing_leaves_nothing(store: &dyn KeyStore) {
    let name = user("aa");
    for round in 0..20 {
        store.create_new(&name, b"0").unwrap();
        thread::scope(|scope| {
            let name = &name;
            for _ in 0..2 {
                scope.spawn(move || {
                    for count in 0..50 {
                        let Some(old) = store.read(name).unwrap() else { break };
                        assert!(!old.contains(&0), "half destroyed bytes were read");
                        store.replace(name, &old, format!("{count}").as_bytes()).unwrap();
                    }
                });
            }
            scope.spawn(move || assert_eq!(store.destroy(name).unwrap(), Destroyed::Done));
        });
        assert_eq!(store.read(&name).unwrap(), None, "round {round}");
    }
}

/// Users are listed in the order of their hash; system and queue are not listed.
pub fn users_are_listed_in_order_and_by_pages(store: &dyn KeyStore) {
    assert!(store.list(None, 10).unwrap().is_empty());
    let names: Vec<KeyName> = ["ff", "00", "3f1", "3f", "a1"].map(user).into();
    for name in names.iter().chain(&[KeyName::System, KeyName::Queue]) {
        store.create_new(name, b"x").unwrap();
    }
    let all = store.list(None, 100).unwrap();
    let short: Vec<&str> = all.iter().map(|hash| hash.as_str().trim_end_matches('0')).collect();
    assert_eq!(short, ["", "3f", "3f1", "a1", "ff"]);
    for limit in 1..=6 {
        let mut paged = Vec::new();
        loop {
            let page = store.list(paged.last(), limit).unwrap();
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
    assert!(store.list(None, 0).unwrap().is_empty());
    for name in names.iter().chain(&[KeyName::System, KeyName::Queue]) {
        store.destroy(name).unwrap();
    }
}

/// The extra byte lets a reader detect that content is too long.
pub fn what_is_past_the_bound_is_cut_one_byte_behind_it(store: &dyn KeyStore) {
    store.create_new(&KeyName::System, &vec![b'x'; MAX_KEY_FILE_BYTES * 2]).unwrap();
    assert_eq!(store.read(&KeyName::System).unwrap().unwrap().len(), MAX_KEY_FILE_BYTES + 1);
    store.destroy(&KeyName::System).unwrap();
}
