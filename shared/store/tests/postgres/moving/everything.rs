//! Everything that the ports can read, as texts to compare.

use kimberly_core::audit::{AuditHead, AuditVerifier, vault_log};
use kimberly_core::error::Result;
use kimberly_core::ids::UserId;
use kimberly_core::meditation::Trigger;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{AttachmentQuery, AuditQuery, ChangeQuery, ConsentQuery, LexicalQuery, VaultReader};
use kimberly_core::time::Timestamp;
use kimberly_store::conformance::fixtures::{any_of, any_state};
use kimberly_store::conformance::{Bed, declared};

const MOST: usize = 5_000;

fn whatever() -> MemoryFilter {
    MemoryFilter { withheld: true, ..any_state() }
}

/// Returns the data of all users and the data shared by all of them.
pub(crate) async fn of(bed: &Bed) -> Vec<String> {
    let mut told = Vec::new();
    for user in bed.registry.users(None, MOST).await.unwrap() {
        told.push(format!("user {user:?}"));
        for trigger in [Trigger::Schedule, Trigger::Rotation] {
            told.push(format!("{trigger:?} {:?}", bed.registry.next_due(&user, trigger).await.unwrap()));
        }
        let of_user = user.clone();
        let read = bed.vaults.read(&user, move |reader| {
            let user = of_user.clone();
            Box::pin(async move { vault(reader, &user).await })
        });
        told.extend(read.await.unwrap());
    }
    told.push(format!("marks {:?}", bed.registry.pending_outboxes(MOST).await.unwrap()));
    told.push(format!("credentials {:?}", bed.credentials.list(None, MOST).await.unwrap()));
    told.push(format!("purges {:?}", bed.purges.list(None, None, MOST).await.unwrap()));
    let name = bed.audit.name().await.unwrap();
    let entries = bed
        .audit
        .read(|reader| {
            Box::pin(async move {
                let range = reader.audit_range().await?;
                Ok((range, reader.audit_entries(&AuditQuery { limit: MOST, ..AuditQuery::default() }).await?))
            })
        })
        .await
        .unwrap();
    let mut verifier = AuditVerifier::new(AuditHead::genesis(&name));
    entries.1.iter().for_each(|record| verifier.push(record));
    told.push(format!("system {name} {entries:?} {:?}", verifier.finish(entries.0.last)));
    told
}

async fn vault(r: &mut dyn VaultReader, user: &UserId) -> Result<Vec<String>> {
    let mut told = memories(r).await?;
    let (usage, counted) = (r.usage().await?, r.recount().await?);
    assert_eq!(usage, counted, "counters equal a full count");
    told.push(format!("{usage:?} {:?} {:?}", r.settings().await?, r.attachment_usage().await?));
    told.push(format!("rows {:?}", declared::all(r).await?));
    told.push(format!("goals {:?} {:?}", r.goals(None, None, MOST).await?, r.count_goals().await?));
    let page = ConsentQuery::Page { retracted: true, after: None, limit: MOST };
    told.push(format!("consents {:?} {:?}", r.consents(&page).await?, r.count_consents(Timestamp(0)).await?));
    let query = AttachmentQuery::Page { after: None, limit: 1_000 };
    told.push(format!("attachments {:?} {:?}", r.attachments(&query).await?, r.every_attachment(&query).await?));
    told.push(format!("blobs {:?} {:?}", r.blobs(None, MOST).await?, r.pending_blobs(MOST).await?));
    for run in r.meditations(None, MOST).await? {
        told.push(format!("{run:?} {:?}", r.decisions(run.id, 0, MOST).await?));
    }
    told.push(format!("runs {:?} {:?}", r.waiting_meditation().await?, r.last_meditation().await?));
    told.push(format!("outbox {:?}", r.outbox(MOST).await?));
    told.push(format!("import {:?}", r.import_progress("import 1").await?));
    let changes = ChangeQuery { filter: whatever(), limit: MOST, max_bytes: 1 << 24, ..ChangeQuery::default() };
    told.push(format!("changes {:?} {:?}", r.change_range().await?, r.changes(&changes).await?));
    let range = r.audit_range().await?;
    let entries = r.audit_entries(&AuditQuery { limit: MOST, ..AuditQuery::default() }).await?;
    let start = range.pruned.unwrap_or_else(|| AuditHead::genesis(&vault_log(user)));
    let mut verifier = AuditVerifier::new(start);
    for record in &entries {
        verifier.push(record);
    }
    told.push(format!("audit {range:?} {entries:?} {:?}", verifier.finish(range.last)));
    Ok(told)
}

async fn memories(r: &mut dyn VaultReader) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for record in r.export(&whatever(), None, MOST, 1 << 24).await? {
        let seq = record.memory.seq;
        told.push(format!("{record:?} {:?}", r.score_record(seq).await?));
        told.push(format!("decided {:?}", r.decisions_about(record.memory.id, MOST).await?));
    }
    told.push(format!("to score {:?}", r.scoring_items(false, None, MOST).await?));
    told.push(format!("to keep {:?}", r.retention_items().await?));
    told.push(format!("outcomes {:?}", r.tag_outcomes().await?));
    told.push(format!("speakers {:?}", r.speakers().await?));
    told.push(format!("to embed {:?}", r.embedding_subjects().await?));
    let letters: Vec<char> = ('a'..='z').collect();
    let mut words = r.vocabulary(&letters, 1, 40).await?;
    words.sort();
    told.push(format!("words {words:?}"));
    let mut asked: Vec<String> = words.iter().step_by(words.len() / 8 + 1).map(|(word, _)| word.clone()).collect();
    asked.extend(["counted", "heron", "tea"].map(str::to_owned));
    for word in &asked {
        for query in [any_of(&[word.as_str()]), LexicalQuery { filter: any_state(), ..any_of(&[word.as_str()]) }] {
            let hits = r.lexical(&query, 50).await?;
            // BM25 may differ in the last bits of a double.
            let hits: Vec<_> = hits.iter().map(|hit| (hit.seq, format!("{:.8}", hit.bm25))).collect();
            told.push(format!("{word}: {hits:?}"));
        }
    }
    Ok(told)
}

/// Panics at the first difference.
#[track_caller]
pub(crate) fn assert_same(expected: &[String], found: &[String], what: &str) {
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}
