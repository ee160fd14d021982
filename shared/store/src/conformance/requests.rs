//! Stored answers for replays, settings, and the context of a write.

use kimberly_core::ports::{PriorRequest, RequestRecord};
use kimberly_core::scoring::Preset;
use kimberly_core::settings::{ScoringChoice, StoredSettings, UserSettings};
use kimberly_core::time::Span;

use super::Bed;
use super::fixtures::{at, draft};

async fn prior(bed: &Bed, id: &'static str) -> Option<PriorRequest> {
    bed.read("u", move |r| Box::pin(async move { Ok(r.write_context(Some(id)).await?.prior) })).await
}

async fn put(bed: &Bed, id: &str, fingerprint: u8, seconds: i64) {
    let record = RequestRecord {
        request_id: id.to_owned(),
        fingerprint: [fingerprint; 32],
        answer: format!("{{\"n\":{fingerprint}}}"),
        at: at(seconds),
    };
    bed.write("u", move |tx| {
        let record = record.clone();
        Box::pin(async move { tx.put_request(&record).await })
    })
    .await;
}

/// Found by id, replaced, pruned by age in bounded steps.
pub async fn answers_are_stored_until_forgotten(bed: &Bed) {
    for (id, n) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        put(bed, id, n, n.into()).await;
    }
    assert_eq!(prior(bed, "b").await, Some(PriorRequest { fingerprint: [2; 32], answer: "{\"n\":2}".to_owned() }));
    assert_eq!(prior(bed, "B").await, None);
    put(bed, "b", 9, 9).await;
    assert_eq!(prior(bed, "b").await.unwrap().fingerprint, [9; 32]);
    let forget = |limit| async move { bed.write("u", move |tx| Box::pin(tx.prune_requests(at(4), limit))).await };
    assert_eq!(forget(1).await, 1);
    assert_eq!(prior(bed, "a").await, None, "the oldest goes first");
    assert_eq!(forget(10).await, 1);
    assert!(prior(bed, "d").await.is_some() && prior(bed, "b").await.is_some());
}

/// One read returns settings, usage and the earlier answer; without a request id there is no answer.
pub async fn the_context_of_a_write_is_whole(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    put(bed, "r", 1, 1).await;
    let settings = UserSettings { low_score: Some(0.1 + 0.2), ..UserSettings::default() };
    bed.write("u", move |tx| {
        let settings = settings.clone();
        Box::pin(async move { tx.put_settings(&settings).await })
    })
    .await;
    let (with, without) = bed
        .read("u", |r| Box::pin(async move { Ok((r.write_context(Some("r")).await?, r.write_context(None).await?)) }))
        .await;
    assert_eq!(with.usage, bed.usage("u").await);
    assert_eq!(with.settings.revision, 1);
    assert_eq!(with.settings.settings.low_score.map(f64::to_bits), Some((0.1_f64 + 0.2).to_bits()));
    assert!(with.prior.is_some() && without.prior.is_none() && with.waiting_meditation.is_none());
}

/// Revision 0 before the first write; every field reads back; each write increments the revision.
pub async fn settings_count_their_writes(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    assert_eq!(bed.read("u", |r| Box::pin(r.settings())).await, StoredSettings::default());
    let settings = UserSettings {
        short_term_quota_bytes: Some(1),
        long_term_quota_bytes: Some(2),
        permanent_quota_bytes: Some(u64::from(u32::MAX) * 1_000),
        archive_allowance_bytes: Some(4),
        core_memory_bytes: Some(8_192),
        scoring: Some(ScoringChoice::Preset(Preset::Archival)),
        grace: Some(Span::days(3)),
        daily_prune_cap_bytes: Some(0),
        meditation_interval: Some(Span::hours(5)),
        short_term_lifetime: Some(Span::seconds(6)),
        low_score: Some(1.0 / 3.0),
        embedding_enabled: Some(false),
        reading_enabled: Some(false),
        merging_enabled: Some(true),
        vector_cap: Some(7),
        daily_embedding_limit: Some(0),
        weekly_embedding_limit: Some(8),
        consent_retraction: Some(kimberly_core::consent::Retraction::Seal),
    };
    for (revision, settings) in (1..).zip([settings.clone(), UserSettings::default(), settings]) {
        let to_write = settings.clone();
        let written = bed
            .write("u", move |tx| {
                let settings = to_write.clone();
                Box::pin(async move { tx.put_settings(&settings).await })
            })
            .await;
        assert_eq!(written, revision);
        assert_eq!(bed.read("u", |r| Box::pin(r.settings())).await, StoredSettings { settings, revision });
    }
}
