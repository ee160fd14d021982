//! Keys stored outside the data folder and shared by several machines, each with its own data folder.

use super::*;

/// The shared key store; a folder stands in for the database.
struct Shared {
    root: tempfile::TempDir,
}

impl Shared {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Arc<dyn KeyStore> {
        Arc::new(FileKeyStore::new(self.root.path()))
    }

    fn open(&self, machine: &Folders, loads: Loads) -> Result<Keys, KeyError> {
        Keys::open_in(&machine.data(), &machine.sources(), loads, self.store())
    }
}

/// A machine with copies of another machine's rings.
fn with_rings_of(machine: &Folders) -> Folders {
    let other = Folders::new();
    fs::create_dir(other.root().join("rings")).unwrap();
    for ring in [RingName::Master, RingName::Sensitive] {
        write_private(&other.ring(ring), &fs::read_to_string(machine.ring(ring)).unwrap());
    }
    other
}

#[test]
fn machines_with_the_same_rings_have_the_same_keys() {
    let (shared, one) = (Shared::new(), Folders::new());
    let keys = shared.open(&one, Loads::Both).unwrap();
    let made = keys.make_user(&hash('a')).unwrap();
    let two = with_rings_of(&one);
    let other = shared.open(&two, Loads::Both).unwrap();
    assert!(keys.created().is_some() && other.created().is_none());
    assert_eq!(shown(&other.user(&hash('a')).unwrap().unwrap()), shown(&made));
    assert_eq!(shown(&other.make_user(&hash('a')).unwrap()), shown(&made));
    assert_eq!(keys.data_id(), other.data_id());
    assert_eq!(keys.internal_token(), other.internal_token());
    assert_eq!((keys.pseudonym("ada"), keys.queue().unwrap().is_some()), (other.pseudonym("ada"), true));
    for machine in [&one, &two] {
        assert!(machine.store().list(None, 1).unwrap().is_empty(), "the data folder holds keys of users");
        assert_eq!(machine.store().id().unwrap().as_deref(), keys.data_id());
        assert_eq!(machine.store().read(&KeyName::System).unwrap(), None);
    }
    other.destroy_user(&hash('a')).unwrap();
    assert!(keys.user(&hash('a')).unwrap().is_none());
}

#[test]
fn a_machine_without_the_rings_or_with_others_is_refused_and_makes_none() {
    let (shared, one, two) = (Shared::new(), Folders::new(), Folders::new());
    let keys = shared.open(&one, Loads::Both).unwrap();
    let [master, sensitive] = keys.rings().try_into().unwrap();
    let refused = shared.open(&two, Loads::Both).unwrap_err().to_string();
    assert!(refused.contains(&format!("the master key {} is missing", master.keys[0])), "{refused}");
    assert!(!two.ring(RingName::Master).exists() && !two.ring(RingName::Sensitive).exists());
    fs::create_dir_all(two.root().join("rings")).unwrap();
    for (ring, other, held) in
        [(RingName::Master, RingName::Sensitive, &master), (RingName::Sensitive, RingName::Master, &sensitive)]
    {
        write_private(&two.ring(ring), &Ring::generate().unwrap().1);
        write_private(&two.ring(other), &fs::read_to_string(one.ring(other)).unwrap());
        let refused = shared.open(&two, Loads::Both).unwrap_err();
        let KeyError::UnknownKey { ring: of, id, .. } = &refused else { unreachable!("{refused}") };
        assert_eq!((*of, id), (ring, &held.keys[0]));
        assert!(refused.to_string().contains(&two.ring(ring).display().to_string()), "{refused}");
        fs::remove_file(two.ring(ring)).unwrap();
    }
}

#[test]
fn of_machines_that_start_first_at_once_all_that_go_on_agree() {
    for _ in 0..5 {
        let (shared, machines) = (Shared::new(), [Folders::new(), Folders::new(), Folders::new()]);
        let opened: Vec<_> = std::thread::scope(|scope| {
            let start = |machine| {
                let shared = &shared;
                scope.spawn(move || shared.open(machine, Loads::Both))
            };
            let starts: Vec<_> = machines.iter().map(start).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let tokens: Vec<_> = opened.iter().flatten().map(|keys| keys.internal_token().unwrap()).collect();
        assert_eq!(tokens.len(), 1, "their rings differ");
        for refused in opened.iter().filter_map(|opened| opened.as_ref().err()) {
            let is_clear = matches!(refused, KeyError::UnknownKey { .. } | KeyError::RingMissing { .. });
            assert!(is_clear, "{refused}");
        }
    }
}

#[test]
fn a_data_folder_with_keys_of_its_own_is_not_taken_for_another() {
    let (shared, one) = (Shared::new(), Folders::new());
    let keys = shared.open(&one, Loads::Both).unwrap();
    let own = with_rings_of(&one);
    own.open().unwrap();
    let refused = shared.open(&own, Loads::Both).unwrap_err().to_string();
    assert!(refused.contains("keys of vaults of its own") && refused.contains("data_dir"), "{refused}");
    // A data folder with an id and no keys gets the shared id.
    let fresh = with_rings_of(&one);
    fs::create_dir_all(fresh.data().join("keys")).unwrap();
    fresh.store().get_or_insert_id("0011223344556677").unwrap();
    shared.open(&fresh, Loads::Both).unwrap();
    assert_eq!(fresh.store().id().unwrap().as_deref(), keys.data_id());
}

#[test]
fn encryption_is_not_turned_off_once_there_are_keys() {
    let (shared, one) = (Shared::new(), Folders::new());
    assert!(!Keys::off_in(&*shared.store()).unwrap().are_on());
    shared.open(&one, Loads::Both).unwrap();
    let refused = Keys::off_in(&*shared.store()).unwrap_err().to_string();
    assert!(refused.contains("the database holds keys") && refused.contains("set it to true"), "{refused}");
}

#[test]
fn rings_are_not_changed_where_it_is_unknown_what_needs_them() {
    let (shared, one) = (Shared::new(), Folders::new());
    shared.open(&one, Loads::Both).unwrap();
    one.add_key(RingName::Master);
    let [master, _] = one.sources().rings(&one.data()).unwrap().unwrap();
    for refused in [master.add_key(&one.data()).unwrap_err(), master.remove_old_keys(&one.data(), true).unwrap_err()] {
        assert!(refused.to_string().contains("they are in the database"), "{refused}");
    }
    assert_eq!(master.look().unwrap().unwrap().len(), 2);
}
