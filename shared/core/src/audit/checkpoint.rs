//! Checkpoints: signed heads of a chain, to be stored where no account that writes the data can change them.
//!
//! The signed bytes are `"kimberly/audit/checkpoint/v1"`, the length of the log's name in bytes (4, big-endian), the
//! name, the number and the time (8 each, big-endian) and the hash of the last entry. So reformatting the surrounding
//! text does not break the signature, and no other statement has the same bytes.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::chain::AuditHead;
use super::text::{hash_from_text, hash_text};
use crate::bounds::MAX_CHECKPOINT_BYTES;
use crate::time::Timestamp;

/// Action of an entry in the system's audit that records the head of a vault's audit.
pub const ANCHORED: &str = "audit.anchor";
/// Action of an entry in the system's audit that records that a user's data was erased.
pub const PURGED: &str = "user.purge";

const SIGNED: &[u8] = b"kimberly/audit/checkpoint/v1";
const KIND: &str = "audit_checkpoint";
/// The version of the text format that this build writes.
const VERSION: u32 = 1;
/// Longest name of a log, in bytes; a vault's log name has 70.
const MAX_LOG_BYTES: usize = 128;

/// The head of a chain at a point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub log: String,
    /// The last entry at that time.
    pub head: AuditHead,
    /// Time of the checkpoint.
    pub at: Timestamp,
}

impl Checkpoint {
    /// Returns the bytes to sign.
    pub fn message(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIGNED.len() + self.log.len() + 52);
        bytes.extend_from_slice(SIGNED);
        bytes.extend_from_slice(&u32::try_from(self.log.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(self.log.as_bytes());
        bytes.extend_from_slice(&self.head.no.to_be_bytes());
        bytes.extend_from_slice(&self.at.0.to_be_bytes());
        bytes.extend_from_slice(&self.head.hash);
        bytes
    }
}

/// A checkpoint signed with the data folder's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The key's name: the first 16 hexadecimal digits of SHA-256 over the public key.
    pub key_id: String,
    /// Ed25519 signature of [`Checkpoint::message`].
    pub signature: [u8; 64],
}

/// The fields of the text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    kind: String,
    version: u32,
    log: String,
    number: u64,
    hash: String,
    made_at: String,
    key_id: String,
    signature: String,
}

impl SignedCheckpoint {
    /// Returns the checkpoint as text: one line of JSON with a line feed.
    pub fn to_text(&self) -> String {
        let Self { checkpoint: Checkpoint { log, head, at }, key_id, signature } = self;
        let written = Written {
            kind: KIND.to_owned(),
            version: VERSION,
            log: log.clone(),
            number: head.no,
            hash: hash_text(&head.hash),
            made_at: time_text(*at),
            key_id: key_id.clone(),
            signature: hex(signature),
        };
        // Serializing numbers and texts cannot fail.
        serde_json::to_string(&written).map(|text| text + "\n").unwrap_or_default()
    }

    /// Parses the output of [`to_text`](Self::to_text), reformatted or not; the error says what is wrong. Does not
    /// verify the signature.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_CHECKPOINT_BYTES {
            return Err(format!("it has {} bytes; a checkpoint has at most {MAX_CHECKPOINT_BYTES}", text.len()));
        }
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
        if value["kind"] != KIND {
            return Err(format!("it is not a checkpoint of an audit: kind is not {KIND:?}"));
        }
        if value["version"].as_u64().is_some_and(|version| version > u64::from(VERSION)) {
            return Err(format!("it has version {}; this build reads version {VERSION}", value["version"]));
        }
        let written: Written = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if written.version != VERSION {
            return Err(format!("it has version {}; this build reads version {VERSION}", written.version));
        }
        if !(1..=MAX_LOG_BYTES).contains(&written.log.len()) {
            return Err(format!("log has {} bytes; the name of a log has 1-{MAX_LOG_BYTES}", written.log.len()));
        }
        let hash = hash_from_text(&written.hash).ok_or("hash is not 64 digits of lower-case hex")?;
        let key_id = Some(written.key_id).filter(|id| id.len() == 16 && is_hex(id));
        Ok(Self {
            checkpoint: Checkpoint {
                log: written.log,
                head: AuditHead { no: written.number, hash },
                at: time(&written.made_at).ok_or("made_at is not a time such as 2026-11-21T23:00:00Z")?,
            },
            key_id: key_id.ok_or("key_id is not 16 digits of lower-case hex")?,
            signature: signature(&written.signature).ok_or("signature is not 128 digits of lower-case hex")?,
        })
    }
}

/// Returns the subject of an anchor entry: the log's name, a space and its head.
pub fn anchor_subject(log: &str, head: &AuditHead) -> String {
    format!("{log} {head}")
}

/// Parses the log's name and head that [`anchor_subject`] wrote.
pub fn anchor(subject: &str) -> Option<(&str, AuditHead)> {
    let (log, head) = subject.split_once(' ')?;
    Some((log, head.parse().ok()?))
}

fn time_text(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map(|at| at.to_string()).unwrap_or_default()
}

fn time(text: &str) -> Option<Timestamp> {
    let at = Timestamp(text.parse::<jiff::Timestamp>().ok()?.as_microsecond());
    // Refuses times finer than a microsecond, which would be truncated.
    (time_text(at) == text).then_some(at)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn signature(text: &str) -> Option<[u8; 64]> {
    let (first, second) = text.split_at_checked(64)?;
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&hash_from_text(first)?);
    signature[32..].copy_from_slice(&hash_from_text(second)?);
    Some(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed() -> SignedCheckpoint {
        SignedCheckpoint {
            checkpoint: Checkpoint {
                log: "vault:ab".to_owned(),
                head: AuditHead { no: 77, hash: [0xab; 32] },
                at: Timestamp(1_763_766_000_000_001),
            },
            key_id: "0123456789abcdef".to_owned(),
            signature: std::array::from_fn(|n| u8::try_from(n * 3).unwrap()),
        }
    }

    /// Signatures must hold in every later version.
    #[test]
    fn the_signed_bytes_are_those_of_the_written_formula() {
        let message = signed().checkpoint.message();
        assert_eq!(&message[..28], b"kimberly/audit/checkpoint/v1");
        let rest = [&[0, 0, 0, 8][..], b"vault:ab", &77_u64.to_be_bytes(), &1_763_766_000_000_001_i64.to_be_bytes()];
        assert_eq!(message[28..], [&rest.concat()[..], &[0xab; 32]].concat());
        let text = signed().to_text();
        assert!(text.starts_with(r#"{"kind":"audit_checkpoint","version":1,"log":"vault:ab","number":77,"#), "{text}");
        assert!(text.contains(r#""made_at":"2025-11-21T23:00:00.000001Z""#) && text.ends_with("}\n"), "{text}");
    }

    #[test]
    fn where_a_vault_stood_reads_back() {
        let head = signed().checkpoint.head;
        assert_eq!(anchor(&anchor_subject("vault:ab", &head)), Some(("vault:ab", head)));
        assert_eq!((anchor("vault:ab"), anchor("vault:ab 7"), anchor("")), (None, None, None));
    }

    #[test]
    fn a_checkpoint_reads_back_also_reformatted() {
        assert_eq!(SignedCheckpoint::parse(&signed().to_text()), Ok(signed()));
        let value: serde_json::Value = serde_json::from_str(&signed().to_text()).unwrap();
        assert_eq!(SignedCheckpoint::parse(&serde_json::to_string_pretty(&value).unwrap()), Ok(signed()));
    }

    #[test]
    fn what_is_damaged_is_refused_with_what_is_wrong() {
        let good: serde_json::Value = serde_json::from_str(&signed().to_text()).unwrap();
        let cases = [
            ("kind", serde_json::json!("audit"), "kind"),
            ("version", serde_json::json!(2), "reads version 1"),
            ("version", serde_json::json!(0), "reads version 1"),
            ("version", serde_json::json!("1"), "invalid type"),
            ("log", serde_json::json!(""), "log has 0 bytes"),
            ("log", serde_json::json!("x".repeat(129)), "log has 129 bytes"),
            ("number", serde_json::json!(-1), "invalid value"),
            ("hash", serde_json::json!("AB"), "hash is not"),
            ("made_at", serde_json::json!("yesterday"), "made_at is not a time"),
            ("made_at", serde_json::json!("2025-11-21T23:00:00.0000011Z"), "made_at is not a time"),
            ("key_id", serde_json::json!("0123456789abcdeF"), "key_id is not"),
            ("signature", serde_json::json!("00"), "signature is not"),
            ("signature", serde_json::json!("é".repeat(64)), "signature is not"),
            ("more", serde_json::json!(1), "unknown field"),
        ];
        for (field, value, part) in cases {
            let mut changed = good.clone();
            changed[field] = value;
            let refused = SignedCheckpoint::parse(&changed.to_string()).unwrap_err();
            assert!(refused.contains(part), "{field}: {refused}");
        }
        let text = signed().to_text();
        for (wrong, part) in [("", "not JSON"), (&text[..40], "not JSON"), ("[1]", "kind"), ("{}", "kind")] {
            assert!(SignedCheckpoint::parse(wrong).unwrap_err().contains(part), "{wrong}");
        }
        let long = format!("{text}{}", " ".repeat(MAX_CHECKPOINT_BYTES));
        assert!(SignedCheckpoint::parse(&long).unwrap_err().contains("at most"));
    }
}
