//! Files on this machine while vaults are in a database.

use kimberly_core::ports::Blobs as _;

use super::{Bed, user};
use crate::BlobStore;

#[tokio::test]
async fn where_vaults_lie_in_a_database_their_folders_come_and_go_with_attachments() {
    let bed = Bed::new();
    let (vaults, eve) = (bed.folder.path().join("data/vaults"), bed.vault("eve"));
    bed.keys.make_user(&user("eve").folder_name()).unwrap();
    let store = BlobStore::beside_database(&bed.folder.path().join("data"), bed.keys.clone());
    store.remove_all(&user("eve")).await.unwrap();
    let bed = Bed { store, ..bed };
    bed.put("eve", 1, b"one").await;
    bed.put("eve", 2, b"two").await;
    assert_eq!(bed.get("eve", 1, 0).await.unwrap(), b"one");
    for _ in 0..2 {
        bed.store.remove_all(&user("eve")).await.unwrap();
        assert!(!eve.exists() && vaults.exists());
    }
    bed.put("eve", 3, b"three").await;
    assert_eq!(bed.get("eve", 3, 0).await.unwrap(), b"three");
}
