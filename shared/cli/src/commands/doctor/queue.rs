//! The api's own report: version, warnings, the job queue; and whether recall works.

use std::time::Instant;

use kimberly_proto::v1;
use kimberly_proto::v1::get_metrics_response::Metrics;

use super::Finding;
use crate::client::Client;
use crate::context::Context;
use crate::error::CliResult;
use crate::text;

/// If a job waits longer than this, in seconds, no worker takes jobs.
const STUCK_SECONDS: f64 = 60.0;
/// A user who does not exist: reading their vault finds nothing and creates nothing.
const NOBODY: &str = "kimberly-doctor";

/// Queries the server; empty if it is unreachable, which another check reports.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let client = match context.connect().await {
        Ok(client) => client,
        Err(error) => return vec![Finding::bad("server", error.message().to_owned())],
    };
    let mut findings = vec![Finding::ok("server", format!("{} answers", context.server))];
    match system(&client).await {
        Ok(system) => findings.extend(from_system(&system)),
        Err(error) => findings.push(Finding::bad("metrics", error.message().to_owned())),
    }
    findings.push(recall(&client).await);
    findings
}

async fn system(client: &Client) -> CliResult<v1::SystemMetrics> {
    let answer = client.metrics().get_metrics(v1::GetMetricsRequest::default()).await?.into_inner();
    match answer.metrics {
        Some(Metrics::System(system)) => Ok(system),
        _ => Err(crate::error::CliError::failed("the server answered without metrics")),
    }
}

fn from_system(system: &v1::SystemMetrics) -> Vec<Finding> {
    let version = &system.version;
    let mut findings = vec![if version == kimberly_runtime::VERSION {
        Finding::ok("version", format!("client and server are {version}"))
    } else {
        Finding::warn(
            "version",
            format!("the server is {version}, this is {}; use the same", kimberly_runtime::VERSION),
        )
    }];
    findings.extend(system.warnings.iter().map(|warning| Finding::warn("server", warning.clone())));
    let queue = system.queue.unwrap_or_default();
    findings.push(if queue.oldest_pending_seconds > STUCK_SECONDS {
        let oldest = queue.oldest_pending_seconds;
        Finding::bad(
            "queue",
            format!(
                "{}, the oldest for {oldest:.0} s; check that the worker runs",
                text::count(queue.pending, "job waits", "jobs wait")
            ),
        )
    } else {
        Finding::ok("queue", format!("{}, {} run", text::count(queue.pending, "job waits", "jobs wait"), queue.running))
    });
    findings.push(embeddings(system));
    if queue.dead > 0 {
        let advice = "the worker's log says why; `kimberly meditations` of the users concerned shows them failed";
        findings.push(Finding::warn(
            "dead letters",
            format!("{} given up; {advice}", text::count(queue.dead, "job was", "jobs were")),
        ));
    }
    findings
}

/// The state of the embedder's work.
fn embeddings(system: &v1::SystemMetrics) -> Finding {
    let Some(queue) = system.embedding_queue.filter(|_| system.embedding_enabled) else {
        return Finding::ok("embeddings", "off; embedder.model turns them on");
    };
    let (pending, running) = (queue.pending, queue.running);
    if queue.dead > 0 {
        let advice = "the embedder's log says why; until then recall uses words alone";
        return Finding::warn(
            "embeddings",
            format!("{} given up; {advice}", text::count(queue.dead, "job was", "jobs were")),
        );
    }
    Finding::ok(
        "embeddings",
        format!("on; {} or postponed, {running} running", text::count(pending, "job waits", "jobs wait")),
    )
}

/// Recalls from a vault that does not exist: tests the whole path except the data.
async fn recall(client: &Client) -> Finding {
    let request =
        v1::QueryMemoriesRequest { user_id: NOBODY.to_owned(), query: "anything".to_owned(), ..Default::default() };
    let started = Instant::now();
    match client.memories().query_memories(request).await {
        Ok(_) => Finding::ok("recall", format!("answers in {:.1} ms", started.elapsed().as_secs_f64() * 1e3)),
        Err(status) => Finding::bad("recall", crate::error::CliError::from(status).message().to_owned()),
    }
}
