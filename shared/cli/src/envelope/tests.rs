//! Tests that keys and passphrases are read from private files only, and that errors never show them.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use kimberly_archive::envelope::{EnvelopeWriter, Recipients};

use super::*;

/// A key pair without an owner.
const PUBLIC: &str = "age1z4k32qhyex4hckxw9xdfy2avtshpv2ga6q0xkaqc9e2a3vdeqpgqevj9pq";
const SECRET: &str = "AGE-SECRET-KEY-14WFAPFK28VA4FM24SSHG4D288HPMP2NDJKLDVHQWGF0V8Y8CGFRQN3MCM4";

struct Folder(tempfile::TempDir);

impl Folder {
    fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

fn sealed(recipients: &Recipients) -> Vec<u8> {
    let mut writer = EnvelopeWriter::new(Vec::new(), recipients).unwrap();
    writer.write_all(b"tea at four").unwrap();
    writer.finish().unwrap()
}

#[track_caller]
fn opens(opening: &OpeningArgs, bytes: &[u8]) {
    let mut text = String::new();
    opening.open("x.age", bytes).unwrap().reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "tea at four");
}

#[track_caller]
fn refused(opening: &OpeningArgs, bytes: &[u8], says: &str) {
    let said = opening.open("x.age", bytes).map(drop).unwrap_err();
    assert!(said.message().starts_with("x.age: ") && said.message().contains(says), "{said}");
    assert!(!said.message().contains("SECRET-KEY-14") && !said.message().contains("scones"), "{said}");
}

#[test]
fn recipients_come_from_arguments_and_files_and_their_identities_open() {
    let folder = folder();
    let other = "age19ve6fqerj69c0tlnvg56kswnfp0x8mmkfjcu9xra449yutvrjfwsf4mfgt";
    let list = folder.file("recipients.txt", &format!("# us\n\n  {PUBLIC}\r\n{other}\n"), 0o644);
    let closing = ClosingArgs { age_recipients_file: vec![list], ..ClosingArgs::default() };
    assert!(closing.is_asked());
    let bytes = sealed(&closing.recipients().unwrap().unwrap());
    let key = folder.file("key.txt", &format!("# created\n{SECRET}\n"), 0o600);
    opens(&OpeningArgs { age_identity: vec![key], ..OpeningArgs::default() }, &bytes);
    assert!(!ClosingArgs::default().is_asked() && ClosingArgs::default().recipients().unwrap().is_none());

    let said = |keys: &[&str], file: Option<&str>| {
        let age_recipients_file = file.map(|text| folder.file("list", text, 0o644)).into_iter().collect();
        let age_recipient = keys.iter().map(|key| (*key).to_owned()).collect();
        let closing = ClosingArgs { age_recipient, age_recipients_file, ..ClosingArgs::default() };
        closing.recipients().map(drop).unwrap_err().message().to_owned()
    };
    let secret = said(&[PUBLIC, SECRET], None);
    assert!(secret.starts_with("--age-recipient 2: this is a secret key") && !secret.contains(SECRET), "{secret}");
    assert!(said(&[], Some(&format!("{PUBLIC}\nage1x"))).starts_with("line 2 of "));
    assert!(said(&[PUBLIC], Some("# nobody\n")).contains("names no recipient"));
    assert!(said(&[], Some(&"#".repeat(70_000))).contains("more than 65536 bytes"));
}

#[test]
fn a_passphrase_comes_from_a_private_file_of_one_line() {
    let folder = folder();
    let good = folder.file("good", "scones & jam\n", 0o600);
    let closing = ClosingArgs { age_passphrase_file: Some(good.clone()), ..ClosingArgs::default() };
    let bytes = sealed(&closing.recipients().unwrap().unwrap());
    opens(&OpeningArgs { age_passphrase_file: Some(good), ..OpeningArgs::default() }, &bytes);
    for (name, text, mode, says) in [
        ("open", "scones & jam", 0o644, "chmod 600"),
        ("empty", "\n", 0o600, "there is no passphrase"),
        ("two", "scones\njam\n", 0o600, "one line"),
        ("long", &"scones".repeat(1000), 0o600, "more than 4096 bytes"),
        ("other", "scones", 0o600, "the passphrase does not open"),
    ] {
        let age_passphrase_file = Some(folder.file(name, text, mode));
        refused(&OpeningArgs { age_passphrase_file, ..OpeningArgs::default() }, &bytes, says);
    }
    let missing = Some(folder.0.path().join("nowhere"));
    refused(&OpeningArgs { age_passphrase_file: missing, ..OpeningArgs::default() }, &bytes, "there is no such file");
    let age_identity = vec![folder.file("key", SECRET, 0o600)];
    refused(&OpeningArgs { age_identity, ..OpeningArgs::default() }, &bytes, "which no identity opens");
}

#[test]
fn what_is_missing_to_open_an_archive_is_said() {
    let folder = folder();
    let mut recipients = Recipients::default();
    recipients.add(PUBLIC).unwrap();
    let bytes = sealed(&recipients);
    refused(&OpeningArgs::default(), &bytes, "for recipients: name the file of a secret key");
    let age_passphrase_file = Some(folder.file("pass", "scones", 0o600));
    refused(&OpeningArgs { age_passphrase_file, ..OpeningArgs::default() }, &bytes, "not under a passphrase");
    let other = "AGE-SECRET-KEY-1QZWP4AQP426E0PRMK9RAYTTSCRCJ0PUZYRMGXJRZ6KQGA035PP7QJ0MW88";
    for (name, text, mode, says) in [
        ("open", SECRET, 0o640, "chmod 600"),
        ("none", "# nothing", 0o600, "no identity in it"),
        ("wrong", "AGE-SECRET-KEY-14WFAPF", 0o600, "line 1 is not an identity"),
        ("other", other, 0o600, "none of the identities opens"),
    ] {
        let age_identity = vec![folder.file(name, text, mode)];
        refused(&OpeningArgs { age_identity, ..OpeningArgs::default() }, &bytes, says);
    }
    let given = OpeningArgs { age_identity: vec![PathBuf::from("key")], ..OpeningArgs::default() };
    assert!(given.refuse_plain("x.tar").unwrap_err().message().starts_with("x.tar is not encrypted with age"));
    assert!(OpeningArgs::default().refuse_plain("x.tar").is_ok());
}
