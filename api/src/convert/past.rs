//! Converts the past of memories, versions and endings, in both directions.

use kimberly_core::links::Ending;
use kimberly_core::memory::{Detail, Past};
use kimberly_core::versions::Version;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use super::problems::Problems;
use super::time::{self, wire_timestamp};
use super::{detail, int64, text};

/// Converts the description of a version, without its content.
pub fn said(version: &Version) -> v1::RecordVersion {
    v1::RecordVersion {
        version: int64(version.number),
        written_at: Some(wire_timestamp(version.written_at)),
        changed_at: Some(wire_timestamp(version.changed_at)),
        action: version.action.clone(),
        author: version.author.clone(),
        reason: version.reason.clone().unwrap_or_default(),
        redacted_at: version.redacted_at.map(wire_timestamp),
        bytes: int64(version.bytes),
    }
}

/// Converts versions and endings to the contract.
pub fn to_wire(past: Past) -> Result<(Vec<v1::KeptVersion>, Vec<v1::KeptEnding>)> {
    let version = |version: Version| {
        let detail = version.detail.as_deref().map(Detail::from_json).transpose()?.map(detail::to_wire);
        let said = Some(said(&version));
        Ok(v1::KeptVersion { version: said, content: version.content.unwrap_or_default(), detail })
    };
    let ending = |ending: Ending| v1::KeptEnding {
        at: Some(wire_timestamp(ending.at)),
        valid_to: ending.until.map(wire_timestamp),
        reason: ending.why,
    };
    let versions = past.versions.into_iter().map(version).collect::<Result<_>>()?;
    Ok((versions, past.endings.into_iter().map(ending).collect()))
}

/// Converts versions and endings from the contract. `path` is the path of their record. The domain checks the bounds.
pub fn from_wire(path: &str, versions: Vec<v1::KeptVersion>, endings: Vec<v1::KeptEnding>) -> Result<Past> {
    let mut problems = Problems::default();
    let mut past = Past::default();
    for (index, raw) in versions.into_iter().enumerate() {
        let kept = version(&format!("{path}.versions[{index}]"), raw, &mut problems);
        past.versions.push(kept);
    }
    for (index, raw) in endings.into_iter().enumerate() {
        let at = problems.take(&format!("{path}.endings[{index}].at"), time::optional_timestamp(raw.at));
        let valid_to = time::optional_timestamp(raw.valid_to);
        let until = problems.take(&format!("{path}.endings[{index}].valid_to"), valid_to);
        let at = at.unwrap_or_default();
        past.endings.push(Ending { memory: MemoryId(uuid::Uuid::nil()), at, until, why: raw.reason });
    }
    problems.finish(past)
}

fn version(path: &str, raw: v1::KeptVersion, problems: &mut Problems) -> Version {
    let said = raw.version.unwrap_or_default();
    let mut at = |field: &str, raw| problems.take(&format!("{path}.version.{field}"), time::optional_timestamp(raw));
    let written_at = at("written_at", said.written_at).unwrap_or_default();
    let changed_at = at("changed_at", said.changed_at).unwrap_or_default();
    let redacted_at = at("redacted_at", said.redacted_at);
    let detail = raw.detail.and_then(|raw| detail::detail(&format!("{path}.detail"), raw, problems));
    Version {
        memory: MemoryId(uuid::Uuid::nil()),
        number: u64::try_from(said.version).unwrap_or_default(),
        written_at,
        changed_at,
        action: said.action,
        author: said.author,
        reason: text(said.reason),
        redacted_at,
        bytes: 0,
        content: redacted_at.is_none().then_some(raw.content),
        detail: detail.as_ref().map(Detail::to_json),
    }
}
