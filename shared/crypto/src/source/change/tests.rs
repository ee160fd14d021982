//! Adding a key to a ring and removing old ones while processes have the ring loaded.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::keys::tests::{Folders, hash};
use crate::{Environment, KeySources, Keys};

const RINGS: [RingName; 2] = [RingName::Master, RingName::Sensitive];

fn location(folders: &Folders, ring: RingName) -> RingLocation {
    let locations = folders.sources().rings(&folders.data()).unwrap().unwrap();
    locations.into_iter().find(|location| location.ring() == ring).unwrap()
}

fn ids(folders: &Folders, ring: RingName) -> Vec<KeyId> {
    location(folders, ring).look().unwrap().unwrap()
}

fn new(added: Added) -> KeyId {
    let Added::New(id) = added else { panic!("{added:?}") };
    id
}

fn rewrap(keys: &Keys, ring: RingName) {
    let page = keys.rewrap_some(None, 1000, ring).unwrap();
    assert!(page.failed.is_empty() && page.last.is_none(), "{page:?}");
}

#[test]
fn a_ring_gets_a_key_and_loses_the_old_one_once_nothing_needs_it() {
    for ring in RINGS {
        let folders = Folders::new();
        let keys = folders.open().unwrap();
        keys.make_user(&hash('a')).unwrap();
        let (location, old) = (location(&folders, ring), ids(&folders, ring).remove(0));
        let added = new(location.add_key(&folders.data()).unwrap());
        assert_eq!(ids(&folders, ring), [old.clone(), added.clone()]);
        let mode = fs::metadata(folders.ring(ring)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        let text = fs::read_to_string(folders.ring(ring)).unwrap();
        assert!(text.starts_with("# The "), "comments stay: {text}");

        // Until everything is rewrapped, no key is added or removed.
        let left = if ring == RingName::Master { 3 } else { 2 };
        assert_eq!(location.add_key(&folders.data()).unwrap(), Added::UnderWay { current: added.clone(), left });
        let refused = location.remove_old_keys(&folders.data(), false).unwrap_err().to_string();
        assert!(refused.contains(&format!("{left} of 3 key files still need")), "{refused}");
        rewrap(&keys, ring);
        let removed = location.remove_old_keys(&folders.data(), false).unwrap();
        assert_eq!((removed.keys, removed.destroyed), (vec![old.clone()], false));
        assert_eq!(ids(&folders, ring), [added]);
        assert_eq!(fs::read_to_string(folders.ring(ring)).unwrap().lines().filter(|l| l.starts_with('#')).count(), 2);

        // The removed keys still open a backup: the file is a ring with the old key.
        let kept = fs::read_to_string(removed.kept.unwrap()).unwrap();
        assert_eq!(Ring::parse(&kept).unwrap().current(), &old);
        assert!(folders.open().unwrap().user(&hash('a')).unwrap().is_some());
        let nothing = location.remove_old_keys(&folders.data(), true).unwrap();
        assert_eq!((nothing.keys, nothing.kept, nothing.destroyed), (vec![], None, true));
        assert!(!folders.ring(ring).with_added_extension("removed").exists());
    }
}

#[test]
fn processes_wrap_with_the_new_key_from_the_moment_it_is_there() {
    for ring in RINGS {
        let folders = Folders::new();
        let (keys, other) = (folders.open().unwrap(), folders.open().unwrap());
        keys.make_user(&hash('a')).unwrap();
        for round in 0..3 {
            let added = new(location(&folders, ring).add_key(&folders.data()).unwrap());
            let user = hash(char::from_digit(round, 10).unwrap());
            other.make_user(&user).unwrap();
            let survey = survey(&folders.data()).unwrap();
            assert_eq!(survey.needing(ring, &added), 1, "only keys made since");
            rewrap(&keys, ring);
            assert_eq!(ids(&folders, ring).len(), 2);
            location(&folders, ring).remove_old_keys(&folders.data(), true).unwrap();
            // Both rings are reread on demand, without waiting for the interval.
            for keys in [&keys, &other] {
                assert!(keys.user(&user).unwrap().is_some() && keys.user(&hash('a')).unwrap().is_some());
            }
        }
    }
}

#[test]
fn a_kill_between_the_two_files_of_a_removal_neither_loses_nor_duplicates_a_key() {
    let (folders, ring) = (Folders::new(), RingName::Master);
    let keys = folders.open().unwrap();
    let before = fs::read_to_string(folders.ring(ring)).unwrap();
    let old = ids(&folders, ring).remove(0);
    let location = location(&folders, ring);
    location.add_key(&folders.data()).unwrap();
    rewrap(&keys, ring);
    let text = fs::read_to_string(folders.ring(ring)).unwrap();
    let removed = folders.ring(ring).with_added_extension("removed");
    append_removed(&removed, &folders.ring(ring), &text, &BTreeSet::from([old.clone()])).unwrap();
    assert_eq!(location.remove_old_keys(&folders.data(), false).unwrap().keys, std::slice::from_ref(&old));
    let kept = Ring::parse(&fs::read_to_string(&removed).unwrap()).unwrap();
    assert_eq!(kept.ids().collect::<Vec<_>>(), [&old]);
    // A second rotation keeps the removed keys of both.
    let second = ids(&folders, ring).remove(0);
    location.add_key(&folders.data()).unwrap();
    rewrap(&keys, ring);
    location.remove_old_keys(&folders.data(), false).unwrap();
    let kept = Ring::parse(&fs::read_to_string(&removed).unwrap()).unwrap();
    assert_eq!(kept.ids().collect::<Vec<_>>(), [&old, &second]);
    assert!(!before.is_empty());
}

/// A hard link shows what became of the bytes of a replaced file.
#[test]
fn keys_that_are_destroyed_are_overwritten_wherever_they_were() {
    let (folders, ring) = (Folders::new(), RingName::Master);
    let keys = folders.open().unwrap();
    keys.make_user(&hash('a')).unwrap();
    let location = location(&folders, ring);
    location.add_key(&folders.data()).unwrap();
    let name = KeyName::User(crate::UserHash::parse(&hash('a')).unwrap());
    let [old_ring, old_file] = ["ring", "file"].map(|name| folders.data().join(name));
    fs::hard_link(folders.ring(ring), &old_ring).unwrap();
    fs::hard_link(folders.store().path(&name), &old_file).unwrap();
    rewrap(&keys, ring);
    // The leftover of a process killed while it kept removed keys.
    let beginning = folders.ring(ring).with_file_name(".master.key.removed.new");
    fs::hard_link(folders.ring(ring), &beginning).unwrap();
    location.remove_old_keys(&folders.data(), true).unwrap();
    for gone in [&old_ring, &old_file] {
        let left = fs::read(gone).unwrap();
        assert!(!left.is_empty() && left.iter().all(|byte| *byte == 0), "{}", gone.display());
    }
    assert!(!beginning.exists());
    assert!(folders.open().unwrap().user(&hash('a')).unwrap().is_some());
}

#[test]
fn no_key_is_removed_while_a_key_file_is_unreadable() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    keys.make_user(&hash('a')).unwrap();
    let name = KeyName::User(crate::UserHash::parse(&hash('a')).unwrap());
    let location = location(&folders, RingName::Master);
    location.add_key(&folders.data()).unwrap();
    fs::write(folders.store().path(&name), "damaged").unwrap();
    keys.rewrap_some(None, 1000, RingName::Master).unwrap();
    let refused = location.remove_old_keys(&folders.data(), true).unwrap_err().to_string();
    assert!(refused.contains("1 key files") && refused.contains(&hash('a')), "{refused}");
    assert_eq!(ids(&folders, RingName::Master).len(), 2);
}

#[test]
fn rings_whose_names_differ_in_their_endings_share_no_file_of_removed_keys() {
    let [one, other] = ["ring.master", "ring.sensitive"].map(|name| beside(Path::new(name), "removed"));
    assert_eq!((one, other), ("ring.master.removed".into(), "ring.sensitive.removed".into()));
}

#[test]
fn more_removed_keys_than_one_file_holds_are_refused_and_none_is_lost() {
    let (folders, ring) = (Folders::new(), RingName::Master);
    let keys = folders.open().unwrap();
    let location = location(&folders, ring);
    location.add_key(&folders.data()).unwrap();
    rewrap(&keys, ring);
    let removed = beside(&folders.ring(ring), "removed");
    let long = "# a comment\n".repeat(MAX_REMOVED_BYTES / 12 + 1);
    fs::write(&removed, &long).unwrap();
    let refused = location.remove_old_keys(&folders.data(), false).unwrap_err().to_string();
    assert!(refused.contains("move it elsewhere"), "{refused}");
    assert_eq!((ids(&folders, ring).len(), fs::read_to_string(&removed).unwrap()), (2, long));
}

#[test]
fn a_ring_behind_a_link_is_changed_at_its_target_and_has_at_most_sixteen_keys() {
    let (folders, ring) = (Folders::new(), RingName::Master);
    let keys = folders.open().unwrap();
    let elsewhere = folders.root().join("elsewhere.key");
    fs::rename(folders.ring(ring), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folders.ring(ring)).unwrap();
    let location = location(&folders, ring);
    for _ in 1..MAX_KEYS {
        location.add_key(&folders.data()).unwrap();
        rewrap(&keys, ring);
    }
    assert!(fs::symlink_metadata(folders.ring(ring)).unwrap().is_symlink());
    assert_eq!(ids(&folders, ring).len(), MAX_KEYS);
    let refused = location.add_key(&folders.data()).unwrap_err().to_string();
    assert!(refused.contains("kimberly rings retire master"), "{refused}");
    assert_eq!(location.remove_old_keys(&folders.data(), false).unwrap().keys.len(), MAX_KEYS - 1);
}

#[test]
fn several_keys_on_a_line_and_missing_ends_are_handled() {
    let (folders, ring) = (Folders::new(), RingName::Master);
    let keys = folders.open().unwrap();
    let key = |text: &str| text.lines().last().unwrap().to_owned();
    let current = key(&fs::read_to_string(folders.ring(ring)).unwrap());
    let older = key(&Ring::generate().unwrap().1);
    fs::write(folders.ring(ring), format!("# mine\n\n{older},{current} # both")).unwrap();
    assert!(keys.refresh().unwrap() && !keys.refresh().unwrap());
    let location = location(&folders, ring);
    location.add_key(&folders.data()).unwrap();
    rewrap(&keys, ring);
    assert_eq!(location.remove_old_keys(&folders.data(), true).unwrap().keys.len(), 2);
    let text = fs::read_to_string(folders.ring(ring)).unwrap();
    assert!(text.starts_with("# mine\n\n") && !text.contains(&older) && !text.contains(&current), "{text}");
}

#[test]
fn rings_that_are_not_files_are_changed_by_hand() {
    let folders = Folders::new();
    folders.open().unwrap();
    for (source, told) in [
        (KeySource::Variable("RING".to_owned()), "in the variable RING"),
        (KeySource::Credential("ring".to_owned()), "LoadCredential="),
        (KeySource::Command("/bin/ring".into()), "in the output of /bin/ring"),
    ] {
        let environment = Environment::of(std::collections::BTreeMap::new());
        let sources = KeySources { master: Some(source), environment, ..folders.sources() };
        let [location, _] = sources.rings(&folders.data()).unwrap().unwrap();
        let (added, removed) = (location.add_key(&folders.data()), location.remove_old_keys(&folders.data(), false));
        let (added, removed) = (added.unwrap_err().to_string(), removed.unwrap_err().to_string());
        assert!(added.contains(told) && added.contains("`openssl rand -base64 32` as the last one"), "{added}");
        assert!(removed.contains(told) && removed.contains("remove the old keys"), "{removed}");
        assert!(!removed.contains("openssl"), "{removed}");
        assert!(location.note_copy().is_err() && location.noted_copy().unwrap().is_none());
    }
}

#[test]
fn a_noted_copy_says_which_keys_it_holds() {
    let (folders, ring) = (Folders::new(), RingName::Sensitive);
    let keys = folders.open().unwrap();
    let location = location(&folders, ring);
    assert_eq!(location.noted_copy().unwrap(), None);
    let copied = location.note_copy().unwrap();
    assert_eq!(location.noted_copy().unwrap(), Some(copied.clone()));
    location.add_key(&folders.data()).unwrap();
    rewrap(&keys, ring);
    assert_eq!(location.noted_copy().unwrap(), Some(copied), "the copy lacks newer keys");
    assert_eq!(location.note_copy().unwrap().len(), 2);
}
