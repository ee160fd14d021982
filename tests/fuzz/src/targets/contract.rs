//! Messages of the contract, as they arrive over gRPC: decoded, then converted to types of the domain.

use kimberly_api::convert;
use kimberly_core::UserId;
use kimberly_core::memory::DraftLimits;
use kimberly_core::time::Timestamp;
use kimberly_proto::v1;
use prost::Message;

use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "draft", about: "a memory to store", seeds: drafts, run: draft },
    Target { name: "record", about: "a memory of an export", seeds: records, run: record },
    Target { name: "filter", about: "which memories are meant", seeds: filters, run: filter },
    Target { name: "settings", about: "a user's settings", seeds: settings_seeds, run: settings },
    Target { name: "goal", about: "a goal", seeds: goals, run: goal },
    Target { name: "vectors", about: "vectors computed elsewhere", seeds: uploads, run: upload },
];

const NOW: Timestamp = Timestamp(1_790_000_000_000_000);

fn wire_draft() -> v1::MemoryDraft {
    v1::MemoryDraft {
        content: "Ana keeps bees behind the house".to_owned(),
        session_id: "s1".to_owned(),
        speaker: "Ana".to_owned(),
        tier: v1::Tier::LongTerm.into(),
        metadata: Some(v1::Metadata { tags: vec!["bees".to_owned()], ..v1::Metadata::default() }),
        detail: Some(fact()),
        importance: 5,
        confidence: Some(0.5),
        ..v1::MemoryDraft::default()
    }
}

fn fact() -> v1::Detail {
    let fact = v1::FactDetail { subject: "Ana".to_owned(), predicate: "keeps".to_owned(), object: "bees".to_owned() };
    v1::Detail { kind: Some(v1::detail::Kind::Fact(fact)) }
}

fn drafts() -> Vec<Vec<u8>> {
    vec![wire_draft().encode_to_vec(), v1::MemoryDraft::default().encode_to_vec()]
}

fn draft(bytes: &[u8]) {
    let Ok(raw) = v1::MemoryDraft::decode(bytes) else { return };
    if let Ok(draft) = convert::memory::draft("memory", Some(raw)) {
        let _refused = draft.normalized("memory", DraftLimits::default());
    }
}

fn records() -> Vec<Vec<u8>> {
    let memory = v1::Memory {
        id: "mem_0190b5a0-0000-7000-8000-000000000001".to_owned(),
        content: "Ana keeps bees".to_owned(),
        tier: v1::Tier::Permanent.into(),
        detail: Some(fact()),
        confidence: Some(0.75),
        verification_count: 1,
        ..v1::Memory::default()
    };
    vec![v1::MemoryRecord { memory: Some(memory), ..v1::MemoryRecord::default() }.encode_to_vec()]
}

fn record(bytes: &[u8]) {
    let Ok(raw) = v1::MemoryRecord::decode(bytes) else { return };
    let Ok(record) = convert::record::from_wire("record", raw) else { return };
    let Ok(checked) = record.checked("record", DraftLimits::default(), NOW) else { return };
    // An accepted record can be written, and the written one is accepted, too.
    let user = UserId::parse("ana").expect("a good id");
    let again = convert::record::to_wire(&user, checked).expect("what was taken can be written");
    let again = convert::record::from_wire("record", again).expect("what was written can be read");
    again.checked("record", DraftLimits::default(), NOW).expect("what was taken is taken again");
}

fn filters() -> Vec<Vec<u8>> {
    let filter = v1::MemoryFilter {
        tags_any: vec!["bees".to_owned()],
        tiers: vec![v1::Tier::LongTerm.into()],
        speakers: vec!["Ana".to_owned()],
        kinds: vec![v1::Kind::Fact.into()],
        subjects: vec!["Ana".to_owned()],
        min_confidence: 0.5,
        ..v1::MemoryFilter::default()
    };
    vec![filter.encode_to_vec()]
}

fn filter(bytes: &[u8]) {
    let Ok(raw) = v1::MemoryFilter::decode(bytes) else { return };
    if let Ok(filter) = convert::filter::filter(Some(raw)) {
        let _refused = filter.check();
    }
}

fn settings_seeds() -> Vec<Vec<u8>> {
    let settings = v1::UserSettings { low_score: Some(0.2), ..v1::UserSettings::default() };
    vec![settings.encode_to_vec()]
}

fn settings(bytes: &[u8]) {
    let Ok(raw) = v1::UserSettings::decode(bytes) else { return };
    let Ok(settings) = convert::settings::user_settings(raw) else { return };
    if settings.check().is_ok() {
        let again = convert::settings::wire_settings(&settings);
        let again = convert::settings::user_settings(again).expect("what was taken can be read again");
        assert_eq!(again, settings);
    }
}

fn goals() -> Vec<Vec<u8>> {
    let goal = v1::Goal { title: "Learn to keep bees".to_owned(), importance: 0.5, ..v1::Goal::default() };
    vec![goal.encode_to_vec()]
}

fn goal(bytes: &[u8]) {
    let Ok(raw) = v1::Goal::decode(bytes) else { return };
    let _refused = convert::goal::draft(raw);
}

fn uploads() -> Vec<Vec<u8>> {
    let item = v1::EmbeddingItem {
        id: "mem_0190b5a0-0000-7000-8000-000000000001".to_owned(),
        fingerprint: "0123456789abcdef".to_owned(),
        vectors: vec![v1::Vector { values: vec![0.5, -0.5, 0.5, 0.5] }],
    };
    let upload = v1::UploadEmbeddingsRequest { user_id: "ana".to_owned(), model: "m-1".to_owned(), items: vec![item] };
    vec![upload.encode_to_vec()]
}

fn upload(bytes: &[u8]) {
    let Ok(raw) = v1::UploadEmbeddingsRequest::decode(bytes) else { return };
    if let Ok(upload) = convert::embedding::upload(raw) {
        let _refused = upload.check();
    }
}
