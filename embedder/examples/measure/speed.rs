//! Sentences and tokens per second by batch size, query latency, memory, and start time.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kimberly_embedder::model::{Model, ModelError, Purpose, Workspace};
use serde_json::{Value, json};

use super::Settings;

/// Measures one precision and number of threads.
pub(super) fn measure(settings: &Settings) -> Result<Value, Box<dyn Error>> {
    let begun = Instant::now();
    let model = settings.open()?;
    let opened = begun.elapsed();
    embed(&model, &["a first text".to_owned()], &mut Workspace::default())?;
    let first = begun.elapsed();
    let mut runs = BTreeMap::new();
    for (name, texts) in settings.sets.iter().filter(|(name, _)| !matches!(name.as_str(), "query" | "all")) {
        for &batch in &settings.batches {
            runs.insert(format!("{name}.b{batch}"), throughput(&model, texts, batch, settings));
        }
    }
    let query = latency(&model, &settings.sets["query"], settings.seconds)?;
    Ok(json!({
        "open_ms": opened.as_secs_f64() * 1e3,
        "first_ms": first.as_secs_f64() * 1e3,
        "runs": runs,
        "query": query,
        "weights_mb": model.bytes() >> 20,
        "rss_mb": status_kb("VmRSS:") / 1_024,
        "peak_mb": status_kb("VmHWM:") / 1_024,
    }))
}

/// Tokenizes and embeds; returns the number of tokens.
fn embed(model: &Model, texts: &[String], workspace: &mut Workspace) -> Result<usize, ModelError> {
    let tokens: Vec<Vec<u32>> =
        texts.iter().map(|text| model.tokenize(text, Purpose::Document)).collect::<Result<_, _>>()?;
    std::hint::black_box(model.embed(&tokens, workspace)?);
    Ok(tokens.iter().map(Vec::len).sum())
}

/// Each thread embeds batch after batch. The best of five spans counts, since other processes can only slow it down.
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 tokens")]
fn throughput(model: &Model, texts: &[String], batch: usize, settings: &Settings) -> Value {
    let span = Duration::from_secs_f64(settings.seconds / 5.0);
    let mut best = (0.0, 0.0);
    for _ in 0..5 {
        let (sentences, tokens, next) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..settings.threads.max(1) {
                scope.spawn(|| {
                    let mut workspace = Workspace::default();
                    while begun.elapsed() < span {
                        let at = next.fetch_add(1, Ordering::Relaxed) * batch % texts.len();
                        let chosen: Vec<String> = texts.iter().cycle().skip(at).take(batch).cloned().collect();
                        if let Ok(count) = embed(model, &chosen, &mut workspace) {
                            sentences.fetch_add(batch, Ordering::Relaxed);
                            tokens.fetch_add(count, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let seconds = begun.elapsed().as_secs_f64();
        let rate = sentences.into_inner() as f64 / seconds;
        if rate > best.0 {
            best = (rate, tokens.into_inner() as f64 / seconds);
        }
    }
    json!({ "sentences": best.0, "tokens": best.1 })
}

/// Latency percentiles of single queries.
fn latency(model: &Model, queries: &[String], seconds: f64) -> Result<Value, Box<dyn Error>> {
    let mut workspace = Workspace::default();
    let mut took = Vec::new();
    let begun = Instant::now();
    for query in queries.iter().cycle() {
        let start = Instant::now();
        embed(model, std::slice::from_ref(query), &mut workspace)?;
        took.push(start.elapsed());
        if begun.elapsed().as_secs_f64() > seconds {
            break;
        }
    }
    took.sort();
    let at = |share: usize| took[(took.len() - 1) * share / 100].as_secs_f64() * 1e3;
    Ok(json!({ "p50_ms": at(50), "p99_ms": at(99) }))
}

fn status_kb(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
