//! Keys whose secrets are replaced by their own holders.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use kimberly_core::access::{Credential, CredentialName, Operation, Rows, UserPatterns};
use kimberly_core::memory::Tier;
use kimberly_core::time::Span;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_proto::v1;
use kimberly_proto::v1::access_service_client::AccessServiceClient;
use kimberly_proto::v1::audit_service_client::AuditServiceClient;
use kimberly_runtime::config::Period;
use tonic::{Code, Request, Status};

use crate::access::{ALL, key, required, show};
use crate::common::{Served, USER, everything, reason};
use crate::http::send;

/// Starts a server that requires keys and rereads none within a test unless told to.
async fn served() -> Served {
    required(Period::seconds(60)).await
}

/// Rotates a key, as the holder of the given key.
async fn rotate(served: &Served, key: &str, name: &str, overlap: i64) -> Result<v1::RotateKeyResponse, Status> {
    let overlap = Some(prost_types::Duration { seconds: overlap, nanos: 0 });
    let mut request = Request::new(v1::RotateKeyRequest { name: name.to_owned(), overlap });
    show(&mut request, Some(key));
    Ok(AccessServiceClient::new(served.channel.clone()).rotate_key(request).await?.into_inner())
}

/// A key with few permissions: one operation for one user, on some of that user's memories.
fn little(served: &Served, name: &str, n: u8, operation: Operation) -> CreateKeyInput {
    CreateKeyInput {
        users: UserPatterns::parse("users", &[USER]).unwrap(),
        operations: [operation].into_iter().collect(),
        rows: Rows::parse("grant", &["work".to_owned()], &[Tier::LongTerm], true).unwrap(),
        agent: n.is_multiple_of(2),
        expires_at: Some(served.app.clock.now().plus(Span::days(1))),
        ..everything(name, n)
    }
}

#[tokio::test]
async fn a_key_gives_itself_another_secret_and_may_no_more_and_lasts_no_longer() {
    let served = served().await;
    let admin = key(&served, 99, ALL).await.reveal();
    for (n, &operation) in (1..).zip(Operation::ALL) {
        let name = format!("little-{n}");
        let old = served.make_key(little(&served, &name, n, operation)).await;
        let before = kept(&served, &name).await;
        let renewed = rotate(&served, &old, &name, 0).await.unwrap();
        let after = kept(&served, &name).await;
        let (secret_hash, replaced) = (after.secret_hash, after.replaced);
        assert_ne!(secret_hash, before.secret_hash, "{operation}");
        assert_eq!(after, Credential { secret_hash, replaced, ..before }, "{operation}");
        let ended = rotate(&served, &old, &name, 0).await.unwrap_err();
        assert_eq!(reason(&ended).1, "UNAUTHENTICATED", "{operation}: the old secret is taken no more");
        rotate(&served, &renewed.key, &name, 0).await.unwrap();
        let actor = format!("{}:{name}", if after.agent { "agent" } else { "key" });
        assert_eq!(audited(&served, &admin, &name).await, [actor.clone(), actor], "{operation}");
    }
}

/// Returns a key as stored.
async fn kept(served: &Served, name: &str) -> Credential {
    let name = CredentialName::parse(name).unwrap();
    served.store.credentials().by_name(&name).await.unwrap().unwrap().credential
}

/// Returns who rotated a key, according to the system's audit.
async fn audited(served: &Served, admin: &str, name: &str) -> Vec<String> {
    let list = v1::ListAuditEntriesRequest {
        action: "key.rotate".to_owned(),
        subject: name.to_owned(),
        ..v1::ListAuditEntriesRequest::default()
    };
    let mut request = Request::new(list);
    show(&mut request, Some(admin));
    let told = AuditServiceClient::new(served.channel.clone()).list_audit_entries(request).await.unwrap();
    told.into_inner().entries.into_iter().map(|entry| entry.actor).collect()
}

#[tokio::test]
async fn a_key_without_the_right_renews_no_other_and_learns_of_none() {
    let served = served().await;
    let mine = served.make_key(little(&served, "mine", 1, Operation::Admin)).await;
    served.make_key(little(&served, "other", 2, Operation::Read)).await;
    let mut said = Vec::new();
    for name in ["other", "nobody", "local-admin", "not a name", ""] {
        let refused = rotate(&served, &mine, name, 0).await.unwrap_err();
        assert_eq!(
            (refused.code(), reason(&refused).1.as_str()),
            (Code::PermissionDenied, "PERMISSION_DENIED"),
            "{name}"
        );
        said.push((refused.message().to_owned(), refused.details().to_vec()));
    }
    said.dedup();
    assert_eq!(said.len(), 1);
    let shown = format!("authorization: Bearer {mine}\r\ncontent-type: application/json\r\n");
    let post = async |path: &str, body: &str| send(&served, "POST", path, &shown, body).await;
    assert_eq!(post("/v1/keys/other:rotate", "{}").await.status, 403);
    assert_eq!(post("/v1/keys/mine:revoke", "{}").await.status, 403, "no key revokes itself");
    let renewed = post("/v1/keys/mine:rotate", r#"{"overlap": "0s"}"#).await;
    assert_eq!(renewed.status, 200);
    assert!(renewed.json()["key"].as_str().unwrap().starts_with("kmb_"));
}

#[tokio::test]
async fn a_secret_is_exchanged_once_however_often_it_is_shown() {
    let served = served().await;
    let link = served.make_key(little(&served, "link", 1, Operation::Read)).await;
    let at_once = futures::future::join_all((0..8).map(|_| rotate(&served, &link, "link", 60))).await;
    let won: Vec<_> = at_once.iter().filter_map(|one| one.as_ref().ok()).collect();
    assert_eq!(won.len(), 1, "{at_once:?}");
    // Within the overlap the old secret still works, but cannot obtain one that lasts longer.
    let late = rotate(&served, &link, "link", 60).await.unwrap_err();
    assert_eq!((late.code(), reason(&late).1.as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    for overlap in [-1, 7 * 86_400 + 1] {
        let refused = rotate(&served, &won[0].key, "link", overlap).await.unwrap_err();
        assert_eq!(crate::common::fields(&refused), ["overlap"]);
    }
    rotate(&served, &won[0].key, "link", 7 * 86_400).await.unwrap();
}
