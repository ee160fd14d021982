//! Every single change of a chain is found at its place.

use proptest::prelude::*;

use super::*;
use crate::audit::AuditEntry;
use crate::ids::UserId;
use crate::time::Timestamp;

const LOG: &str = "vault:test";

fn entry(n: u64) -> AuditEntry {
    AuditEntry {
        at: Timestamp(n.cast_signed() * 1_000),
        actor: "user".into(),
        action: if n.is_multiple_of(2) { "memory.create" } else { "memory.delete" },
        refused: n.is_multiple_of(7).then_some("PERMISSION_DENIED"),
        subject: (!n.is_multiple_of(3)).then(|| format!("mem_{n}")),
        count: n % 5,
    }
}

fn chain(length: u64) -> Vec<AuditRecord> {
    let mut head = AuditHead::genesis(LOG);
    (1..=length)
        .map(|n| {
            let record = head.next(&entry(n));
            head = record.head();
            record
        })
        .collect()
}

fn verify(records: &[AuditRecord], last: u64, noted: Option<AuditHead>) -> AuditVerification {
    let mut verifier = AuditVerifier::new(AuditHead::genesis(LOG));
    if let Some(noted) = noted {
        verifier = verifier.expecting(noted);
    }
    for record in records {
        verifier.push(record);
    }
    verifier.finish(last)
}

fn told_of(outcome: &AuditVerification) -> Vec<(AuditFindingKind, u64, u64)> {
    outcome.findings.iter().map(|finding| (finding.kind, finding.first, finding.last)).collect()
}

/// Chains written by one version must verify in every later one.
#[test]
fn hashes_are_those_of_the_written_formula() {
    let user = UserId::parse("anna").unwrap();
    let genesis = AuditHead::genesis(&vault_log(&user));
    let record = genesis.next(&entry(1));
    assert_eq!(hash_text(&genesis.hash), "bd35b0b53bdf6279fc5ea0d93bbfa24d498ec44127a7b419f2c1c2905fcbf48b");
    assert_eq!(hash_text(&record.hash), "7da8838a00e39ca730ba3dbdf9eccbd827d1f28de2e15c46fe3ea700ed658c91");
}

#[test]
fn an_untouched_chain_is_intact_and_an_empty_one_too() {
    let records = chain(500);
    let outcome = verify(&records, 500, Some(records[250].head()));
    assert!(outcome.is_intact() && outcome.entries == 500, "{outcome:?}");
    assert_eq!(outcome.head, records[499].head());
    assert!(verify(&[], 0, None).is_intact());
}

#[test]
fn a_chain_of_another_log_does_not_pass() {
    let records = chain(3);
    let mut verifier = AuditVerifier::new(AuditHead::genesis("vault:other"));
    for record in &records {
        verifier.push(record);
    }
    assert_eq!(told_of(&verifier.finish(3)), [(AuditFindingKind::Altered, 1, 1)]);
}

#[test]
fn entries_cut_off_the_end_show_against_the_last_number_or_a_noted_head() {
    let records = chain(20);
    let noted = Some(records[19].head());
    assert_eq!(told_of(&verify(&records[..15], 20, None)), [(AuditFindingKind::Truncated, 16, 20)]);
    assert!(verify(&records[..15], 15, None).is_intact(), "lowering the number too leaves no trace within");
    assert_eq!(told_of(&verify(&records[..15], 15, noted)), [(AuditFindingKind::Truncated, 16, 20)]);
    assert_eq!(told_of(&verify(&[], 15, None)), [(AuditFindingKind::Truncated, 1, 15)]);
}

#[test]
fn a_rehashed_chain_shows_against_a_noted_head() {
    let records = chain(20);
    let noted = Some(records[11].head());
    let mut head = records[4].head();
    let mut forged = records[..5].to_vec();
    for n in 6..=20 {
        forged.push(head.next(&AuditEntry { actor: "nobody".into(), ..entry(n) }));
        head = forged[forged.len() - 1].head();
    }
    assert!(verify(&forged, 20, None).is_intact());
    assert_eq!(told_of(&verify(&forged, 20, noted)), [(AuditFindingKind::Rewritten, 12, 12)]);
}

#[test]
fn what_the_system_tells_of_a_chain_must_be_in_it() {
    let records = chain(20);
    let anchor = |entry: u64, no: usize| Anchor { entry, head: records[no - 1].head() };
    let anchors = [anchor(70, 12), anchor(50, 5), anchor(90, 20), anchor(60, 5)];
    let verify = |begins: AuditHead, records: &[AuditRecord], anchors: &[Anchor]| {
        let mut verifier = AuditVerifier::new(begins).anchored(anchors);
        for record in records {
            verifier.push(record);
        }
        let findings = verifier.finish(records.last().map_or(0, |last| last.no)).findings;
        let told = findings.into_iter().map(|found| (found.kind, found.first, found.last, found.anchor));
        told.collect::<Vec<_>>()
    };
    let genesis = AuditHead::genesis(LOG);
    assert_eq!(verify(genesis, &records, &anchors), []);
    // An older copy of the vault, which is consistent in itself; and no entries at all.
    assert_eq!(verify(genesis, &records[..15], &anchors), [(AuditFindingKind::Truncated, 16, 20, Some(90))]);
    assert_eq!(verify(genesis, &[], &anchors), [(AuditFindingKind::Truncated, 1, 20, Some(90))]);
    // Another chain, which is longer.
    let mut head = records[7].head();
    let mut forged = records[..8].to_vec();
    for n in 9..=40 {
        forged.push(head.next(&AuditEntry { count: 9, ..entry(n) }));
        head = forged[forged.len() - 1].head();
    }
    let found = [(AuditFindingKind::Rewritten, 12, 12, Some(70)), (AuditFindingKind::Rewritten, 20, 20, Some(90))];
    assert_eq!(verify(genesis, &forged, &anchors), found);
    // Pruned entries cannot be checked, but the head of the pruned part can.
    assert_eq!(verify(records[11].head(), &records[12..], &anchors), []);
    let begins = AuditHead { hash: [7; 32], ..records[11].head() };
    let found = verify(begins, &records[12..], &anchors);
    assert_eq!(found[0], (AuditFindingKind::Rewritten, 12, 12, Some(70)));
    // Two anchors that disagree cannot both be right.
    let other = Anchor { entry: 71, head: AuditHead { hash: [8; 32], ..records[11].head() } };
    assert_eq!(verify(genesis, &records, &[anchor(70, 12), other]), [(AuditFindingKind::Rewritten, 12, 12, Some(71))]);
    // Within a gap the entries are reported as missing.
    let gap = [&records[..10], &records[14..]].concat();
    assert_eq!(verify(genesis, &gap, &anchors), [(AuditFindingKind::Missing, 11, 14, None)]);
}

#[test]
fn entries_behind_the_last_one_are_found() {
    assert_eq!(told_of(&verify(&chain(10), 8, None)), [(AuditFindingKind::Altered, 9, 10)]);
}

#[test]
fn a_chain_whose_beginning_was_pruned_is_intact_from_there_on() {
    let records = chain(30);
    let verify = |begins: AuditHead, noted: Option<AuditHead>| {
        let mut verifier = AuditVerifier::new(begins);
        if let Some(noted) = noted {
            verifier = verifier.expecting(noted);
        }
        for record in &records[20..] {
            verifier.push(record);
        }
        verifier.finish(30)
    };
    let outcome = verify(records[19].head(), Some(records[19].head()));
    assert!(outcome.is_intact() && outcome.entries == 10, "{outcome:?}");
    let other = AuditHead { hash: [7; 32], ..records[19].head() };
    assert_eq!(told_of(&verify(other, None)), [(AuditFindingKind::Altered, 21, 21)]);
    assert_eq!(
        told_of(&verify(records[19].head(), Some(other))),
        [(AuditFindingKind::Rewritten, 20, 20)],
        "a note of the last pruned entry still holds"
    );
    assert_eq!(told_of(&verify(records[17].head(), None)), [(AuditFindingKind::Missing, 19, 20)]);
}

#[test]
fn pruning_must_be_recorded_in_the_chain() {
    let records = chain(30);
    let pruned = records[19].head();
    let verify = |told: Option<AuditHead>| {
        let subject = told.map(|head| head.to_string());
        let prune = records[29].head().next(&AuditEntry { action: PRUNED, subject, ..entry(31) });
        let mut verifier = AuditVerifier::behind_pruned(pruned);
        for record in records[20..].iter().chain([&prune]) {
            verifier.push(record);
        }
        told_of(&verifier.finish(31))
    };
    assert_eq!(verify(Some(pruned)), []);
    assert_eq!(verify(None), [(AuditFindingKind::Missing, 1, 20)]);
    assert_eq!(verify(Some(records[9].head())), [(AuditFindingKind::Missing, 11, 20)]);
    assert_eq!(verify(Some(AuditHead { hash: [9; 32], ..pruned })), [(AuditFindingKind::Missing, 20, 20)]);
}

#[test]
fn entries_out_of_order_are_reported() {
    let mut records = chain(9);
    let moved = records.remove(3);
    records.insert(6, moved);
    let told = told_of(&verify(&records, 9, None));
    assert_eq!(told, [(AuditFindingKind::Missing, 4, 4), (AuditFindingKind::Reordered, 4, 4)]);
    records.insert(1, records[0].clone());
    assert_eq!(verify(&records, 9, None).findings[0].kind, AuditFindingKind::Reordered, "the same one twice");
}

#[test]
fn findings_beyond_those_reported_are_counted() {
    let mut records = chain(300);
    for record in &mut records {
        record.count += 1;
    }
    let outcome = verify(&records, records.len() as u64, None);
    assert_eq!((outcome.findings.len(), outcome.found), (100, 300));
}

proptest! {
    #[test]
    fn any_changed_field_is_found_at_its_number(at in 0_usize..60, field in 0..7) {
        let mut records = chain(60);
        let record = &mut records[at];
        match field {
            0 => record.at = Timestamp(record.at.0 + 1),
            1 => record.actor.push('x'),
            2 => record.action = "memory.get".to_owned(),
            3 => record.subject = record.subject.as_ref().map_or(Some(String::new()), |_| None),
            4 => record.count ^= 1,
            6 => record.refused = record.refused.as_ref().map_or(Some("STORAGE_FULL".to_owned()), |_| None),
            _ => record.hash[3] ^= 1,
        }
        let no = at as u64 + 1;
        let outcome = verify(&records, records.len() as u64, None);
        prop_assert!(!outcome.is_intact());
        prop_assert_eq!((outcome.findings[0].kind, outcome.findings[0].first), (AuditFindingKind::Altered, no));
        // Another hash also breaks the link of the next entry; every other change leaves the other entries intact.
        prop_assert!(outcome.found <= 1 + u64::from(field == 5));
    }

    #[test]
    fn removed_entries_are_reported_as_a_range(first in 0_usize..50, count in 1_usize..9) {
        let mut records = chain(60);
        records.drain(first..first + count);
        let (first, last) = (first as u64 + 1, (first + count) as u64);
        prop_assert_eq!(told_of(&verify(&records, 60, None)), [(AuditFindingKind::Missing, first, last)]);
    }

    #[test]
    fn swapped_entries_are_found_at_both_positions(a in 0_usize..29, b in 30_usize..60) {
        let mut records = chain(60);
        records.swap(a, b);
        let (no_a, no_b) = (records[b].no, records[a].no);
        (records[a].no, records[b].no) = (no_a, no_b);
        let outcome = verify(&records, records.len() as u64, None);
        let positions: Vec<u64> = outcome.findings.iter().map(|finding| finding.first).collect();
        prop_assert!(positions.contains(&no_a) && positions.contains(&no_b), "{positions:?}");
    }

    #[test]
    fn an_entry_put_in_is_found(at in 1_usize..60, count in any::<u64>()) {
        let mut records = chain(60);
        let head = records[at - 1].head();
        let forged = head.next(&AuditEntry { count, action: "memory.forged", ..entry(3) });
        records.insert(at, forged);
        let outcome = verify(&records, records.len() as u64, None);
        prop_assert!(outcome.found >= 1);
        prop_assert!(outcome.findings[0].first.abs_diff(at as u64 + 1) <= 1);
    }
}
