//! A user with data in every section of an archive.

use kimberly_proto::v1 as pb;
use kimberly_tests::attachments::{noise, start, upload};
use kimberly_tests::drafts::mask;
use kimberly_tests::{System, User, eventually};

use super::life;

/// Quotas larger than the data.
pub(crate) const ROOMY: [(&str, &str); 3] = [
    ("KIMBERLY_QUOTAS__SHORT_TERM", "1GiB"),
    ("KIMBERLY_QUOTAS__LONG_TERM", "1GiB"),
    ("KIMBERLY_QUOTAS__PERMANENT", "1GiB"),
];
/// Size of the long memories, so that the archive exceeds the distance between two save points.
const LONG: usize = 20_000;

/// Size of the largest attachment, in several pieces, for the same reason.
const LARGE: usize = 700_000;

/// Memories in all states and with histories, under active, sealed and purged consents, attachments, goals of all
/// kinds, and settings. Nothing changes afterwards, so that later reads agree.
pub(crate) async fn living(system: &System, id: &str) -> User {
    let mut user = system.user(id);
    pursue(&mut user).await;
    life::fill(&mut user, 120).await;
    life::live(&mut user).await;
    consent(&mut user).await;
    believe(&mut user).await;
    let long = |n: usize| pb::MemoryDraft {
        content: format!("long {n} {}", "and on ".repeat(LONG / 7)),
        tier: pb::Tier::LongTerm.into(),
        ..pb::MemoryDraft::default()
    };
    user.remember_all((0..60).map(long).collect()).await;
    archive_some(&mut user).await;
    link(&mut user).await;
    attach(&mut user).await;
    settings(&mut user).await;
    user
}

/// Links along a chain, with and without evidence; one is overwritten.
async fn link(user: &mut User) {
    let ids: Vec<String> = user.list(pb::MemoryFilter::default()).await.into_iter().map(|memory| memory.id).collect();
    for (n, pair) in ids.windows(2).take(20).enumerate() {
        let link = pb::MemoryLink {
            from_id: pair[0].clone(),
            relation: i32::try_from(n % 11 + 1).expect("a small number"),
            to_id: pair[1].clone(),
            weight: Some(1.0 / 3.0),
            evidence: if n % 2 == 0 { String::new() } else { format!("\"quote\" {n} 🐕") },
            ..pb::MemoryLink::default()
        };
        for _ in 0..=n % 2 {
            let request = pb::LinkRequest { user_id: user.id(), link: Some(link.clone()), request_id: String::new() };
            user.clients.links.link(request).await.expect("a link is taken");
        }
    }
}

/// Goals of all kinds; one is done, one changed.
async fn pursue(user: &mut User) {
    user.pursue("Learn Spanish", &["spanish", "travel"]).await;
    for (kind, status, importance) in [(2, 1, 0.1), (3, 1, 1.0 / 3.0), (1, 2, 1.0)] {
        let goal = pb::Goal {
            title: format!("a goal of kind {kind}"),
            description: "in \"more\" words\nand lines".to_owned(),
            kind,
            ..pb::Goal::default()
        };
        let request = pb::CreateGoalRequest { user_id: user.id(), goal: Some(goal), request_id: String::new() };
        let made = user.clients.goals.create_goal(request).await.expect("a goal is taken").into_inner();
        let goal = pb::Goal { status, importance, ..made.goal.expect("a goal") };
        let request = pb::UpdateGoalRequest {
            user_id: user.id(),
            goal: Some(goal),
            update_mask: Some(mask(&["status", "importance"])),
            request_id: String::new(),
        };
        user.clients.goals.update_goal(request).await.expect("a goal is changed");
    }
}

/// Sensitive memories under a sealed and a purged consent.
async fn consent(user: &mut User) {
    for (namespace, retraction) in [("clinic", pb::Retraction::Seal), ("gone", pb::Retraction::Purge)] {
        let scope = pb::ConsentScope { namespaces: vec![namespace.to_owned()], ..pb::ConsentScope::default() };
        let consent = pb::Consent {
            purpose: format!("care in {namespace}"),
            scope: Some(scope),
            note: "on paper".to_owned(),
            given_by: pb::ConsentGiver::Guardian.into(),
            ..pb::Consent::default()
        };
        let request = pb::GrantConsentRequest { user_id: user.id(), consent: Some(consent), ..Default::default() };
        let granted = user.clients.consents.grant_consent(request).await.expect("a consent is taken").into_inner();
        let id = granted.consent.expect("a record").id;
        for n in 0..3 {
            let draft = pb::MemoryDraft {
                content: format!("secret {n} of {namespace}"),
                namespace: namespace.to_owned(),
                consent_id: id.clone(),
                metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
                ..pb::MemoryDraft::default()
            };
            let memory = user.remember_draft(draft).await.id;
            let said =
                pb::AttachmentStart { memory_id: memory, ..start(&user.id, &format!("scan {n} of {namespace}")) };
            let scan = format!("scan {n}");
            upload(&user.clients, said, scan.as_bytes()).await.expect("an attachment is taken");
        }
        let request = pb::RetractConsentRequest {
            user_id: user.id(),
            id,
            retraction: retraction.into(),
            request_id: String::new(),
        };
        user.clients.consents.retract_consent(request).await.expect("a consent is taken back");
    }
}

/// Records of several kinds, with details, belief and other fields.
async fn believe(user: &mut User) {
    let text = |text: &str| text.to_owned();
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 5_000 });
    let episode = pb::EpisodeDetail {
        objective: text("cross \"the\" sea"),
        outcome_type: pb::OutcomeType::Partial.into(),
        lessons: vec![text("take a book"), text("ünïcödé 🐕")],
        valence: Some(-1.0 / 3.0),
        arousal: Some(0.1 + 0.2),
        ..pb::EpisodeDetail::default()
    };
    let fact = pb::FactDetail { subject: text("Ana"), predicate: text("lives in"), object: text("Lisbon") };
    let kinds = [pb::detail::Kind::Episode(episode), pb::detail::Kind::Fact(fact)];
    for (n, kind) in (1..).zip(kinds) {
        let draft = pb::MemoryDraft {
            content: format!("believed {n}"),
            tier: pb::Tier::Permanent.into(),
            detail: Some(pb::Detail { kind: Some(kind) }),
            importance: n,
            confidence: Some(1.0 / 3.0),
            source_type: pb::SourceType::Inference.into(),
            valid_from: at(1_600_000_000),
            valid_to: at(1_900_000_000),
            source_ref: text("https://example.org/7"),
            name: format!("notes/{n}"),
            ..pb::MemoryDraft::default()
        };
        let id = user.remember_draft(draft).await.id;
        // Twice, so that the confidence has a history.
        let surer = pb::MemoryDraft { confidence: Some(0.75), ..pb::MemoryDraft::default() };
        let request = pb::UpdateMemoryRequest {
            user_id: user.id(),
            id,
            memory: Some(surer),
            update_mask: Some(mask(&["confidence"])),
            ..pb::UpdateMemoryRequest::default()
        };
        user.clients.memories.update_memory(request).await.expect("a memory is changed");
    }
}

/// Makes a meditation archive something.
async fn archive_some(user: &mut User) {
    let small = pb::UserSettings { long_term_quota_bytes: Some(1 << 20), ..pb::UserSettings::default() };
    user.set(small, &["long_term_quota_bytes"]).await;
    user.meditate().await;
    let user = user.clone();
    eventually("something is archived", || async {
        let all = user.clone().everything().await;
        all.iter().any(|memory| memory.state() == pb::MemoryState::Archived).then_some(())
    })
    .await;
}

/// Attachments of one and of two memories: a large, an empty, a duplicate and an unattached one.
async fn attach(user: &mut User) {
    let draft = |content: &str| pb::MemoryDraft {
        content: content.to_owned(),
        tier: pb::Tier::Permanent.into(),
        ..pb::MemoryDraft::default()
    };
    let memories = user.remember_all(vec![draft("a day at the sea"), draft("an evening at home")]).await;
    let (sea, home) = (memories[0].id.clone(), memories[1].id.clone());
    for (name, length) in
        [("the \"sea\" – ünïcödé 🐕.png", LARGE), ("", 0), ("a note", 64 << 10), ("its copy", 64 << 10)]
    {
        let said = pb::AttachmentStart { memory_id: sea.clone(), ..start(&user.id, name) };
        let taken = upload(&user.clients, said, &noise(7, length)).await.expect("an attachment is taken");
        if name != "a note" {
            let also = pb::AttachToMemoryRequest { user_id: user.id(), memory_id: home.clone(), id: taken.id };
            user.clients.attachments.attach_to_memory(also).await.expect("it hangs there, too");
        }
    }
    upload(&user.clients, start(&user.id, "on nothing"), b"gone tomorrow").await.expect("an attachment is taken");
}

async fn settings(user: &mut User) {
    let span = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let weights =
        pb::Weights { relevance_to_goals: 0.1, emotional_weight: 0.2, predictive_value: 0.3, recency_freq: 0.4 };
    let set = pb::UserSettings {
        short_term_quota_bytes: Some(64 << 20),
        long_term_quota_bytes: Some(96 << 20),
        permanent_quota_bytes: Some(128 << 20),
        archive_allowance_bytes: Some(256 << 20),
        core_memory_bytes: Some(5_000),
        scoring: Some(pb::user_settings::Scoring::Weights(weights)),
        grace: span(40 * 86_400),
        daily_prune_cap_bytes: Some(12_345),
        meditation_interval: span(9 * 86_400),
        short_term_lifetime: span(3 * 86_400),
        low_score: Some(0.125),
        embedding_enabled: Some(false),
        reading_enabled: Some(false),
        merging_enabled: Some(true),
        vector_cap: Some(777),
        daily_embedding_limit: Some(11),
        weekly_embedding_limit: Some(22),
        consent_retraction: pb::Retraction::Seal.into(),
    };
    let every = [
        "short_term_quota_bytes",
        "long_term_quota_bytes",
        "permanent_quota_bytes",
        "archive_allowance_bytes",
        "core_memory_bytes",
        "weights",
        "grace",
        "daily_prune_cap_bytes",
        "meditation_interval",
        "short_term_lifetime",
        "low_score",
        "embedding_enabled",
        "reading_enabled",
        "merging_enabled",
        "vector_cap",
        "daily_embedding_limit",
        "weekly_embedding_limit",
        "consent_retraction",
    ];
    user.set(set, &every).await;
}
