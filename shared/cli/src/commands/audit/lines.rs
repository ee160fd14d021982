//! The lines of an exported audit: the first says which section of which chain follows, each further one is an entry.

use kimberly_core::Timestamp;
use kimberly_core::audit::{AuditHead, AuditRecord, hash_from_text};
use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::json;

/// The version of the format.
const VERSION: i64 = 1;
const KIND: &str = "audit";

/// Which section of a chain a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The name of its log.
    pub(super) log: String,
    pub(super) begins: AuditHead,
    pub(super) last: u64,
}

/// The first line.
pub(super) fn section_line(section: &v1::AuditSection) -> Value {
    let begins = section.begins.clone().unwrap_or_default();
    json!({
        "kind": KIND,
        "version": VERSION,
        "log": section.log,
        "begins": {"number": begins.number, "hash": begins.hash},
        "last": section.last,
    })
}

/// The line of an entry.
pub(super) fn entry_line(entry: &v1::AuditEntry) -> Value {
    json::audit_entry(entry)
}

/// Reads the first line. A chain that begins with its first entry must begin as its log's name says.
pub(super) fn section(line: &str) -> Result<Section, String> {
    let value = parse(line)?;
    if text(&value, "kind")? != KIND {
        return Err("this is no exported audit: its first line has another kind".to_owned());
    }
    match value["version"].as_i64() {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => {
            return Err(format!("this export has version {newer}; this kimberly reads version {VERSION}"));
        }
        _ => return Err("version is missing".to_owned()),
    }
    let (begins, log) = (head(&value["begins"])?, text(&value, "log")?);
    if begins.no == 0 && begins != AuditHead::genesis(&log) {
        return Err("the beginning of the chain is not that of the log it names".to_owned());
    }
    Ok(Section { log, begins, last: number(&value, "last")? })
}

/// Reads the line of an entry.
pub(super) fn entry(line: &str) -> Result<AuditRecord, String> {
    let value = parse(line)?;
    let at: prost_types::Timestamp =
        text(&value, "recorded_at")?.parse().map_err(|_| "recorded_at is no time".to_owned())?;
    let micros = at.seconds.checked_mul(1_000_000).and_then(|s| s.checked_add(i64::from(at.nanos) / 1_000));
    Ok(AuditRecord {
        no: number(&value, "number")?,
        at: Timestamp(micros.ok_or("recorded_at is no time")?),
        actor: optional(&value, "actor")?.unwrap_or_default(),
        action: optional(&value, "action")?.unwrap_or_default(),
        refused: optional(&value, "refused")?,
        subject: optional(&value, "subject")?,
        count: number(&value, "count")?,
        hash: hash_from_text(&text(&value, "hash")?).ok_or("hash is not 64 digits of hex")?,
    })
}

fn parse(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("not JSON ({error})"))
}

fn head(value: &Value) -> Result<AuditHead, String> {
    let hash = hash_from_text(&text(value, "hash")?).ok_or("hash is not 64 digits of hex")?;
    Ok(AuditHead { no: number(value, "number")?, hash })
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is missing"))
}

fn optional(value: &Value, name: &str) -> Result<Option<String>, String> {
    match &value[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(format!("{name} is no text")),
    }
}

fn number(value: &Value, name: &str) -> Result<u64, String> {
    value[name].as_u64().ok_or_else(|| format!("{name} is no number from 0 on"))
}
