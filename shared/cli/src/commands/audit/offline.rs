//! Verifies an exported audit without a server: the file contains everything needed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use kimberly_archive::envelope::is_envelope;
use kimberly_archive::{Item, Reader, Section};
use kimberly_core::Timestamp;
use kimberly_core::audit::{AuditFinding, AuditFindingKind, AuditHead, AuditVerifier, hash_text};
use kimberly_proto::v1;

use super::lines;
use crate::envelope::OpeningArgs;
use crate::error::{CliError, CliResult};

/// Verifies the file and returns the findings.
pub(super) fn verify(
    file: &Path,
    opening: &OpeningArgs,
    head: Option<AuditHead>,
) -> CliResult<v1::VerifyAuditResponse> {
    let name = file.display();
    let opened = File::open(file).map_err(|error| CliError::usage(format!("{name} cannot be read: {error}")))?;
    let mut opened = BufReader::new(opened);
    let mut opened: Box<dyn BufRead> = if is_envelope(opened.fill_buf()?) {
        Box::new(BufReader::new(opening.open(&name.to_string(), opened)?.reader))
    } else {
        opening.refuse_plain(&name.to_string())?;
        Box::new(opened)
    };
    let is_archive = kimberly_archive::is_archive(opened.fill_buf()?);
    let checked = if is_archive { check(OfArchive::new(opened)?, head) } else { check(opened.lines(), head) };
    checked.map_err(|(line, problem)| CliError::failed(format!("{name}, line {line}: {problem}")))
}

/// The audit lines of an archive; reading them verifies the whole archive.
struct OfArchive<R>(Reader<R>);

impl<R: Read> OfArchive<R> {
    fn new(archive: R) -> CliResult<Self> {
        Ok(Self(Reader::new(archive)?))
    }
}

impl<R: Read> Iterator for OfArchive<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return match self.0.next_item() {
                Ok(Some(Item::Line(Section::Audit, line))) => Some(Ok(line.to_owned())),
                Ok(Some(_)) => continue,
                Ok(None) => None,
                Err(error) => Some(Err(io::Error::other(error))),
            };
        }
    }
}

type Checked = Result<v1::VerifyAuditResponse, (usize, String)>;

fn check(lines: impl Iterator<Item = io::Result<String>>, noted: Option<AuditHead>) -> Checked {
    let mut lines = (1..).zip(lines);
    let mut next = || match lines.next() {
        None => Ok(None),
        Some((number, Ok(line))) => Ok(Some((number, line))),
        Some((number, Err(error))) => Err((number, error.to_string())),
    };
    let (number, first) = next()?.ok_or_else(|| (1, "the file is empty".to_owned()))?;
    let section = lines::section(&first).map_err(|problem| (number, problem))?;
    let mut verifier = AuditVerifier::new(section.begins);
    if let Some(noted) = noted {
        if noted.no < section.begins.no {
            let problem = format!("the head {} is before the first entry of this export", noted.no);
            return Err((number, problem));
        }
        verifier = verifier.expecting(noted);
    }
    while let Some((number, line)) = next()? {
        verifier.push(&lines::entry(&line).map_err(|problem| (number, problem))?);
    }
    let outcome = verifier.finish(section.last);
    Ok(v1::VerifyAuditResponse {
        intact: outcome.is_intact(),
        entries: int64(outcome.entries),
        begins: Some(wire(section.begins)),
        head: Some(wire(outcome.head)),
        findings: outcome.findings.iter().map(finding).collect(),
        found: int64(outcome.found),
        log: section.log,
        anchors: 0,
    })
}

fn finding(finding: &AuditFinding) -> v1::AuditFinding {
    let kind = match finding.kind {
        AuditFindingKind::Altered => v1::AuditFindingKind::Altered,
        AuditFindingKind::Missing => v1::AuditFindingKind::Missing,
        AuditFindingKind::Reordered => v1::AuditFindingKind::Reordered,
        AuditFindingKind::Truncated => v1::AuditFindingKind::Truncated,
        AuditFindingKind::Rewritten => v1::AuditFindingKind::Rewritten,
    };
    let at = |Timestamp(micros): Timestamp| prost_types::Timestamp {
        seconds: micros.div_euclid(1_000_000),
        // Always less than a second.
        nanos: i32::try_from(micros.rem_euclid(1_000_000) * 1_000).unwrap_or_default(),
    };
    let (first, last) = (int64(finding.first), int64(finding.last));
    v1::AuditFinding { kind: kind.into(), first, last, recorded_at: finding.at.map(at), system_entry: 0 }
}

fn wire(head: AuditHead) -> v1::AuditHead {
    v1::AuditHead { number: int64(head.no), hash: hash_text(&head.hash) }
}

fn int64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
