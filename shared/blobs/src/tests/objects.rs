//! The same claims for object stores: one in memory, and one over HTTP.

use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt as _;
use kimberly_core::Timestamp;
use kimberly_core::attachments::S3Location;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::Blobs as _;
use kimberly_crypto::Keys;
use object_store::ObjectStore as _;
use object_store::memory::InMemory;

use super::fake_s3::FakeS3;
use super::{Bed, LARGE, blob, noise, user};
use crate::{BlobStore, FRAME};

fn set_mode(file: &Path, mode: u32) {
    std::fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
}

/// Returns the configuration of a store at this address, with a secret file.
fn location_at(bed: &Bed, address: SocketAddr) -> S3Location {
    let secret_file = bed.folder.path().join("secret");
    std::fs::write(&secret_file, "the secret\n").unwrap();
    set_mode(&secret_file, 0o600);
    S3Location {
        endpoint: format!("http://{address}/"),
        bucket: "kimberly".to_owned(),
        prefix: "home".to_owned(),
        access_key_id: "key".to_owned(),
        secret_file,
        ..S3Location::default()
    }
}

async fn put(store: &BlobStore, n: u128, bytes: &[u8]) {
    let mut writer = store.begin(&user("ada"), blob(n), false).await.unwrap();
    for piece in bytes.chunks(70_001) {
        writer.write(piece).await.unwrap();
    }
    assert_eq!(writer.finish().await.unwrap().size_bytes, bytes.len() as u64);
}

async fn get(store: &BlobStore, n: u128, offset: usize) -> Option<Vec<u8>> {
    let mut reader = store.open(&user("ada"), blob(n), offset as u64).await.unwrap()?;
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    Some(bytes)
}

/// Checks the claims for any store.
async fn holds(store: &BlobStore, large: usize) {
    let _alone = LARGE.lock().await;
    let ada = user("ada");
    for (n, length) in [(1, 0), (2, 5), (3, 3 * FRAME + 9), (4, large)] {
        let bytes = noise(length);
        put(store, n, &bytes).await;
        for offset in [0, length / 2, length] {
            assert!(get(store, n, offset).await.unwrap() == bytes[offset..], "{length} from {offset}");
        }
    }
    assert!(get(store, 9, 0).await.is_none());
    for _ in 0..2 {
        store.remove(&ada, &[blob(2)]).await.unwrap();
    }
    assert!(get(store, 2, 0).await.is_none());
    let mut dropped = store.begin(&ada, blob(5), false).await.unwrap();
    dropped.write(&noise(2 * FRAME)).await.unwrap();
    drop(dropped);
    assert!(get(store, 5, 0).await.is_none());
    let young = store.tidy(&ada, &[blob(1), blob(2)], Timestamp(0)).await.unwrap();
    assert_eq!((young.removed, young.missing), (0, vec![blob(2)]));
    let old = store.tidy(&ada, &[blob(1), blob(2)], Timestamp::MAX).await.unwrap();
    assert_eq!((old.removed, old.missing), (2, vec![blob(2)]));
    let mut bobs = store.begin(&user("bob"), blob(1), false).await.unwrap();
    bobs.write(b"bobs own").await.unwrap();
    bobs.finish().await.unwrap();
    for _ in 0..2 {
        store.remove_all(&ada).await.unwrap();
        assert!(get(store, 1, 0).await.is_none());
    }
    assert!(store.open(&user("bob"), blob(1), 0).await.unwrap().is_some(), "others keep theirs");
}

#[tokio::test]
async fn objects_in_memory_hold_what_files_do() {
    let bed = Bed::new();
    holds(&BlobStore::on(Arc::new(InMemory::new()), "some/where", bed.keys.clone()), 9 << 20).await;
}

#[tokio::test]
async fn without_encryption_objects_are_found_tidied_and_removed() {
    let objects = Arc::new(InMemory::new());
    let store = BlobStore::on(objects.clone(), "some/where", Keys::off());
    put(&store, 1, b"not encrypted").await;
    put(&store, 2, b"not encrypted, too").await;
    assert_eq!(get(&store, 1, 4).await.unwrap(), b"encrypted");
    let tidied = store.tidy(&user("ada"), &[blob(1), blob(3)], Timestamp::MAX).await.unwrap();
    assert_eq!((tidied.removed, tidied.missing), (1, vec![blob(3)]));
    store.remove_all(&user("ada")).await.unwrap();
    assert!(objects.list(None).next().await.is_none(), "a purge left objects");
}

#[tokio::test]
async fn objects_in_an_s3_store_show_neither_users_nor_contents() {
    let bed = Bed::new();
    let (fake, address) = FakeS3::serve().await;
    let location = location_at(&bed, address);
    let store = BlobStore::open(bed.folder.path(), bed.keys.clone(), &location, None, 0).unwrap();
    holds(&store, 9 << 20).await;
    put(&store, 7, b"unmistakable").await;
    assert_eq!(*fake.unsigned.lock().unwrap(), 0, "every request is signed");
    {
        let objects = fake.objects.lock().unwrap();
        assert_eq!(objects.len(), 2, "one of each: {:?}", objects.keys());
        let hash = user("ada").folder_name();
        for (path, bytes) in objects.iter() {
            // Compared by path segment: the hexadecimal hash may contain this name by chance.
            let named = path.split('/').any(|part| part == "ada" || part == hash);
            assert!(path.starts_with("kimberly/home/") && !named, "{path}");
            assert!(!bytes.windows(12).any(|window| window == b"unmistakable"));
        }
    }
    fake.objects.lock().unwrap().values_mut().for_each(|bytes| bytes[40] ^= 1);
    let mut reader = store.open(&user("ada"), blob(7), 0).await.unwrap().unwrap();
    let damaged = reader.next().await.unwrap_err();
    assert!(matches!(damaged, Error::Storage { failure: StorageFailure::Corrupt, .. }), "{damaged}");
    let refused = || BlobStore::open(bed.folder.path(), bed.keys.clone(), &location, None, 0).unwrap_err().to_string();
    set_mode(&location.secret_file, 0o644);
    let error = refused();
    assert!(error.contains("attachments.s3") && error.contains("600"), "{error}");
    std::fs::remove_file(&location.secret_file).unwrap();
    let error = refused();
    assert!(error.contains("attachments.s3") && error.contains("secret"), "{error}");
}

#[tokio::test]
async fn an_upload_of_a_user_purged_meanwhile_is_discarded() {
    let _alone = LARGE.lock().await;
    let bed = Bed::new();
    let objects = Arc::new(InMemory::new());
    let store = BlobStore::on(objects.clone(), "some/where", bed.keys.clone());
    for (n, length) in [(1, 5), (2, 9 << 20)] {
        bed.keys.make_user(&user("ada").folder_name()).unwrap();
        let mut writer = store.begin(&user("ada"), blob(n), false).await.unwrap();
        writer.write(&noise(length)).await.unwrap();
        store.remove_all(&user("ada")).await.unwrap();
        bed.keys.destroy_user(&user("ada").folder_name()).unwrap();
        writer.finish().await.unwrap();
        assert!(objects.list(None).next().await.is_some());
        writer.discard().await.unwrap();
        assert!(objects.list(None).next().await.is_none());
    }
}

/// Counts panics of writers that are aborted after their end, across all tests.
fn counting_panics() -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, before) = (Arc::clone(&count), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        counted.fetch_add(usize::from(panic.to_string().contains("Already shut down")), Ordering::AcqRel);
        before(panic);
    }));
    count
}

#[tokio::test]
async fn an_upload_that_fails_or_is_cut_at_its_end_panics_nowhere() {
    let _alone = LARGE.lock().await;
    let bed = Bed::new();
    let (fake, address) = FakeS3::serve().await;
    let store = BlobStore::open(bed.folder.path(), bed.keys.clone(), &location_at(&bed, address), None, 0).unwrap();
    let panics = counting_panics();
    for (n, length) in [(1, 100), (2, 9 << 20)] {
        fake.fails.store(false, Ordering::Release);
        let mut writer = store.begin(&user("ada"), blob(n), false).await.unwrap();
        writer.write(&noise(length)).await.unwrap();
        fake.fails.store(true, Ordering::Release);
        let failed = writer.finish().await.unwrap_err();
        assert!(matches!(failed, Error::Storage { failure: StorageFailure::Unavailable, .. }), "{failed}");
        drop(writer);
    }
    fake.fails.store(false, Ordering::Release);
    let mut writer = store.begin(&user("ada"), blob(3), false).await.unwrap();
    writer.write(&noise(100)).await.unwrap();
    assert!(futures::poll!(writer.finish()).is_pending(), "the request is on its way");
    drop(writer);
    // Once another request is answered, all spawned tasks had a chance to run.
    put(&store, 4, b"another").await;
    assert_eq!(panics.load(Ordering::Acquire), 0);
}

#[tokio::test]
async fn a_store_that_is_away_is_unavailable() {
    let bed = Bed::new();
    let location = location_at(&bed, SocketAddr::from(([127, 0, 0, 1], 1)));
    let store = BlobStore::open(bed.folder.path(), bed.keys.clone(), &location, None, 0).unwrap();
    let away = store.remove(&user("ada"), &[blob(1)]).await.unwrap_err();
    assert!(matches!(away, Error::Storage { failure: StorageFailure::Unavailable, .. }), "{away}");
}
