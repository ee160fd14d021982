//! An envelope returns its content to its recipients, and refuses content that was modified.

use std::io::{Read as _, Write as _};

use super::*;

/// Longer than two chunks.
fn long() -> Vec<u8> {
    (0..150_000_u32).map(|n| n.to_le_bytes()[usize::try_from(n % 2).unwrap()] ^ 0x5a).collect()
}

fn pair() -> (String, String) {
    use age::secrecy::ExposeSecret as _;
    let identity = age::x25519::Identity::generate();
    (identity.to_public().to_string(), identity.to_string().expose_secret().to_owned())
}

fn sealed(content: &[u8], recipients: &Recipients) -> Vec<u8> {
    let mut writer = EnvelopeWriter::new(Vec::new(), recipients).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap()
}

fn opened(bytes: &[u8], identities: &Identities) -> Result<Vec<u8>, String> {
    let envelope = Envelope::read(bytes).map_err(|error| error.to_string())?;
    let mut reader = envelope.open(identities).map_err(|error| error.to_string())?.reader;
    let mut content = Vec::new();
    reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
    Ok(content)
}

#[test]
fn only_its_recipients_open_it() {
    let (first, first_secret) = pair();
    let (second, second_secret) = pair();
    let mut recipients = Recipients::default();
    recipients.add(&first).unwrap();
    recipients.add(&second).unwrap();
    for content in [Vec::new(), long(), vec![7; 64 << 10], vec![7; 128 << 10]] {
        let bytes = sealed(&content, &recipients);
        assert!(is_envelope(&bytes[..64]));
        for secret in [&first_secret, &second_secret] {
            let mut identities = Identities::default();
            identities.add(&format!("# of somebody else\n\n{}\n", pair().1)).unwrap();
            identities.add(&format!("  {secret}\r\n")).unwrap();
            assert_eq!(opened(&bytes, &identities), Ok(content.clone()));
        }
        let refused = opened(&bytes, &throwaway().1).unwrap_err();
        assert!(refused.contains("none of the identities opens"), "{refused}");
        let refused = opened(&bytes, &Identities::passphrase("tea")).unwrap_err();
        assert!(refused.contains("none of the identities opens"), "{refused}");
    }
}

#[test]
fn a_passphrase_opens_it_again_without_its_work() {
    let bytes = sealed(b"tea at four", &Recipients::under("scones & jam", 10));
    let envelope = Envelope::read(&bytes[..]).unwrap();
    assert!(envelope.is_under_passphrase());
    let Opened { mut reader, key } = envelope.open(&Identities::passphrase("scones & jam")).unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "tea at four");
    assert_eq!(opened(&bytes, &key), Ok(b"tea at four".to_vec()));
    let other = sealed(b"coffee", &Recipients::under("scones & jam", 10));
    assert!(opened(&other, &key).is_err(), "the key of one envelope opens another");
    for wrong in ["scones", "", "scones & jam "] {
        let refused = opened(&bytes, &Identities::passphrase(wrong)).unwrap_err();
        assert!(refused.contains("the passphrase does not open"), "{refused}");
    }
    let refused = opened(&bytes, &throwaway().1).unwrap_err();
    assert!(refused.contains("the passphrase does not open"), "{refused}");
    // A hostile envelope cannot demand hours of work and tens of gigabytes.
    let heavy = String::from_utf8_lossy(&bytes).contains(" 10\n");
    assert!(heavy, "the header holds the work factor");
    let at = bytes.windows(4).position(|part| part == b" 10\n").unwrap();
    let mut hostile = bytes;
    hostile[at + 1..at + 3].copy_from_slice(b"30");
    let refused = opened(&hostile, &Identities::passphrase("scones & jam")).unwrap_err();
    assert!(refused.contains("needs work of 2^30; at most 2^20"), "{refused}");
}

#[test]
fn no_byte_can_be_changed_taken_off_or_added() {
    let (recipients, identities) = throwaway();
    let content = long();
    let bytes = sealed(&content, &recipients);
    let header = bytes.windows(5).position(|part| part == b"\n--- ").unwrap();
    let header_end = header + 1 + bytes[header + 1..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Every byte of header and nonce, and the edges of every chunk.
    let chunk = (64 << 10) + 16;
    let payload = header_end + 16;
    let edges = [0, 1, chunk - 1, chunk, 2 * chunk - 16, bytes.len() - payload - 1].map(|at| payload + at);
    for at in (0..payload).chain(edges) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(opened(&changed, &identities).is_err(), "a change of byte {at} went unnoticed");
    }
    for cut in (0..payload).chain(edges) {
        assert!(opened(&bytes[..cut], &identities).is_err(), "a cut at {cut} went unnoticed");
    }
    for more in [&b"\0"[..], &bytes[payload..payload + chunk]] {
        assert!(opened(&[&bytes, more].concat(), &identities).is_err(), "trailing bytes went unnoticed");
    }
    let said = |bytes: &[u8]| opened(bytes, &identities).unwrap_err();
    assert!(
        said(&bytes[..payload + chunk]).contains("is truncated after byte 65536"),
        "{}",
        said(&bytes[..payload + chunk])
    );
    assert!(said(&bytes[..payload + chunk + 9]).contains("damaged or truncated within the 64 KiB after byte 65536"));
    let mut changed = bytes.clone();
    changed[payload + 2 * chunk + 3] ^= 0x80;
    assert!(said(&changed).contains("damaged or truncated within the 64 KiB after byte 131072"), "{}", said(&changed));
    // Two chunks are swapped.
    let (one, two) = (&bytes[payload..payload + chunk], &bytes[payload + chunk..payload + 2 * chunk]);
    let moved = [&bytes[..payload], two, one, &bytes[payload + 2 * chunk..]].concat();
    assert!(said(&moved).contains("after byte 0"));
    assert!(said(&bytes[..header]).contains("header of the encrypted file is damaged or truncated"));
    assert!(said(b"age-encryption.org/v2\n-> X25519 and more than that").contains("version of age"));
}

/// Written by `age` 1.1.1 for the key of the next constant.
const OF_AGE: &str = include_str!("reference.age");
/// A test key that opens only that file.
const KEY_OF_AGE: &str = include_str!("reference.key");

#[test]
fn what_the_tool_age_wrote_is_opened_and_its_armor_is_held_to_its_form() {
    let mut identities = Identities::default();
    identities.add(KEY_OF_AGE).unwrap();
    assert!(is_envelope(OF_AGE.as_bytes()));
    assert_eq!(opened(OF_AGE.as_bytes(), &identities), Ok(b"one line that the reference tool closed\n".to_vec()));
    let windows = OF_AGE.replace('\n', "\r\n");
    assert!(opened(windows.as_bytes(), &identities).is_ok());
    for bad in [
        OF_AGE.replace("-----END AGE ENCRYPTED FILE-----\n", ""),
        format!("{OF_AGE}and more"),
        OF_AGE.replacen('\n', "", 3),
        OF_AGE[..OF_AGE.len() / 2].to_owned(),
    ] {
        assert!(opened(bad.as_bytes(), &identities).is_err(), "{bad}");
    }
}

#[test]
fn headers_and_lines_without_end_are_refused_within_their_bounds() {
    let said = |beginning: &str| {
        let hostile = beginning.as_bytes().chain(std::io::repeat(b'A'));
        Envelope::read(hostile).map(drop).unwrap_err().to_string()
    };
    for beginning in
        ["age-encryption.org/v1\n", "age-encryption.org/v1\n-> X25519 ", "-----BEGIN AGE ENCRYPTED FILE-----\n"]
    {
        assert!(said(beginning).contains("header"), "{beginning}: {}", said(beginning));
    }
    let many = format!("age-encryption.org/v1\n{}", "-> x y\n\n".repeat(300));
    let refused = Envelope::read(many.as_bytes()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("exceeds 16384 bytes"), "{refused}");
}

#[test]
fn keys_are_refused_without_being_shown() {
    let (public, secret) = pair();
    let mut recipients = Recipients::default();
    assert!(recipients.is_empty());
    for (bad, says) in [
        (secret.as_str(), "a secret key"),
        (&secret.to_lowercase(), "a secret key"),
        (&public[..public.len() - 1], "not a recipient of age"),
        ("ssh-ed25519 AAAA", "not a recipient of age"),
        ("", "not a recipient of age"),
    ] {
        let refused = recipients.add(bad).unwrap_err().to_string();
        assert!(refused.contains(says) && (bad.is_empty() || !refused.contains(bad)), "{refused}");
    }
    let mut identities = Identities::default();
    let mistyped = &secret[..secret.len() - 1];
    let refused = identities.add(&format!("# mine\n{secret}\n{mistyped}")).unwrap_err().to_string();
    assert!(refused.starts_with("line 3 is not an identity") && !refused.contains(mistyped), "{refused}");
    assert!(identities.add("# none\n").unwrap_err().to_string().contains("no identity in it"));
    assert!(identities.add(OF_AGE).unwrap_err().to_string().contains("encrypted itself"));
    let shown = format!("{:?} {:?}", identities, Identities::passphrase("scones & jam"));
    assert!(!shown.contains("SECRET") && !shown.contains("scones"), "{shown}");
    assert!(EnvelopeWriter::new(Vec::new(), &recipients).is_err(), "an envelope without a recipient");
    for _ in 0..MAX_RECIPIENTS {
        recipients.add(&public).unwrap();
    }
    assert!(recipients.add(&public).unwrap_err().to_string().contains("at most 100"));
    let mut identities = Identities::default();
    identities.add(&secret).unwrap();
    assert_eq!(opened(&sealed(b"for many", &recipients), &identities), Ok(b"for many".to_vec()));
}
