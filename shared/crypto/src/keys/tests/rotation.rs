//! Rotation: a ring gets a new key, key files are rewrapped page by page, and the old key can be removed.

use super::*;
use crate::Destroyed;

const RINGS: [RingName; 2] = [RingName::Master, RingName::Sensitive];

/// Rewraps all pages: the counts of checked, rewritten and failed files.
fn pass(keys: &Keys, limit: usize, ring: RingName) -> (u64, u64, usize) {
    let (mut after, mut sums) = (None, (0, 0, 0));
    loop {
        let page = keys.rewrap_some(after.as_deref(), limit, ring).unwrap();
        sums = (sums.0 + page.checked, sums.1 + page.rewrapped, sums.2 + page.failed.len());
        after = page.last;
        if after.is_none() {
            return sums;
        }
    }
}

fn current(folders: &Folders, ring: RingName) -> KeyId {
    Ring::parse(&fs::read_to_string(folders.ring(ring)).unwrap()).unwrap().current().clone()
}

#[test]
fn every_key_file_moves_to_the_new_key_and_opens_the_same() {
    for (ring, databases) in [(RingName::Master, 2), (RingName::Sensitive, 1)] {
        let folders = Folders::new();
        let keys = folders.open().unwrap();
        let users = ['0', '3', 'a', 'b', 'f'];
        let before = users.map(|digit| shown(&keys.make_user(&hash(digit)).unwrap()));
        let token = keys.internal_token();
        let old = current(&folders, ring);
        let new = folders.add_key(ring);
        keys.reload().unwrap();
        let needing = |key: &KeyId| keys.survey().unwrap().unwrap().needing(ring, key);
        assert_eq!(needing(&old), 5 + databases);
        assert_eq!(pass(&keys, 2, ring), (7, 5 + databases, 0));
        assert_eq!(pass(&keys, 2, ring), (7, 0, 0), "the second pass changes nothing");
        assert_eq!((needing(&old), needing(&new)), (0, 5 + databases));

        // The old key may be removed now.
        let content = fs::read_to_string(folders.ring(ring)).unwrap();
        write_private(&folders.ring(ring), content.lines().last().unwrap());
        let again = folders.open().unwrap();
        assert_eq!(again.internal_token(), token);
        assert_eq!(users.map(|digit| shown(&again.user(&hash(digit)).unwrap().unwrap())), before);
    }
}

#[test]
fn a_pass_that_was_cut_anywhere_goes_on() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    for digit in "0123456789".chars() {
        keys.make_user(&hash(digit)).unwrap();
    }
    folders.add_key(RingName::Master);
    keys.reload().unwrap();
    let cut = keys.rewrap_some(None, 4, RingName::Master).unwrap();
    assert_eq!((cut.last, cut.checked, cut.rewrapped), (Some(hash('3')), 6, 6));
    let other = folders.open().unwrap();
    assert_eq!(pass(&other, 3, RingName::Master), (12, 6, 0), "another process rewraps the rest");
    let rest = other.rewrap_some(Some(&hash('7')), 100, RingName::Master).unwrap();
    assert_eq!((rest.last, rest.checked), (None, 2));
    assert!(matches!(keys.rewrap_some(Some("not a hash"), 1, RingName::Master), Err(KeyError::Refused(_))));
}

#[test]
fn a_process_that_meets_a_newer_key_reads_its_rings_again() {
    for ring in RINGS {
        let folders = Folders::new();
        let (rotating, late) = (folders.open().unwrap(), folders.open().unwrap());
        let made = shown(&late.make_user(&hash('a')).unwrap());
        folders.add_key(ring);
        rotating.reload().unwrap();
        pass(&rotating, 10, ring);
        assert_eq!(shown(&late.user(&hash('a')).unwrap().unwrap()), made);
    }
}

#[test]
fn a_key_that_was_removed_too_early_is_named() {
    for ring in RINGS {
        let folders = Folders::new();
        let keys = folders.open().unwrap();
        keys.make_user(&hash('a')).unwrap();
        let old = current(&folders, ring);
        write_private(&folders.ring(ring), &Ring::generate().unwrap().1);
        keys.reload().unwrap();
        let error = keys.user(&hash('a')).unwrap_err();
        let KeyError::UnknownKey { id, ring: named, .. } = &error else { panic!("{error}") };
        assert_eq!((id, *named), (&old, ring));
        let failed = keys.rewrap_some(None, 10, ring).unwrap().failed;
        assert!(!failed.is_empty() && failed.iter().all(|(_, error)| error.to_string().contains(old.as_str())));
        assert!(keys.survey().unwrap().unwrap().needing(ring, &old) > 0);
    }
}

#[test]
fn rings_that_cannot_be_read_again_stay_as_they_were() {
    for ring in RINGS {
        let folders = Folders::new();
        let keys = folders.open().unwrap();
        let made = shown(&keys.make_user(&hash('a')).unwrap());
        write_private(&folders.ring(ring), "not a ring");
        assert!(matches!(keys.reload(), Err(KeyError::Ring { .. })));
        fs::remove_file(folders.ring(ring)).unwrap();
        assert!(keys.reload().unwrap_err().to_string().contains("is gone"));
        assert_eq!(shown(&keys.user(&hash('a')).unwrap().unwrap()), made);
    }
}

#[test]
fn a_damaged_file_stays_behind_and_is_named() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    for digit in ['a', 'b', 'c'] {
        keys.make_user(&hash(digit)).unwrap();
    }
    let name = KeyName::User(crate::UserHash::parse(&hash('b')).unwrap());
    fs::write(folders.store().path(&name), "damaged").unwrap();
    folders.add_key(RingName::Master);
    keys.reload().unwrap();
    let page = keys.rewrap_some(None, 10, RingName::Master).unwrap();
    assert_eq!((page.checked, page.rewrapped, page.failed.len()), (5, 4, 1));
    assert_eq!(page.failed[0].0, name);
    assert_eq!(fs::read_to_string(folders.store().path(&name)).unwrap(), "damaged");
    let survey = keys.survey().unwrap().unwrap();
    assert_eq!((survey.files, survey.unreadable), (4, 1), "the key that it needs is unknown");
    assert!(survey.problems[0].contains(&hash('b')), "{:?}", survey.problems);
}

#[test]
fn the_sensitive_ring_is_not_for_a_process_that_lacks_it() {
    let folders = Folders::new();
    folders.open().unwrap();
    let keys = Keys::open(&folders.data(), &folders.sources(), Loads::MasterOnly).unwrap();
    assert_eq!(keys.rewrap_some(None, 10, RingName::Sensitive).unwrap_err(), KeyError::NotLoaded);
    assert_eq!(pass(&keys, 10, RingName::Master), (2, 0, 0));
}

#[test]
fn destroying_while_rewrapping_leaves_no_key() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    for round in 0..10 {
        for digit in ['a', 'b'] {
            keys.make_user(&hash(digit)).unwrap();
        }
        folders.add_key(RingName::Master);
        // A ring has at most 16 keys; this test needs only the newest two.
        let content = fs::read_to_string(folders.ring(RingName::Master)).unwrap();
        let newest: Vec<&str> = content.lines().rev().filter(|line| !line.starts_with('#')).take(2).collect();
        write_private(&folders.ring(RingName::Master), &format!("{}\n{}\n", newest[1], newest[0]));
        keys.reload().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(pass(&keys, 1, RingName::Master).2, 0));
            }
            scope.spawn(|| assert_eq!(keys.destroy_user(&hash('a')).unwrap(), Destroyed::Done));
        });
        assert!(keys.user(&hash('a')).unwrap().is_none(), "round {round}: it came back");
        assert!(keys.user(&hash('b')).unwrap().is_some());
        let left: Vec<_> = files(&folders.data().join("keys/users/aa"));
        assert!(left.iter().all(|file| file.ends_with(".lock")), "{left:?}");
        assert_eq!(folders.store().list(None, 10).unwrap().len(), 1);
    }
}

/// As when a ring's file, and not its folder, is mounted into a container and the rotation replaces the file.
#[test]
fn a_process_that_sees_an_older_ring_than_others_wraps_nothing() {
    for ring in RINGS {
        let folders = Folders::new();
        let (rotating, stale) = (folders.open().unwrap(), folders.open().unwrap());
        let made = shown(&stale.make_user(&hash('a')).unwrap());
        let old = fs::read_to_string(folders.ring(ring)).unwrap();
        folders.add_key(ring);
        rotating.reload().unwrap();
        pass(&rotating, 1, ring);
        write_private(&folders.ring(ring), &old);
        let refused = stale.make_user(&hash('b')).unwrap_err();
        assert!(matches!(&refused, KeyError::UnknownKey { ring: of, .. } if *of == ring), "{refused}");
        assert!(!stale.has_user(&hash('b')).unwrap());
        // The same if the ring cannot be read at all; keys that are open still work.
        fs::remove_file(folders.ring(ring)).unwrap();
        assert!(matches!(rotating.make_user(&hash('b')), Err(KeyError::Source(_))));
        assert_eq!(shown(&rotating.user(&hash('a')).unwrap().unwrap()), made);
    }
}
