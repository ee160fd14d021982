//! Tests that exports are verified like the vault, and that other files are refused with the line.

use kimberly_core::audit::{AuditEntry, AuditRecord};

use super::*;

const LOG: &str = "vault:test";

/// An export of entries 1 to 9, one line each.
fn export() -> Vec<String> {
    let mut head = AuditHead::genesis(LOG);
    let section = v1::AuditSection { log: LOG.to_owned(), begins: Some(wire(head)), last: 9 };
    let mut text = vec![lines::section_line(&section)];
    for n in 1..=9_i64 {
        let record = head.next(&AuditEntry {
            at: Timestamp(1_763_640_000_123_456 + n),
            actor: "user".into(),
            action: "memory.create",
            refused: (n == 4).then_some("QUOTA_EXCEEDED"),
            subject: (n % 2 == 0).then(|| format!("mem_{n} \"\u{1f33b}")),
            count: n.unsigned_abs(),
        });
        head = record.head();
        text.push(lines::entry_line(&wired(record)).unwrap());
    }
    text
}

/// The entry as the server sends it.
fn wired(record: AuditRecord) -> v1::AuditEntry {
    let finding =
        AuditFinding { kind: AuditFindingKind::Altered, first: 0, last: 0, at: Some(record.at), anchor: None };
    v1::AuditEntry {
        number: int64(record.no),
        recorded_at: super::finding(&finding).recorded_at,
        actor: record.actor,
        action: record.action,
        refused: record.refused.unwrap_or_default(),
        subject: record.subject.unwrap_or_default(),
        count: int64(record.count),
        hash: hash_text(&record.hash),
    }
}

fn outcome(text: &[String], noted: Option<AuditHead>) -> Result<v1::VerifyAuditResponse, (usize, String)> {
    check(text.join("\n").as_bytes().lines(), noted)
}

fn found(text: &[String], noted: Option<AuditHead>) -> Vec<(v1::AuditFindingKind, i64, i64)> {
    let verdict = outcome(text, noted).unwrap();
    assert_eq!(verdict.intact, verdict.findings.is_empty());
    verdict.findings.iter().map(|finding| (finding.kind(), finding.first, finding.last)).collect()
}

#[test]
fn an_export_is_whole_as_it_was_written() {
    let verdict = outcome(&export(), None).unwrap();
    assert!(verdict.intact && verdict.entries == 9, "{verdict:?}");
    let head = verdict.head.unwrap();
    let noted = format!("{}:{}", head.number, head.hash).parse().unwrap();
    assert!(outcome(&export(), Some(noted)).unwrap().intact);
}

#[test]
fn changes_of_an_export_are_reported_with_their_numbers() {
    use v1::AuditFindingKind::{Altered, Missing, Reordered, Rewritten, Truncated};
    let whole = export();
    let mut text = whole.clone();
    text[5] = text[5].replace("\"count\":\"5\"", "\"count\":\"50\"");
    assert_eq!(found(&text, None), [(Altered, 5, 5)]);
    text = whole.clone();
    text.drain(3..=4);
    assert_eq!(found(&text, None), [(Missing, 3, 4)]);
    text = whole.clone();
    text.truncate(8);
    assert_eq!(found(&text, None), [(Truncated, 8, 9)]);
    text = whole.clone();
    text.swap(4, 5);
    assert_eq!(found(&text, None), [(Missing, 4, 4), (Reordered, 4, 4)]);
    let noted = AuditHead { no: 6, hash: [1; 32] };
    assert_eq!(found(&whole, Some(noted)), [(Rewritten, 6, 6)]);
    assert_eq!(found(&whole, Some(AuditHead { no: 12, hash: [1; 32] })), [(Truncated, 10, 12)]);
}

#[test]
fn what_is_no_export_is_refused_with_its_line() {
    let whole = export();
    let with = |line: usize, text: &str| {
        let mut lines = whole.clone();
        lines[line] = text.to_owned();
        outcome(&lines, None).unwrap_err()
    };
    let refused = [
        (outcome(&[], None).unwrap_err(), 1, "empty"),
        (with(0, "{"), 1, "not JSON"),
        (with(0, "[]"), 1, "not an exported audit"),
        (with(0, "{\"export\":{}}"), 1, "not an exported audit"),
        (with(0, &whole[0].replace("\"version\":1", "\"version\":2")), 1, "reads version 1"),
        (with(0, &whole[0].replace("vault:test", "vault:other")), 1, "does not begin like the log"),
        (with(3, &whole[3].replace("\"count\":\"3\"", "\"count\":\"-3\"")), 4, "count is not a number"),
        (with(3, &whole[3].replace("\"hash\":\"", "\"hash\":\"0")), 4, "64 digits"),
        (with(8, ""), 9, "not JSON"),
    ];
    for ((line, problem), expected, words) in refused {
        assert!(line == expected && problem.contains(words), "line {line}: {problem}");
    }
}
