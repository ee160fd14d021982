//! Credentials.

use kimberly_core::access::{
    CertificateName, Credential, CredentialId, CredentialKind, CredentialName, Grant, Operation, Rows, UserPatterns,
};
use kimberly_core::audit::{AuditEntry, AuditHead, AuditVerifier};
use kimberly_core::memory::Tier;
use kimberly_core::ports::{Added, AuditQuery, AuditRange, By};
use kimberly_core::time::Timestamp;

use super::Bed;

fn name(raw: &str) -> CredentialName {
    CredentialName::parse(raw).unwrap()
}

fn by(at: i64) -> By {
    By::new("key:ann", Timestamp(at))
}

fn credential(raw: &str, n: u8) -> Credential {
    Credential {
        id: CredentialId::from_random([n; 8]),
        name: name(raw),
        kind: CredentialKind::ApiKey,
        certificate: None,
        secret_hash: [n; 32],
        agent: n % 2 == 1,
        grant: Grant {
            users: UserPatterns::parse("users", &["ada", "shop-*"]).unwrap(),
            operations: [Operation::Read, Operation::Export].into_iter().collect(),
            rows: Rows::parse("grant", &["work".to_owned(), String::new()], &[Tier::LongTerm], true).unwrap(),
        },
        created_at: Timestamp(7),
        created_by: "somebody".to_owned(),
        expires_at: (n > 1).then_some(Timestamp(1_000)),
        revoked_at: None,
        replaced: None,
    }
}

/// A credential is found by its certificate's name, which is unique among active credentials and free again after
/// revocation.
pub async fn certificates_are_found_by_their_names_and_each_has_one_credential(bed: &Bed) {
    let credentials = &*bed.credentials;
    let spiffe = CertificateName::parse("spiffe://example.org/agent").unwrap();
    let certified = |raw: &str, n: u8| Credential {
        kind: CredentialKind::Certificate,
        certificate: Some(spiffe.clone()),
        secret_hash: [0; 32],
        ..credential(raw, n)
    };
    assert_eq!(credentials.by_certificate(&spiffe).await.unwrap(), None);
    assert_eq!(credentials.add(&credential("key", 1), 9, &by(1)).await.unwrap(), Added::Done);
    assert_eq!(credentials.add(&certified("first", 2), 9, &by(1)).await.unwrap(), Added::Done);
    assert_eq!(credentials.by_certificate(&spiffe).await.unwrap(), Some(certified("first", 2)));
    assert_eq!(credentials.by_id(certified("first", 2).id).await.unwrap(), Some(certified("first", 2)));
    assert_eq!(credentials.add(&certified("second", 3), 9, &by(1)).await.unwrap(), Added::CertificateTaken);
    assert_eq!(credentials.add(&certified("key", 3), 9, &by(1)).await.unwrap(), Added::Taken, "the name");
    let other = CertificateName::parse("spiffe://example.org/Agent").unwrap();
    assert_eq!(credentials.by_certificate(&other).await.unwrap(), None, "the same in another case");
    credentials.revoke(&name("first"), &by(9)).await.unwrap();
    assert_eq!(credentials.by_certificate(&spiffe).await.unwrap(), None);
    assert_eq!(credentials.add(&certified("second", 3), 9, &by(1)).await.unwrap(), Added::Done);
    assert_eq!(credentials.by_certificate(&spiffe).await.unwrap(), Some(certified("second", 3)));
    assert!(credentials.by_name(&name("first")).await.unwrap().unwrap().credential.revoked_at.is_some());
}

/// Credentials are found by id and name; both are unique forever, also after revocation, and the number of credentials
/// is bounded.
pub async fn credentials_read_back_and_names_are_given_once(bed: &Bed) {
    let credentials = &*bed.credentials;
    let (first, second) = (credential("b", 1), credential("a", 2));
    for one in [&first, &second] {
        assert_eq!(credentials.add(one, 2, &by(1)).await.unwrap(), Added::Done);
        assert_eq!(credentials.by_id(one.id).await.unwrap().as_ref(), Some(one));
        assert_eq!(&credentials.by_name(&one.name).await.unwrap().unwrap().credential, one);
    }
    assert_eq!(credentials.add(&credential("c", 3), 2, &by(1)).await.unwrap(), Added::Full);
    assert_eq!(credentials.add(&credential("c", 1), 3, &by(1)).await.unwrap(), Added::Taken, "the id");
    credentials.revoke(&name("a"), &by(9)).await.unwrap();
    assert_eq!(
        credentials.add(&credential("a", 4), 9, &by(1)).await.unwrap(),
        Added::Taken,
        "the name of a revoked one"
    );
    assert_eq!(credentials.add(&credential("d", 4), 1, &by(1)).await.unwrap(), Added::Full);
    assert_eq!(
        credentials.add(&credential("d", 4), 2, &by(1)).await.unwrap(),
        Added::Done,
        "revoked ones count no more"
    );
    assert_eq!(credentials.by_name(&name("c")).await.unwrap(), None);
    assert_eq!(credentials.by_id(CredentialId::from_random([9; 8])).await.unwrap(), None);
    let listed = |after: Option<CredentialName>, limit| async move {
        let found = credentials.list(after.as_ref(), limit).await.unwrap();
        found.into_iter().map(|one| one.credential.name.to_string()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(listed(None, 9).await, "a,b,d");
    assert_eq!(listed(None, 1).await, "a");
    assert_eq!(listed(Some(name("a")), 9).await, "b,d");
}

/// Revocation is final; a secret is replaced only by a caller that knows the previous one.
pub async fn credentials_are_revoked_and_renewed(bed: &Bed) {
    let credentials = &*bed.credentials;
    credentials.add(&credential("a", 1), 9, &by(1)).await.unwrap();
    let a = name("a");
    assert!(credentials.replace_secret(&a, &[1; 32], &[5; 32], Timestamp(50), &by(2)).await.unwrap());
    assert!(
        !credentials.replace_secret(&a, &[1; 32], &[6; 32], Timestamp(50), &by(2)).await.unwrap(),
        "another was first"
    );
    let renewed = credentials.by_name(&a).await.unwrap().unwrap().credential;
    assert_eq!((renewed.secret_hash, renewed.replaced), ([5; 32], Some(([1; 32], Timestamp(50)))));
    for at in [20, 30] {
        credentials.revoke(&a, &by(at)).await.unwrap();
        assert_eq!(credentials.by_name(&a).await.unwrap().unwrap().credential.revoked_at, Some(Timestamp(20)));
    }
    assert!(!credentials.replace_secret(&a, &[5; 32], &[6; 32], Timestamp(50), &by(2)).await.unwrap(), "revoked");
    credentials.revoke(&name("nobody"), &by(1)).await.unwrap();
}

/// Uses are recorded in batches and never move back in time; unknown ids are ignored.
pub async fn the_last_use_of_credentials_never_moves_back(bed: &Bed) {
    let credentials = &*bed.credentials;
    for (raw, n) in [("a", 1), ("b", 2)] {
        credentials.add(&credential(raw, n), 9, &by(1)).await.unwrap();
    }
    let id = |n: u8| CredentialId::from_random([n; 8]);
    credentials.used(&[(id(1), Timestamp(60)), (id(3), Timestamp(1)), (id(1), Timestamp(50))]).await.unwrap();
    credentials.used(&[]).await.unwrap();
    let used = |raw: &'static str| async move { credentials.by_name(&name(raw)).await.unwrap().unwrap().last_used_at };
    assert_eq!((used("a").await, used("b").await), (Some(Timestamp(60)), None));
}

/// The local administrator's credential replaces the previous one, with another id.
pub async fn the_local_credential_is_replaced_whole(bed: &Bed) {
    let credentials = &*bed.credentials;
    let local = |n| Credential { kind: CredentialKind::LocalAdmin, expires_at: None, ..credential("local-admin", n) };
    for n in [3, 3, 4] {
        credentials.put_local_admin(&local(n), &by(1)).await.unwrap();
        assert_eq!(credentials.by_id(local(n).id).await.unwrap(), Some(local(n)));
    }
    assert_eq!(credentials.by_id(local(3).id).await.unwrap(), None);
    assert_eq!(credentials.list(None, 9).await.unwrap().len(), 1);
}

/// Changes are audited in their own transaction, with actor and time, in one chain with other entries; ineffective
/// changes are not audited.
pub async fn changes_of_credentials_are_recorded_in_the_audit_of_the_system(bed: &Bed) {
    let (credentials, a) = (&*bed.credentials, name("a"));
    credentials.add(&credential("a", 1), 9, &by(1)).await.unwrap();
    credentials.add(&credential("a", 2), 9, &by(2)).await.unwrap();
    credentials.replace_secret(&a, &[1; 32], &[5; 32], Timestamp(50), &by(3)).await.unwrap();
    credentials.replace_secret(&a, &[1; 32], &[6; 32], Timestamp(50), &by(4)).await.unwrap();
    let refused = AuditEntry {
        at: Timestamp(5),
        actor: "key:eve".into(),
        action: "MemoryService/GetMemory",
        refused: Some("PERMISSION_DENIED"),
        subject: None,
        count: 7,
    };
    bed.audit.append(vec![refused.clone(), refused]).await.unwrap();
    for at in [6, 7] {
        credentials.revoke(&a, &by(at)).await.unwrap();
    }
    let (range, records) = bed
        .audit
        .read(|reader| {
            Box::pin(async move {
                let query = AuditQuery { limit: 100, ..AuditQuery::default() };
                Ok((reader.audit_range().await?, reader.audit_entries(&query).await?))
            })
        })
        .await
        .unwrap();
    let told: Vec<_> = records.iter().map(|r| (r.at.0, r.actor.as_str(), r.action.as_str(), r.count)).collect();
    let read = (5, "key:eve", "MemoryService/GetMemory", 7);
    let of = |at, action| (at, "key:ann", action, 1);
    assert_eq!(told, [of(1, "key.create"), of(3, "key.rotate"), read, read, of(6, "key.revoke")]);
    assert_eq!((records[0].subject.as_deref(), records[2].refused.as_deref()), (Some("a"), Some("PERMISSION_DENIED")));
    assert_eq!(range, AuditRange { pruned: None, last: 5 });
    let log = bed.audit.name().await.unwrap();
    assert!(log.starts_with("system:") && log.len() == 23, "{log}");
    let mut verifier = AuditVerifier::new(AuditHead::genesis(&log));
    for record in &records {
        verifier.push(record);
    }
    assert!(verifier.finish(range.last).is_intact());
}
