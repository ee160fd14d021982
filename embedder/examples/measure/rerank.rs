//! Pairs per second of a cross-encoder, on one thread.

use std::error::Error;
use std::time::Instant;

use kimberly_embedder::model::{CrossEncoder, Options, Pair, Workspace};
use serde_json::{Value, json};

use super::Settings;

/// Scores all texts of set `all` for the first text of set `query`, in batches of the first size. The best run counts,
/// since other processes can only slow it down.
#[expect(clippy::cast_precision_loss, reason = "a few pairs")]
pub(super) fn measure(settings: &Settings) -> Result<Value, Box<dyn Error>> {
    let model = CrossEncoder::open(&settings.model, &Options::new(settings.precision()))?;
    let query = settings.sets["query"].first().ok_or("the set query is empty")?;
    let texts = &settings.sets["all"];
    let (batch, begun) = (settings.batches.first().copied().unwrap_or(4), Instant::now());
    let (mut workspace, mut best, mut tokens) = (Workspace::default(), f64::MAX, 0);
    while begun.elapsed().as_secs_f64() < settings.seconds {
        let start = Instant::now();
        let pairs: Vec<Pair> = texts.iter().map(|text| model.tokenize(query, text)).collect::<Result<_, _>>()?;
        for batch in pairs.chunks(batch.max(1)) {
            std::hint::black_box(model.score(batch, &mut workspace)?);
        }
        best = best.min(start.elapsed().as_secs_f64());
        tokens = pairs.iter().map(|pair| pair.tokens.len()).sum();
    }
    Ok(json!({
        "pairs": texts.len(),
        "tokens": tokens,
        "ms": best * 1e3,
        "pairs_per_second": texts.len() as f64 / best,
        "weights_mb": model.bytes() >> 20,
    }))
}
