//! Imports: what is stored, what is refused, and how they continue.

use futures::TryStreamExt as _;
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_runtime::config::ApiConfig;
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use super::{Answered, Item, Outcome, drafts, import, import_all, item, lived_in, records, small_quotas, start};
use crate::common::{Served, USER, create, draft, fields, reason};

#[tokio::test]
async fn import_stores_good_items_and_says_what_is_wrong_with_others() {
    let served = Served::start().await;
    let mut items = drafts(0..4);
    items[1] = item(1, Item::Draft(draft(" ")));
    items[2] = v1::ImportMemoriesRequest { message: Some(Message::Item(v1::ImportItem { index: 2, memory: None })) };
    let sensitive = Some(v1::Metadata { sensitive: true, ..Default::default() });
    items.push(item(4, Item::Draft(v1::MemoryDraft { metadata: sensitive, ..draft("private") })));
    items.push(item(5, Item::Record(v1::MemoryRecord::default())));
    let answered = import_all(&served, USER, "mixed", items).await;
    answered.end.as_ref().unwrap();
    assert_eq!((answered.next_index, answered.results.len(), answered.stored()), (6, 6, 2));
    let indices: Vec<i64> = answered.results.iter().map(|result| result.index).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4, 5]);
    for index in [1, 2, 5] {
        assert_eq!(answered.refusal(index), (Code::InvalidArgument, "INVALID_FIELD".to_owned()), "{index}");
    }
    assert_eq!(answered.refusal(4), (Code::FailedPrecondition, "CONSENT_REQUIRED".to_owned()));
    assert_eq!((answered.refused_before, records(&served, USER).await.len()), (0, 2));
    // When opened again, the import reports the items that were refused before.
    let record = another_under_the_id_of(&records(&served, USER).await[0]);
    let again = import_all(&served, USER, "mixed", vec![item(6, Item::Record(record))]).await;
    assert_eq!((again.began_at, again.refused_before), (6, 4));
    assert_eq!(again.refusal(6), (Code::AlreadyExists, "MEMORY_EXISTS".to_owned()));
    assert_eq!(import_all(&served, USER, "mixed", Vec::new()).await.refused_before, 5);
    assert_eq!(import_all(&served, USER, "another", Vec::new()).await.refused_before, 0);
}

#[tokio::test]
async fn an_import_ends_where_a_consent_is_missing_and_goes_on_once_it_is_recorded() {
    let served = Served::start().await;
    let sensitive = |content: &str| {
        let metadata = Some(v1::Metadata { sensitive: true, ..Default::default() });
        v1::MemoryDraft { metadata, ..draft(content) }
    };
    let items = || vec![item(0, Item::Draft(draft("plain"))), item(1, Item::Draft(sensitive("private")))];
    let stopping = |id: &str| {
        let start = v1::ImportStart { user_id: USER.to_owned(), import_id: id.to_owned(), ..Default::default() };
        vec![v1::ImportMemoriesRequest { message: Some(Message::Start(start)) }]
    };
    let cut = import(&served, [stopping("i"), items()].concat()).await;
    assert_eq!(reason(&cut.end.unwrap_err()).1, "CONSENT_REQUIRED");
    assert_eq!(cut.next_index, 1, "what came before is stored");
    let consent = v1::Consent { purpose: "care".to_owned(), ..Default::default() };
    let grant = v1::GrantConsentRequest { user_id: USER.to_owned(), consent: Some(consent), ..Default::default() };
    let given = served.consents().grant_consent(grant).await.unwrap().into_inner().consent.unwrap();
    let whole = import(&served, [stopping("i"), items()].concat()).await;
    whole.end.unwrap();
    assert_eq!((whole.began_at, whole.next_index, whole.refused_before), (1, 2, 0));
    assert_eq!(records(&served, USER).await.len(), 2);

    // A draft under a retracted consent can never be stored, so it is refused and the import continues.
    let (user_id, id) = (USER.to_owned(), given.id.clone());
    let retraction = v1::Retraction::Seal.into();
    let retract = v1::RetractConsentRequest { user_id, id, retraction, request_id: String::new() };
    served.consents().retract_consent(retract).await.unwrap();
    let named = v1::MemoryDraft { consent_id: given.id, ..sensitive("under it") };
    let items = vec![item(0, Item::Draft(named)), item(1, Item::Draft(draft("plain")))];
    let on = import(&served, [stopping("j"), items].concat()).await;
    on.end.as_ref().unwrap();
    assert_eq!((on.next_index, on.stored()), (2, 1));
    assert_eq!(on.refusal(0).1, "CONSENT_REQUIRED");
}

/// Returns another record with the same id.
fn another_under_the_id_of(there: &v1::MemoryRecord) -> v1::MemoryRecord {
    let mut other = there.clone();
    other.memory.as_mut().unwrap().content = String::from("another");
    other
}

#[tokio::test]
async fn import_that_is_cut_goes_on_where_it_was() {
    let served = Served::start().await;
    let (send, receive) = mpsc::channel(16);
    let mut answers = served.memories().import_memories(ReceiverStream::new(receive)).await.unwrap().into_inner();
    send.send(start(USER, "cut")).await.unwrap();
    assert_eq!(answers.message().await.unwrap().unwrap().next_index, 0);
    for one in drafts(0..3) {
        send.send(one).await.unwrap();
    }
    let mut next = 0;
    while next < 3 {
        next = answers.message().await.unwrap().unwrap().next_index;
    }
    drop((send, answers));
    // All items again, some of them, or just the rest: nothing is stored twice.
    for from in [0, 2, 3] {
        let to = from + 5;
        let answered = import_all(&served, USER, "cut", drafts(from..to)).await;
        answered.end.as_ref().unwrap();
        assert_eq!(answered.next_index, to);
    }
    let contents: Vec<_> =
        records(&served, USER).await.into_iter().map(|record| record.memory.unwrap().content).collect();
    let expected: Vec<_> = (0..8).map(|n| format!("memory {n} of the import")).collect();
    assert_eq!(contents, expected);
}

#[tokio::test]
async fn import_out_of_order_is_refused_and_what_came_before_is_stored() {
    let served = Served::start().await;
    let order = |answered: &Answered| {
        let status = answered.end.as_ref().unwrap_err();
        let (code, name, _) = reason(status);
        assert_eq!((code, name.as_str()), (Code::InvalidArgument, "STREAM_ORDER"));
        status.message().to_owned()
    };
    let gap = [drafts(0..2), drafts(3..4)].concat();
    let answered = import_all(&served, USER, "gap", gap).await;
    assert!(order(&answered).contains("index 2 was expected"));
    assert_eq!((answered.next_index, answered.stored()), (2, 2));
    order(&import(&served, drafts(0..1)).await);
    order(&import(&served, Vec::new()).await);
    order(&import(&served, vec![start(USER, "twice"), start(USER, "twice")]).await);
    order(&import_all(&served, USER, "ahead", drafts(1..2)).await);
    order(&import_all(&served, USER, "empty", vec![v1::ImportMemoriesRequest::default()]).await);
    for (user, id, field) in
        [(" ada", "x", "user_id"), (USER, "", "start.import_id"), (USER, "a\nb", "start.import_id")]
    {
        assert_eq!(fields(&import_all(&served, user, id, Vec::new()).await.end.unwrap_err()), [field]);
    }
    let longest = "x".repeat(128);
    import_all(&served, USER, &longest, Vec::new()).await.end.unwrap();
    let too_long = import_all(&served, USER, &format!("{longest}x"), Vec::new()).await;
    assert_eq!(fields(&too_long.end.unwrap_err()), ["start.import_id"]);
}

#[tokio::test]
async fn full_quota_ends_an_import_after_what_fits_and_it_goes_on_later() {
    let served = Served::with(small_quotas(), ApiConfig::default()).await;
    let large = |range: std::ops::Range<i64>| {
        range.map(|n| item(n, Item::Draft(draft(&format!("{n} {}", "x".repeat(1_000)))))).collect::<Vec<_>>()
    };
    let answered = import_all(&served, USER, "full", large(0..20)).await;
    let (code, name, metadata) = reason(answered.end.as_ref().unwrap_err());
    assert_eq!(
        (code, name.as_str(), metadata["tier"].as_str()),
        (Code::ResourceExhausted, "QUOTA_EXCEEDED", "long_term")
    );
    let stored = i64::try_from(answered.stored()).unwrap();
    assert!((6..=10).contains(&stored), "{stored}");
    assert_eq!(answered.next_index, stored);
    let ids: Vec<_> = records(&served, USER).await.into_iter().map(|record| record.memory.unwrap().id).collect();
    for id in &ids[..4] {
        let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: id.clone(), ..Default::default() };
        served.memories().delete_memory(delete).await.unwrap();
    }
    let answered = import_all(&served, USER, "full", large(stored..stored + 4)).await;
    answered.end.as_ref().unwrap();
    assert_eq!((answered.began_at, answered.next_index, answered.stored()), (stored, stored + 4, 4));
}

#[tokio::test]
async fn import_larger_than_its_tier_goes_on_behind_the_meditations_that_its_refusals_name() {
    let served = Served::with(small_quotas(), ApiConfig::default()).await;
    let large = |n| item(n, Item::Draft(draft(&format!("{n} {}", "x".repeat(1_000)))));
    let (mut next, mut waits) = (0, 0);
    loop {
        let answered = import_all(&served, USER, "large", (next..30).map(large).collect()).await;
        next = answered.next_index;
        let Err(refused) = answered.end else { break };
        let facts = reason(&refused).2;
        let id = kimberly_core::MeditationId::parse("id", &facts["meditation_id"]).unwrap();
        served.app.run_meditation(&kimberly_core::UserId::parse(USER).unwrap(), id).await.unwrap();
        waits += 1;
    }
    assert_eq!(next, 30);
    assert!(waits > 5, "{waits}");
}

#[tokio::test]
async fn what_no_meditation_makes_room_for_ends_an_import_or_is_archived_if_it_says_so() {
    let served = Served::with(small_quotas(), ApiConfig::default()).await;
    let large = |n, lasts| {
        let source = if lasts { v1::SourceType::Correction } else { v1::SourceType::Unspecified };
        let draft = draft(&format!("{n} {}", "x".repeat(1_000)));
        item(n, Item::Draft(v1::MemoryDraft { source_type: source.into(), ..draft }))
    };
    // Corrections, which no meditation archives, fill the tier.
    let items: Vec<_> = (0..9).map(|n| large(n, true)).chain((9..12).map(|n| large(n, false))).collect();
    let ended = import_all(&served, USER, "i", items.clone()).await;
    let facts = reason(&ended.end.unwrap_err()).2;
    assert!(facts.contains_key("raise_to") && !facts.contains_key("meditation_id"), "{facts:?}");
    assert_eq!(ended.next_index, 9);
    let start =
        v1::ImportStart { user_id: USER.to_owned(), import_id: "i".to_owned(), fit: true, ..Default::default() };
    let start = v1::ImportMemoriesRequest { message: Some(Message::Start(start)) };
    let fitted = import(&served, [vec![start.clone()], items].concat()).await;
    fitted.end.as_ref().unwrap();
    let Outcome::Receipt(receipt) = fitted.outcome(11) else { panic!("it was refused") };
    assert!(receipt.state == i32::from(v1::MemoryState::Archived) && receipt.delete_after.is_some(), "{receipt:?}");
    // A memory that lasts never goes to the archive.
    let ended = import(&served, vec![start, large(12, true)]).await;
    assert_eq!(reason(&ended.end.unwrap_err()).1, "QUOTA_EXCEEDED");
}

#[tokio::test]
async fn archive_of_an_import_is_held_to_its_allowance() {
    let served = Served::start().await;
    lived_in(&served).await;
    let mut archived = records(&served, USER).await.pop().unwrap();
    archived.memory.as_mut().unwrap().content = "x".repeat(1_000);
    let served = Served::with(small_quotas(), ApiConfig::default()).await;
    let items = (0..10_i64).map(|n| {
        let mut record = archived.clone();
        record.memory.as_mut().unwrap().id = format!("mem_0190f1f0-0000-7000-8000-00000000000{n}");
        item(n, Item::Record(record))
    });
    let answered = import_all(&served, USER, "archive", items.collect()).await;
    let (code, name, metadata) = reason(answered.end.as_ref().unwrap_err());
    assert_eq!(
        (code, name.as_str(), metadata["tier"].as_str()),
        (Code::ResourceExhausted, "QUOTA_EXCEEDED", "archive")
    );
    assert!((3..=5).contains(&answered.stored()), "{}", answered.stored());
}

#[tokio::test]
async fn import_message_that_cannot_be_decoded_is_its_callers_fault() {
    let served = Served::start().await;
    let opens = v1::ImportStart { user_id: USER.to_owned(), import_id: "broken".to_owned(), ..Default::default() }
        .encode_to_vec();
    // On the wire, a `google.protobuf.BytesValue` equals `start`, here with invalid content.
    let broken = vec![0xff_u8, 0xfe];
    for sent in [vec![broken.clone()], vec![opens, broken]] {
        let mut raw = tonic::client::Grpc::new(served.channel.clone());
        raw.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<Vec<u8>, v1::ImportMemoriesResponse>::default();
        let path = http::uri::PathAndQuery::from_static("/kimberly.v1.MemoryService/ImportMemories");
        let answers = raw.streaming(tonic::Request::new(tokio_stream::iter(sent)), path, codec).await.unwrap();
        let refused = answers.into_inner().try_collect::<Vec<_>>().await.unwrap_err();
        let (code, name, _) = reason(&refused);
        assert_eq!((code, name.as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    }
}

#[tokio::test]
async fn item_that_is_too_long_is_refused_alone_and_one_that_no_memory_can_be_ends_the_stream() {
    let served = Served::start().await;
    let long = |bytes: usize| Item::Draft(draft(&"x".repeat(bytes)));
    let too_long = vec![item(0, long(1_000_000)), item(1, long(1))];
    let answered = import_all(&served, USER, "long", too_long).await;
    answered.end.as_ref().unwrap();
    assert_eq!((answered.refusal(0).1.as_str(), answered.stored()), ("INVALID_FIELD", 1));
    let largest = kimberly_core::bounds::MAX_IMPORT_MESSAGE_BYTES;
    let answered = import_all(&served, USER, "huge", vec![item(0, long(largest))]).await;
    let refused = answered.end.unwrap_err();
    let (code, name, _) = reason(&refused);
    assert_eq!((code, name.as_str(), answered.next_index), (Code::OutOfRange, "REQUEST_TOO_LARGE", 0));
    assert!(refused.message().contains(&largest.to_string()), "{refused:?}");
}

#[tokio::test]
async fn import_that_has_not_started_takes_the_room_of_a_request() {
    let config = ApiConfig { max_concurrent_requests: 1, ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), config).await;
    let (send, receive) = mpsc::channel(16);
    let mut answers = served.memories().import_memories(ReceiverStream::new(receive)).await.unwrap().into_inner();
    let refused = served.create(create(draft("no room"))).await.unwrap_err();
    assert_eq!(reason(&refused).1, "OVERLOADED");
    send.send(start(USER, "late")).await.unwrap();
    answers.message().await.unwrap().unwrap();
    served.remember("room again").await;
}
