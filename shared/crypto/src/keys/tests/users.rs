//! Keys of users: concurrent creations agree, keys are bound to their user, and destroyed keys are gone.

use super::*;
use crate::{Created, Destroyed, UserHash};

fn name(digit: char) -> KeyName {
    KeyName::User(UserHash::parse(&hash(digit)).unwrap())
}

#[test]
fn a_user_has_the_keys_that_were_made_for_them() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    assert!(keys.user(&hash('a')).unwrap().is_none());
    let made = keys.make_user(&hash('a')).unwrap();
    assert_eq!((made.db.generation(), made.next.is_none()), (1, true));
    assert_eq!(shown(&keys.make_user(&hash('a')).unwrap()), shown(&made));
    assert_eq!(shown(&folders.open().unwrap().user(&hash('a')).unwrap().unwrap()), shown(&made));
    assert_ne!(shown(&keys.make_user(&hash('b')).unwrap()), shown(&made));
}

#[test]
fn only_hashes_name_users() {
    let keys = Folders::new().open().unwrap();
    for wrong in
        ["", "ada", &hash('a')[..63], &hash('A'), &format!("{}a", hash('a')), &format!("../{}", &hash('a')[3..])]
    {
        assert!(matches!(keys.user(wrong), Err(KeyError::Refused(_))), "{wrong}");
        assert!(matches!(keys.make_user(wrong), Err(KeyError::Refused(_))), "{wrong}");
        assert!(matches!(keys.destroy_user(wrong), Err(KeyError::Refused(_))), "{wrong}");
    }
}

#[test]
fn what_a_user_sealed_opens_with_their_keys_alone() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    let (ada, bob) = (keys.make_user(&hash('a')).unwrap(), keys.make_user(&hash('b')).unwrap());
    let sealed = ada.sealer.unwrap().seal("ada", &[1; 16], "content", b"text").unwrap();
    let again = folders.open().unwrap().user(&hash('a')).unwrap().unwrap();
    assert_eq!(*again.sealer.unwrap().open("ada", &[1; 16], "content", &sealed).unwrap(), b"text");
    assert!(bob.sealer.unwrap().open("ada", &[1; 16], "content", &sealed).is_err());
}

#[test]
fn a_process_without_the_sensitive_ring_opens_vaults_and_makes_none() {
    let folders = Folders::new();
    let (both, master) = (folders.open().unwrap(), Keys::open(&folders.data(), &folders.sources(), Loads::MasterOnly));
    let master = master.unwrap();
    assert_eq!(master.make_user(&hash('a')).unwrap_err(), KeyError::NotLoaded);
    assert!(both.user(&hash('a')).unwrap().is_none(), "an incomplete key file was created");
    let made = both.make_user(&hash('a')).unwrap();
    let read = master.user(&hash('a')).unwrap().unwrap();
    assert!(read.sealer.is_none());
    assert_eq!(*read.db.pragma(), *made.db.pragma());
    assert_eq!(master.make_user(&hash('a')).map(|keys| keys.db.pragma().to_string()).unwrap(), *made.db.pragma());
}

#[test]
fn destroyed_keys_are_gone_and_new_ones_differ() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    let made = shown(&keys.make_user(&hash('a')).unwrap());
    let path = folders.store().path(&name('a'));
    let other = folders.root().join("other name");
    fs::hard_link(&path, &other).unwrap();
    assert_eq!(keys.destroy_user(&hash('a')).unwrap(), Destroyed::Done);
    assert!(fs::read(&other).unwrap().iter().all(|&byte| byte == 0), "the bytes are still on the disk");
    assert!(!path.exists() && keys.user(&hash('a')).unwrap().is_none());
    assert_eq!(keys.destroy_user(&hash('a')).unwrap(), Destroyed::Absent);
    assert_ne!(shown(&keys.make_user(&hash('a')).unwrap()), made);
}

#[test]
fn a_key_file_of_another_user_opens_nothing() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    keys.make_user(&hash('a')).unwrap();
    let bytes = folders.store().read(&name('a')).unwrap().unwrap();
    assert_eq!(folders.store().create_new(&name('b'), &bytes).unwrap(), Created::Made);
    let error = keys.user(&hash('b')).unwrap_err().to_string();
    assert!(error.contains("was moved here"), "{error}");
    // Even if the file's own fields are edited to match.
    let renamed = String::from_utf8(bytes.clone()).unwrap().replace(&hash('a'), &hash('b'));
    fs::write(folders.store().path(&name('b')), renamed).unwrap();
    let error = keys.user(&hash('b')).unwrap_err();
    assert!(matches!(&error, KeyError::Unopened { what } if what.contains("key for")), "{error}");
    assert!(keys.user(&hash('a')).unwrap().is_some());
}

#[test]
fn a_key_file_of_another_data_folder_opens_nothing_even_with_the_same_rings() {
    let (one, other) = (Folders::new(), Folders::new());
    one.open().unwrap().make_user(&hash('a')).unwrap();
    let same = KeySources { folder: Some(one.root().join("rings")), ..other.sources() };
    let keys = Keys::open(&other.data(), &same, Loads::Both).unwrap();
    let bytes = one.store().read(&name('a')).unwrap().unwrap();
    other.store().create_new(&name('a'), &bytes).unwrap();
    assert!(matches!(keys.user(&hash('a')), Err(KeyError::Unopened { .. })));
}

#[test]
fn wrapped_keys_cannot_change_their_generation_or_purpose() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    keys.make_user(&hash('a')).unwrap();
    let store = folders.store();
    let original = KeyFile::parse(&name('a'), &store.read(&name('a')).unwrap().unwrap()).unwrap();
    let with = |change: fn(&mut KeyFile)| {
        let mut file = original.clone();
        change(&mut file);
        fs::write(store.path(&name('a')), file.to_bytes().unwrap()).unwrap();
        keys.user(&hash('a')).map(|_| ())
    };
    with(|_| ()).unwrap();
    for change in [
        (|file| file.db.generation = 2) as fn(&mut KeyFile),
        |file| file.sealing[0].generation = 2,
        |file| (file.db, file.attachments) = (file.attachments.clone().unwrap(), Some(file.db.clone())),
        |file| file.next = Some(crate::WrappedKey { generation: 2, ..file.db.clone() }),
    ] {
        assert!(matches!(with(change), Err(KeyError::Unopened { .. })));
    }
}

#[test]
fn pages_that_are_being_rekeyed_have_two_keys() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    let before = keys.make_user(&hash('a')).unwrap();
    let (store, inner) = (folders.store(), keys.0.as_ref().unwrap());
    let old = store.read(&name('a')).unwrap().unwrap();
    let mut file = KeyFile::parse(&name('a'), &old).unwrap();
    let fresh = Secret32::random().unwrap();
    file.next = Some(inner.rings.wrap(&inner.data_id, &name('a'), Purpose::Db, 2, &fresh).unwrap());
    assert!(store.replace(&name('a'), &old, &file.to_bytes().unwrap()).unwrap());
    let now = keys.user(&hash('a')).unwrap().unwrap();
    assert_eq!(shown(&now), shown(&before));
    let next = now.next.unwrap();
    assert_eq!((next.generation(), next.secret().expose()), (2, fresh.expose()));
}

#[test]
fn threads_that_make_one_user_at_once_get_the_same_keys() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    for digit in ['a', 'b', 'c'] {
        let all: Vec<String> = std::thread::scope(|scope| {
            let make = |_| {
                let keys = keys.clone();
                scope.spawn(move || shown(&keys.make_user(&hash(digit)).unwrap()))
            };
            let threads: Vec<_> = (0..6).map(make).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|one| *one == all[0]), "they got different keys");
    }
}
