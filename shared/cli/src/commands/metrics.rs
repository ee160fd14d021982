//! `kimberly metrics`

use kimberly_proto::v1;
use kimberly_proto::v1::get_metrics_response::Metrics;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::view::{right, table};
use crate::{json, names, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Metrics of the whole system instead of one user
    #[arg(long)]
    system: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let user_id = if self.system { String::new() } else { context.user.clone() };
        let request = v1::GetMetricsRequest { user_id };
        let answer = context.connect().await?.metrics().get_metrics(request).await?.into_inner();
        if answer.metrics.is_none() {
            return Err(CliError::failed("the server answered without metrics"));
        }
        let shown = || match answer.metrics.as_ref() {
            Some(Metrics::User(user)) => of_user(user),
            Some(Metrics::System(system)) => of_system(system),
            None => String::new(),
        };
        context.out.answer(|| json::of(&answer), shown)
    }
}

fn of_user(user: &v1::UserMetrics) -> String {
    let mut rows = table(&["tier", "memories", "used", "quota", ""]);
    for tier in &user.tiers {
        rows.add_row([
            names::tier(tier.tier).into(),
            right(tier.items),
            right(text::bytes(tier.bytes)),
            right(text::bytes(tier.quota_bytes)),
            right(format!("{:.1} %", tier.usage * 100.0)),
        ]);
    }
    if let Some(archive) = user.archive {
        let (full, allowed) = (text::bytes(archive.bytes), text::bytes(archive.allowance_bytes));
        rows.add_row(["archive".into(), right(archive.items), right(full), right(allowed), right("")]);
    }
    if let Some(files) = user.attachments.filter(|files| files.items > 0) {
        let (held, allowed) = (text::bytes(files.bytes), text::bytes(files.allowance_bytes));
        rows.add_row(["attachments".into(), right(files.items), right(held), right(allowed), right("")]);
    }
    let vectors = user.embedding.as_ref().map_or_else(|| "embeddings are off".to_owned(), super::embed::line);
    let rows = rows.trim_fmt();
    format!(
        "{rows}\nmeditated {}; next {}\non disk {}, of which full-text index {}, vector index {}\n{vectors}\n\
         ever: {} stored, {} archived, {} deleted",
        time::ago(user.last_meditation.as_ref()),
        time::minute(user.next_meditation.as_ref()),
        text::bytes(user.disk_bytes),
        text::bytes(user.sqlite_index_bytes),
        text::bytes(user.vector_index_bytes),
        user.items_created,
        user.items_archived,
        user.items_deleted,
    )
}

fn of_system(system: &v1::SystemMetrics) -> String {
    let queue = system.queue.unwrap_or_default();
    let embeddings = text::on_or_off(system.embedding_enabled);
    let embedder = system.embedding_queue.map_or_else(String::new, |queue| embedder(system, queue));
    let mut rows = table(&["metric since the api process started", "value"]);
    for metric in &system.metrics {
        rows.add_row([text::line(&metric.name, 120).into(), right(number(metric.value))]);
    }
    let warnings = system.warnings.iter().map(|warning| format!("\nwarning: {}", text::printable(warning)));
    let rows = rows.trim_fmt();
    format!(
        "Kimberly {}: {}, {} on disk, {} open, embeddings are {embeddings}\n\
         queue: {} waiting (oldest {:.0} s), {} running, {} given up\n{embedder}{rows}{}",
        system.version,
        text::count(system.users, "user", "users"),
        text::bytes(system.disk_bytes),
        text::count(system.open_vaults, "vault", "vaults"),
        queue.pending,
        queue.oldest_pending_seconds,
        queue.running,
        queue.dead,
        warnings.collect::<String>(),
    )
}

fn embedder(system: &v1::SystemMetrics, queue: v1::QueueMetrics) -> String {
    let (today, budget) = (system.embeddings_computed_today, system.embedding_daily_budget);
    let budget = if budget == 0 { String::new() } else { format!(" of {budget}") };
    let v1::QueueMetrics { pending, running, dead, .. } = queue;
    format!("embedder: {pending} waiting, {running} running, {dead} given up; {today}{budget} vectors computed today\n")
}

/// A number with as many digits as it needs.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.6}") }
}
