//! A memory's past is exported and imported with it: earlier versions of its text, and the reasons for its end.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::history_event::What;
use kimberly_proto::v1::import_item::Memory as Item;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};
use tokio_stream::{StreamExt as _, iter};

const NAME: &str = "notes/travel.md";

async fn edit(ana: &mut User, content: &str, reason: &str) {
    let request = pb::EditRecordRequest {
        user_id: ana.id(),
        name: NAME.to_owned(),
        reason: reason.to_owned(),
        edit: Some(pb::edit_record_request::Edit::Whole(content.to_owned())),
        ..Default::default()
    };
    ana.clients.named.edit_record(request).await.expect("an edit");
}

async fn exported(ana: &mut User) -> Vec<pb::MemoryRecord> {
    let request = pb::ExportMemoriesRequest { user_id: ana.id(), ..Default::default() };
    let mut pieces = ana.clients.memories.export_memories(request).await.expect("an export").into_inner();
    let mut records = Vec::new();
    while let Some(piece) = pieces.next().await {
        records.extend(piece.expect("a piece").records);
    }
    records
}

async fn imported(ben: &mut User, records: Vec<pb::MemoryRecord>) {
    let start = pb::ImportStart { user_id: ben.id(), import_id: "moved".to_owned(), ..Default::default() };
    let items = (0..).zip(records).map(|(index, record)| {
        let memory = record.memory.clone().map(|memory| pb::Memory { user_id: String::new(), ..memory });
        Message::Item(pb::ImportItem { index, memory: Some(Item::Record(pb::MemoryRecord { memory, ..record })) })
    });
    let requests = std::iter::once(Message::Start(start)).chain(items);
    let requests: Vec<_> = requests.map(|message| pb::ImportMemoriesRequest { message: Some(message) }).collect();
    let mut answers = ben.clients.memories.import_memories(iter(requests)).await.expect("an import").into_inner();
    while let Some(answer) = answers.next().await {
        let answer = answer.expect("an import goes on");
        let stored = |one: &pb::ImportResult| matches!(one.outcome, Some(pb::import_result::Outcome::Receipt(_)));
        assert!(answer.results.iter().all(stored), "{answer:?}");
    }
}

#[tokio::test]
async fn versions_and_endings_are_exported_and_imported_without_loss() {
    let system = System::start().await;
    let (mut ana, mut ben) = (system.user("ana"), system.user("ben"));
    let first = pb::MemoryDraft { name: NAME.to_owned(), ..draft("The ferry leaves at nine") };
    let id = ana.remember_draft(first).await.id;
    edit(&mut ana, "The ferry leaves at ten", "a new timetable").await;
    edit(&mut ana, "The ferry leaves at noon", "").await;
    let redact =
        pb::RedactVersionRequest { user_id: ana.id(), name: NAME.to_owned(), version: 1, ..Default::default() };
    ana.clients.named.redact_version(redact).await.expect("a redaction");
    let ended = pb::InvalidateMemoryRequest {
        user_id: ana.id(),
        id: id.clone(),
        reason: "no ferry in winter".to_owned(),
        ..Default::default()
    };
    ana.clients.records.invalidate_memory(ended).await.expect("an ending");

    let records = exported(&mut ana).await;
    let [record] = &records[..] else { panic!("{records:?}") };
    let versions: Vec<_> = record.versions.iter().map(|one| one.content.as_str()).collect();
    assert_eq!(versions, ["The ferry leaves at ten", ""], "the redacted one holds nothing");
    assert_eq!(record.endings[0].reason, "no ferry in winter");
    imported(&mut ben, records.clone()).await;
    let without_user = |mut records: Vec<pb::MemoryRecord>| {
        for record in &mut records {
            record.memory.iter_mut().for_each(|memory| memory.user_id.clear());
        }
        records
    };
    assert_eq!(without_user(exported(&mut ben).await), without_user(records));

    let history = pb::GetHistoryRequest { user_id: ben.id(), id };
    let events = ben.clients.records.get_history(history).await.expect("a timeline").into_inner().events;
    let edits: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.what {
            Some(What::Edited(version)) => Some((version.version, version.reason.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(edits, [(1, ""), (2, "")], "{events:?}");
    assert!(ben.metrics().await.archive.expect("the archive").version_bytes > 0, "versions count there");
}
