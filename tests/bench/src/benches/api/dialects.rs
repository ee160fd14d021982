//! The same calls over gRPC and as JSON over HTTP/1.1, sequentially on one connection each, alternating.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{GetMemoryRequest, ListMemoriesRequest, QueryMemoriesRequest};
use tonic::transport::Channel;

use crate::Result;
use crate::figures::{Aim, Figures};
use crate::http1::Http1;
use crate::load::{Sample, connect};
use crate::report::Report;
use crate::system::System;

/// Alternating rounds, so that background load affects both.
const ROUNDS: usize = 10;

/// Measures and reports.
pub(super) async fn measure(
    system: &System,
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    report: &mut Report,
) -> Result<()> {
    let channel = connect(&system.api_url(), 1).await?.remove(0);
    let mut json = Http1::connect(system.api_address()).await?;
    let memory = some_memory(&channel, &questions[0].user_id).await?;
    let (mut query, mut get) = (Pair::default(), Pair::default());
    for part in questions.chunks((questions.len() / ROUNDS).max(1)) {
        for question in part {
            let (channel, question) = (channel.clone(), question.clone());
            query.grpc.push(timed(super::query(channel, question)).await?);
        }
        for question in part {
            let body = serde_json::json!({"userId": question.user_id, "query": question.query}).to_string();
            query.json.push(timed(json.call("POST", "/memory/query", &body)).await?);
        }
        let path = format!("/memory/{}?user_id={}", memory.id, memory.user_id);
        for _ in part {
            let (mut client, request) = (MemoryServiceClient::new(channel.clone()), memory.clone());
            get.grpc.push(timed(async move { client.get_memory(request).await.map(drop) }).await?);
            get.json.push(timed(json.call("GET", &path, "")).await?);
        }
    }
    let mut figures = Figures::new(report, "JSON and gRPC, one client");
    query.add("query", &mut figures);
    get.add("get", &mut figures);
    figures.print();
    Ok(())
}

/// The times of the same calls in each protocol.
#[derive(Default)]
struct Pair {
    grpc: Vec<Duration>,
    json: Vec<Duration>,
}

impl Pair {
    fn add(&self, operation: &str, figures: &mut Figures<'_>) {
        let (grpc, json) = (Sample::of(&self.grpc), Sample::of(&self.json));
        for (dialect, sample) in [("grpc", &grpc), ("json", &json)] {
            figures.add(&format!("api.{operation}.{dialect}.p50_ms"), sample.p50(), Aim::Open);
            figures.add(&format!("api.{operation}.{dialect}.p99_ms"), sample.p99(), Aim::Open);
        }
        figures.add(&format!("api.{operation}.json_vs_grpc.p50_ratio"), json.p50() / grpc.p50(), Aim::Open);
    }
}

async fn timed<T, E>(call: impl Future<Output = Result<T, E>>) -> Result<Duration, E> {
    let sent = Instant::now();
    call.await?;
    Ok(sent.elapsed())
}

async fn some_memory(channel: &Channel, user: &str) -> Result<GetMemoryRequest> {
    let list = ListMemoriesRequest { user_id: user.to_owned(), page_size: 1, ..ListMemoriesRequest::default() };
    let page = MemoryServiceClient::new(channel.clone()).list_memories(list).await?.into_inner();
    let memory = page.memories.into_iter().next().ok_or("a user without memories")?;
    Ok(GetMemoryRequest { user_id: user.to_owned(), id: memory.id, explain: false, ..GetMemoryRequest::default() })
}
