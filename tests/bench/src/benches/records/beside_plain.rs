//! Create and recall in a vault whose records have kinds, details and links, beside one with the same texts as plain memories.

use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::detail::Kind as Of;
use kimberly_proto::v1::link_service_client::LinkServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{self as pb, CreateMemoryRequest, Kind, MemoryDraft, QueryMemoriesRequest, Relation};
use tonic::transport::Channel;

use super::{add, expect, remember};
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop};
use crate::population::Population;
use crate::texts::Language;
use crate::{Options, Result};

/// Alternating rounds, so that a busy disk affects both.
const ROUNDS: usize = 10;
/// Memories stored before the measurements.
const THERE: usize = 1_000;
/// The time of imported links: 2026-01-01.
const LINKED: prost_types::Timestamp = prost_types::Timestamp { seconds: 1_767_225_600, nanos: 0 };

/// One of the two vaults.
struct Side {
    creates: Arc<Vec<CreateMemoryRequest>>,
    questions: Arc<Vec<QueryMemoriesRequest>>,
    create: Sample,
    recall: Sample,
}

/// Measures both in turn.
pub(super) async fn measure(
    options: Options,
    language: &Arc<Language>,
    channel: &[Channel],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let calls = if options.quick { 50 } else { 400 };
    let mut sides = [side("plain", calls, language, channel).await?, side("records", calls, language, channel).await?];
    for round in 0..ROUNDS {
        // The order alternates, too.
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            sides[which].create(channel, round * calls, calls).await?;
        }
    }
    for round in 0..=ROUNDS {
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let sample = sides[which].recall(channel, calls).await?;
            // The first round warms up.
            if round > 0 {
                sides[which].recall.join(sample);
            }
        }
    }
    let [plain, records] = &sides;
    for (call, plain, records) in
        [("create", &plain.create, &records.create), ("recall", &plain.recall, &records.recall)]
    {
        add(figures, &format!("{call}.plain"), plain, Aim::Open);
        add(figures, &format!("{call}.records"), records, Aim::Open);
        figures.add(&format!("records.{call}.p50_ratio"), records.p50() / plain.p50(), Aim::AtMost(1.10));
        figures.add(&format!("records.{call}.p99_ratio"), records.p99() / plain.p99(), Aim::Open);
    }
    Ok(())
}

/// Creates a vault with memories, and the queries for it.
async fn side(name: &'static str, calls: usize, language: &Arc<Language>, channel: &[Channel]) -> Result<Side> {
    let population = Population::new(language, name, THERE + ROUNDS * calls);
    let mut memories = population.batch(0).memories;
    if name == "records" {
        memories = memories.into_iter().enumerate().map(|(n, memory)| with_kind(n, memory)).collect();
    }
    let user_id = population.id(0);
    let new = memories.split_off(THERE);
    let ids = remember(channel, &user_id, memories).await?;
    if name == "records" {
        link(channel, &user_id, &ids).await?;
    }
    let single = |memory| CreateMemoryRequest { user_id: user_id.clone(), memory: Some(memory), ..Default::default() };
    Ok(Side {
        creates: Arc::new(new.into_iter().map(single).collect()),
        questions: Arc::new(population.questions(0..1, calls)),
        create: Sample::default(),
        recall: Sample::default(),
    })
}

/// The memory as a fact, a decision, an episode or a belief.
fn with_kind(n: usize, memory: MemoryDraft) -> MemoryDraft {
    let (subject, object) = (memory.speaker.clone(), memory.session_id.clone());
    let (kind, detail) = match n % 4 {
        0 => (Kind::Fact, Some(Of::Fact(pb::FactDetail { subject, predicate: "spoke in".to_owned(), object }))),
        1 => (Kind::Decision, Some(Of::Decision(pb::DecisionDetail { choice: object, ..Default::default() }))),
        2 => (Kind::Episode, Some(Of::Episode(pb::EpisodeDetail { objective: object, ..Default::default() }))),
        _ => (Kind::Belief, None),
    };
    let detail = detail.map(|kind| pb::Detail { kind: Some(kind) });
    MemoryDraft { kind: kind.into(), detail, confidence: Some(0.8), importance: 7, ..memory }
}

/// Links every memory to the previous one.
async fn link(channel: &[Channel], user: &str, ids: &[String]) -> Result<()> {
    const RELATIONS: [Relation; 3] = [Relation::DerivedFrom, Relation::RelatedTo, Relation::References];
    let links = ids.windows(2).zip(RELATIONS.iter().cycle());
    let links = links.map(|(pair, relation)| (pair[1].clone(), *relation, pair[0].clone())).collect();
    import(channel, user, links).await
}

/// Stores links between memories, given as from, relation and to.
pub(super) async fn import(channel: &[Channel], user: &str, links: Vec<(String, Relation, String)>) -> Result<()> {
    let links: Vec<pb::MemoryLink> = links
        .into_iter()
        .map(|(from_id, relation, to_id)| pb::MemoryLink {
            from_id,
            relation: relation.into(),
            to_id,
            evidence: "both were said in one breath".to_owned(),
            created_at: Some(LINKED),
            ..pb::MemoryLink::default()
        })
        .collect();
    for some in links.chunks(500) {
        let request = pb::ImportLinksRequest { user_id: user.to_owned(), links: some.to_vec() };
        let answer = LinkServiceClient::new(channel[0].clone()).import_links(request).await?.into_inner();
        expect("imported links", usize::try_from(answer.imported)?, some.len())?;
    }
    Ok(())
}

impl Side {
    async fn create(&mut self, channel: &[Channel], first: usize, calls: usize) -> Result<()> {
        let creates = Arc::clone(&self.creates);
        let sample = closed_loop(channel, first, limit(calls), move |channel, number| {
            let request = creates[number].clone();
            async move {
                MemoryServiceClient::new(channel).create_memory(request).await?;
                Ok(())
            }
        });
        self.create.join(sample.await?);
        Ok(())
    }

    async fn recall(&self, channel: &[Channel], calls: usize) -> Result<Sample> {
        let questions = Arc::clone(&self.questions);
        closed_loop(channel, 0, limit(calls), move |channel, number| {
            let request = questions[number].clone();
            async move {
                MemoryServiceClient::new(channel).query_memories(request).await?;
                Ok(())
            }
        })
        .await
    }
}

fn limit(calls: usize) -> Limit {
    Limit { calls, time: Duration::MAX }
}
