//! Archives, which anybody may hand to an import.

use kimberly_archive::{Item, Reader, Section, Writer, is_archive};

use crate::Target;

pub(super) const TARGETS: &[Target] =
    &[Target { name: "archive", about: "a user's archive", seeds: archives, run: archive }];

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn archives() -> Vec<Vec<u8>> {
    let mut writer = Writer::new(Vec::new()).expect("an archive");
    for line in [r#"{"id":"mem_1","content":"tea"}"#, r#"{"id":"mem_2"}"#] {
        writer.line(Section::Memories, line).and_then(|()| writer.end_piece()).expect("a memory");
    }
    let about = format!(r#"{{"sha256":"{EMPTY}","size_bytes":0}}"#);
    writer.attachment(&about, &mut &b""[..]).expect("an attachment");
    for section in [Section::Consents, Section::Goals, Section::Settings, Section::Audit] {
        writer.line(section, "{}").expect("a line");
    }
    let empty = Writer::new(Vec::new()).and_then(Writer::finish).expect("an archive");
    vec![writer.finish().expect("an archive"), empty]
}

/// What is taken holds what its manifest says, and is taken again when it comes byte by byte.
fn archive(bytes: &[u8]) {
    let Ok(mut reader) = Reader::new(bytes) else { return };
    assert!(is_archive(bytes), "what is no archive was read");
    let (mut items, mut buffer) = (0, [0; 7]);
    loop {
        match reader.next_item() {
            Ok(Some(Item::Line(_, line))) => assert!(!line.contains('\n'), "two lines in one"),
            Ok(Some(Item::Attachment(_))) => {
                let _read = reader.read_attachment(&mut buffer);
            }
            Ok(None) => break,
            Err(_) => return,
        }
        items += 1;
    }
    let manifest = reader.manifest().expect("the manifest of an archive that was read");
    let said: u64 = manifest.sections.iter().map(|section| section.items).sum();
    assert_eq!(said, items, "other lines than the manifest says");
    assert!(Writer::resume(bytes, Vec::new()).is_err(), "a whole archive was gone on with");
}
