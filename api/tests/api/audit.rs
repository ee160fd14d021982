//! Stories of `AuditService`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::access::{Operation, UserPatterns};
use kimberly_core::audit::{
    ANCHORED, Actor, AuditEntry, AuditHead, AuditRecord, AuditVerifier, anchor_subject, hash_from_text, vault_log,
};

use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_core::{Timestamp, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::audit_service_client::AuditServiceClient;
use tokio_util::sync::CancellationToken;
use tonic::Request;
use tonic::transport::Channel;

use crate::access::show;
use crate::common::{Served, USER, conflict, create, draft, everything, fields, reason};

fn audit(served: &Served) -> AuditServiceClient<Channel> {
    AuditServiceClient::new(served.channel.clone())
}

async fn list(served: &Served, request: v1::ListAuditEntriesRequest) -> v1::ListAuditEntriesResponse {
    let request = v1::ListAuditEntriesRequest { user_id: USER.to_owned(), ..request };
    audit(served).list_audit_entries(request).await.unwrap().into_inner()
}

async fn verify(served: &Served, expected: Option<v1::AuditHead>) -> v1::VerifyAuditResponse {
    let request = v1::VerifyAuditRequest { user_id: USER.to_owned(), expected };
    audit(served).verify_audit(request).await.unwrap().into_inner()
}

async fn export(served: &Served, after: i64) -> Vec<v1::ExportAuditResponse> {
    let request = v1::ExportAuditRequest { user_id: USER.to_owned(), after };
    let mut stream = audit(served).export_audit(request).await.unwrap().into_inner();
    let mut pieces = Vec::new();
    while let Some(piece) = stream.message().await.unwrap() {
        pieces.push(piece);
    }
    pieces
}

fn head(head: &v1::AuditHead) -> AuditHead {
    AuditHead { no: head.number.unsigned_abs(), hash: hash_from_text(&head.hash).unwrap() }
}

fn record(entry: &v1::AuditEntry) -> AuditRecord {
    let at = entry.recorded_at.unwrap();
    let optional = |text: &String| (!text.is_empty()).then(|| text.clone());
    AuditRecord {
        no: entry.number.unsigned_abs(),
        at: Timestamp(at.seconds * 1_000_000 + i64::from(at.nanos) / 1_000),
        actor: entry.actor.clone(),
        action: entry.action.clone(),
        refused: optional(&entry.refused),
        subject: optional(&entry.subject),
        count: entry.count.unsigned_abs(),
        hash: hash_from_text(&entry.hash).unwrap(),
    }
}

#[tokio::test]
async fn what_was_done_is_listed_newest_first_and_by_what_it_says() {
    let served = Served::start().await;
    let first = served.remember("secret tea").await;
    served.remember("secret cake").await;
    let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: first.id.clone(), ..Default::default() };
    served.memories().delete_memory(delete.clone()).await.unwrap();
    let refused = v1::DeleteMemoryRequest { etag: "77".to_owned(), ..delete };
    served.memories().delete_memory(refused).await.unwrap_err();
    let all = list(&served, v1::ListAuditEntriesRequest::default()).await;
    let told: Vec<_> = all.entries.iter().map(|e| (e.number, e.action.as_str(), e.actor.as_str(), e.count)).collect();
    let expected = [(3, "memory.delete", "open", 1), (2, "memory.create", "open", 1), (1, "memory.create", "open", 1)];
    assert_eq!(told, expected, "what was refused changed nothing and is no entry");
    assert!(!format!("{all:?}").contains("secret"), "entries hold no content");
    let about = v1::ListAuditEntriesRequest { subject: first.id.clone(), ..Default::default() };
    assert_eq!(list(&served, about).await.entries.len(), 2);
    let deletes = v1::ListAuditEntriesRequest { action: "memory.delete".to_owned(), ..Default::default() };
    assert_eq!(list(&served, deletes).await.entries, all.entries[..1]);
    let nobody = v1::ListAuditEntriesRequest { actor: "nobody".to_owned(), ..Default::default() };
    assert!(list(&served, nobody).await.entries.is_empty());
    let page = list(&served, v1::ListAuditEntriesRequest { page_size: 2, ..Default::default() }).await;
    let next = v1::ListAuditEntriesRequest { page_token: page.next_page_token, page_size: 2, ..Default::default() };
    assert_eq!(list(&served, next).await.entries, all.entries[2..]);
}

#[tokio::test]
async fn a_whole_chain_is_found_whole_and_holds_the_heads_that_were_noted() {
    let served = Served::start().await;
    let empty = verify(&served, None).await;
    assert!(empty.intact && empty.entries == 0 && empty.head == empty.begins, "{empty:?}");
    served.remember("tea").await;
    let one = verify(&served, None).await;
    assert!(one.intact && one.entries == 1, "{one:?}");
    served.remember("cake").await;
    for noted in [empty.head.clone(), one.head.clone()] {
        assert!(verify(&served, noted).await.intact);
    }
    let other = v1::AuditHead { hash: empty.head.unwrap().hash, ..one.head.clone().unwrap() };
    let found = verify(&served, Some(other)).await;
    assert!(!found.intact && found.found == 1);
    assert_eq!((found.findings[0].kind(), found.findings[0].first), (v1::AuditFindingKind::Rewritten, 1));
    let ahead = v1::AuditHead { number: 9, ..one.head.unwrap() };
    let found = verify(&served, Some(ahead)).await.findings;
    assert_eq!((found[0].kind(), found[0].first, found[0].last), (v1::AuditFindingKind::Truncated, 3, 9));
}

#[tokio::test]
async fn a_vault_is_held_to_what_the_audit_of_the_system_tells_of_it() {
    let served = Served::start().await;
    served.remember("tea").await;
    let user = UserId::parse(USER).unwrap();
    let system = served.store.audit();
    served.app.anchor_audit(&user, &*system).await.unwrap();
    served.remember("more tea").await;
    let held = verify(&served, None).await;
    assert!(held.intact && held.anchors == 1, "{held:?}");
    // As if another vault had been in its place.
    let told = |log: &str, no| {
        let subject = Some(anchor_subject(log, &AuditHead { no, hash: [7; 32] }));
        let (at, actor) = (Timestamp(0), Actor::System);
        AuditEntry { at, actor, action: ANCHORED, refused: None, subject, count: 1 }
    };
    let log = vault_log(&user);
    system.append(vec![told(&log, 2), told("vault:another", 1), told(&log, 9)]).await.unwrap();
    let held = verify(&served, None).await;
    assert!(!held.intact && held.anchors == 3, "{held:?}");
    let found = held.findings.iter().map(|found| (found.kind(), found.first, found.last, found.system_entry));
    let (rewritten, truncated) = (v1::AuditFindingKind::Rewritten, v1::AuditFindingKind::Truncated);
    assert_eq!(found.collect::<Vec<_>>(), [(rewritten, 2, 2, 2), (truncated, 3, 9, 4)]);
    let of_system = audit(&served).verify_audit(v1::VerifyAuditRequest::default()).await.unwrap().into_inner();
    assert!(of_system.intact && of_system.anchors == 0, "{of_system:?}");
}

#[tokio::test]
async fn an_export_is_checked_by_the_one_who_has_it() {
    let served = Served::start().await;
    for n in 0..5 {
        served.remember(&format!("memory {n}")).await;
    }
    let name = UserId::parse(USER).unwrap().folder_name();
    for after in [0, 2, 5] {
        let pieces = export(&served, after).await;
        let section = pieces[0].section.clone().unwrap();
        let begins = head(section.begins.as_ref().unwrap());
        assert_eq!((section.log.as_str(), section.last), (format!("vault:{name}").as_str(), 5));
        assert!(pieces[0].entries.is_empty() && pieces[1..].iter().all(|piece| piece.section.is_none()));
        let mut verifier = AuditVerifier::new(begins);
        for entry in pieces.iter().flat_map(|piece| &piece.entries) {
            verifier.push(&record(entry));
        }
        let outcome = verifier.finish(5);
        assert!(outcome.is_intact(), "{outcome:?}");
        assert_eq!(outcome.entries, 5 - after.unsigned_abs());
    }
}

#[tokio::test]
async fn audits_out_of_bounds_are_refused_with_their_field() {
    let served = Served::start().await;
    served.remember("tea").await;
    let long = v1::ListAuditEntriesRequest {
        user_id: USER.to_owned(),
        actor: "x".repeat(257),
        subject: "x".repeat(256),
        ..Default::default()
    };
    assert_eq!(fields(&audit(&served).list_audit_entries(long).await.unwrap_err()), ["actor"]);
    let noted = v1::AuditHead { number: 1, hash: "0".repeat(63) };
    let request = v1::VerifyAuditRequest { user_id: USER.to_owned(), expected: Some(noted) };
    assert_eq!(fields(&audit(&served).verify_audit(request).await.unwrap_err()), ["expected.hash"]);
    for after in [-1, 2, i64::MAX] {
        let request = v1::ExportAuditRequest { user_id: USER.to_owned(), after };
        let refused = match audit(&served).export_audit(request).await {
            Ok(stream) => stream.into_inner().message().await.unwrap_err(),
            Err(refused) => refused,
        };
        if after < 0 {
            assert_eq!(fields(&refused), ["after"]);
        } else {
            assert_eq!(conflict(&refused), "after", "{after} is not there yet");
        }
    }
    let nobody = v1::VerifyAuditRequest { user_id: "x".repeat(129), expected: None };
    assert_eq!(fields(&audit(&served).verify_audit(nobody).await.unwrap_err()), ["user_id"]);
}

#[tokio::test]
async fn users_see_their_own_audit_alone() {
    let served = Served::start().await;
    served.remember("tea").await;
    let request = v1::ListAuditEntriesRequest { user_id: "eve".to_owned(), ..Default::default() };
    assert!(audit(&served).list_audit_entries(request).await.unwrap().into_inner().entries.is_empty());
    let request = v1::VerifyAuditRequest { user_id: "eve".to_owned(), expected: None };
    let of_eve = audit(&served).verify_audit(request).await.unwrap().into_inner();
    assert_eq!(of_eve.entries, 0);
    let page = list(&served, v1::ListAuditEntriesRequest { page_size: 1, ..Default::default() }).await;
    assert_ne!(of_eve.head.unwrap().hash, page.entries[0].hash);
}

/// Creates a key with all permissions for an agent.
async fn agent(served: &Served, name: &str) -> String {
    served.make_key(CreateKeyInput { agent: true, ..everything(name, 9) }).await
}

fn shown<M>(message: M, key: Option<&str>) -> Request<M> {
    let mut request = Request::new(message);
    show(&mut request, key);
    request
}

/// Writes everything that waits to be written.
async fn written(served: &Served) {
    let stop = CancellationToken::new();
    stop.cancel();
    Arc::clone(&served.api.touches).run(served.app.clone(), Duration::from_hours(1), stop).await;
}

#[tokio::test]
async fn entries_name_the_caller_and_tell_who_read() {
    let served = Served::start().await;
    let (shop, mia) = (served.key("shop", 1).await, agent(&served, "mia").await);
    let stored = served.memories().create_memory(shown(create(draft("secret tea")), Some(&shop))).await.unwrap();
    let id = stored.into_inner().receipt.unwrap().id;
    let get = v1::GetMemoryRequest { user_id: USER.to_owned(), id: id.clone(), explain: false, ..Default::default() };
    // A subject that is not an id could be any text, which an agent could thus place in the audit.
    let no_id = v1::GetMemoryRequest { id: "secret tea".to_owned(), ..get.clone() };
    served.memories().get_memory(shown(no_id, Some(&mia))).await.unwrap_err();
    for key in [Some(&shop), Some(&mia), None, Some(&shop), Some(&mia), Some(&shop)] {
        served.memories().get_memory(shown(get.clone(), key.map(String::as_str))).await.unwrap();
    }
    // Streams and failed lookups count as reads too. A read creates no vault.
    let export = v1::ExportMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
    served.memories().export_memories(shown(export, Some(&mia))).await.unwrap().into_inner().message().await.unwrap();
    let nobody = v1::GetMemoryRequest { user_id: "nobody".to_owned(), ..get };
    served.memories().get_memory(nobody).await.unwrap_err();
    written(&served).await;
    assert_eq!(served.store.registry().count_users().await.unwrap(), 1);
    let entries = list(&served, v1::ListAuditEntriesRequest::default()).await.entries;
    let mut told: Vec<_> =
        entries.iter().map(|e| (e.actor.as_str(), e.action.as_str(), e.count, e.subject.as_str())).collect();
    told.sort_unstable();
    let expected = [
        ("agent:mia", "MemoryService/ExportMemories", 1, ""),
        ("agent:mia", "MemoryService/GetMemory", 1, ""),
        ("agent:mia", "MemoryService/GetMemory", 1, id.as_str()),
        ("agent:mia", "MemoryService/GetMemory", 1, id.as_str()),
        ("key:shop", "MemoryService/GetMemory", 3, ""),
        ("key:shop", "memory.create", 1, id.as_str()),
        ("open", "MemoryService/GetMemory", 1, ""),
    ];
    assert_eq!(told, expected);
    assert!(!format!("{entries:?}").contains("secret"));
    let verdict = verify(&served, None).await;
    assert!(verdict.intact && verdict.entries == 7, "{verdict:?}");
}

#[tokio::test]
async fn the_system_tells_of_keys_and_of_what_was_refused() {
    let served = Served::start().await;
    let admin = served.key("admin", 1).await;
    let ada = UserPatterns::parse("users", &[USER]).unwrap();
    let reader =
        CreateKeyInput { users: ada, operations: [Operation::Read].into_iter().collect(), ..everything("reader", 9) };
    let reader = served.make_key(reader).await;
    let get = |user: &str| v1::GetMemoryRequest {
        user_id: user.to_owned(),
        id: "mem_x".to_owned(),
        explain: false,
        ..Default::default()
    };
    for _ in 0..2 {
        let refused = served.memories().get_memory(shown(get("eve"), Some(&reader))).await.unwrap_err();
        assert_eq!(reason(&refused).1, "PERMISSION_DENIED");
    }
    let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: "mem_x".to_owned(), ..Default::default() };
    served.memories().delete_memory(shown(delete, Some(&reader))).await.unwrap_err();
    served.memories().get_memory(shown(get(USER), Some("kmb_wrong"))).await.unwrap_err();
    let of_system = || v1::ListAuditEntriesRequest::default();
    let refused = audit(&served).list_audit_entries(shown(of_system(), Some(&reader))).await.unwrap_err();
    assert_eq!(reason(&refused).1, "PERMISSION_DENIED");
    let stop = CancellationToken::new();
    stop.cancel();
    Arc::clone(&served.api.refusals).run(served.store.audit(), stop).await;

    let listed = audit(&served).list_audit_entries(shown(of_system(), Some(&admin))).await.unwrap().into_inner();
    let entries = listed.entries;
    let mut told: Vec<_> =
        entries.iter().map(|e| (e.actor.as_str(), e.action.as_str(), e.refused.as_str(), e.count)).collect();
    told.sort_unstable();
    let expected = [
        ("key:reader", "AuditService/ListAuditEntries", "PERMISSION_DENIED", 1),
        ("key:reader", "MemoryService/DeleteMemory", "PERMISSION_DENIED", 1),
        ("key:reader", "MemoryService/GetMemory", "PERMISSION_DENIED", 2),
        ("system", "key.create", "", 1),
        ("system", "key.create", "", 1),
        ("unknown", "access.authenticate", "UNAUTHENTICATED", 1),
    ];
    assert_eq!(told, expected);
    let about = entries.iter().find(|entry| entry.action == "MemoryService/GetMemory").unwrap();
    assert_eq!(about.subject, format!("vault:{}", UserId::parse("eve").unwrap().folder_name()));
    let check = v1::VerifyAuditRequest::default();
    let verdict = audit(&served).verify_audit(shown(check, Some(&admin))).await.unwrap().into_inner();
    assert!(verdict.intact && verdict.entries == 6, "{verdict:?}");
    let export = shown(v1::ExportAuditRequest::default(), Some(&admin));
    let first = audit(&served).export_audit(export).await.unwrap().into_inner().message().await.unwrap().unwrap();
    assert!(first.section.unwrap().log.starts_with("system:"));
}
