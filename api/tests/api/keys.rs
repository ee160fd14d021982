//! Keys from creation to their end, from the perspective of their holders.
use std::time::Duration;

use kimberly_core::access::{ApiKey, Operation};
use kimberly_core::ports::By;
use kimberly_core::{Timestamp, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::access_service_client::AccessServiceClient;
use kimberly_runtime::config::Period;
use tonic::transport::Channel;
use tonic::{Code, Request};

use crate::access::{ALL, Wanted, call, key, name, refusal, required, show};
use crate::common::{Served, USER, create, draft, reason};
use crate::http::send;

/// Calls until the outcome is the expected one.
async fn until(served: &Served, shown: &str, refused: bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
    let path = "/kimberly.v1.SettingsService/GetSettings";
    while refusal(&call(served, path, USER, Some(shown)).await).is_some() != refused {
        assert!(tokio::time::Instant::now() < deadline, "it never came true");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_another_process_revokes_or_renews_holds_after_the_recheck() {
    let served = required(Period::millis(50)).await;
    let credentials = served.store.credentials();
    let (first, second) = (key(&served, 1, ALL).await, key(&served, 2, ALL).await);
    for shown in [&first, &second] {
        until(&served, &shown.reveal(), false).await;
    }
    let by = By::new("system", served.app.clock.now());
    credentials.revoke(&name(1), &by).await.unwrap();
    until(&served, &first.reveal(), true).await;
    let renewed = ApiKey::new(second.id(), [7; 32]);
    let hash = renewed.secret_hash();
    assert!(credentials.replace_secret(&name(2), &second.secret_hash(), &hash, Timestamp(0), &by).await.unwrap());
    until(&served, &second.reveal(), true).await;
    until(&served, &renewed.reveal(), false).await;
}

fn access(served: &Served) -> AccessServiceClient<Channel> {
    AccessServiceClient::new(served.channel.clone())
}

fn shown<M>(message: M, key: &str) -> Request<M> {
    let mut request = Request::new(message);
    show(&mut request, Some(key));
    request
}

#[tokio::test]
async fn a_key_lives_from_creation_over_rotation_to_revocation_and_its_streams_end_with_it() {
    // Changes made by this process apply at once, whatever the recheck time.
    let served = required(Period::seconds(60)).await;
    let admin = key(&served, 1, ALL).await.reveal();
    let grant = v1::Grant {
        users: vec![USER.to_owned()],
        operations: vec![v1::Operation::Read.into(), v1::Operation::Write.into()],
        ..v1::Grant::default()
    };
    let asked = v1::CreateKeyRequest { name: "shop".to_owned(), grant: Some(grant), agent: true, ..Default::default() };
    let made = access(&served).create_key(shown(asked.clone(), &admin)).await.unwrap().into_inner();
    let credential = made.credential.unwrap();
    assert_eq!((credential.created_by.as_str(), credential.kind()), ("key-1", v1::CredentialKind::ApiKey));
    let again = access(&served).create_key(shown(asked, &admin)).await.unwrap_err();
    assert_eq!(reason(&again).1, "CREDENTIAL_EXISTS");

    let stored = served.memories().create_memory(shown(create(draft("tea")), &made.key)).await.unwrap().into_inner();
    let id = stored.receipt.unwrap().id;
    let get = v1::GetMemoryRequest { user_id: USER.to_owned(), id, explain: false, ..Default::default() };
    let read = served.memories().get_memory(shown(get, &made.key)).await.unwrap().into_inner().memory.unwrap();
    assert_eq!(read.audit.unwrap_or_default().created_by(), v1::Creator::Agent, "what an agent stores says so");

    let watch = v1::WatchMemoriesRequest { user_id: USER.to_owned(), ..v1::WatchMemoriesRequest::default() };
    let mut watched = served.memories().watch_memories(shown(watch, &made.key)).await.unwrap().into_inner();
    watched.message().await.unwrap();

    let rotate = v1::RotateKeyRequest { name: "shop".to_owned(), overlap: None };
    let renewed = access(&served).rotate_key(shown(rotate, &admin)).await.unwrap().into_inner();
    assert!(renewed.credential.unwrap().old_secret_until.is_some());
    let settings = || v1::GetSettingsRequest { user_id: USER.to_owned() };
    for key in [&made.key, &renewed.key] {
        served.settings().get_settings(shown(settings(), key)).await.expect("both secrets are taken for a day");
    }

    let revoke = || v1::RevokeKeyRequest { name: "shop".to_owned() };
    let revoked = access(&served).revoke_key(shown(revoke(), &admin)).await.unwrap().into_inner();
    assert!(revoked.credential.unwrap().revoked_at.is_some());
    for key in [&made.key, &renewed.key] {
        let refused = served.settings().get_settings(shown(settings(), key)).await.unwrap_err();
        assert_eq!(reason(&refused).1, "UNAUTHENTICATED");
    }
    let ended = tokio::time::timeout(Duration::from_mins(1), async {
        loop {
            if let Err(status) = watched.message().await {
                return status;
            }
        }
    });
    assert_eq!(reason(&ended.await.unwrap()).1, "UNAUTHENTICATED");
    let listed = access(&served).list_keys(shown(v1::ListKeysRequest::default(), &admin)).await.unwrap().into_inner();
    let names: Vec<_> = listed.credentials.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["key-1", "shop"]);
    let unknown = v1::RevokeKeyRequest { name: "nobody".to_owned() };
    let missing = access(&served).revoke_key(shown(unknown, &admin)).await.unwrap_err();
    assert_eq!((missing.code(), reason(&missing).1.as_str()), (Code::NotFound, "CREDENTIAL_NOT_FOUND"));
}

#[tokio::test]
async fn what_is_wrong_with_a_grant_is_named_and_no_key_is_made() {
    let served = Served::start().await;
    let grant = v1::Grant {
        users: vec!["*".to_owned()],
        operations: vec![v1::Operation::Read.into(), 99],
        tiers: vec![v1::Tier::LongTerm.into(), 7],
        namespaces: vec!["work".to_owned(), "a\nb".to_owned()],
        exclude_sensitive: true,
    };
    let lifetime = Some(prost_types::Duration { seconds: 0, nanos: 1_000 });
    let asked = v1::CreateKeyRequest { name: "A".to_owned(), grant: Some(grant), lifetime, ..Default::default() };
    let refused = access(&served).create_key(asked).await.unwrap_err();
    let fields = crate::common::fields(&refused);
    for field in ["name", "grant.operations[1]", "grant.tiers[1]", "grant.namespaces[1]", "lifetime"] {
        assert!(fields.iter().any(|found| found == field), "{field} is not in {fields:?}");
    }
    let listed = access(&served).list_keys(v1::ListKeysRequest::default()).await.unwrap().into_inner();
    assert!(listed.credentials.is_empty());
}

#[tokio::test]
async fn a_key_that_is_limited_to_some_memories_sees_no_others() {
    let served = required(Period::seconds(1)).await;
    let admin = key(&served, 1, ALL).await.reveal();
    let grant = v1::Grant {
        users: vec![USER.to_owned()],
        operations: (1..=6).collect(),
        namespaces: vec!["work".to_owned()],
        tiers: vec![v1::Tier::LongTerm.into()],
        exclude_sensitive: true,
    };
    let asked = v1::CreateKeyRequest { name: "desk".to_owned(), grant: Some(grant.clone()), ..Default::default() };
    let made = access(&served).create_key(shown(asked, &admin)).await.unwrap().into_inner();
    assert_eq!(made.credential.unwrap().grant.unwrap(), grant);
    let listed = access(&served).list_keys(shown(v1::ListKeysRequest::default(), &admin)).await.unwrap().into_inner();
    assert!(listed.credentials.iter().any(|one| one.grant.as_ref() == Some(&grant)));

    let in_namespace =
        |namespace: &str| v1::MemoryDraft { namespace: namespace.to_owned(), ..draft("the tea is green") };
    let store = async |draft: v1::MemoryDraft, key: &str| {
        let stored = served.memories().create_memory(shown(create(draft), key)).await?;
        Ok::<String, tonic::Status>(stored.into_inner().receipt.unwrap().id)
    };
    let hidden = store(in_namespace("home"), &admin).await.unwrap();
    let mine = store(in_namespace(""), &made.key).await.unwrap();
    let get = |id: &str| v1::GetMemoryRequest {
        user_id: USER.to_owned(),
        id: id.to_owned(),
        explain: true,
        ..Default::default()
    };
    let read = served.memories().get_memory(shown(get(&mine), &made.key)).await.unwrap().into_inner();
    let memory = read.memory.unwrap();
    assert_eq!(memory.namespace, "work", "what names no namespace goes to the only one that is granted");
    let why = read.score_explanation.unwrap();
    assert!(why.best_goal_id.is_empty() && why.inputs.keys().all(|name| !name.starts_with("goal")), "{why:?}");
    let absent = "mem_01980000-0000-7000-8000-000000000000".to_owned();
    for id in [&hidden, &absent] {
        let missing = served.memories().get_memory(shown(get(id), &made.key)).await.unwrap_err();
        assert_eq!((missing.code(), reason(&missing).1.as_str()), (Code::NotFound, "MEMORY_NOT_FOUND"));
    }
    let outside = [
        in_namespace("home"),
        v1::MemoryDraft { tier: v1::Tier::ShortTerm.into(), ..in_namespace("work") },
        v1::MemoryDraft {
            metadata: Some(v1::Metadata { sensitive: true, ..v1::Metadata::default() }),
            ..in_namespace("work")
        },
    ];
    for draft in outside {
        let refused = store(draft, &made.key).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).1.as_str()), (Code::PermissionDenied, "PERMISSION_DENIED"));
    }
    let query = v1::QueryMemoriesRequest {
        user_id: USER.to_owned(),
        query: "which tea is green?".to_owned(),
        ..v1::QueryMemoriesRequest::default()
    };
    let found = served.memories().query_memories(shown(query, &made.key)).await.unwrap().into_inner().results;
    let ids: Vec<String> = found.into_iter().filter_map(|one| one.memory).map(|memory| memory.id).collect();
    assert_eq!(ids, [mine]);
    let settings = v1::GetSettingsRequest { user_id: USER.to_owned() };
    let refused = served.settings().get_settings(shown(settings, &made.key)).await.unwrap_err();
    assert_eq!(reason(&refused).1, "PERMISSION_DENIED");
    let keys = access(&served).list_keys(shown(v1::ListKeysRequest::default(), &made.key)).await.unwrap_err();
    assert_eq!(reason(&keys).1, "PERMISSION_DENIED");
}

#[tokio::test]
async fn request_ids_belong_to_the_key_that_used_them() {
    let served = required(Period::seconds(1)).await;
    let (one, other) = (key(&served, 1, ALL).await.reveal(), key(&served, 2, ALL).await.reveal());
    let write = |key: &str, content: &str| {
        let request = v1::CreateMemoryRequest { request_id: "r".to_owned(), ..create(draft(content)) };
        let (mut memories, request) = (served.memories(), shown(request, key));
        async move { memories.create_memory(request).await.map(|answer| answer.into_inner().receipt.unwrap().id) }
    };
    let first = write(&one, "tea").await.unwrap();
    assert_eq!(write(&one, "tea").await.unwrap(), first, "repeated");
    assert_ne!(write(&other, "tea").await.unwrap(), first, "another key neither learns nor replays it");
    assert_eq!(reason(&write(&one, "coffee").await.unwrap_err()).1, "REQUEST_ID_REUSED");
    let user = UserId::parse(USER).unwrap();
    let begun = served.app.open_import(&user, "i").await.unwrap();
    assert_eq!(begun.next_index, 0);
}

#[tokio::test]
async fn json_says_401_with_the_scheme_and_403() {
    let served = required(Period::seconds(1)).await;
    let reader = key(&served, 1, Wanted { users: &[USER], can: &[Operation::Read], ..ALL }).await.reveal();
    let path = |user: &str| format!("/v1/users/{user}/settings");
    for shown in ["", "authorization: Bearer kmb_wrong\r\n", "authorization: Basic YTpi\r\n"] {
        let refused = send(&served, "GET", &path(USER), shown, "").await;
        assert_eq!((refused.status, refused.reason().as_str()), (401, "UNAUTHENTICATED"), "{shown}");
        assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
    }
    let twice = format!("authorization: Bearer {reader}\r\nauthorization: Bearer {reader}\r\n");
    assert_eq!(send(&served, "GET", &path(USER), &twice, "").await.status, 401, "one credential a request");
    let shown = format!("authorization: Bearer {reader}\r\n");
    assert_eq!(send(&served, "GET", &path(USER), &shown, "").await.status, 200);
    let (eve, absent) = (path("eve"), path("absent"));
    let (eve, absent) = (send(&served, "GET", &eve, &shown, "").await, send(&served, "GET", &absent, &shown, "").await);
    assert_eq!((eve.status, eve.reason().as_str()), (403, "PERMISSION_DENIED"));
    assert_eq!((eve.status, eve.body), (absent.status, absent.body));
    assert_eq!(send(&served, "GET", "/v1/server", "", "").await.status, 200);
    assert_eq!(send(&served, "GET", "/openapi.json", "", "").await.status, 200);
    assert_eq!(send(&served, "GET", "/no/such/path", "", "").await.status, 401, "strangers learn no paths");
}
