//! The registry on Postgres under concurrent changes and broken connections.

use std::sync::Arc;

use kimberly_core::access::{
    Credential, CredentialId, CredentialKind, CredentialName, Grant, Operation, Rows, UserPatterns,
};
use kimberly_core::audit::{AuditEntry, AuditHead, AuditRecord, AuditVerifier};
use kimberly_core::ports::{Added, AuditQuery, By};
use kimberly_core::time::Timestamp;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{at, draft, user};

use crate::postgres::common::{Database, bed, number};

/// Two stores on one database, like two processes.
async fn two() -> (Database, [Bed; 2]) {
    let database = Database::make().await;
    let beds = [bed(database.store().await, ()), bed(database.store().await, ())];
    (database, beds)
}

fn credential(n: u8) -> Credential {
    Credential {
        id: CredentialId::from_random([n; 8]),
        name: CredentialName::parse(&format!("key-{n}")).unwrap(),
        kind: CredentialKind::ApiKey,
        certificate: None,
        secret_hash: [n; 32],
        agent: false,
        grant: Grant {
            users: UserPatterns::all(),
            operations: [Operation::Read].into_iter().collect(),
            rows: Rows::default(),
        },
        created_at: Timestamp(7),
        created_by: "somebody".to_owned(),
        expires_at: None,
        revoked_at: None,
        replaced: None,
    }
}

async fn entries(bed: &Bed) -> Vec<AuditRecord> {
    let query = AuditQuery { limit: 10_000, ..AuditQuery::default() };
    bed.audit
        .read(move |reader| {
            let query = query.clone();
            Box::pin(async move { reader.audit_entries(&query).await })
        })
        .await
        .unwrap()
}

/// If twenty credentials are added concurrently and five fit, five are added.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_credentials_is_bounded() {
    let (_database, beds) = two().await;
    let adding: Vec<_> = (0..20)
        .map(|n| {
            let credentials = Arc::clone(&beds[usize::from(n % 2)].credentials);
            tokio::spawn(async move { credentials.add(&credential(n), 5, &By::new("key:ann", at(1))).await.unwrap() })
        })
        .collect();
    let mut stored = 0;
    for added in adding {
        match added.await.unwrap() {
            Added::Done => stored += 1,
            other => assert_eq!(other, Added::Full),
        }
    }
    assert_eq!(stored, 5);
    assert_eq!(beds[0].credentials.list(None, 99).await.unwrap().len(), 5);
    assert_eq!(entries(&beds[1]).await.len(), 5, "what was not kept is not told");
}

/// Concurrent entries form one chain without gaps.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_of_many_processes_are_one_chain() {
    let (_database, beds) = two().await;
    let telling: Vec<_> = (0..40)
        .map(|n| {
            let audit = Arc::clone(&beds[n % 2].audit);
            let entry = AuditEntry {
                at: at(1),
                actor: kimberly_core::audit::Actor::System,
                action: "test",
                refused: None,
                subject: Some(n.to_string()),
                count: 1,
            };
            tokio::spawn(async move { audit.append(vec![entry; 3]).await.unwrap() })
        })
        .collect();
    for told in telling {
        told.await.unwrap();
    }
    let mut verifier = AuditVerifier::new(AuditHead::genesis(&beds[0].audit.name().await.unwrap()));
    let found = entries(&beds[0]).await;
    assert_eq!(found.len(), 120);
    for entry in &found {
        verifier.push(entry);
    }
    assert!(verifier.finish(120).is_intact());
}

/// Concurrent callers together get the budget and no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_budget_of_a_day_is_given_out_once_among_processes() {
    let (_database, beds) = two().await;
    let taking: Vec<_> = (0..20)
        .map(|n| {
            let registry = Arc::clone(&beds[n % 2].registry);
            tokio::spawn(async move { registry.take_embedding_budget(9, 70, 1_000).await.unwrap() })
        })
        .collect();
    let mut taken = 0;
    for took in taking {
        taken += took.await.unwrap();
    }
    assert_eq!((taken, beds[0].registry.embedded_on(9).await.unwrap()), (1_000, 1_000));
    let rest = beds[1].registry.take_embedding_budget(9, u64::MAX, u64::MAX).await.unwrap();
    assert_eq!(rest, i64::MAX.cast_unsigned() - 1_000);
}

/// Of ten schedulers that find the same due run, one moves it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_due_run_is_one_schedulers() {
    use kimberly_core::meditation::Trigger;
    let (_database, beds) = two().await;
    beds[0].remember("u", [draft("one")]).await;
    let was = beds[0].registry.next_due(&user("u"), Trigger::Schedule).await.unwrap();
    let moving: Vec<_> = (0..10)
        .map(|n| {
            let registry = Arc::clone(&beds[usize::from(n % 2 == 0)].registry);
            tokio::spawn(
                async move { registry.reschedule(&user("u"), Trigger::Schedule, was, Timestamp(n)).await.unwrap() },
            )
        })
        .collect();
    let mut moved = 0;
    for done in moving {
        moved += u32::from(done.await.unwrap());
    }
    assert_eq!(moved, 1);
}

/// Connections that break while idle, as when the server restarts, cause no errors.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_broke_while_idle_are_replaced() {
    let (database, [bed, _]) = two().await;
    bed.remember("u", [draft("one")]).await;
    let conn = &mut database.connect().await;
    for n in 2..6 {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND application_name = 'kimberly'";
        assert!(number(conn, cut).await > 0);
        assert_eq!(bed.registry.count_users().await.unwrap(), 1);
        number(conn, cut).await;
        assert_eq!(bed.usage("u").await.created, u64::from(n) - 1);
        number(conn, cut).await;
        bed.insert("u", vec![kimberly_store::conformance::fixtures::new_memory(n, draft("more"))]).await;
        number(conn, cut).await;
        bed.credentials.used(&[(credential(1).id, at(1))]).await.unwrap();
    }
}

/// Two writers that record uses of the same credentials in different orders do not deadlock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uses_are_noted_in_any_order_at_once() {
    let (_database, beds) = two().await;
    for n in 0..20 {
        beds[0].credentials.add(&credential(n), 99, &By::new("key:ann", at(1))).await.unwrap();
    }
    let noting: Vec<_> = (0..20_u8)
        .map(|round| {
            let credentials = Arc::clone(&beds[usize::from(round % 2)].credentials);
            let mut uses: Vec<_> = (0..20).map(|n| (credential(n).id, at(i64::from(round)))).collect();
            if round % 2 == 0 {
                uses.reverse();
            }
            tokio::spawn(async move { credentials.used(&uses).await.unwrap() })
        })
        .collect();
    for noted in noting {
        noted.await.unwrap();
    }
    for listed in beds[1].credentials.list(None, 99).await.unwrap() {
        assert_eq!(listed.last_used_at, Some(at(19)));
    }
}
