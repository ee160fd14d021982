//! An archive survives a round trip, and every kind of damage is reported with its position.

use std::io::Read;

use sha2::{Digest as _, Sha256};

use crate::header::{self, BLOCK};
use crate::tally::hex;
use crate::{ArchiveError, Item, Manifest, Reader, Section, Writer, is_archive};

/// The bytes of an attachment.
const PICTURE: &[u8] = b"not really a picture";

fn picture_line() -> String {
    format!("{{\"sha256\":\"{}\",\"sizeBytes\":\"{}\"}}", hex(Sha256::new_with_prefix(PICTURE)), PICTURE.len())
}

/// Writes an archive with content in every section. The section of memories has two pieces.
fn small() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.line(Section::Memories, r#"{"id":"mem_1","content":"tea"}"#).unwrap();
    writer.line(Section::Memories, r#"{"id":"mem_2","content":"Zürich"}"#).unwrap();
    writer.end_piece().unwrap();
    writer.line(Section::Memories, r#"{"id":"mem_3"}"#).unwrap();
    writer.attachment(&picture_line(), &mut &PICTURE[..]).unwrap();
    for section in [Section::Consents, Section::Goals, Section::Links, Section::Settings, Section::Audit] {
        writer.line(section, &format!("{{\"of\":\"{section}\"}}")).unwrap();
    }
    writer.finish().unwrap()
}

/// Reads all items of an archive, if it is valid.
fn read(bytes: &[u8]) -> Result<(Vec<String>, Manifest), ArchiveError> {
    let mut reader = Reader::new(bytes)?;
    let mut lines = Vec::new();
    while let Some(item) = reader.next_item()? {
        lines.push(match item {
            Item::Line(section, line) => format!("{section} {line}"),
            Item::Attachment(line) => format!("attachment {line}"),
        });
    }
    assert!(reader.next_item()?.is_none(), "reading past the end yields nothing");
    Ok((lines, reader.manifest().cloned().unwrap()))
}

/// Returns the names and byte ranges of the members.
fn members(bytes: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
    let (mut members, mut at) = (Vec::new(), 0);
    while let Some((name, size)) = header::decode(bytes[at..at + BLOCK].try_into().unwrap()) {
        let end = at + BLOCK + usize::try_from(size).unwrap() + header::padding(size);
        members.push((name, at..end));
        at = end;
    }
    members
}

#[test]
fn what_was_written_is_read() {
    let bytes = small();
    assert!(is_archive(&bytes[..BLOCK]) && !is_archive(b"kimberly-archive.json") && !is_archive(b"{}"));
    let (lines, manifest) = read(&bytes).unwrap();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[1], r#"memories {"id":"mem_2","content":"Zürich"}"#);
    assert_eq!(lines[3], format!("attachment {}", picture_line()));
    let counts: Vec<_> = manifest.sections.iter().map(|section| (section.pieces, section.items)).collect();
    assert_eq!(counts, [(2, 3), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
    assert_eq!(
        read(&Writer::new(Vec::new()).unwrap().finish().unwrap()).unwrap().0,
        [""; 0],
        "an empty archive is valid"
    );
}

#[test]
fn bytes_of_attachments_are_read_or_passed_over() {
    let bytes = small();
    for most in [0, 1, 7, 100] {
        let mut reader = Reader::new(&bytes[..]).unwrap();
        while !matches!(reader.next_item().unwrap(), Some(Item::Attachment(_))) {}
        let (mut all, mut chunk) = (Vec::new(), vec![0; most]);
        loop {
            let read = reader.read_attachment(&mut chunk).unwrap();
            all.extend_from_slice(&chunk[..read]);
            if read == 0 {
                break;
            }
        }
        assert_eq!(all, if most == 0 { &b""[..] } else { PICTURE });
        while reader.next_item().unwrap().is_some() {}
        assert!(reader.manifest().is_some());
    }
}

#[test]
fn every_changed_byte_is_found() {
    let bytes = small();
    for at in 0..bytes.len() {
        let (mut changed, mask) = (bytes.clone(), 1 << (at % 8));
        changed[at] ^= mask;
        assert!(read(&changed).is_err(), "byte {at} changed by {mask} was not noticed");
    }
}

#[test]
fn every_cut_is_found_and_said() {
    let bytes = small();
    for end in 0..bytes.len() {
        match read(&bytes[..end]) {
            Err(ArchiveError::NotAnArchive) => assert!(end < 22, "{end}"),
            Err(ArchiveError::Cut { at }) => assert_eq!(at, end as u64),
            other => panic!("cut at {end}: {other:?}"),
        }
    }
    let mut more = bytes;
    more.push(0);
    assert!(matches!(read(&more), Err(ArchiveError::Damaged { .. })), "trailing bytes");
}

#[test]
fn every_missing_moved_or_doubled_member_is_found() {
    let bytes = small();
    let members = members(&bytes);
    assert_eq!(members.len(), 11);
    let join = |order: &[usize]| -> Vec<u8> {
        let parts = order.iter().flat_map(|member| bytes[members[*member].1.clone()].to_vec());
        parts.chain([0; 2 * BLOCK]).collect()
    };
    let all: Vec<usize> = (0..members.len()).collect();
    assert!(read(&join(&all)).is_ok());
    for one in 0..members.len() {
        let mut without = all.clone();
        without.remove(one);
        assert!(read(&join(&without)).is_err(), "without {}", members[one].0);
        let mut doubled = all.clone();
        doubled.insert(one, one);
        assert!(read(&join(&doubled)).is_err(), "twice {}", members[one].0);
        for other in 0..one {
            let mut swapped = all.clone();
            swapped.swap(one, other);
            assert!(read(&join(&swapped)).is_err(), "{} and {} swapped", members[one].0, members[other].0);
        }
    }
    let moved = read(&join(&[0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10])).unwrap_err().to_string();
    assert!(moved.contains("memories/000002.jsonl") && moved.contains("memories/000001.jsonl was expected"), "{moved}");
}

/// Replaces the name and content of one member, and gives it a matching header.
fn with(bytes: &[u8], member: &str, name: &str, content: &[u8]) -> Vec<u8> {
    let range = members(bytes).into_iter().find(|(name, _)| name == member).unwrap().1;
    let mut changed = bytes[..range.start].to_vec();
    changed.extend_from_slice(&header::encode(name, content.len() as u64).unwrap());
    changed.extend_from_slice(content);
    changed.resize(changed.len() + header::padding(content.len() as u64), 0);
    changed.extend_from_slice(&bytes[range.end..]);
    changed
}

#[test]
fn a_newer_version_and_an_unknown_section_are_named() {
    let bytes = small();
    let head = |text: &str| with(&bytes, crate::HEAD, crate::HEAD, text.as_bytes());
    let newer = head("{\"format\":\"kimberly-archive\",\"version\":2,\"more\":true}\n");
    assert!(matches!(read(&newer), Err(ArchiveError::Newer { found: 2 })));
    for wrong in ["", "{}", "{\"format\":\"kimberly-archive\",\"version\":1 }\n", "{\"format\":\"x\",\"version\":2}"] {
        assert!(matches!(read(&head(wrong)), Err(ArchiveError::Damaged { .. })), "{wrong:?}");
    }
    for name in ["dreams/000001.jsonl", "manifest.jsonl", "x", "/", "../goals/000001.jsonl"] {
        let unknown = with(&bytes, "goals/000001.jsonl", name, b"{}\n");
        let error = read(&unknown).unwrap_err();
        assert!(matches!(&error, ArchiveError::Unknown { name: found, .. } if found == name), "{error:?}");
    }
    let wrong = with(&bytes, "goals/000001.jsonl", "goals/1.jsonl", b"{}\n");
    assert!(matches!(read(&wrong), Err(ArchiveError::Order { .. })));
}

#[test]
fn changed_lines_are_found_by_the_manifest_which_names_the_section() {
    let bytes = small();
    let name = "goals/000001.jsonl";
    let other = read(&with(&bytes, name, name, b"{\"of\":\"goalz\"}\n")).unwrap_err();
    assert!(matches!(other, ArchiveError::Manifest { .. }) && other.to_string().contains("section goals"), "{other}");
    for (content, says) in [(&b""[..], "no line"), (b"{}", "has no end"), (b"\xff\n", "not UTF-8")] {
        let refused = read(&with(&bytes, name, name, content)).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
    let attachment = with(&bytes, "attachments/000001.jsonl", "attachments/000001.jsonl", b"{}\n{}\n");
    assert!(read(&attachment).unwrap_err().to_string().contains("more than a line"));
    let manifest = with(&bytes, crate::MANIFEST, crate::MANIFEST, b"{\"sections\":[],\"sha256\":\"\"}\n");
    assert!(read(&manifest).unwrap_err().to_string().contains("other sections"));
}

#[test]
fn a_line_that_never_ends_is_refused_before_it_is_held() {
    let name = "goals/000001.jsonl";
    let long = vec![b'x'; crate::MAX_LINE_BYTES + 2];
    let refused = read(&with(&small(), name, name, &long)).unwrap_err().to_string();
    assert!(refused.contains("longer than"), "{refused}");
}

#[test]
fn lines_that_break_the_format_are_not_written() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut refused = |section, line: &str| writer.line(section, line).unwrap_err().to_string();
    assert!(refused(Section::Goals, "two\nlines").contains("end of line"));
    assert!(refused(Section::Goals, &"x".repeat(crate::MAX_LINE_BYTES + 1)).contains("at most"));
    assert!(refused(Section::Attachments, "{}").contains("without its bytes"));
    writer.line(Section::Goals, "{}").unwrap();
    assert!(writer.line(Section::Memories, "{}").unwrap_err().to_string().contains("after those of goals"));
    let attach = |line: &str, mut content: &[u8]| {
        Writer::new(Vec::new()).unwrap().attachment(line, &mut content).unwrap_err().to_string()
    };
    assert!(attach(&picture_line(), &PICTURE[1..]).contains("lacks 1"));
    assert!(attach(&picture_line(), b"not really a pictur!").contains("another hash"));
    assert!(attach("{}", b"").contains("sha256"));
    assert!(attach(&picture_line().replace("sha256\":\"", "sha256\":\"X"), b"").contains("64 digits"));
}

#[test]
fn an_archive_that_was_cut_is_gone_on_with_to_the_same_bytes() {
    let whole = small();
    let ends: Vec<usize> = members(&whole).iter().map(|(_, range)| range.end).collect();
    // After the first member, after the first piece of memories, and after the last one.
    for (end, from) in [(ends[0], 0), (ends[1], 1), (ends[2], 2)] {
        let mut rest = whole[..end].to_vec();
        let mut writer = Writer::resume(&whole[..end], &mut rest).unwrap();
        if from == 0 {
            writer.line(Section::Memories, r#"{"id":"mem_1","content":"tea"}"#).unwrap();
            writer.line(Section::Memories, r#"{"id":"mem_2","content":"Zürich"}"#).unwrap();
            writer.end_piece().unwrap();
        }
        if from <= 1 {
            writer.line(Section::Memories, r#"{"id":"mem_3"}"#).unwrap();
        }
        writer.attachment(&picture_line(), &mut &PICTURE[..]).unwrap();
        assert_eq!(writer.items(Section::Memories), 3);
        for section in [Section::Consents, Section::Goals, Section::Links, Section::Settings, Section::Audit] {
            writer.line(section, &format!("{{\"of\":\"{section}\"}}")).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(rest, whole);
    }
    for end in [ends[0] + 1, ends[1] - 1, ends[3] + 7] {
        assert!(matches!(Writer::resume(&whole[..end], Vec::new()), Err(ArchiveError::Cut { .. })), "{end}");
    }
    assert!(Writer::resume(&whole[..], Vec::new()).is_err(), "a complete archive was resumed");
}

#[test]
fn long_sections_come_in_pieces() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let line = format!("{{\"x\":\"{}\"}}", "y".repeat(1_000));
    for _ in 0..3_000 {
        writer.line(Section::Audit, &line).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let (lines, manifest) = read(&bytes).unwrap();
    assert_eq!((lines.len(), manifest.sections[Section::Audit.index()].pieces), (3_000, 3));
}

/// A reader that returns one byte at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(1);
        self.0.read(&mut into[..most])
    }
}

#[test]
fn how_bytes_arrive_does_not_matter() {
    let bytes = small();
    let mut reader = Reader::new(Drops(&bytes)).unwrap();
    let mut count = 0;
    while reader.next_item().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 9);
}
