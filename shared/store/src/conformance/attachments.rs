//! Attachments, the memories that they belong to, and their blobs.

use std::sync::Arc;

use kimberly_core::access::{CallerVaults, Grant, Rows};
use kimberly_core::attachments::{Attachment, AttachmentUsage, BlobFacts, NewAttachment, PendingBlobs};
use kimberly_core::consent::{ConsentDraft, ConsentRecord};
use kimberly_core::error::Result;
use kimberly_core::ids::{AttachmentId, BlobId, ConsentId, MemoryId, Seq};
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{MemoryDraft, Metadata};
use kimberly_core::ports::{AttachmentQuery, Job, VaultTransaction, Vaults};
use uuid::Uuid;

use super::Bed;
use super::fixtures::{at, decide, draft, memory_id, user};

fn id(n: u128) -> AttachmentId {
    AttachmentId(Uuid::from_u128(n))
}

fn blob(n: u128) -> BlobId {
    BlobId(Uuid::from_u128(n))
}

fn facts(content: u8) -> BlobFacts {
    BlobFacts { sha256: [content; 32], size_bytes: u64::from(content) * 100, stored_bytes: u64::from(content) * 10 }
}

fn new(n: u128, blob: BlobId, uploader: &str) -> NewAttachment {
    NewAttachment {
        id: id(n),
        blob,
        name: format!("name {n}"),
        media_type: "image/png".to_owned(),
        uploader: uploader.to_owned(),
        created_at: at(i64::try_from(n).unwrap()),
    }
}

/// Uploads this content within a transaction.
async fn upload(tx: &mut dyn VaultTransaction, n: u128, content: u8, uploader: &str) -> Result<BlobId> {
    tx.stage_blob(blob(n), 7, false, at(i64::try_from(n).unwrap())).await?;
    let stored = tx.store_blob(blob(n), &facts(content)).await?.unwrap();
    tx.insert_attachment(&new(n, stored, uploader)).await?;
    Ok(stored)
}

/// Uploads attachments with these contents as `ann`, numbered from `first`, and attaches each to its memory, if any.
async fn put(bed: &Bed, first: u128, contents: Vec<(u8, Option<Seq>)>) -> Vec<BlobId> {
    bed.write("u", move |tx| {
        let contents = contents.clone();
        Box::pin(async move {
            let mut blobs = Vec::new();
            for (n, (content, memory)) in (first..).zip(contents) {
                blobs.push(upload(tx, n, content, "ann").await?);
                if let Some(memory) = memory {
                    tx.attach(memory, id(n)).await?;
                }
            }
            Ok(blobs)
        })
    })
    .await
}

async fn read(vaults: &Arc<dyn Vaults>, query: AttachmentQuery) -> Vec<Attachment> {
    let who = user("u");
    let read = vaults.read(&who, move |r| {
        let query = query.clone();
        Box::pin(async move { r.attachments(&query).await })
    });
    read.await.unwrap()
}

const ALL: AttachmentQuery = AttachmentQuery::Page { after: None, limit: 1_000 };

/// Returns the numbers of all visible attachments.
async fn seen(vaults: &Arc<dyn Vaults>) -> Vec<u128> {
    read(vaults, ALL).await.iter().map(|attachment| attachment.id.0.as_u128()).collect()
}

/// Returns the memories of each attachment, including withheld ones.
async fn every(bed: &Bed, query: AttachmentQuery) -> Vec<Vec<MemoryId>> {
    let found = bed.read("u", move |r| {
        let query = query.clone();
        Box::pin(async move { r.every_attachment(&query).await })
    });
    found.await.into_iter().map(|attachment| attachment.memories).collect()
}

async fn pending(bed: &Bed) -> PendingBlobs {
    bed.read("u", |r| Box::pin(r.pending_blobs(100))).await
}

async fn usage(bed: &Bed) -> (u64, u64, u64) {
    let AttachmentUsage { items, bytes, stored_bytes, .. } = bed.read("u", |r| Box::pin(r.attachment_usage())).await;
    (items, bytes, stored_bytes)
}

async fn coming(bed: &Bed) -> u64 {
    bed.read("u", |r| Box::pin(r.attachment_usage())).await.coming_bytes
}

/// Counts the jobs that wait to remove bytes.
async fn jobs(bed: &Bed) -> usize {
    let rows = bed.read("u", |r| Box::pin(r.outbox(100))).await;
    rows.iter().filter(|row| row.job == Job::Attachments { after_s: 0 }).count()
}

/// Attachments read back in order and page by page; equal contents are stored once.
pub async fn attachments_round_trip_and_equal_contents_are_one_blob(bed: &Bed) {
    let seqs = bed.remember("u", [draft("one"), draft("two")]).await;
    let blobs = put(bed, 1, vec![(1, Some(seqs[0])), (2, None), (1, Some(seqs[1]))]).await;
    assert_eq!(blobs, [blob(1), blob(2), blob(1)], "the third has the content of the first");
    assert_eq!(usage(bed).await, (3, 300, 30), "equal contents count once");
    assert_eq!(pending(bed).await.condemned, [blob(3)], "the copy is not needed");
    let all = read(&bed.vaults, ALL).await;
    let expected = Attachment {
        id: id(1),
        blob: blob(1),
        name: "name 1".to_owned(),
        media_type: "image/png".to_owned(),
        facts: facts(1),
        uploader: "ann".to_owned(),
        created_at: at(1),
        memories: vec![memory_id(1)],
        hangs: true,
    };
    assert_eq!(all[0], expected);
    assert_eq!((all[1].memories.clone(), all[1].hangs), (Vec::new(), false));
    bed.write("u", move |tx| {
        Box::pin(async move {
            tx.attach(Seq(2), id(1)).await?;
            tx.attach(Seq(2), id(1)).await
        })
    })
    .await;
    let of = |query| async { read(&bed.vaults, query).await.iter().map(|a| a.id).collect::<Vec<_>>() };
    assert_eq!(read(&bed.vaults, AttachmentQuery::Ids(vec![id(1)])).await[0].memories, [memory_id(1), memory_id(2)]);
    assert_eq!(of(AttachmentQuery::Ids(vec![id(3), id(9), id(1)])).await, [id(1), id(3)]);
    assert_eq!(of(AttachmentQuery::OfMemory(seqs[1])).await, [id(1), id(3)]);
    assert_eq!(of(AttachmentQuery::Page { after: None, limit: 2 }).await, [id(1), id(2)]);
    assert_eq!(of(AttachmentQuery::Page { after: Some((at(2), id(2))), limit: 2 }).await, [id(3)]);
    let again = bed.write("u", |tx| Box::pin(async move { tx.store_blob(blob(1), &facts(9)).await })).await;
    assert_eq!(again, None, "what is stored is not stored again");
}

/// Erasing the last memory of an attachment removes the attachment, whatever erases it, and adds a job to the outbox.
pub async fn whatever_erases_the_last_memory_takes_attachment_and_blob_along(bed: &Bed) {
    let seqs = bed.remember("u", (0..4).map(|n| draft(&format!("memory {n}")))).await;
    let hung: Vec<_> = seqs.iter().zip(1_u8..).map(|(seq, content)| (content, Some(*seq))).collect();
    put(bed, 1, hung).await;
    let (first, second) = (seqs[0], seqs[1]);
    bed.write("u", move |tx| Box::pin(async move { tx.attach(second, id(1)).await })).await;
    bed.write("u", move |tx| Box::pin(async move { tx.erase_memories(&[first], at(50)).await })).await;
    assert_eq!((seen(&bed.vaults).await, jobs(bed).await), (vec![1, 2, 3, 4], 0), "another memory has it too");
    bed.write("u", move |tx| Box::pin(async move { tx.erase_memories(&[second], at(51)).await })).await;
    assert_eq!((seen(&bed.vaults).await, jobs(bed).await), (vec![3, 4], 1));
    assert_eq!(pending(bed).await.condemned, [blob(1), blob(2)]);
    let third = bed.memory("u", 3).await.unwrap();
    bed.decide("u", 7, vec![decide(&third, Kind::Delete)], at(60)).await;
    assert_eq!((seen(&bed.vaults).await, jobs(bed).await), (vec![4], 2));
    let fourth = seqs[3];
    let detach = move |memory| async move {
        bed.write("u", move |tx| Box::pin(async move { tx.detach(memory, id(4), at(70)).await })).await
    };
    assert!(!detach(Seq(99)).await && detach(fourth).await && !detach(fourth).await);
    assert_eq!((seen(&bed.vaults).await, usage(bed).await), (Vec::new(), (0, 0, 0)));
    assert_eq!(pending(bed).await.condemned.len(), 4);
    // Erased content can be uploaded again.
    let back = put(bed, 11, vec![(1, None)]).await;
    assert_eq!(back, [blob(11)]);
}

/// Attachments without a memory, and blobs that were never stored, expire.
pub async fn what_never_hung_and_what_never_came_expires(bed: &Bed) {
    let seqs = bed.remember("u", [draft("one")]).await;
    put(bed, 1, vec![(1, None), (2, Some(seqs[0])), (3, None)]).await;
    bed.write("u", |tx| Box::pin(async move { tx.stage_blob(blob(20), 200, false, at(20)).await })).await;
    bed.write("u", |tx| Box::pin(async move { tx.stage_blob(blob(30), 300, false, at(30)).await })).await;
    let found = pending(bed).await;
    assert_eq!((found.oldest_staged, found.oldest_unreferenced), (Some(at(20)), Some(at(1))));
    assert_eq!((usage(bed).await, coming(bed).await), ((3, 600, 60), 500), "what is coming is counted apart");
    let expired = bed.write("u", |tx| Box::pin(async move { tx.expire_attachments(at(3), at(21)).await })).await;
    assert_eq!(expired, 1);
    let found = pending(bed).await;
    assert_eq!(found.condemned, [blob(1), blob(20)]);
    assert_eq!((found.oldest_staged, found.oldest_unreferenced), (Some(at(30)), Some(at(3))));
    assert_eq!(seen(&bed.vaults).await, [2, 3]);
    let late = bed.write("u", |tx| Box::pin(async move { tx.store_blob(blob(20), &facts(9)).await })).await;
    assert_eq!(late, None, "what was given up does not come any more");
    bed.write("u", |tx| Box::pin(async move { tx.condemn_blob(blob(30), at(40)).await })).await;
    assert_eq!((pending(bed).await.condemned.len(), jobs(bed).await, coming(bed).await), (3, 1, 0));
}

/// An attachment is hidden while its last visible memory is withheld.
pub async fn attachments_of_withheld_memories_are_hidden(bed: &Bed) {
    let consent = ConsentId(Uuid::from_u128(5));
    let record = ConsentRecord {
        id: consent,
        draft: ConsentDraft { purpose: "care".to_owned(), ..Default::default() },
        recorded_by: "user".to_owned(),
        granted_at: at(0),
        retracted_at: None,
        retracted_by: None,
        retraction: None,
        revision: 1,
    };
    bed.write("u", move |tx| {
        let record = record.clone();
        Box::pin(async move { tx.put_consent(&record).await })
    })
    .await;
    let under = MemoryDraft {
        consent_id: Some(consent),
        metadata: Metadata { sensitive: true, ..draft("").metadata },
        ..draft("private")
    };
    let seqs = bed.remember("u", [under, draft("plain")]).await;
    put(bed, 1, vec![(1, Some(seqs[0])), (2, Some(seqs[0])), (3, None)]).await;
    let plain = seqs[1];
    bed.write("u", move |tx| Box::pin(async move { tx.attach(plain, id(2)).await })).await;
    bed.write("u", move |tx| Box::pin(async move { tx.withhold(consent, false, at(9)).await })).await;
    assert_eq!(seen(&bed.vaults).await, [2, 3]);
    assert_eq!(read(&bed.vaults, AttachmentQuery::Ids(vec![id(1), id(2)])).await[0].memories, [memory_id(2)]);
    let whole = [vec![memory_id(1)], vec![memory_id(1), memory_id(2)], Vec::new()];
    assert_eq!(every(bed, ALL).await, whole, "a query for everything lists all");
    assert_eq!(every(bed, AttachmentQuery::OfMemory(seqs[0])).await, whole[..2]);
    bed.write("u", move |tx| Box::pin(async move { tx.withhold(consent, true, at(10)).await })).await;
    assert_eq!(every(bed, ALL).await, [vec![], vec![memory_id(2)], vec![]], "what is to be erased is not told of");
    bed.write("u", |tx| {
        Box::pin(async move {
            let seqs: Vec<Seq> = tx.doomed(10).await?.oldest.into_iter().map(|(_, seq)| seq).collect();
            tx.erase_memories(&seqs, at(11)).await
        })
    })
    .await;
    assert_eq!((seen(&bed.vaults).await, jobs(bed).await), (vec![2, 3], 1));
    assert_eq!(pending(bed).await.condemned, [blob(1)]);
}

/// A limited caller sees the attachments of memories within reach, and their own uploads until those are attached to a
/// memory.
pub async fn a_limited_caller_sees_the_attachments_of_memories_within_reach(bed: &Bed) {
    let work = MemoryDraft { namespace: "work".to_owned(), ..draft("at work") };
    let seqs = bed.remember("u", [work, draft("at home")]).await;
    let (reached, hidden) = (seqs[0], seqs[1]);
    put(bed, 1, vec![(1, Some(reached)), (2, Some(hidden)), (3, None), (4, Some(hidden))]).await;
    bed.write("u", move |tx| {
        Box::pin(async move {
            tx.attach(hidden, id(1)).await?;
            upload(tx, 5, 2, "bob").await?;
            upload(tx, 6, 6, "bob").await?;
            tx.attach(hidden, id(6)).await
        })
    })
    .await;
    let rows = Rows::parse("grant", &["work".to_owned()], &[], false).unwrap();
    let grant = Arc::new(Grant { rows, ..Grant::everything() });
    let bob: Arc<dyn Vaults> = Arc::new(CallerVaults::new(Arc::clone(&bed.vaults), grant, "bob".into()));
    let who = user("u");
    assert_eq!(seen(&bob).await, [1, 5]);
    let asked = read(&bob, AttachmentQuery::Ids((1..=6).map(id).collect())).await;
    assert_eq!(asked.iter().map(|a| a.id).collect::<Vec<_>>(), [id(1), id(5)]);
    assert_eq!(asked[0].memories, [memory_id(1)], "the hidden one is not shown");
    assert_eq!(read(&bob, AttachmentQuery::OfMemory(hidden)).await, []);
    assert_eq!(read(&bob, AttachmentQuery::OfMemory(reached)).await.len(), 1);
    assert_eq!(read(&bob, AttachmentQuery::Page { after: None, limit: 1 }).await.len(), 1);
    let after = Some((at(1), id(1)));
    assert_eq!(read(&bob, AttachmentQuery::Page { after, limit: 1 }).await[0].id, id(5), "pages have no holes");
    for (memory, n) in [(hidden, 5), (reached, 2), (reached, 3), (reached, 6)] {
        let refused = bob.transact(&who, "test", move |tx| Box::pin(async move { tx.attach(memory, id(n)).await }));
        assert!(refused.await.is_err(), "{n} is hung on {memory:?}");
    }
    let hang = bob.transact(&who, "test", move |tx| Box::pin(async move { tx.attach(reached, id(5)).await }));
    hang.await.unwrap();
    assert_eq!(read(&bob, AttachmentQuery::OfMemory(reached)).await.len(), 2);
    let all = bob.read(&who, |r| Box::pin(r.every_attachment(&ALL)));
    assert!(all.await.is_err(), "everything is for who reaches everything");
}

/// Lists every blob whose bytes should or may exist.
pub async fn blobs_are_listed_until_they_are_forgotten(bed: &Bed) {
    put(bed, 1, vec![(1, None), (2, None)]).await;
    bed.write("u", |tx| Box::pin(async move { tx.stage_blob(blob(3), 0, false, at(3)).await })).await;
    bed.write("u", |tx| Box::pin(async move { tx.expire_attachments(at(2), at(0)).await })).await;
    let list = |after, limit| bed.read("u", move |r| Box::pin(r.blobs(after, limit)));
    assert_eq!(list(None, 9).await, [(blob(1), false), (blob(2), true), (blob(3), false)]);
    assert_eq!(list(Some(blob(1)), 1).await, [(blob(2), true)]);
    bed.write("u", |tx| Box::pin(async move { tx.forget_blobs(&[blob(1), blob(2), blob(3)]).await })).await;
    assert_eq!(list(None, 9).await, [(blob(2), true), (blob(3), false)], "only what is condemned is forgotten");
}

/// Equal bytes are stored once sealed and once plain; sealing moves an attachment from one blob to the other.
pub async fn what_hangs_on_a_sensitive_memory_is_to_be_sealed_until_it_is(bed: &Bed) {
    let sensitive = MemoryDraft { metadata: Metadata { sensitive: true, ..draft("").metadata }, ..draft("private") };
    let seqs = bed.remember("u", [sensitive, draft("plain")]).await;
    put(bed, 1, vec![(1, Some(seqs[0])), (1, Some(seqs[1])), (2, Some(seqs[0])), (3, None)]).await;
    let to_seal = |most| async move {
        let found =
            bed.read("u", move |r| Box::pin(async move { r.every_attachment(&AttachmentQuery::ToSeal(most)).await }));
        found.await.iter().map(|attachment| attachment.id).collect::<Vec<_>>()
    };
    assert_eq!((to_seal(9).await, to_seal(1).await), (vec![id(1), id(3)], vec![id(1)]));
    let seal = move |n: u128, content: u8, of: u128| async move {
        bed.write("u", move |tx| {
            Box::pin(async move {
                tx.stage_blob(blob(n), 7, true, at(50)).await?;
                let stored = tx.store_blob(blob(n), &facts(content)).await?.unwrap();
                Ok((stored, tx.move_attachment(id(of), stored).await?))
            })
        })
        .await
    };
    assert_eq!(seal(11, 1, 1).await, (blob(11), true), "the plain bytes are not these");
    assert_eq!(
        pending(bed).await.condemned,
        [blob(2)],
        "the copy that the second upload brought; the plain memory has the first"
    );
    assert_eq!(seal(13, 2, 3).await, (blob(13), true));
    assert_eq!(pending(bed).await.condemned, [blob(2), blob(3)], "no attachment has the plain bytes any more");
    assert_eq!(to_seal(9).await, []);
    assert_eq!(seal(14, 1, 9).await, (blob(11), false), "there is no such attachment, and its bytes are there");
    let blobs: Vec<_> = read(&bed.vaults, ALL).await.iter().map(|attachment| attachment.blob).collect();
    assert_eq!(blobs, [blob(11), blob(1), blob(13), blob(4)]);
    assert_eq!(usage(bed).await, (4, 700, 70), "equal contents count once under each key");
}
