//! Archives to import, which may come from anywhere, with or without an envelope, and files with keys for envelopes.

use std::io::{Read as _, Write as _};

use kimberly_archive::envelope::{Envelope, EnvelopeWriter, Identities, Recipients, is_envelope};
use kimberly_archive::{Item, Reader, Section, Writer, is_archive};

use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "archive", about: "a user's archive", seeds: archives, run: archive },
    Target { name: "envelope", about: "an archive that is encrypted with age", seeds: envelopes, run: envelope },
    Target { name: "age_keys", about: "files of identities and recipients of age", seeds: keys, run: age_keys },
];

/// A test key that opens only envelopes made here.
const KEY: &str = include_str!("../../../../shared/archive/src/envelope/reference.key");
const PUBLIC: &str = "age1z4k32qhyex4hckxw9xdfy2avtshpv2ga6q0xkaqc9e2a3vdeqpgqevj9pq";
const ARMORED: &str = include_str!("../../../../shared/archive/src/envelope/reference.age");
const TOLD: &[u8] = b"one line that the reference tool closed\n";

const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn archives() -> Vec<Vec<u8>> {
    let mut writer = Writer::new(Vec::new()).expect("an archive");
    for line in [r#"{"id":"mem_1","content":"tea"}"#, r#"{"id":"mem_2"}"#] {
        writer.line(Section::Memories, line).and_then(|()| writer.end_piece()).expect("a memory");
    }
    let about = format!(r#"{{"sha256":"{EMPTY}","sizeBytes":"0"}}"#);
    writer.attachment(&about, &mut &b""[..]).expect("an attachment");
    for section in [Section::Consents, Section::Goals, Section::Settings, Section::Audit] {
        writer.line(section, "{}").expect("a line");
    }
    let empty = Writer::new(Vec::new()).and_then(Writer::finish).expect("an archive");
    vec![writer.finish().expect("an archive"), empty]
}

/// An accepted archive contains what its manifest says, and is accepted again when it arrives byte by byte.
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

fn envelopes() -> Vec<Vec<u8>> {
    let mut recipients = Recipients::default();
    recipients.add(PUBLIC).expect("a recipient");
    let mut writer = EnvelopeWriter::new(Vec::new(), &recipients).expect("an envelope");
    writer.write_all(TOLD).expect("its content");
    vec![writer.finish().expect("an envelope"), ARMORED.as_bytes().to_vec()]
}

/// Without the key, no one can make an envelope that opens with other content.
fn envelope(bytes: &[u8]) {
    let mut key = Identities::default();
    key.add(KEY).expect("an identity");
    let Ok(envelope) = Envelope::read(bytes) else { return };
    assert!(is_envelope(bytes), "what is no envelope was read");
    let Ok(mut opened) = envelope.open(&key) else { return };
    let mut content = Vec::new();
    if opened.reader.read_to_end(&mut content).is_ok() {
        assert_eq!(content, TOLD, "a changed envelope was opened");
    }
    assert!(TOLD.starts_with(&content), "bytes were handed on that were never written");
}

fn keys() -> Vec<Vec<u8>> {
    super::seeds(&[KEY, PUBLIC, "# mine\n\nAGE-SECRET-KEY-1X", ARMORED])
}

/// Errors never show a refused secret key.
fn age_keys(bytes: &[u8]) {
    let Some(text) = super::text(bytes) else { return };
    let mut identities = Identities::default();
    let secret = text.lines().map(str::trim).find(|line| line.len() > 20 && line.starts_with("AGE-SECRET-KEY-1"));
    if let Err(refused) = identities.add(text) {
        let said = refused.to_string();
        assert!(secret.is_none_or(|secret| !said.contains(secret)), "a secret key was shown");
    }
    let _refused = Recipients::default().add(text.trim());
}
