//! Credentials.

use kimberly_core::access::{Credential, CredentialId, CredentialKind, CredentialName, Grant, Operation, UserPatterns};
use kimberly_core::ports::Added;
use kimberly_core::time::Timestamp;

use super::Bed;

fn name(raw: &str) -> CredentialName {
    CredentialName::parse(raw).unwrap()
}

fn credential(raw: &str, n: u8) -> Credential {
    Credential {
        id: CredentialId::from_random([n; 8]),
        name: name(raw),
        kind: CredentialKind::ApiKey,
        secret_hash: [n; 32],
        agent: n % 2 == 1,
        grant: Grant {
            users: UserPatterns::parse("users", &["ada", "shop-*"]).unwrap(),
            operations: [Operation::Read, Operation::Export].into_iter().collect(),
        },
        created_at: Timestamp(7),
        created_by: "somebody".to_owned(),
        expires_at: (n > 1).then_some(Timestamp(1_000)),
        revoked_at: None,
        replaced: None,
    }
}

/// By id and by name; names and ids are given once, also those of revoked ones, and there is a bound.
pub async fn credentials_read_back_and_names_are_given_once(bed: &Bed) {
    let kept = &*bed.credentials;
    let (first, second) = (credential("b", 1), credential("a", 2));
    for one in [&first, &second] {
        assert_eq!(kept.add(one, 2).await.unwrap(), Added::Done);
        assert_eq!(kept.by_id(one.id).await.unwrap().as_ref(), Some(one));
        assert_eq!(&kept.by_name(&one.name).await.unwrap().unwrap().credential, one);
    }
    assert_eq!(kept.add(&credential("c", 3), 2).await.unwrap(), Added::Full);
    assert_eq!(kept.add(&credential("c", 1), 3).await.unwrap(), Added::Taken, "the id");
    kept.revoke(&name("a"), Timestamp(9)).await.unwrap();
    assert_eq!(kept.add(&credential("a", 4), 9).await.unwrap(), Added::Taken, "the name of a revoked one");
    assert_eq!(kept.add(&credential("d", 4), 1).await.unwrap(), Added::Full);
    assert_eq!(kept.add(&credential("d", 4), 2).await.unwrap(), Added::Done, "revoked ones count no more");
    assert_eq!(kept.by_name(&name("c")).await.unwrap(), None);
    assert_eq!(kept.by_id(CredentialId::from_random([9; 8])).await.unwrap(), None);
    let listed = |after: Option<CredentialName>, limit| async move {
        let found = kept.list(after.as_ref(), limit).await.unwrap();
        found.into_iter().map(|one| one.credential.name.to_string()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(listed(None, 9).await, "a,b,d");
    assert_eq!(listed(None, 1).await, "a");
    assert_eq!(listed(Some(name("a")), 9).await, "b,d");
}

/// Revoked once and for all; a secret is replaced only by who knows the one before.
pub async fn credentials_are_revoked_and_renewed(bed: &Bed) {
    let kept = &*bed.credentials;
    kept.add(&credential("a", 1), 9).await.unwrap();
    let a = name("a");
    assert!(kept.replace_secret(&a, &[1; 32], &[5; 32], Timestamp(50)).await.unwrap());
    assert!(!kept.replace_secret(&a, &[1; 32], &[6; 32], Timestamp(50)).await.unwrap(), "somebody was first");
    let renewed = kept.by_name(&a).await.unwrap().unwrap().credential;
    assert_eq!((renewed.secret_hash, renewed.replaced), ([5; 32], Some(([1; 32], Timestamp(50)))));
    for at in [20, 30] {
        kept.revoke(&a, Timestamp(at)).await.unwrap();
        assert_eq!(kept.by_name(&a).await.unwrap().unwrap().credential.revoked_at, Some(Timestamp(20)));
    }
    assert!(!kept.replace_secret(&a, &[5; 32], &[6; 32], Timestamp(50)).await.unwrap(), "revoked");
    kept.revoke(&name("nobody"), Timestamp(1)).await.unwrap();
}

/// In batches, never back in time; unknown ids are passed over.
pub async fn the_last_use_of_credentials_never_moves_back(bed: &Bed) {
    let kept = &*bed.credentials;
    for (raw, n) in [("a", 1), ("b", 2)] {
        kept.add(&credential(raw, n), 9).await.unwrap();
    }
    let id = |n: u8| CredentialId::from_random([n; 8]);
    kept.used(&[(id(1), Timestamp(60)), (id(3), Timestamp(1)), (id(1), Timestamp(50))]).await.unwrap();
    kept.used(&[]).await.unwrap();
    let used = |raw: &'static str| async move { kept.by_name(&name(raw)).await.unwrap().unwrap().last_used_at };
    assert_eq!((used("a").await, used("b").await), (Some(Timestamp(60)), None));
}

/// The one of the account takes the place of the one before, with another id.
pub async fn the_local_credential_is_replaced_whole(bed: &Bed) {
    let kept = &*bed.credentials;
    let local = |n| Credential { kind: CredentialKind::LocalAdmin, expires_at: None, ..credential("local-admin", n) };
    for n in [3, 3, 4] {
        kept.put_local_admin(&local(n)).await.unwrap();
        assert_eq!(kept.by_id(local(n).id).await.unwrap(), Some(local(n)));
    }
    assert_eq!(kept.by_id(local(3).id).await.unwrap(), None);
    assert_eq!(kept.list(None, 9).await.unwrap().len(), 1);
}
