//! What a thread of the model does: take a batch, tokenize, compute, answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::EmbedError;
use super::pace::Pace;
use super::queue::{Item, Queues};
use crate::model::{Model, ModelError, Workspace};

/// Works until the queues are stopped.
pub(super) fn run(model: &Model, queues: &Queues, threads: usize) {
    let mut workspace = Workspace::default();
    let mut pace = Pace::default();
    while let Some(batch) = queues.next(pace.budget(), model.window(), threads) {
        let begun = Instant::now();
        // A panic would leave callers of other batches waiting for a thread that is gone.
        let done = catch_unwind(AssertUnwindSafe(|| compute(model, &batch, &mut workspace)));
        match done {
            Ok(Ok((vectors, tokens))) => {
                pace.saw(tokens, begun.elapsed());
                for (item, vector) in batch.into_iter().zip(vectors) {
                    let Item { request, place, .. } = item;
                    request.put(place, vector);
                }
            }
            Ok(Err(error)) => refuse(&batch, &error.to_string()),
            Err(_) => {
                workspace = Workspace::default();
                refuse(&batch, "the model failed on a batch of texts");
            }
        }
    }
}

/// The vectors of a batch in its order, and how many tokens it had. Texts are computed from the shortest to the longest,
/// so that neighbours need the same buffers.
fn compute(model: &Model, batch: &[Item], workspace: &mut Workspace) -> Result<(Vec<Vec<f32>>, usize), ModelError> {
    let tokens = batch.iter().map(|item| model.tokenize(&item.text, item.purpose)).collect::<Result<Vec<_>, _>>()?;
    let mut texts: Vec<(usize, Vec<u32>)> = tokens.into_iter().enumerate().collect();
    texts.sort_by_key(|(_, tokens)| tokens.len());
    let (places, texts): (Vec<usize>, Vec<Vec<u32>>) = texts.into_iter().unzip();
    let computed = model.embed(&texts, workspace)?;
    let mut vectors = vec![Vec::new(); batch.len()];
    for (place, vector) in places.into_iter().zip(computed) {
        vectors[place] = vector;
    }
    Ok((vectors, texts.iter().map(Vec::len).sum()))
}

fn refuse(batch: &[Item], why: &str) {
    tracing::error!("{} texts have no vectors: {why}", batch.len());
    for item in batch {
        item.request.fail(EmbedError::Failed(why.to_owned()));
    }
}
