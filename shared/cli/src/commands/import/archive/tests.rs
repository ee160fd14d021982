//! Tests that an exported archive is read back unchanged, and that errors are found before anything is sent.

use kimberly_archive::Writer;

use super::*;
use crate::commands::export::lines::of_archive;
use crate::envelope::OpeningArgs;

/// An archive file with these lines.
fn archive(lines: &[(Section, String)]) -> (tempfile::TempDir, Source) {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for (section, line) in lines {
        writer.line(*section, line).unwrap();
    }
    saved(&writer.finish().unwrap())
}

fn saved(bytes: &[u8]) -> (tempfile::TempDir, Source) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.kimberly");
    std::fs::write(&path, bytes).unwrap();
    let source = Source::open(&path, &OpeningArgs::default()).unwrap();
    (folder, source)
}

fn record(id: &str) -> v1::MemoryRecord {
    let memory = v1::Memory {
        id: id.to_owned(),
        content: format!("what {id} says"),
        user_id: "ana".to_owned(),
        size_bytes: 7,
        ..v1::Memory::default()
    };
    v1::MemoryRecord { memory: Some(memory), helpful_count: 3, ..v1::MemoryRecord::default() }
}

fn memory(id: &str) -> (Section, String) {
    (Section::Memories, of_archive::memory(&record(id)).unwrap())
}

#[test]
fn what_was_written_reads_back_as_it_was() {
    let goal = v1::Goal {
        id: "goal_x".to_owned(),
        kind: 2,
        title: "sail".to_owned(),
        description: "far".to_owned(),
        tags: vec!["sea".to_owned()],
        importance: 0.3,
        status: 2,
        created_at: Some(prost_types::Timestamp { seconds: 1, nanos: 5_000 }),
        updated_at: Some(prost_types::Timestamp { seconds: 2, nanos: 0 }),
        etag: "4".to_owned(),
    };
    let consent = v1::Consent {
        id: "con_x".to_owned(),
        status: 1,
        scope: Some(v1::ConsentScope::default()),
        ..Default::default()
    };
    let set = v1::UserSettings { vector_cap: Some(7), ..v1::UserSettings::default() };
    let (_folder, file) = archive(&[
        memory("mem_1"),
        memory("mem_2"),
        (Section::Consents, of_archive::consent(&consent).unwrap()),
        (Section::Goals, json::line(&goal).unwrap()),
        (Section::Settings, json::line(&set).unwrap()),
        (Section::Audit, "{}".to_owned()),
    ]);
    assert!(is_one(&file).unwrap());
    let load = survey(&file, "bob").unwrap();
    assert_eq!((load.user.as_str(), load.memories), ("bob", 2));
    assert_eq!(load.goals, [goal]);
    assert_eq!(load.consents, [v1::Consent { status: 0, ..consent }]);
    assert_eq!(load.settings.map(|settings| settings.values), Some(set));
    for from in 0..4 {
        let ids = load.items.from(from).map(|memory| match memory.unwrap() {
            Memory::Record(record) => {
                assert_eq!(record.helpful_count, 3);
                record.memory.unwrap().id
            }
            Memory::Draft(_) => unreachable!(),
        });
        let expected: Vec<_> = ["mem_1", "mem_2"].into_iter().skip(usize::try_from(from).unwrap()).collect();
        assert_eq!(ids.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn invalid_input_is_named_with_its_position() {
    let refused = |lines: &[(Section, String)]| survey(&archive(lines).1, "bob").unwrap_err().message().to_owned();
    let bad = |section, line: &str| refused(&[memory("mem_1"), (section, line.to_owned())]);
    assert!(bad(Section::Memories, "[]").starts_with("line 2 of its memories: not a JSON object"));
    assert!(bad(Section::Memories, "{").starts_with("line 2 of its memories: not JSON"));
    assert!(bad(Section::Goals, r#"{"kind":"dream"}"#).starts_with("line 1 of its goals: kind: unrecognized"));
    let twice = [(Section::Settings, r#"{"vectorCap":1}"#.to_owned()), (Section::Settings, "{}".to_owned())];
    assert!(refused(&twice).contains("settings exist already"));
}

#[test]
fn a_damaged_archive_is_refused() {
    let (_folder, file) = archive(&[memory("mem_1")]);
    let mut bytes = file.beginning(u64::MAX).unwrap();
    bytes.truncate(bytes.len() - 1);
    let refused = survey(&saved(&bytes).1, "bob").unwrap_err();
    assert!(refused.message().contains("is truncated"), "{refused}");
}

fn attachment(n: u8) -> v1::Attachment {
    use sha2::Digest as _;
    v1::Attachment {
        id: format!("att_{n}"),
        name: String::new(),
        media_type: "text/plain".to_owned(),
        sha256: format!("{:x}", sha2::Sha256::digest(vec![n; usize::from(n)])),
        size_bytes: i64::from(n),
        created_at: Some(prost_types::Timestamp { seconds: 1, nanos: 5_000 }),
        uploaded_by: "key:phone".to_owned(),
        memory_ids: vec!["mem_1".to_owned(), "mem_2".to_owned()],
    }
}

#[test]
fn attachments_are_counted_and_read_again_one_by_one() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let (section, line) = memory("mem_1");
    writer.line(section, &line).unwrap();
    for n in [0, 3] {
        let line = json::line(&attachment(n)).unwrap();
        writer.attachment(&line, &mut &vec![n; usize::from(n)][..]).unwrap();
    }
    writer.line(Section::Goals, "{}").unwrap();
    let (_folder, file) = saved(&writer.finish().unwrap());
    let load = survey(&file, "bob").unwrap();
    assert_eq!((load.memories, load.attachments), (1, 2));
    let mut archive = Archive::new(file.reader()).unwrap();
    assert_eq!(next_attachment(&mut archive).unwrap(), Some(attachment(0)));
    assert_eq!(next_attachment(&mut archive).unwrap(), Some(attachment(3)));
    let mut bytes = [0; 7];
    assert_eq!(archive.read_attachment(&mut bytes).unwrap(), 3);
    assert_eq!(&bytes[..3], [3; 3]);
    assert_eq!(next_attachment(&mut archive).unwrap(), None);
}

#[test]
fn a_line_of_an_attachment_that_cannot_be_understood_is_named() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let line = format!(r#"{{"sha256":"{empty}","memoryIds":"mem_1"}}"#);
    writer.attachment(&line, &mut &b""[..]).unwrap();
    let refused = survey(&saved(&writer.finish().unwrap()).1, "bob").unwrap_err();
    assert!(refused.message().contains("line 1 of its attachments: memoryIds: "), "{refused}");
}
