//! Plants unique words in every place that can hold a memory or data about one.
//!
//! The words have no vowels, so that stemming does not change them.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::import_item::Memory;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, attachments};
use tokio_stream::StreamExt as _;
use tokio_stream::iter;

use super::scan::patiently;

/// In every field of a draft.
pub(crate) const DRAFT: [&str; 11] =
    ["qzxcnt", "qzxkey", "qzxval", "qzxtag", "qzxchn", "qzxspk", "qzxssn", "qzxnmsp", "qzxdtl", "qzxsbjct", "qzxsrc"];
/// In a memory that is stored and then deleted.
pub(crate) const DELETED: [&str; 1] = ["qzxdltd"];
/// In a text that was replaced by an update; it disappears from the files eventually.
pub(crate) const REPLACED: [&str; 1] = ["qzxrplcd"];
/// In memories of which a meditation archives some.
pub(crate) const ARCHIVED: [&str; 1] = ["qzxrchv"];
/// In a goal.
pub(crate) const GOAL: [&str; 3] = ["qzxgl", "qzxglds", "qzxgltg"];
/// In a record of consent.
pub(crate) const CONSENT: [&str; 2] = ["qzxprps", "qzxnt"];
/// In a sensitive memory under that consent.
pub(crate) const SENSITIVE: [&str; 2] = ["qzxsns", "qzxsnsv"];
/// In an imported memory.
pub(crate) const IMPORTED: [&str; 1] = ["qzxmprt"];
/// In the id of a request whose response is kept, and of an import; files contain only hashes of both.
pub(crate) const CHOSEN: [&str; 2] = ["qzxrqst", "qzxmpd"];
/// In names and types of attachments, of a plain and a sensitive memory.
pub(crate) const ATTACHED: [&str; 2] = ["qzxflnm", "qzxmdtp"];
/// In the bytes of an attachment, which no file contains in plain.
pub(crate) const BYTES: [&str; 1] = ["qzxbyts"];
/// In a query, which is not stored.
pub(crate) const QUERY: [&str; 1] = ["qzxqry"];

/// All planted words, which must all be gone in the end.
pub(crate) fn ever() -> Vec<&'static str> {
    [&all()[..], &REPLACED, &BYTES, &QUERY, &CHOSEN].concat()
}

/// All words found in unencrypted files.
pub(crate) fn all() -> Vec<&'static str> {
    let groups: [&[&str]; 8] = [&DRAFT, &DELETED, &ARCHIVED, &GOAL, &CONSENT, &SENSITIVE, &IMPORTED, &ATTACHED];
    groups.concat()
}

/// Words in memories and their data, which `ForgetMemories` erases.
pub(crate) fn of_memories() -> Vec<&'static str> {
    let groups: [&[&str]; 8] = [&DRAFT, &DELETED, &REPLACED, &ARCHIVED, &SENSITIVE, &IMPORTED, &ATTACHED, &BYTES];
    groups.concat()
}

fn text(value: &str) -> prost_types::Value {
    prost_types::Value { kind: Some(prost_types::value::Kind::StringValue(value.to_owned())) }
}

fn full() -> pb::MemoryDraft {
    pb::MemoryDraft {
        content: "my qzxcnt is blue".to_owned(),
        metadata: Some(pb::Metadata {
            tags: vec!["qzxtag".to_owned()],
            channels: vec!["qzxchn".to_owned()],
            ..pb::Metadata::default()
        }),
        attributes: Some(prost_types::Struct { fields: [("qzxkey".to_owned(), text("qzxval"))].into() }),
        session_id: "qzxssn".to_owned(),
        speaker: "qzxspk".to_owned(),
        namespace: "qzxnmsp".to_owned(),
        detail: Some(pb::Detail {
            kind: Some(pb::detail::Kind::Decision(pb::DecisionDetail {
                choice: "a qzxdtl".to_owned(),
                ..pb::DecisionDetail::default()
            })),
        }),
        subject: "qzxsbjct".to_owned(),
        source_ref: "qzxsrc".to_owned(),
        ..draft("")
    }
}

/// Small quotas with a high hard limit, so that a meditation archives.
pub(crate) const SMALL: [(&str, &str); 2] =
    [("KIMBERLY_QUOTAS__LONG_TERM", "2KiB"), ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000")];

/// Plants everything for a user; returns the consent.
pub(crate) async fn plant(system: &System, id: &str) -> pb::Consent {
    let mut user = system.user(id);
    let full = user.remember_draft(full()).await;
    attach(system, id, &full.id).await;
    let deleted = user.remember("a qzxdltd thing").await;
    user.forget(&deleted.id).await;
    let changed = user.remember("a qzxrplcd thing").await;
    user.write_over(&changed.id, "something else").await;
    goal(&mut user).await;
    let consent = sensitive(&mut user).await;
    import(&mut user).await;
    let request = pb::CreateMemoryRequest {
        user_id: user.id(),
        memory: Some(draft("once")),
        request_id: "qzxrqst".to_owned(),
        always_new: false,
    };
    user.clients.memories.create_memory(request).await.expect("a memory is stored");
    for n in 0..20 {
        user.remember(&format!("a qzxrchv thing number {n}, {}", "as long as it takes ".repeat(10))).await;
    }
    // Exceeding the quota makes a meditation archive some of them.
    let seen = user.clone();
    patiently("something is archived", || async {
        let archive = seen.clone().metrics().await.archive.unwrap_or_default();
        (archive.items > 1).then_some(())
    })
    .await;
    user.recall("qzxqry").await;
    consent
}

/// Attaches a file to a memory.
async fn attach(system: &System, user: &str, memory: &str) {
    let said = pb::AttachmentStart {
        media_type: "application/qzxmdtp".to_owned(),
        memory_id: memory.to_owned(),
        ..attachments::start(user, "qzxflnm.txt")
    };
    let bytes = "the qzxbyts of a file ".repeat(20_000);
    attachments::upload(&system.clients(), said, bytes.as_bytes()).await.expect("it is taken");
}

async fn goal(user: &mut User) {
    let goal = pb::Goal {
        title: "qzxgl".to_owned(),
        description: "qzxglds".to_owned(),
        tags: vec!["qzxgltg".to_owned()],
        ..pb::Goal::default()
    };
    let request = pb::CreateGoalRequest { user_id: user.id(), goal: Some(goal), request_id: String::new() };
    user.clients.goals.create_goal(request).await.expect("a goal is added");
}

async fn sensitive(user: &mut User) -> pb::Consent {
    let consent = pb::Consent { purpose: "qzxprps".to_owned(), note: "qzxnt".to_owned(), ..pb::Consent::default() };
    let request =
        pb::GrantConsentRequest { user_id: user.id(), consent: Some(consent), ..pb::GrantConsentRequest::default() };
    let granted = user.clients.consents.grant_consent(request).await.expect("a consent is recorded").into_inner();
    let memory = pb::MemoryDraft {
        metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
        attributes: Some(prost_types::Struct { fields: [("why".to_owned(), text("qzxsnsv"))].into() }),
        ..draft("a qzxsns thing")
    };
    user.remember_draft(memory).await;
    granted.consent.expect("a record")
}

async fn import(user: &mut User) {
    let start = pb::ImportStart { user_id: user.id(), import_id: "qzxmpd".to_owned(), ..Default::default() };
    let item = pb::ImportItem { index: 0, memory: Some(Memory::Draft(draft("a qzxmprt thing"))) };
    let messages = [Message::Start(start), Message::Item(item)];
    let requests = messages.map(|message| pb::ImportMemoriesRequest { message: Some(message) });
    let answers = user.clients.memories.import_memories(iter(requests)).await.expect("an import begins").into_inner();
    let stored: usize =
        answers.map(|answer| answer.expect("an import goes on").results.len()).fold(0, |a, b| a + b).await;
    assert_eq!(stored, 1);
}
