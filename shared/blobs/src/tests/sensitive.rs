//! Sensitive attachments need keys that the master ring does not open.

use std::fs;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::Blobs as _;
use kimberly_crypto::{KeySources, Keys, Loads};

use super::{Bed, blob, noise, user};
use crate::{BlobStore, FRAME};

async fn put(bed: &Bed, n: u128, bytes: &[u8]) {
    let mut writer = bed.store.begin(&user("ada"), blob(n), true).await.unwrap();
    writer.write(bytes).await.unwrap();
    writer.finish().await.unwrap();
}

#[tokio::test]
async fn what_is_sensitive_opens_with_the_sensitive_ring_alone() {
    let bed = Bed::new();
    let (secret, plain) = (noise(2 * FRAME + 9), noise(100));
    put(&bed, 1, &secret).await;
    put(&bed, 2, &[]).await;
    let file = bed.put("ada", 3, &plain).await;
    for offset in [0, 1, FRAME, secret.len()] {
        assert_eq!(bed.get("ada", 1, offset as u64).await.unwrap(), &secret[offset..]);
    }
    assert_eq!(bed.get("ada", 2, 0).await.unwrap(), [0; 0]);
    assert_eq!(&fs::read(&file).unwrap()[..8], b"KMBBLOB\x01");

    let sources = KeySources { folder: Some(bed.folder.path().join("rings")), ..KeySources::default() };
    let data = bed.folder.path().join("data");
    let master = BlobStore::local(&data, Keys::open(&data, &sources, Loads::MasterOnly).unwrap());
    let other = Bed { store: master, keys: bed.keys.clone(), folder: tempfile::tempdir().unwrap() };
    assert_eq!(other.get("ada", 3, 0).await.unwrap(), plain, "other attachments open with the master ring");
    for n in [1, 2] {
        match other.get("ada", n, 0).await {
            Err(Error::Storage { failure: StorageFailure::Unavailable, detail }) => {
                assert!(detail.contains("sensitive ring"), "{detail}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(
        other.store.begin(&user("ada"), blob(4), true).await.is_err(),
        "a sensitive attachment was written without its key"
    );
    // Without the keys, a sealed object can still be named and removed.
    other.store.remove(&user("ada"), &[blob(1), blob(2)]).await.unwrap();
    assert_eq!(bed.files("ada"), [file]);
}

#[tokio::test]
async fn a_sealed_object_under_the_name_of_another_key_does_not_open() {
    let bed = Bed::new();
    put(&bed, 1, b"secret").await;
    let [file] = &bed.files("ada")[..] else { panic!("one file") };
    let whole = fs::read(file).unwrap();
    assert_eq!(&whole[..12], b"KMBBLOB\x02\0\0\0\x01");
    // Objects that claim the key of attachments, that claim an unknown generation, or that are cut within the header.
    let as_plain = [b"KMBBLOB\x01", &whole[12..]].concat();
    let as_later = [b"KMBBLOB\x02\0\0\0\x09", &whole[12..]].concat();
    for changed in [&as_plain[..], &as_later, &whole[..10], &whole[..7]] {
        fs::write(file, changed).unwrap();
        assert!(bed.is_damaged("ada", 1).await, "{:?}", &changed[..7]);
    }
}

#[tokio::test]
async fn without_encryption_nothing_is_sealed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let bed = Bed::with(folder, Keys::off());
    assert!(!bed.store.seals() && Bed::new().store.seals());
    put(&bed, 1, b"open").await;
    assert_eq!(bed.get("ada", 1, 0).await.unwrap(), b"open");
}
