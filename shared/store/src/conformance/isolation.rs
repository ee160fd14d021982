//! Isolation of users' vaults.

use kimberly_core::memory::ListOrder;
use kimberly_core::ports::VaultSizes;
use kimberly_core::settings::StoredSettings;
use kimberly_core::usage::Usage;

use super::Bed;
use super::fixtures::{any_of, any_state, draft, user};

/// With the same ids, sessions and words in two vaults, each user reads only their own.
pub async fn users_never_see_each_others_memories(bed: &Bed) {
    bed.remember("a", [draft("secret of a")]).await;
    bed.remember("b", [draft("secret of b"), draft("another secret of b")]).await;
    assert_eq!(bed.memory("a", 1).await.unwrap().draft.content, "secret of a");
    assert_eq!(bed.memory("b", 1).await.unwrap().draft.content, "secret of b");
    assert_eq!(bed.memory("a", 2).await, None);
    assert_eq!(bed.found("a", any_of(&["secret"])).await, [1]);
    assert_eq!(bed.found("b", any_of(&["secret"])).await.len(), 2);
    assert_eq!((bed.usage("a").await.created, bed.usage("b").await.created), (1, 2));
}

/// All reads of a user who never wrote are empty, and leave no trace of the user.
pub async fn a_user_without_a_vault_reads_as_empty_and_gets_none(bed: &Bed) {
    assert_eq!(bed.usage("ghost").await, Usage::default());
    let (settings, sizes, listed) = bed
        .read("ghost", |r| {
            Box::pin(async move {
                let listed = r.list(&any_state(), ListOrder::NewestFirst, None, 10, 1_000).await?;
                Ok((r.settings().await?, r.sizes().await?, listed))
            })
        })
        .await;
    assert_eq!((settings, sizes, listed.len()), (StoredSettings::default(), VaultSizes::default(), 0));
    assert!(bed.found("ghost", any_of(&["word"])).await.is_empty());
    assert!(bed.registry.users(None, 10).await.unwrap().is_empty());
    bed.remember("ghost", [draft("no ghost any more")]).await;
    assert_eq!(bed.usage("ghost").await.created, 1);
    assert_eq!(bed.registry.users(None, 10).await.unwrap(), [user("ghost")]);
}

/// Ids that look like paths, or differ only in case or composition, are different users.
pub async fn any_user_id_has_a_vault_of_its_own(bed: &Bed) {
    let longest = "x".repeat(128);
    let ids = ["../../a", "a/../b", "A", "a", "é", "e\u{301}", "C:\\x", "*", "'; DROP TABLE memories", &longest];
    for (n, id) in ids.iter().enumerate() {
        bed.remember(id, (0..=n).map(|m| draft(&format!("memory {m}")))).await;
    }
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(bed.usage(id).await.created, n as u64 + 1, "{id}");
    }
    assert_eq!(bed.registry.count_users().await.unwrap(), ids.len() as u64);
}
