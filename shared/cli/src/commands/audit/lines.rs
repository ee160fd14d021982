//! The lines of an exported audit: the first describes the section of the chain, each further one is an entry.

use kimberly_core::Timestamp;
use kimberly_core::audit::{AuditHead, AuditRecord, hash_from_text};
use kimberly_proto::v1;
use serde_json::json;

use crate::error::CliResult;
use crate::json;

/// The version of the format.
const VERSION: i64 = 1;
const KIND: &str = "audit";

/// The section of a chain that a file contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The name of the section's log.
    pub(super) log: String,
    pub(super) begins: AuditHead,
    pub(super) last: u64,
}

/// Formats the first line.
pub(super) fn section_line(section: &v1::AuditSection) -> String {
    json!({"version": VERSION, KIND: json::of(section)}).to_string()
}

/// Formats an entry.
pub(super) fn entry_line(entry: &v1::AuditEntry) -> CliResult<String> {
    json::line(entry)
}

/// Parses the first line. A chain that starts with its first entry must start with the genesis head of its log's name.
pub(super) fn section(line: &str) -> Result<Section, String> {
    let value = json::parse(line)?;
    let section = value.get(KIND).ok_or("this is not an exported audit: its first line has no `audit`")?;
    match value["version"].as_i64() {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => {
            return Err(format!("this export has version {newer}; this kimberly reads version {VERSION}"));
        }
        _ => return Err("version is missing".to_owned()),
    }
    let v1::AuditSection { log, begins, last } = json::read(section)?;
    let begins = begins.ok_or("begins is missing")?;
    let begins = AuditHead { no: number("number", begins.number)?, hash: hash(&begins.hash)? };
    if begins.no == 0 && begins != AuditHead::genesis(&log) {
        return Err("the chain does not begin like the log that it names".to_owned());
    }
    Ok(Section { log, begins, last: number("last", last)? })
}

/// Parses an entry.
pub(super) fn entry(line: &str) -> Result<AuditRecord, String> {
    let entry: v1::AuditEntry = json::read(&json::parse(line)?)?;
    let at = entry.recorded_at.ok_or("recordedAt is missing")?;
    let micros = at.seconds.checked_mul(1_000_000).and_then(|s| s.checked_add(i64::from(at.nanos) / 1_000));
    let set = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(AuditRecord {
        no: number("number", entry.number)?,
        at: Timestamp(micros.ok_or("recordedAt is not a time")?),
        actor: entry.actor,
        action: entry.action,
        refused: set(entry.refused),
        subject: set(entry.subject),
        count: number("count", entry.count)?,
        hash: hash(&entry.hash)?,
    })
}

fn hash(text: &str) -> Result<[u8; 32], String> {
    hash_from_text(text).ok_or_else(|| "hash is not 64 digits of hex".to_owned())
}

fn number(name: &str, number: i64) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("{name} is not a number, 0 or more"))
}
