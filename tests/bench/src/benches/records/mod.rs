//! Records with kinds, details, names and links: their cost compared with plain memories, and the speed of lookups.

mod beside_plain;
mod lookups;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{BatchCreateMemoriesRequest, MemoryDraft};
use tonic::transport::Channel;

use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::report::Report;
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

/// A quota large enough for the measurements.
const SETTINGS: [(&str, &str); 1] = [("KIMBERLY_QUOTAS__LONG_TERM", "1GiB")];
/// Memories per batch.
const BATCH: usize = 1_000;

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let language = Arc::new(Language::new());
    let mut system = System::prepare(&SETTINGS)?;
    system.start(Role::Api).await?;
    let channel = connect(&system.api_url(), 1).await?;
    let mut figures = Figures::new(report, "records");
    beside_plain::measure(options, &language, &channel, &mut figures).await?;
    lookups::measure(options, &language, &channel, &mut figures).await?;
    figures.print();
    Ok(())
}

/// Stores memories; returns their ids.
async fn remember(channel: &[Channel], user: &str, memories: Vec<MemoryDraft>) -> Result<Vec<String>> {
    let mut ids = Vec::with_capacity(memories.len());
    for batch in memories.chunks(BATCH) {
        let request = BatchCreateMemoriesRequest {
            user_id: user.to_owned(),
            memories: batch.to_vec(),
            always_new: true,
            ..BatchCreateMemoriesRequest::default()
        };
        let answer = MemoryServiceClient::new(channel[0].clone()).batch_create_memories(request).await?.into_inner();
        ids.extend(answer.receipts.into_iter().map(|receipt| receipt.id));
    }
    Ok(ids)
}

/// The times of the same call, repeated sequentially after a warm-up.
async fn repeated<F, R>(channel: &[Channel], calls: usize, call: F) -> Result<Sample>
where
    F: Fn(Channel) -> R + Clone + Send + 'static,
    R: Future<Output = Result<()>> + Send + 'static,
{
    let limit = |calls| Limit { calls, time: Duration::MAX };
    let send = move |channel, _| call(channel);
    closed_loop(channel, 0, limit(calls / 10), send.clone()).await?;
    closed_loop(channel, 0, limit(calls), send).await
}

/// Adds median and 99th percentile; the aim is for the median.
fn add(figures: &mut Figures<'_>, name: &str, sample: &Sample, aim: Aim) {
    figures.add(&format!("records.{name}.p50_ms"), sample.p50(), aim);
    figures.add(&format!("records.{name}.p99_ms"), sample.p99(), Aim::Open);
}

/// Fails the measurement if a call returned an unexpected answer.
fn expect(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found} instead of {expected}").into()) }
}
