//! A memory's past is exported and imported with it: earlier versions of its text, and the reasons for its end.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::history_event::What;
use kimberly_proto::v1::import_result::Outcome;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

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

    let records = ana.exported().await;
    let [record] = &records[..] else { panic!("{records:?}") };
    let versions: Vec<_> = record.versions.iter().map(|one| one.content.as_str()).collect();
    assert_eq!(versions, ["The ferry leaves at ten", ""], "the redacted one holds nothing");
    assert_eq!(record.endings[0].reason, "no ferry in winter");
    let outcomes = ben.imported("moved", records.clone()).await;
    assert!(matches!(outcomes[..], [Outcome::Receipt(_)]), "{outcomes:?}");
    let without_user = |mut records: Vec<pb::MemoryRecord>| {
        for record in &mut records {
            record.memory.iter_mut().for_each(|memory| memory.user_id.clear());
        }
        records
    };
    assert_eq!(without_user(ben.exported().await), without_user(records));

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
