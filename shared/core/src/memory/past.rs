//! The history of a record for export and import: versions of its texts, and its endings.

use std::collections::BTreeSet;

use super::label::label_problem;
use super::{Detail, DraftLimits, Memory};
use crate::bounds::{MAX_AUTHOR_BYTES, MAX_ENDINGS, MAX_VERSIONS, MAX_VERSIONS_BYTES};
use crate::error::FieldViolation;
use crate::links::{Ending, evidence_problem};
use crate::time::Timestamp;
use crate::versions::{Version, surplus};

/// Longest name of an action that changed a record, in bytes.
const MAX_ACTION_BYTES: usize = 64;

/// The history of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Versions, newest first.
    pub versions: Vec<Version>,
    /// Endings, newest first.
    pub endings: Vec<Ending>,
}

impl Past {
    /// Checks an imported history and computes values derived from its texts. `path` is the record's path; times must
    /// not be later than `latest`.
    pub(super) fn check(
        &mut self,
        path: &str,
        memory: &Memory,
        (limits, latest): (DraftLimits, Timestamp),
        violations: &mut Vec<FieldViolation>,
    ) {
        for (index, version) in self.versions.iter_mut().enumerate() {
            let at = format!("{path}.versions[{index}]");
            check_version(&at, version, memory, (limits, latest), violations);
        }
        self.versions.sort_by_key(|version| std::cmp::Reverse(version.number));
        let numbers: BTreeSet<u64> = self.versions.iter().map(|version| version.number).collect();
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        if numbers.len() < self.versions.len() {
            bad("versions", "has two versions with the same number; each number must be unique".to_owned());
        }
        if !surplus(&self.versions).is_empty() {
            let most = format!("{MAX_VERSIONS} versions or {MAX_VERSIONS_BYTES} bytes");
            bad("versions", format!("has more than {most}; omit the oldest"));
        }
        if self.endings.len() > MAX_ENDINGS {
            bad("endings", format!("has {} entries; at most {MAX_ENDINGS} are allowed", self.endings.len()));
        }
        for (index, ending) in self.endings.iter_mut().enumerate().take(MAX_ENDINGS) {
            ending.memory = memory.id;
            if let Some(problem) = evidence_problem(&ending.why) {
                bad(&format!("endings[{index}].reason"), problem);
            }
            if ending.at > latest {
                bad(&format!("endings[{index}].at"), ahead());
            }
        }
        self.endings.sort_by_key(|ending| std::cmp::Reverse(ending.at));
    }
}

fn ahead() -> String {
    "is in the future; check the clocks of both machines".to_owned()
}

fn check_version(
    path: &str,
    version: &mut Version,
    memory: &Memory,
    (limits, latest): (DraftLimits, Timestamp),
    violations: &mut Vec<FieldViolation>,
) {
    version.memory = memory.id;
    if let Some(detail) = version.detail.as_deref().and_then(|json| Detail::from_json(json).ok()) {
        let mut detail = detail;
        detail.check(&format!("{path}.detail"), violations);
        version.detail = Some(detail.to_json());
    }
    let texts = [&version.content, &version.detail];
    version.bytes = texts.into_iter().flatten().map(|text| text.len() as u64).sum();
    let mut bad = |field: &str, problem: &str| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
    if version.number == 0 || version.number >= memory.revision {
        bad("version.version", "must be 1 or more, and less than the record's etag");
    }
    let of_ours = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'_');
    if version.action.is_empty() || version.action.len() > MAX_ACTION_BYTES || !version.action.bytes().all(of_ours) {
        let allowed = format!("1 to {MAX_ACTION_BYTES} of the characters a-z, `.` and `_`");
        bad("version.action", &format!("must be {allowed}, such as \"memory.edit\""));
    }
    if !version.author.is_empty() && label_problem(&version.author, MAX_AUTHOR_BYTES).is_some() {
        bad("version.author", "is not the name of a credential");
    }
    if let Some(problem) = version.reason.as_deref().and_then(evidence_problem) {
        bad("version.reason", &problem);
    }
    let content = version.content.as_deref().unwrap_or_default();
    if content.len() > limits.max_content_bytes || content.contains('\0') {
        bad("content", &format!("must be at most {} bytes, without NUL characters", limits.max_content_bytes));
    }
    if version.redacted_at.is_some() && (version.content.is_some() || version.detail.is_some()) {
        bad("content", "must be empty, because the version was redacted");
    }
    for (field, at) in [
        ("version.written_at", Some(version.written_at)),
        ("version.changed_at", Some(version.changed_at)),
        ("version.redacted_at", version.redacted_at),
    ] {
        if at.is_some_and(|at| at > latest) {
            bad(field, &ahead());
        }
    }
}
