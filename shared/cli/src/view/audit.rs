//! The audit: entries and verification results.

use kimberly_proto::v1;

use super::{Short, right, table};
use crate::{names, text, time};

/// Entries, one per row.
pub(crate) fn audit_entries(list: &[v1::AuditEntry]) -> String {
    let short = Short::of(list.iter().map(|entry| entry.subject.as_str()));
    let mut rows = table(&["", "when", "who", "what was done", "count", "about"]);
    for entry in list {
        let refused = if entry.refused.is_empty() {
            String::new()
        } else {
            format!(" (refused: {})", text::line(&entry.refused, 60))
        };
        rows.add_row([
            right(entry.number),
            time::minute(entry.recorded_at.as_ref()).into(),
            text::line(&entry.actor, 60).into(),
            format!("{}{refused}", text::line(&entry.action, 60)).into(),
            right(entry.count),
            short.named(&entry.subject).into(),
        ]);
    }
    rows.trim_fmt()
}

/// The result of a verification, in sentences.
pub(crate) fn audit_verdict(verdict: &v1::VerifyAuditResponse) -> String {
    let begins = verdict.begins.as_ref().map_or(0, |head| head.number);
    let from = if begins == 0 { String::new() } else { format!(", from number {} on", begins + 1) };
    if !verdict.intact {
        let more = usize::try_from(verdict.found).unwrap_or(usize::MAX).saturating_sub(verdict.findings.len());
        let more = if more == 0 { String::new() } else { format!("\nand {more} more") };
        let lines: Vec<String> = verdict.findings.iter().map(finding).collect();
        let were = if verdict.entries == 1 { "was" } else { "were" };
        return format!("{} {were} checked{from}\n{}{more}", entries(verdict.entries), lines.join("\n"));
    }
    let head = verdict.head.clone().unwrap_or_default();
    let anchored = match verdict.anchors {
        0 => String::new(),
        1 => "\nit matches the head recorded in the system's audit".to_owned(),
        more => format!("\nit matches the {more} heads recorded in the system's audit"),
    };
    format!(
        "the audit is intact: {}{from}{anchored}\nits head is {}:{}\nsave this head elsewhere: `kimberly audit verify \
         --head` with it \
         proves later that nothing up to it was changed",
        entries(verdict.entries),
        head.number,
        head.hash
    )
}

/// A count of entries.
pub(crate) fn entries(count: i64) -> String {
    text::count(count, "entry", "entries")
}

fn finding(finding: &v1::AuditFinding) -> String {
    let which = if finding.first == finding.last {
        format!("entry {}", finding.first)
    } else {
        format!("entries {} to {}", finding.first, finding.last)
    };
    let what = match v1::AuditFindingKind::try_from(finding.kind) {
        Ok(v1::AuditFindingKind::Altered) => "changed, moved or inserted",
        Ok(v1::AuditFindingKind::Missing) => "taken out",
        Ok(v1::AuditFindingKind::Reordered) => "out of order: follows a higher number",
        Ok(v1::AuditFindingKind::Truncated) => "missing at the end of the audit",
        Ok(v1::AuditFindingKind::Rewritten) if finding.system_entry != 0 => "differs from the recorded entry",
        Ok(v1::AuditFindingKind::Rewritten) => "differs from the head you gave",
        _ => return format!("{which}: {}", names::audit_finding(finding.kind)),
    };
    let at = finding.recorded_at.as_ref().map_or_else(String::new, |at| format!(" ({} UTC)", time::minute(Some(at))));
    let by = match finding.system_entry {
        0 => String::new(),
        entry => format!(", as entry {entry} of the system's audit says"),
    };
    format!("{which}{at}: {what}{by}")
}
