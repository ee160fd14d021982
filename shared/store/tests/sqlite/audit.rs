//! Changes to the audit that bypass the store are detected and located.

use std::path::{Path, PathBuf};

use kimberly_core::audit::AuditFindingKind::{Altered, Missing, Reordered, Rewritten, Truncated};
use kimberly_core::audit::{AuditEntry, AuditFindingKind, AuditHead, AuditRecord, AuditVerification, pack, unpack};
use kimberly_core::usecases::audit::AuditPiece;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{at, user};
use sqlx::Connection as _;

use crate::sqlite::common::{app, bed_in, databases, execute, of_u, raw};

const ENTRIES: i64 = 5_000;

/// A folder with a vault of that many entries.
async fn filled() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    add(&bed, 1..=ENTRIES).await;
    bed.vaults.close().await;
    let database = databases(folder.path()).pop().unwrap();
    (folder, database)
}

async fn add(bed: &Bed, numbers: std::ops::RangeInclusive<i64>) {
    bed.write("u", move |tx| {
        let numbers = numbers.clone();
        Box::pin(async move {
            for n in numbers {
                let (actor, subject) = ("user".into(), Some(format!("mem_{n}")));
                tx.audit(&AuditEntry { at: at(n), actor, action: "memory.create", refused: None, subject, count: 1 })
                    .await?;
            }
            Ok(())
        })
    })
    .await;
}

async fn verify(folder: &Path, noted: Option<AuditHead>) -> AuditVerification {
    let bed = bed_in(folder).await;
    let verdict = app(&bed).verify_audit(&of_u(), noted).await.unwrap();
    bed.vaults.close().await;
    verdict.verification
}

/// Findings of a check: kind, first and last number.
type Found = Vec<(AuditFindingKind, u64, u64)>;

async fn found(folder: &Path, noted: Option<AuditHead>) -> Found {
    verify(folder, noted).await.findings.iter().map(|f| (f.kind, f.first, f.last)).collect()
}

#[tokio::test]
async fn every_kind_of_tampering_is_found_where_it_was_done() {
    let swapped = vec![(Altered, 100, 100), (Altered, 101, 101), (Altered, 200, 200), (Altered, 201, 201)];
    // The second statement undoes the first.
    let cases: [(&str, &str, Found); 9] = [
        ("UPDATE audit SET count = -2 WHERE no = 1", "UPDATE audit SET count = 1 WHERE no = 1", vec![(Altered, 1, 1)]),
        (
            "UPDATE audit SET actor = 'someone' WHERE no = 5000",
            "UPDATE audit SET actor = 'user' WHERE no = 5000",
            vec![(Altered, 5000, 5000)],
        ),
        (
            "UPDATE audit SET subject = CAST(x'ff00' AS TEXT) WHERE no = 7",
            "UPDATE audit SET subject = 'mem_7' WHERE no = 7",
            vec![(Altered, 7, 7)],
        ),
        (
            "CREATE TABLE kept AS SELECT * FROM audit WHERE no = 9; UPDATE audit SET hash = NULL WHERE no = 9",
            "UPDATE audit SET hash = (SELECT hash FROM kept) WHERE no = 9; DROP TABLE kept",
            vec![(Altered, 9, 9), (Altered, 10, 10)],
        ),
        (
            "CREATE TABLE kept AS SELECT * FROM audit WHERE no BETWEEN 40 AND 49; \
             DELETE FROM audit WHERE no BETWEEN 40 AND 49",
            "INSERT INTO audit SELECT * FROM kept; DROP TABLE kept",
            vec![(Missing, 40, 49)],
        ),
        (
            "CREATE TABLE kept AS SELECT * FROM audit WHERE no > 4990; DELETE FROM audit WHERE no > 4990",
            "INSERT INTO audit SELECT * FROM kept; DROP TABLE kept",
            vec![(Truncated, 4991, 5000)],
        ),
        (
            "UPDATE audit SET no = -1 WHERE no = 100; UPDATE audit SET no = 100 WHERE no = 200; \
             UPDATE audit SET no = 200 WHERE no = -1",
            "UPDATE audit SET no = -1 WHERE no = 100; UPDATE audit SET no = 100 WHERE no = 200; \
             UPDATE audit SET no = 200 WHERE no = -1",
            swapped,
        ),
        (
            "INSERT INTO audit SELECT 5001, at, actor, action, refused, subject, count, hash FROM audit WHERE no = 5000",
            "DELETE FROM audit WHERE no = 5001",
            vec![(Altered, 5001, 5001), (Altered, 5001, 5001)],
        ),
        ("DELETE FROM audit WHERE no > 0", "SELECT 1", vec![(Truncated, 1, 5000)]),
    ];
    let (folder, database) = filled().await;
    assert!(verify(folder.path(), None).await.is_intact());
    for (tampering, undoing, expected) in cases {
        execute(&database, tampering).await;
        assert_eq!(found(folder.path(), None).await, expected, "{tampering}");
        execute(&database, undoing).await;
        if undoing != "SELECT 1" {
            assert!(verify(folder.path(), None).await.is_intact(), "{undoing}");
        }
    }
}

#[tokio::test]
async fn traces_hidden_in_the_file_are_found_by_a_head_noted_elsewhere() {
    let (folder, database) = filled().await;
    let noted = verify(folder.path(), None).await.head;
    assert_eq!(noted.no, 5_000);
    execute(&database, "DELETE FROM audit WHERE no > 4990; UPDATE counters SET items = 4990 WHERE slot = 15").await;
    assert!(verify(folder.path(), None).await.is_intact(), "nothing in the file tells");
    assert_eq!(found(folder.path(), Some(noted)).await, [(Truncated, 4_991, 5_000)]);
    let bed = bed_in(folder.path()).await;
    add(&bed, 1..=10).await;
    bed.vaults.close().await;
    assert_eq!(found(folder.path(), Some(noted)).await, [(Rewritten, 5_000, 5_000)]);
}

#[tokio::test]
async fn what_is_written_after_entries_were_cut_off_leaves_the_gap_open() {
    let (folder, database) = filled().await;
    execute(&database, "DELETE FROM audit WHERE no > 4990").await;
    let bed = bed_in(folder.path()).await;
    add(&bed, 1..=5).await;
    bed.vaults.close().await;
    let outcome = verify(folder.path(), None).await;
    assert_eq!(outcome.head.no, 5_005);
    assert_eq!(found(folder.path(), None).await, [(Missing, 4_991, 5_000)]);
    execute(&database, "DELETE FROM audit").await;
    let bed = bed_in(folder.path()).await;
    add(&bed, 1..=1).await;
    bed.vaults.close().await;
    assert_eq!(found(folder.path(), None).await, [(Missing, 1, 5_005)]);
}

#[tokio::test]
async fn an_export_holds_what_it_takes_to_check_it() {
    let (folder, _) = filled().await;
    let bed = bed_in(folder.path()).await;
    for (last, after) in (5_000..).zip([0, 1, 2_345, 5_000]) {
        let mut export = app(&bed).export_audit(of_u(), after);
        let Some(AuditPiece::Section(section)) = export.next().await.unwrap() else { unreachable!("comes first") };
        assert_eq!((section.begins.no, section.last), (after, last));
        // Entries written meanwhile are not waited for.
        add(&bed, 7..=7).await;
        let mut verifier = kimberly_core::audit::AuditVerifier::new(section.begins);
        while let Some(AuditPiece::Entries(entries)) = export.next().await.unwrap() {
            for entry in &entries {
                verifier.push(entry);
            }
        }
        let outcome = verifier.finish(section.last);
        assert!(outcome.is_intact() && outcome.entries == last - after, "{outcome:?}");
    }
    let behind = app(&bed).export_audit(of_u(), 5_005).next().await.unwrap_err();
    assert!(behind.to_string().contains("the last entry has the number 5004"), "{behind}");
    bed.vaults.close().await;
}

#[tokio::test]
async fn pages_of_the_audit_follow_each_other_from_the_newest_on() {
    let (folder, database) = filled().await;
    let bed = bed_in(folder.path()).await;
    let (app, mut input) = (app(&bed), kimberly_core::usecases::audit::ListAuditInput::default());
    input.page.size = 999;
    let mut numbers = Vec::new();
    loop {
        let page = app.list_audit(&of_u(), input.clone()).await.unwrap();
        numbers.extend(page.entries.iter().map(|entry| entry.no));
        input.page.token = page.next;
        if input.page.token.is_empty() {
            break;
        }
    }
    assert!(numbers.iter().copied().eq((1..=5_000).rev()), "{} numbers", numbers.len());
    input.subject = Some("mem_77".to_owned());
    assert_eq!(app.list_audit(&of_u(), input.clone()).await.unwrap().entries[0].no, 77);
    input.actor = Some("x".repeat(257));
    let refused = app.list_audit(&of_u(), input.clone()).await.unwrap_err();
    assert!(refused.to_string().contains("actor has 257 bytes; at most 256"), "{refused}");
    input.actor = Some("x".repeat(256));
    assert!(app.list_audit(&of_u(), input).await.unwrap().entries.is_empty());
    bed.vaults.close().await;
    let mut conn = raw(&database).await;
    let check: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut conn).await.unwrap();
    assert_eq!(check, "ok");
    conn.close().await.unwrap();
}

#[tokio::test]
async fn unrecorded_pruning_is_detected() {
    let (folder, database) = filled().await;
    execute(
        &database,
        "UPDATE vault SET audit_pruned = 100, audit_pruned_hash = (SELECT hash FROM audit WHERE no = 100); \
         DELETE FROM audit WHERE no <= 100",
    )
    .await;
    assert_eq!(found(folder.path(), None).await, [(Missing, 1, 100)]);
    let bed = bed_in(folder.path()).await;
    let noted = AuditHead { no: 99, hash: [0; 32] };
    let refused = app(&bed).verify_audit(&of_u(), Some(noted)).await.unwrap_err();
    assert!(refused.to_string().contains("the first stored entry is 101"), "{refused}");
    bed.vaults.close().await;
}

/// Packs all that can be packed; numbers up to 4096 are then in segments.
async fn packed() -> (tempfile::TempDir, PathBuf) {
    let (folder, database) = filled().await;
    let bed = bed_in(folder.path()).await;
    while bed.write("u", |tx| Box::pin(tx.compact_audit())).await > 0 {}
    bed.vaults.close().await;
    execute(&database, "CREATE TABLE kept AS SELECT * FROM audit_segments").await;
    (folder, database)
}

/// Changes the entries of the segment with this first number.
async fn repack(database: &Path, first: i64, change: impl FnOnce(&mut Vec<AuditRecord>)) {
    let mut conn = raw(database).await;
    let read = sqlx::query_scalar("SELECT entries FROM audit_segments WHERE first = ?").bind(first);
    let blob: Vec<u8> = read.fetch_one(&mut conn).await.unwrap();
    let mut entries = unpack(&zstd::bulk::decompress(&blob, 1 << 20).unwrap()).unwrap();
    change(&mut entries);
    let blob = zstd::bulk::compress(&pack(&entries), 3).unwrap();
    let write = sqlx::query("UPDATE audit_segments SET entries = ? WHERE first = ?").bind(blob).bind(first);
    write.execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
}

type Change = fn(&mut Vec<AuditRecord>);

#[tokio::test]
async fn every_kind_of_tampering_is_found_in_segments_too() {
    let (folder, database) = packed().await;
    let outcome = verify(folder.path(), None).await;
    assert!(outcome.is_intact() && outcome.entries == 5_000, "{outcome:?}");
    let changes: [(&str, i64, Change, Found); 8] = [
        ("a number", 1, |e| e[0].count = 7, vec![(Altered, 1, 1)]),
        ("an actor", 3_585, |e| e[511].actor = "someone".to_owned(), vec![(Altered, 4_096, 4_096)]),
        ("a subject", 1, |e| e[6].subject = None, vec![(Altered, 7, 7)]),
        ("a hash", 1, |e| e[8].hash = [0; 32], vec![(Altered, 9, 9), (Altered, 10, 10)]),
        ("taken out", 1, |e| drop(e.drain(39..49)), vec![(Missing, 40, 49)]),
        (
            "swapped",
            1,
            |e| {
                e.swap(99, 199);
                (e[99].no, e[199].no) = (100, 200);
            },
            vec![(Altered, 100, 100), (Altered, 101, 101), (Altered, 200, 200), (Altered, 201, 201)],
        ),
        ("put in", 513, |e| e.insert(5, e[5].clone()), vec![(Reordered, 518, 518)]),
        ("of a number elsewhere", 513, |e| e.push(AuditRecord { no: 3, ..e[5].clone() }), vec![]),
    ];
    let restore = "DELETE FROM audit_segments; INSERT INTO audit_segments SELECT * FROM kept";
    for (what, first, change, expected) in changes {
        repack(&database, first, change).await;
        assert_eq!(found(folder.path(), None).await, expected, "{what}");
        execute(&database, restore).await;
    }
    let statements: [(&str, Found); 6] = [
        ("DELETE FROM audit_segments WHERE first = 513", vec![(Missing, 513, 1_024)]),
        ("DELETE FROM audit_segments", vec![(Missing, 1, 4_096)]),
        ("UPDATE audit_segments SET last = 600 WHERE first = 513", vec![(Missing, 601, 1_024)]),
        ("UPDATE audit_segments SET entries = substr(entries, 1, 900) WHERE first = 1", vec![(Missing, 1, 512)]),
        ("UPDATE audit_segments SET entries = x'00' WHERE first = 3585", vec![(Missing, 3_585, 4_096)]),
        (
            "INSERT INTO audit_segments SELECT 1600, 2000, entries FROM kept WHERE first = 1537",
            (1_600..=2_000).map(|no| (Reordered, no, no)).collect(),
        ),
    ];
    for (statement, mut expected) in statements {
        execute(&database, statement).await;
        expected.truncate(100);
        assert_eq!(found(folder.path(), None).await, expected, "{statement}");
        execute(&database, restore).await;
    }
    let row = "INSERT INTO audit SELECT 5, at, actor, action, refused, subject, count, hash FROM audit WHERE no = 5000";
    execute(&database, row).await;
    assert_eq!(found(folder.path(), None).await, [(Reordered, 5, 5)]);
}

#[tokio::test]
async fn what_does_not_fit_the_chain_is_not_packed() {
    let (folder, database) = filled().await;
    execute(&database, "UPDATE audit SET count = 9 WHERE no = 600").await;
    let bed = bed_in(folder.path()).await;
    let pack = || async { bed.write("u", |tx| Box::pin(tx.compact_audit())).await };
    assert_eq!((pack().await, pack().await), (512, 0));
    bed.vaults.close().await;
    assert_eq!(found(folder.path(), None).await, [(Altered, 600, 600)]);
}

/// Returns the findings of a check against the system's audit, and the number of heads that it used.
async fn held(folder: &Path) -> (u64, Vec<(AuditFindingKind, u64, u64, Option<u64>)>) {
    let bed = bed_in(folder).await;
    let check = app(&bed);
    let verdict = check.verify_anchored_audit(&user("u"), None, (&*bed.audit, &*bed.purges)).await.unwrap();
    bed.vaults.close().await;
    let findings = verdict.verification.findings.into_iter();
    (verdict.anchors, findings.map(|found| (found.kind, found.first, found.last, found.anchor)).collect())
}

/// Writes entries, and records the head of the vault in the system's audit.
async fn add_and_anchor(folder: &Path, numbers: std::ops::RangeInclusive<i64>) {
    let bed = bed_in(folder).await;
    add(&bed, numbers).await;
    app(&bed).anchor_audit(&user("u"), &*bed.audit).await.unwrap();
    bed.vaults.close().await;
}

#[tokio::test]
async fn an_exchanged_vault_shows_against_the_audit_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    add_and_anchor(folder.path(), 1..=10).await;
    let database = databases(folder.path()).pop().unwrap();
    let older = std::fs::read(&database).unwrap();
    add_and_anchor(folder.path(), 11..=20).await;
    assert_eq!(held(folder.path()).await, (2, vec![]));
    std::fs::write(&database, &older).unwrap();
    assert_eq!(held(folder.path()).await, (2, vec![(Truncated, 11, 20, Some(2))]), "an older one");
    add_and_anchor(folder.path(), 30..=50).await;
    assert_eq!(held(folder.path()).await, (3, vec![(Rewritten, 20, 20, Some(2))]), "it has gone on since");
    assert_eq!(found(folder.path(), None).await, [], "and is whole in itself");
    std::fs::remove_dir_all(database.parent().unwrap()).unwrap();
    // Not considered damage while a restored backup is put back into service.
    let restored = folder.path().join(kimberly_core::damage::RESTORED);
    std::fs::write(&restored, "").unwrap();
    assert_eq!(held(folder.path()).await, (3, vec![(Truncated, 1, 31, Some(3))]), "none");
    add_and_anchor(folder.path(), 101..=140).await;
    std::fs::remove_file(restored).unwrap();
    let other = [(10, 1), (20, 2), (31, 3)].map(|(no, anchor)| (Rewritten, no, no, Some(anchor)));
    assert_eq!(held(folder.path()).await, (4, other.to_vec()), "one that was made again");
    let cut = "DELETE FROM audit WHERE no > 38; UPDATE counters SET items = 38 WHERE slot = 15";
    execute(&database, cut).await;
    let (anchors, findings) = held(folder.path()).await;
    assert_eq!((anchors, findings.last()), (4, Some(&(Truncated, 39, 40, Some(4)))), "one that was cut");
}
