//! Wrapped keys in a table behave like keys in files, on every machine.

use std::sync::Arc;

use kimberly_crypto::{KeyError, KeyName, KeyStore, Keys, Loads, RingName, UserHash, claims};
use kimberly_store::conformance::fixtures::{at, draft};
use kimberly_store::{PgKeyStore, PgOptions, PgStore};

use crate::postgres::common::{Database, Machine, Still, bed, number, run, texts};

fn table(database: &Database) -> PgKeyStore {
    PgKeyStore::open(database.options()).unwrap()
}

/// Called from a thread of a single-threaded async runtime.
#[tokio::test]
async fn a_table_meets_every_claim_about_key_stores() {
    let database = Database::make().await;
    let table = table(&database);
    claims::all(&table);
    let conn = &mut database.connect().await;
    assert_eq!(number(conn, "SELECT count(*) FROM kimberly.wrapped_keys").await, 1, "the id alone is left");
    assert!(table.list(Some(&UserHash::parse(&"f".repeat(64)).unwrap()), 10).unwrap().is_empty());
    for wrong in ["not an id", "0011223344556677 "] {
        run(conn, &format!("UPDATE kimberly.wrapped_keys SET file = convert_to('{wrong}', 'UTF8')")).await;
        assert!(matches!(table.id(), Err(KeyError::Damaged { .. })), "{wrong}");
    }
}

/// All threads of the runtime call at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_callers_do_not_block_each_other() {
    let database = Database::make().await;
    let table = Arc::new(table(&database));
    let ask = |n: u32| {
        let table = Arc::clone(&table);
        tokio::spawn(async move {
            let name = KeyName::User(UserHash::parse(&format!("{n:064x}")).unwrap());
            table.create_new(&name, &n.to_be_bytes()).unwrap();
            table.read(&name).unwrap().unwrap()
        })
    };
    let asked: Vec<_> = (0..40).map(ask).collect();
    for (n, asked) in (0_u32..).zip(asked) {
        assert_eq!(asked.await.unwrap(), n.to_be_bytes());
    }
}

#[tokio::test]
async fn an_unreachable_table_is_an_error_and_recovers() {
    let database = Database::make().await;
    let table = table(&database);
    assert_eq!(table.read(&KeyName::System).unwrap(), None);
    let conn = &mut database.connect().await;
    // A connection that breaks while idle goes unnoticed.
    run(conn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").await;
    assert_eq!(table.read(&KeyName::System).unwrap(), None);
    run(conn, "ALTER TABLE kimberly.wrapped_keys RENAME TO elsewhere").await;
    let told = table.read(&KeyName::System).unwrap_err();
    assert!(matches!(told, KeyError::Store { .. }), "{told}");
    run(conn, "ALTER TABLE kimberly.elsewhere RENAME TO wrapped_keys").await;
    assert_eq!(table.read(&KeyName::System).unwrap(), None);
    let nowhere = PgOptions { owner_url: None, ..PgOptions::new("postgres://nobody@127.0.0.1:1/nowhere") };
    assert!(PgKeyStore::open(nowhere).is_err());
}

#[tokio::test]
async fn machines_share_keys_and_one_with_other_rings_is_refused() {
    let (database, one) = (Database::make().await, Machine::new());
    let keys = one.keys(&database, Loads::Both);
    let hash = "a".repeat(64);
    let made = keys.make_user(&hash).unwrap();
    let two = Machine::with_rings_of(&one);
    let found = two.keys(&database, Loads::Both).user(&hash).unwrap().unwrap();
    assert_eq!(found.attachments.object_name("x"), made.attachments.object_name("x"));
    let told = Machine::new().try_keys(&database, Loads::Both).unwrap_err();
    assert!(matches!(told, KeyError::RingMissing { .. }), "{told}");
    let other = Machine::new();
    other.keys(&Database::make().await, Loads::Both);
    let told = other.try_keys(&database, Loads::Both).unwrap_err();
    let KeyError::UnknownKey { ring: RingName::Master, id, .. } = &told else { panic!("{told}") };
    assert_eq!(*id, keys.rings()[0].keys[0]);
    assert!(told.to_string().contains("which is not in"), "{told}");
}

/// Each change of a ring is audited once, whichever process sees it first.
#[tokio::test]
async fn changes_of_rings_are_recorded_once() {
    let database = Database::make().await;
    let (one, two) = (database.store().await, database.store().await);
    let keys = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    for store in [&one, &two] {
        let notes = store.ring_notes();
        notes.record("master", &keys(&["a"]), at(1)).await.unwrap();
        assert!(!notes.done("master", "a", 3, at(1)).await.unwrap(), "the first key is no rotation");
    }
    for store in [&one, &two] {
        store.ring_notes().record("master", &keys(&["a", "b"]), at(2)).await.unwrap();
    }
    assert!(two.ring_notes().done("master", "b", 5, at(3)).await.unwrap());
    assert!(!one.ring_notes().done("master", "b", 5, at(3)).await.unwrap());
    for store in [&one, &two] {
        store.ring_notes().record("master", &keys(&["b"]), at(4)).await.unwrap();
        store.ring_notes().record("master", &keys(&["a", "b"]), at(5)).await.unwrap();
    }
    let sql = "SELECT action || ' ' || subject || ' ' || count FROM kimberly.system_audit ORDER BY no";
    let told = texts(&mut database.connect().await, sql).await;
    let (came, went) = ("ring.key_added master/a 1", "ring.key_removed master/a 1");
    assert_eq!(told, ["ring.key_added master/b 1", "ring.rotated master/b 5", went, came, went, came]);
}

/// A store accepts only the keys of its database, or none if nothing was ever sealed.
#[tokio::test]
async fn keys_of_elsewhere_and_none_over_keys_are_refused() {
    let (database, machine) = (Database::make().await, Machine::new());
    let refusal = async |keys: Keys| {
        let opened = PgStore::open(PgOptions { keys, ..database.options() }, Arc::new(Still)).await;
        opened.err().map(|error| error.to_string())
    };
    assert_eq!(refusal(Keys::off()).await, None);
    let of_files = machine.keys_in_files();
    let told = refusal(of_files.clone()).await.unwrap();
    assert!(told.contains("do not match the database"), "{told}");
    // Its folders must live as long as its keys are used.
    let other = Machine::with_rings_of(&machine);
    let keys = other.keys(&database, Loads::Both);
    assert_eq!(refusal(keys.clone()).await, None);
    assert!(refusal(of_files).await.is_some());
    let told = refusal(Keys::off()).await.unwrap();
    assert!(told.contains("encryption.enabled") && told.contains("holds keys"), "{told}");
}

/// Data stored without keys stays plain: it is never sealed later.
#[tokio::test]
async fn keys_over_users_without_are_refused_and_none_is_made() {
    let (database, machine) = (Database::make().await, Machine::new());
    let plain = bed(database.store().await, ());
    plain.remember("u", [draft("stored without keys")]).await;
    for _ in 0..2 {
        let told = machine.try_keys(&database, Loads::Both).err().map(|error| error.to_string()).unwrap();
        assert!(told.contains("encryption.enabled is true") && told.contains("set it to false"), "{told}");
    }
    assert!(!machine.ring(RingName::Master).exists(), "a ring was made that opens nothing");
    assert_eq!(number(&mut database.connect().await, "SELECT count(*) FROM kimberly.wrapped_keys").await, 0);
    let again = bed(database.store().await, ());
    assert_eq!(again.usage("u").await.created, 1);
}

/// All processes find rewrapped keys, and the old wrapping is not stored any more.
#[tokio::test]
async fn keys_are_rewrapped_in_the_table() {
    let (database, machine) = (Database::make().await, Machine::new());
    let keys = machine.keys(&database, Loads::Both);
    let names: Vec<String> = (0..25).map(|n| format!("{n:064x}")).collect();
    let before: Vec<String> =
        names.iter().map(|name| keys.make_user(name).unwrap().attachments.object_name("x")).collect();
    for ring in [RingName::Master, RingName::Sensitive] {
        let old = keys.rings().into_iter().find(|held| held.ring == ring).unwrap().keys.pop().unwrap();
        machine.add_key(ring);
        assert!(keys.refresh().unwrap());
        let new = keys.rings().into_iter().find(|held| held.ring == ring).unwrap().keys.pop().unwrap();
        let left = keys.survey().unwrap().unwrap().left(ring, &new);
        assert!(left >= 25, "{left}");
        let (mut after, mut wrapped) = (None, 0);
        loop {
            let page = keys.rewrap_some(after.as_deref(), 10, ring).unwrap();
            assert!(page.failed.is_empty(), "{:?}", page.failed);
            (after, wrapped) = (page.last, wrapped + page.rewrapped);
            if after.is_none() {
                break;
            }
        }
        assert_eq!(wrapped, left);
        let survey = keys.survey().unwrap().unwrap();
        assert_eq!((survey.left(ring, &new), survey.needing(ring, &old), survey.unreadable), (0, 0, 0));
        machine.remove_old_keys(ring);
    }
    let second = Machine::with_rings_of(&machine);
    let other = second.keys(&database, Loads::Both);
    for (name, before) in names.iter().zip(before) {
        assert_eq!(other.user(name).unwrap().unwrap().attachments.object_name("x"), before);
    }
}
