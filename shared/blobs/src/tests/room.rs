//! The disk reserve applies to every write of an upload, not only the first.

use kimberly_core::attachments::S3Location;

use super::*;

#[tokio::test]
async fn what_comes_while_less_than_the_reserve_is_free_is_refused_and_leaves_nothing() {
    let bed = Bed::new();
    let location = S3Location::default();
    let store = |reserve| BlobStore::open(&bed.folder.path().join("data"), bed.keys.clone(), &location, None, reserve);
    for (reserve, fits) in [(0, true), (1 << 60, false)] {
        let mut writer = store(reserve).unwrap().begin(&user("ada"), blob(1), false).await.unwrap();
        let written = writer.write(&noise(400_000)).await;
        assert_eq!(written.is_ok(), fits, "{written:?}");
        if let Err(error) = written {
            assert!(matches!(error, Error::Storage { failure: StorageFailure::Full, .. }), "{error}");
        }
        writer.discard().await.unwrap();
        assert!(bed.files("ada").is_empty());
    }
}
