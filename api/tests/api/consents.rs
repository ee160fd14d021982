//! Stories of `ConsentService`, and of memories that need a consent.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use crate::common::{Served, USER, conflict, create, draft, fields, mask, reason};
use kimberly_proto::v1;
use tonic::{Code, Status};

fn sensitive(content: &str) -> v1::MemoryDraft {
    v1::MemoryDraft { metadata: Some(v1::Metadata { sensitive: true, ..Default::default() }), ..draft(content) }
}

fn grant(purpose: &str, scope: v1::ConsentScope) -> v1::GrantConsentRequest {
    let consent = v1::Consent { purpose: purpose.to_owned(), scope: Some(scope), ..Default::default() };
    v1::GrantConsentRequest { user_id: USER.to_owned(), consent: Some(consent), ..Default::default() }
}

fn retract(id: &str, retraction: v1::Retraction) -> v1::RetractConsentRequest {
    let (user_id, id) = (USER.to_owned(), id.to_owned());
    v1::RetractConsentRequest { user_id, id, retraction: retraction.into(), request_id: String::new() }
}

async fn granted(served: &Served, scope: v1::ConsentScope) -> v1::Consent {
    let answer = served.consents().grant_consent(grant("care", scope)).await.unwrap().into_inner();
    answer.consent.unwrap()
}

/// Returns why a memory was refused: field and reason.
#[track_caller]
fn why(refused: Result<v1::MemoryReceipt, Status>) -> (String, String) {
    let (code, name, metadata) = reason(&refused.unwrap_err());
    assert_eq!((code, name.as_str()), (Code::FailedPrecondition, "CONSENT_REQUIRED"));
    (metadata["field"].clone(), metadata["why"].clone())
}

#[tokio::test]
async fn a_sensitive_memory_is_refused_for_a_precise_reason_until_a_consent_holds_it() {
    let served = Served::start().await;
    let of = |why: &str| ("memory".to_owned(), why.to_owned());
    let claimed = v1::MemoryDraft { consent: true, ..sensitive("a diagnosis") };
    assert_eq!(why(served.create(create(claimed)).await), of("none"), "a flag alone is not enough");
    let permanent = v1::ConsentScope { tiers: vec![v1::Tier::Permanent.into()], ..Default::default() };
    let narrow = granted(&served, permanent).await;
    assert_eq!(why(served.create(create(sensitive("a diagnosis"))).await), of("scope"));
    let named = |id: &str| v1::MemoryDraft { consent_id: id.to_owned(), ..sensitive("a diagnosis") };
    assert_eq!(why(served.create(create(named(&narrow.id))).await), of("scope"));
    let unknown = "con_01920000-0000-7000-8000-000000000001";
    assert_eq!(why(served.create(create(named(unknown))).await), of("unknown"));
    assert_eq!(fields(&served.create(create(named("con_1"))).await.unwrap_err()), ["memory.consent_id"]);

    let wide = granted(&served, v1::ConsentScope::default()).await;
    let receipt = served.create(create(sensitive("a diagnosis"))).await.unwrap();
    let stored = served.get(&receipt.id).await.unwrap();
    assert_eq!((stored.consent_id, stored.audit.unwrap().consent), (wide.id.clone(), true));
    served.consents().retract_consent(retract(&wide.id, v1::Retraction::Seal)).await.unwrap();
    assert_eq!(why(served.create(create(sensitive("another"))).await), of("retracted"));
    assert_eq!(why(served.create(create(named(&wide.id))).await), of("retracted"));

    let batch = v1::BatchCreateMemoriesRequest {
        user_id: USER.to_owned(),
        memories: vec![draft("plain"), sensitive("not plain")],
        request_id: String::new(),
        always_new: false,
    };
    let refused = served.memories().batch_create_memories(batch).await.map(|_| v1::MemoryReceipt::default());
    assert_eq!(why(refused), ("memories[1]".to_owned(), "retracted".to_owned()));
}

#[tokio::test]
async fn an_update_needs_the_consent_that_storing_would_need() {
    let served = Served::start().await;
    let plain = served.remember("my blood pressure").await;
    let update = |memory: v1::MemoryDraft, paths: &[&str]| v1::UpdateMemoryRequest {
        user_id: USER.to_owned(),
        id: plain.id.clone(),
        memory: Some(memory),
        update_mask: Some(mask(paths)),
        ..Default::default()
    };
    let send =
        |request| async { served.memories().update_memory(request).await.map(|a| a.into_inner().receipt.unwrap()) };
    assert_eq!(why(send(update(sensitive(""), &["metadata.sensitive"])).await).1, "none");
    let clinic = v1::ConsentScope { namespaces: vec!["clinic".to_owned()], ..Default::default() };
    let consent = granted(&served, clinic).await;
    assert_eq!(why(send(update(sensitive(""), &["metadata.sensitive"])).await).1, "scope");
    let moved = v1::MemoryDraft { namespace: "clinic".to_owned(), ..sensitive("") };
    send(update(moved, &["metadata.sensitive", "namespace"])).await.unwrap();
    assert_eq!(served.get(&plain.id).await.unwrap().consent_id, consent.id);
    let away = v1::MemoryDraft { namespace: "home".to_owned(), ..Default::default() };
    assert_eq!(why(send(update(away.clone(), &["namespace"])).await).1, "scope", "it would leave what was agreed to");
    let home = granted(&served, v1::ConsentScope { namespaces: vec!["home".to_owned()], ..Default::default() }).await;
    send(update(away, &["namespace"])).await.unwrap();
    assert_eq!(served.get(&plain.id).await.unwrap().consent_id, home.id, "another consent holds it there");
}

#[tokio::test]
async fn a_retracted_consent_hides_what_is_under_it_and_a_new_one_brings_it_back() {
    let served = Served::start().await;
    let first = granted(&served, v1::ConsentScope::default()).await;
    let secret = served.create(create(sensitive("the diagnosis"))).await.unwrap();
    let other = served.remember("tea is good").await;
    let done = served.consents().retract_consent(retract(&first.id, v1::Retraction::Seal)).await.unwrap().into_inner();
    assert_eq!((done.withheld, done.erased, done.left), (1, 0, 0));
    let record = done.consent.unwrap();
    assert_eq!((record.status(), record.retraction()), (v1::ConsentStatus::Retracted, v1::Retraction::Seal));
    assert_eq!((record.retracted_by.as_str(), record.recorded_by.as_str()), ("open", "open"));
    let missing = reason(&served.get(&secret.id).await.unwrap_err());
    let absent = served.get("mem_01920000-0000-7000-8000-000000000001").await.unwrap_err();
    assert_eq!((missing.0, missing.1), (reason(&absent).0, reason(&absent).1), "as if it had never been there");
    let list = v1::ListMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
    let listed = served.memories().list_memories(list).await.unwrap().into_inner().memories;
    assert_eq!(listed.iter().map(|memory| memory.id.as_str()).collect::<Vec<_>>(), [other.id.as_str()]);
    assert!(exported(&served, false).await == 1 && exported(&served, true).await == 2);

    let again = served.consents().retract_consent(retract(&first.id, v1::Retraction::Unspecified)).await.unwrap();
    assert_eq!(again.into_inner().withheld, 0);
    let release = v1::GrantConsentRequest {
        release_withheld: vec![first.id.clone()],
        ..grant("care", v1::ConsentScope::default())
    };
    let second = served.consents().grant_consent(release.clone()).await.unwrap().into_inner();
    assert_eq!(second.released, 1);
    let back = served.get(&secret.id).await.unwrap();
    assert_eq!((back.consent_id, back.content.as_str()), (second.consent.unwrap().id, "the diagnosis"));
    let active = v1::GrantConsentRequest { release_withheld: vec![back_id(&served).await], ..release };
    assert_eq!(conflict(&served.consents().grant_consent(active).await.unwrap_err()), "release_withheld[0]");
    let history = v1::ListConsentsRequest { user_id: USER.to_owned(), include_retracted: true, ..Default::default() };
    let history = served.consents().list_consents(history).await.unwrap().into_inner().consents;
    assert_eq!(history.len(), 2, "the past stays");
}

/// Returns the id of the newest consent.
async fn back_id(served: &Served) -> String {
    let list = v1::ListConsentsRequest { user_id: USER.to_owned(), page_size: 1, ..Default::default() };
    served.consents().list_consents(list).await.unwrap().into_inner().consents.remove(0).id
}

async fn exported(served: &Served, include_withheld: bool) -> usize {
    let request = v1::ExportMemoriesRequest { user_id: USER.to_owned(), include_withheld, ..Default::default() };
    let mut pieces = served.memories().export_memories(request).await.unwrap().into_inner();
    let mut count = 0;
    while let Some(piece) = pieces.message().await.unwrap() {
        count += piece.records.len();
    }
    count
}

#[tokio::test]
async fn what_a_sealing_withheld_can_still_be_erased_but_not_the_other_way_round() {
    let served = Served::start().await;
    let kept = granted(&served, v1::ConsentScope::default()).await;
    let secret = served.create(create(sensitive("the diagnosis"))).await.unwrap();
    served.consents().retract_consent(retract(&kept.id, v1::Retraction::Seal)).await.unwrap();
    let purged =
        served.consents().retract_consent(retract(&kept.id, v1::Retraction::Purge)).await.unwrap().into_inner();
    assert_eq!((purged.withheld, purged.erased, purged.left), (0, 1, 0));
    assert_eq!(purged.consent.unwrap().etag, "3");
    assert_eq!(reason(&served.get(&secret.id).await.unwrap_err()).1, "MEMORY_NOT_FOUND");
    assert_eq!(exported(&served, true).await, 0);
    let back = served.consents().retract_consent(retract(&kept.id, v1::Retraction::Seal)).await.unwrap_err();
    assert_eq!(conflict(&back), "retraction");
    let unknown = retract("con_01920000-0000-7000-8000-000000000001", v1::Retraction::Purge);
    let unknown = served.consents().retract_consent(unknown).await.unwrap_err();
    assert_eq!((reason(&unknown).0, reason(&unknown).1.as_str()), (Code::NotFound, "CONSENT_NOT_FOUND"));
}

#[tokio::test]
async fn a_users_setting_says_what_a_retraction_does_unless_the_request_does() {
    let served = Served::start().await;
    let set = v1::UpdateSettingsRequest {
        user_id: USER.to_owned(),
        user_settings: Some(v1::UserSettings { consent_retraction: v1::Retraction::Seal.into(), ..Default::default() }),
        update_mask: Some(mask(&["consent_retraction"])),
        ..Default::default()
    };
    let held = served.settings().update_settings(set).await.unwrap().into_inner().effective.unwrap();
    let held = held.consent_retraction.unwrap();
    assert_eq!((held.value(), held.origin()), (v1::Retraction::Seal, v1::SettingOrigin::User));
    for (asked, done) in
        [(v1::Retraction::Unspecified, v1::Retraction::Seal), (v1::Retraction::Purge, v1::Retraction::Purge)]
    {
        let consent = granted(&served, v1::ConsentScope::default()).await;
        let answer = served.consents().retract_consent(retract(&consent.id, asked)).await.unwrap().into_inner();
        assert_eq!(answer.consent.unwrap().retraction(), done);
    }
}

#[tokio::test]
async fn writes_are_answered_again_under_their_request_id() {
    let served = Served::start().await;
    let request = v1::GrantConsentRequest { request_id: "g".to_owned(), ..grant("care", v1::ConsentScope::default()) };
    let first = served.consents().grant_consent(request.clone()).await.unwrap().into_inner();
    assert_eq!(served.consents().grant_consent(request.clone()).await.unwrap().into_inner(), first);
    let other = v1::GrantConsentRequest { request_id: "g".to_owned(), ..grant("ads", v1::ConsentScope::default()) };
    assert_eq!(reason(&served.consents().grant_consent(other).await.unwrap_err()).1, "REQUEST_ID_REUSED");
    served.create(create(sensitive("the diagnosis"))).await.unwrap();
    let id = first.consent.unwrap().id;
    let request = v1::RetractConsentRequest { request_id: "r".to_owned(), ..retract(&id, v1::Retraction::Purge) };
    let done = served.consents().retract_consent(request.clone()).await.unwrap().into_inner();
    assert_eq!((done.erased, served.consents().retract_consent(request).await.unwrap().into_inner()), (1, done));
}

#[tokio::test]
async fn exported_records_come_back_and_never_take_a_retraction_back() {
    let served = Served::start().await;
    let consent = granted(&served, v1::ConsentScope::default()).await;
    let import = |user: &str, consents: Vec<v1::Consent>| {
        let request = v1::ImportConsentsRequest { user_id: user.to_owned(), consents };
        async { served.consents().import_consents(request).await.map(tonic::Response::into_inner) }
    };
    let first = import("bob", vec![consent.clone()]).await.unwrap();
    assert_eq!((first.imported, first.known), (1, 0));
    let get = v1::GetConsentRequest { user_id: "bob".to_owned(), id: consent.id.clone() };
    assert_eq!(served.consents().get_consent(get.clone()).await.unwrap().into_inner().consent.unwrap(), consent);
    let bobs = v1::RetractConsentRequest { user_id: "bob".to_owned(), ..retract(&consent.id, v1::Retraction::Purge) };
    served.consents().retract_consent(bobs).await.unwrap();
    let again = import("bob", vec![consent.clone()]).await.unwrap();
    assert_eq!((again.imported, again.known), (0, 1));
    let kept = served.consents().get_consent(get).await.unwrap().into_inner().consent.unwrap();
    assert_eq!(kept.status(), v1::ConsentStatus::Retracted);
    // The longest name that a token can have.
    let long = v1::Consent {
        id: "con_01920000-0000-7000-8000-000000000001".to_owned(),
        recorded_by: format!("jwt:{}", "s".repeat(128)),
        ..consent.clone()
    };
    assert_eq!(import("bob", vec![long.clone()]).await.unwrap().imported, 1);
    let longer = v1::Consent { recorded_by: format!("{}s", long.recorded_by), ..long };
    assert_eq!(fields(&import("bob", vec![longer]).await.unwrap_err()), ["consents[0].recorded_by"]);
    let wrong = v1::Consent { purpose: String::new(), granted_at: None, ..consent.clone() };
    let refused = import("bob", vec![consent.clone(), wrong]).await.unwrap_err();
    assert_eq!(fields(&refused), ["consents[1].granted_at"]);
    assert_eq!(fields(&import("bob", vec![consent.clone(), consent.clone()]).await.unwrap_err()), ["consents[1].id"]);
    for count in [0, 101] {
        assert_eq!(fields(&import("bob", vec![consent.clone(); count]).await.unwrap_err()), ["consents"]);
    }
}

#[tokio::test]
async fn a_bounded_number_of_consents_is_active() {
    let served = Served::start().await;
    for _ in 0..100 {
        granted(&served, v1::ConsentScope::default()).await;
    }
    let refused = served.consents().grant_consent(grant("care", v1::ConsentScope::default())).await.unwrap_err();
    let (code, name, metadata) = reason(&refused);
    assert_eq!((code, name.as_str(), metadata["limit"].as_str()), (Code::FailedPrecondition, "LIMIT_REACHED", "100"));
    let newest = back_id(&served).await;
    served.consents().retract_consent(retract(&newest, v1::Retraction::Purge)).await.unwrap();
    granted(&served, v1::ConsentScope::default()).await;
}

#[tokio::test]
async fn a_retraction_that_is_imported_hides_what_is_under_the_record_and_erases_nothing() {
    let served = Served::start().await;
    let consent = granted(&served, v1::ConsentScope::default()).await;
    let secret = served.create(create(sensitive("the diagnosis"))).await.unwrap();
    let elsewhere = v1::Consent {
        retracted_at: consent.granted_at,
        retracted_by: "ada".to_owned(),
        retraction: v1::Retraction::Purge.into(),
        ..consent.clone()
    };
    for (imported, known) in [(0, 1), (0, 1)] {
        let request = v1::ImportConsentsRequest { user_id: USER.to_owned(), consents: vec![elsewhere.clone()] };
        let answer = served.consents().import_consents(request).await.unwrap().into_inner();
        assert_eq!((answer.imported, answer.known), (imported, known));
    }
    let get = v1::GetConsentRequest { user_id: USER.to_owned(), id: consent.id.clone() };
    let kept = served.consents().get_consent(get).await.unwrap().into_inner().consent.unwrap();
    assert_eq!((kept.status(), kept.retraction()), (v1::ConsentStatus::Retracted, v1::Retraction::Seal));
    assert_eq!(served.get(&secret.id).await.unwrap_err().code(), Code::NotFound);
    assert!(exported(&served, false).await == 0 && exported(&served, true).await == 1);
    let erased = served.consents().retract_consent(retract(&consent.id, v1::Retraction::Purge)).await.unwrap();
    assert_eq!(erased.into_inner().erased, 1, "who may delete may erase it after");
}

#[tokio::test]
async fn a_memory_is_not_taken_out_from_under_its_consent() {
    let served = Served::start().await;
    let consent = granted(&served, v1::ConsentScope::default()).await;
    let secret = served.create(create(sensitive("the diagnosis"))).await.unwrap();
    let update = |memory: v1::MemoryDraft, paths: &[&str]| {
        let request = v1::UpdateMemoryRequest {
            user_id: USER.to_owned(),
            id: secret.id.clone(),
            memory: Some(memory),
            update_mask: Some(mask(paths)),
            ..Default::default()
        };
        async { served.memories().update_memory(request).await.map(|answer| answer.into_inner().receipt.unwrap()) }
    };
    let refused = update(draft(""), &["metadata.sensitive", "consent_id"]).await.unwrap_err();
    assert_eq!(conflict(&refused), "memory.consent_id");
    update(draft(""), &["metadata.sensitive"]).await.unwrap();
    update(v1::MemoryDraft { consent: false, ..draft("") }, &["consent"]).await.unwrap();
    let stored = served.get(&secret.id).await.unwrap();
    assert_eq!((stored.consent_id, stored.audit.unwrap().consent), (consent.id.clone(), true));
    let done = served.consents().retract_consent(retract(&consent.id, v1::Retraction::Purge)).await.unwrap();
    assert_eq!(done.into_inner().erased, 1, "also what is not sensitive any more");
}
