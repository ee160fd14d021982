//! Actions are audited in a chain, in the transaction that performs them.

use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::audit::{Actor, AuditEntry, AuditHead, AuditRecord, AuditVerification, AuditVerifier, vault_log};
use kimberly_core::ports::{AuditQuery, AuditRange};

use super::Bed;
use super::fixtures::{at, draft, new_memory, user};

/// An entry that alternately sets every field or as few as possible.
fn entry(n: i64) -> AuditEntry {
    AuditEntry {
        at: at(n),
        actor: if n % 2 == 0 { "user".into() } else { format!("agent {n} \u{e9}").as_str().into() },
        action: if n % 3 == 0 { "memory.delete" } else { "memory.create" },
        refused: (n % 4 == 0).then_some("QUOTA_EXCEEDED"),
        subject: (n % 2 == 0).then(|| format!("mem_{n}")),
        count: n.unsigned_abs(),
    }
}

async fn write(bed: &Bed, who: &str, numbers: std::ops::RangeInclusive<i64>) {
    bed.write(who, move |tx| {
        let numbers = numbers.clone();
        Box::pin(async move {
            for n in numbers {
                tx.audit(&entry(n)).await?;
            }
            Ok(())
        })
    })
    .await;
}

async fn read(bed: &Bed, who: &str, query: AuditQuery) -> Vec<AuditRecord> {
    let query = Arc::new(query);
    bed.read(who, move |r| {
        let query = Arc::clone(&query);
        Box::pin(async move { r.audit_entries(&query).await })
    })
    .await
}

fn all() -> AuditQuery {
    AuditQuery { limit: 10_000, ..AuditQuery::default() }
}

async fn verified(bed: &Bed, who: &str) -> AuditVerification {
    let range = bed.read(who, |r| Box::pin(r.audit_range())).await;
    let mut verifier = AuditVerifier::new(AuditHead::genesis(&vault_log(&user(who))));
    for record in &read(bed, who, all()).await {
        verifier.push(record);
    }
    verifier.finish(range.last)
}

/// All fields read back in order, with the hashes that the chain's arithmetic gives. A user without a vault has an
/// empty chain.
pub async fn entries_read_back_as_a_chain(bed: &Bed) {
    let empty = bed.read("nobody", |r| Box::pin(r.audit_range())).await;
    assert_eq!(empty, AuditRange::default());
    assert!(verified(bed, "nobody").await.is_intact());
    write(bed, "u", 1..=5).await;
    write(bed, "u", 6..=6).await;
    let mut head = AuditHead::genesis(&vault_log(&user("u")));
    let records = read(bed, "u", all()).await;
    assert_eq!(records.len(), 6);
    for (n, record) in (1..).zip(&records) {
        assert_eq!(*record, head.next(&entry(n)));
        head = record.head();
    }
    assert_eq!(bed.read("u", |r| Box::pin(r.audit_range())).await, AuditRange { pruned: None, last: 6 });
    assert!(verified(bed, "u").await.is_intact());
}

/// Entries are found from both ends, between two numbers, and by their fields.
pub async fn entries_are_found_by_number_and_by_what_they_say(bed: &Bed) {
    write(bed, "u", 1..=12).await;
    let numbers = |query: AuditQuery| async {
        read(bed, "u", query).await.into_iter().map(|record| record.no).collect::<Vec<_>>()
    };
    assert_eq!(numbers(AuditQuery { after: 9, ..all() }).await, [10, 11, 12]);
    assert_eq!(numbers(AuditQuery { after: 3, before: Some(6), ..all() }).await, [4, 5]);
    assert_eq!(numbers(AuditQuery { newest_first: true, limit: 2, ..AuditQuery::default() }).await, [12, 11]);
    assert_eq!(numbers(AuditQuery { newest_first: true, before: Some(3), ..all() }).await, [2, 1]);
    assert_eq!(numbers(AuditQuery { action: Some("memory.delete".to_owned()), ..all() }).await, [3, 6, 9, 12]);
    let user_deletes = AuditQuery { actor: Some("user".to_owned()), action: Some("memory.delete".to_owned()), ..all() };
    assert_eq!(numbers(user_deletes).await, [6, 12]);
    assert_eq!(numbers(AuditQuery { subject: Some("mem_8".to_owned()), ..all() }).await, [8]);
    assert!(numbers(AuditQuery { subject: Some("mem_9".to_owned()), ..all() }).await.is_empty());
}

/// A failed work leaves no entry and no gap, even if others share its commit.
pub async fn what_was_taken_back_leaves_no_entry(bed: &Bed) {
    let mut tasks = Vec::new();
    for n in 0..60_u32 {
        let vaults = Arc::clone(&bed.vaults);
        tasks.push(tokio::spawn(async move {
            let (good, memory) = (n % 3 != 0, new_memory(n, draft("one of many")));
            let done = vaults
                .transact(&user("u"), "test", move |tx| {
                    let memory = memory.clone();
                    Box::pin(async move {
                        tx.audit(&entry(n.into())).await?;
                        tx.insert_memories(&[memory]).await?;
                        tx.audit(&entry(n.into())).await?;
                        if good { Ok(()) } else { Err(Error::PlanChanged) }
                    })
                })
                .await;
            assert_eq!(done.is_ok(), good);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let outcome = verified(bed, "u").await;
    assert!(outcome.is_intact(), "{outcome:?}");
    assert_eq!((outcome.entries, outcome.head.no), (80, 80));
    assert_eq!(bed.usage("u").await.created, 40);
}

/// The last entry's number is stored even if works without entries share the commit.
pub async fn the_number_of_the_last_entry_is_stored_whichever_work_ends_the_commit(bed: &Bed) {
    for round in 1..=8 {
        let mut tasks = Vec::new();
        for n in 0..8_u32 {
            let vaults = Arc::clone(&bed.vaults);
            let memory = new_memory(round * 100 + n, draft("one of many"));
            tasks.push(tokio::spawn(async move {
                vaults
                    .transact(&user("u"), "test", move |tx| {
                        let memory = memory.clone();
                        Box::pin(async move {
                            tx.insert_memories(&[memory]).await?;
                            if n < 4 { tx.audit(&entry(n.into())).await } else { Ok(()) }
                        })
                    })
                    .await
                    .unwrap();
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let outcome = verified(bed, "u").await;
        assert!(outcome.is_intact() && outcome.entries == u64::from(round) * 4, "{outcome:?}");
    }
}

/// A caller's actions are audited under the name that the work acts as, by default the system. Other actors in the same
/// work keep their names, and the name ends with the work.
pub async fn entries_name_whom_the_work_acts_as(bed: &Bed) {
    for name in [Some("agent:mia"), None] {
        bed.write("u", move |tx| {
            Box::pin(async move {
                if let Some(name) = name {
                    tx.act_as(&name.into());
                }
                for actor in [Actor::Caller, Actor::System, "key:ann".into()] {
                    tx.audit(&AuditEntry { actor, ..entry(1) }).await?;
                }
                Ok(())
            })
        })
        .await;
    }
    let actors: Vec<String> = read(bed, "u", all()).await.into_iter().map(|record| record.actor).collect();
    assert_eq!(actors, ["agent:mia", "system", "key:ann", "system", "system", "key:ann"]);
}

/// Each user has a separate chain, which never verifies as another user's.
pub async fn chains_of_users_are_apart(bed: &Bed) {
    write(bed, "u", 1..=3).await;
    write(bed, "v", 1..=3).await;
    let (of_u, of_v) = (read(bed, "u", all()).await, read(bed, "v", all()).await);
    assert!(of_u.iter().zip(&of_v).all(|(u, v)| u.no == v.no && u.hash != v.hash));
    let mut verifier = AuditVerifier::new(AuditHead::genesis(&vault_log(&user("v"))));
    for record in &of_u {
        verifier.push(record);
    }
    assert!(!verifier.finish(3).is_intact());
}

/// Packed entries read, verify and prune like rows, also in the middle of a segment, from both ends and by their fields.
pub async fn packed_entries_read_as_before(bed: &Bed) {
    let pack = || async { bed.write("u", |tx| Box::pin(tx.compact_audit())).await };
    write(bed, "u", 1..=1_023).await;
    assert_eq!(pack().await, 0, "there are too few");
    write(bed, "u", 1_024..=1_600).await;
    let before = read(bed, "u", all()).await;
    assert_eq!((pack().await, pack().await, pack().await), (512, 512, 0));
    assert_eq!(read(bed, "u", all()).await, before);
    assert!(verified(bed, "u").await.is_intact());
    let numbers = |query: AuditQuery| async {
        read(bed, "u", query).await.into_iter().map(|record| record.no).collect::<Vec<_>>()
    };
    assert_eq!(numbers(AuditQuery { after: 510, limit: 4, ..AuditQuery::default() }).await, [511, 512, 513, 514]);
    assert_eq!(
        numbers(AuditQuery { after: 1_022, limit: 4, ..AuditQuery::default() }).await,
        [1_023, 1_024, 1_025, 1_026]
    );
    assert_eq!(numbers(AuditQuery { after: 3, before: Some(6), ..all() }).await, [4, 5]);
    let newest = |before, limit| AuditQuery { newest_first: true, before, limit, ..AuditQuery::default() };
    assert_eq!(numbers(newest(None, 2)).await, [1_600, 1_599]);
    assert_eq!(numbers(newest(Some(1_026), 3)).await, [1_025, 1_024, 1_023]);
    assert_eq!(numbers(newest(Some(3), 9)).await, [2, 1]);
    let about = |no: u64, newest_first| AuditQuery { subject: Some(format!("mem_{no}")), newest_first, ..all() };
    for no in [2, 700, 1_024, 1_026, 1_600] {
        assert_eq!((numbers(about(no, false)).await, numbers(about(no, true)).await), (vec![no], vec![no]));
    }
    let prune = |when: i64| async move { bed.write("u", move |tx| Box::pin(tx.prune_audit(at(when), 10_000))).await };
    assert_eq!(prune(601).await, Some((before[599].head(), 600)), "in the middle of the second segment");
    assert_eq!(read(bed, "u", all()).await, before[600..]);
    assert_eq!(prune(1_025).await, Some((before[1_023].head(), 424)));
    assert_eq!(read(bed, "u", all()).await, before[1_024..]);
    write(bed, "u", 1_601..=2_100).await;
    let left = read(bed, "u", all()).await;
    assert_eq!(pack().await, 512, "behind what was pruned");
    assert_eq!(read(bed, "u", all()).await, left);
}

/// Pruning removes the oldest entries up to the first recent one, never the last; the stored head continues the chain.
pub async fn old_entries_are_pruned_from_the_oldest(bed: &Bed) {
    write(bed, "u", 1..=10).await;
    let before = read(bed, "u", all()).await;
    let prune =
        |when: i64, limit| async move { bed.write("u", move |tx| Box::pin(tx.prune_audit(at(when), limit))).await };
    assert_eq!(prune(1, 100).await, None, "none is older than the first");
    assert_eq!(prune(5, 3).await, Some((before[2].head(), 3)));
    assert_eq!(prune(5, 3).await, Some((before[3].head(), 1)));
    assert_eq!(prune(5, 3).await, None);
    let range = bed.read("u", |r| Box::pin(r.audit_range())).await;
    assert_eq!(range, AuditRange { pruned: Some(before[3].head()), last: 10 });
    assert_eq!(read(bed, "u", all()).await, before[4..]);
    assert_eq!(prune(1_000, 100).await, Some((before[8].head(), 5)));
    write(bed, "u", 11..=11).await;
    let left = read(bed, "u", all()).await;
    assert_eq!((left.len(), &left[0]), (2, &before[9]));
    let mut verifier = AuditVerifier::new(before[8].head());
    for record in &left {
        verifier.push(record);
    }
    assert!(verifier.finish(11).is_intact());
}
