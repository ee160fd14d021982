//! Lineage, core memory, names, and pages of one kind among many records.

use std::sync::Arc;

use kimberly_proto::v1::core_memory_service_client::CoreMemoryServiceClient;
use kimberly_proto::v1::link_service_client::LinkServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;
use kimberly_proto::v1::{self as pb, Kind, MemoryDraft, Relation};
use tonic::transport::Channel;

use super::beside_plain::import;
use super::{BATCH, add, expect, remember, repeated};
use crate::figures::{Aim, Figures};
use crate::load::Sample;
use crate::population::Population;
use crate::texts::Language;
use crate::{Options, Result};

/// Most links of one memory, and most links in a lineage.
const LINKS: usize = 1_000;
/// Largest block of core memory, in bytes. Four such blocks fill core memory.
const BLOCK: usize = 8 * 1024;
const BLOCKS: [&str; 4] = ["system", "persona", "human", "facts"];
const USER: &str = "many";
const PAGE: usize = 50;

/// Measures all of them.
pub(super) async fn measure(
    options: Options,
    language: &Arc<Language>,
    channel: &[Channel],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let calls = if options.quick { 200 } else { 2_000 };
    let chain = |n: usize| (n, n + 1);
    add(figures, "lineage.chain", &lineage("chain", chain, calls / 4, channel).await?, Aim::AtMost(10.0));
    let star = |n: usize| (0, n + 1);
    add(figures, "lineage.star", &lineage("star", star, calls / 4, channel).await?, Aim::AtMost(10.0));
    add(figures, "render", &render(calls, channel).await?, Aim::AtMost(1.0));
    let records = if options.quick { 10 * BATCH } else { 100 * BATCH };
    fill(records, language, channel).await?;
    add(figures, "named_get", &named_get(records, calls, channel).await?, Aim::AtMost(1.0));
    for (name, kind) in [("page.one_of_10", Kind::Fact), ("page.one_of_100", Kind::Decision)] {
        add(figures, name, &page(kind, calls / 2, channel).await?, Aim::AtMost(5.0));
    }
    Ok(())
}

/// The lineage of a memory with 1,000 links to others, each between two positions.
async fn lineage(
    user: &'static str,
    ends: impl Fn(usize) -> (usize, usize),
    calls: usize,
    channel: &[Channel],
) -> Result<Sample> {
    let memory = |n| MemoryDraft { content: format!("Note {n} of many"), ..MemoryDraft::default() };
    let ids = remember(channel, user, (0..=LINKS).map(memory).collect()).await?;
    let link = |(from, to): (usize, usize)| (ids[from].clone(), Relation::DerivedFrom, ids[to].clone());
    import(channel, user, (0..LINKS).map(|n| link(ends(n))).collect()).await?;
    let request = pb::LineageRequest { user_id: user.to_owned(), id: ids[0].clone(), ..Default::default() };
    repeated(channel, calls, move |channel| {
        let request = request.clone();
        async move {
            let found = LinkServiceClient::new(channel).lineage(request).await?.into_inner();
            expect("links of the lineage", found.steps.len(), LINKS)
        }
    })
    .await
}

/// All of core memory as one text.
async fn render(calls: usize, channel: &[Channel]) -> Result<Sample> {
    let content: String = "what stands in every prompt, ".chars().cycle().take(BLOCK - 1).chain(['.']).collect();
    let user_id = "core".to_owned();
    let mut core = CoreMemoryServiceClient::new(channel[0].clone());
    for label in BLOCKS {
        let request = pb::AddBlockRequest {
            user_id: user_id.clone(),
            label: label.to_owned(),
            content: content.clone(),
            ..pb::AddBlockRequest::default()
        };
        core.add_block(request).await?;
    }
    let request = pb::RenderCoreMemoryRequest { user_id, ..Default::default() };
    repeated(channel, calls, move |channel| {
        let request = request.clone();
        async move {
            let text = CoreMemoryServiceClient::new(channel).render_core_memory(request).await?.into_inner().text;
            expect("ends of blocks", text.matches('.').count(), BLOCKS.len())
        }
    })
    .await
}

/// Many records, every tenth a fact, every hundredth a decision, every tenth with a name.
async fn fill(records: usize, language: &Arc<Language>, channel: &[Channel]) -> Result<()> {
    let population = Population::new(language, "many", BATCH);
    for batch in 0..records / BATCH {
        let of = |n: usize, memory| {
            let kind = match n {
                n if n % 100 == 7 => Kind::Decision,
                n if n % 10 == 3 => Kind::Fact,
                n if n.is_multiple_of(2) => Kind::Note,
                _ => Kind::Unspecified,
            };
            let name = if n.is_multiple_of(10) { name_of(batch * BATCH + n) } else { String::new() };
            MemoryDraft { kind: kind.into(), name, ..memory }
        };
        let memories = population.batch(batch).memories.into_iter().enumerate();
        remember(channel, USER, memories.map(|(n, memory)| of(n, memory)).collect()).await?;
    }
    Ok(())
}

fn name_of(n: usize) -> String {
    format!("notes/{n:06}.md")
}

async fn named_get(records: usize, calls: usize, channel: &[Channel]) -> Result<Sample> {
    let name = name_of(records / 20 * 10);
    let request = pb::GetNamedRecordRequest { user_id: USER.to_owned(), name, ..Default::default() };
    repeated(channel, calls, move |channel| {
        let request = request.clone();
        async move {
            NamedRecordServiceClient::new(channel).get_named_record(request).await?;
            Ok(())
        }
    })
    .await
}

/// The first page of a kind.
async fn page(kind: Kind, calls: usize, channel: &[Channel]) -> Result<Sample> {
    let filter = pb::MemoryFilter { kinds: vec![kind.into()], ..pb::MemoryFilter::default() };
    let size = i32::try_from(PAGE)?;
    let request = pb::ListMemoriesRequest {
        user_id: USER.to_owned(),
        filter: Some(filter),
        page_size: size,
        ..pb::ListMemoriesRequest::default()
    };
    repeated(channel, calls, move |channel| {
        let request = request.clone();
        async move {
            let found = MemoryServiceClient::new(channel).list_memories(request).await?.into_inner();
            expect("memories of the page", found.memories.len(), PAGE)
        }
    })
    .await
}
