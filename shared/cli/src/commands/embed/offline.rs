//! `kimberly embed --offline`: texts come from the server, vectors are computed here, and go back.
//!
//! Texts that change meanwhile are refused by the server one by one, and are computed by the next run.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use kimberly_proto::v1;
use serde_json::json;

use super::machine::Machine;
use super::work::Work;
use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::patience::{Patience, patiently};
use crate::progress;

/// Items that the model is at; enough that it never waits.
const AT_ONCE: usize = 64;
/// Bounds of one upload.
const MAX_ITEMS: usize = 256;
const MAX_VECTORS: usize = 512;

/// What became of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sent {
    stored: usize,
    unchanged: usize,
    stale: usize,
    left_out: usize,
    over_cap: usize,
}

/// Computes and sends what is missing.
pub(super) async fn run(context: &Context, model: &Path, work: Option<PathBuf>, all: bool) -> CliResult {
    let client = context.connect().await?;
    let path = work.unwrap_or_else(|| default_file(&context.user));
    let mut machine = Machine::start(model).await?;
    let slug = machine.model.clone();
    let mut work = Work::open(&path, &slug)?;
    let bar = progress::texts(missing(context, &client).await?);
    let computed = compute(context, &client, &mut machine, &mut work, (all, &bar)).await;
    machine.end().await?;
    bar.finish_and_clear();
    let computed = computed?;
    let sent = send(context, &client, &slug, &work).await?;
    work.remove()?;
    context.out.answer(
        || {
            json!({
                "model": slug, "computed": computed, "stored": sent.stored, "unchanged": sent.unchanged,
                "stale": sent.stale, "not_eligible": sent.left_out, "over_cap": sent.over_cap,
            })
        },
        || summary(computed, &sent, &slug),
    )
}

fn summary(computed: u64, sent: &Sent, model: &str) -> String {
    let there = sent.stored + sent.unchanged;
    let part = |count: usize, words: &str| if count > 0 { format!("; {count} {words}") } else { String::new() };
    format!(
        "computed {computed} vectors with {model}; {there} memories and goals have theirs now{}{}{}",
        part(sent.stale, "changed meanwhile: run it again"),
        part(sent.left_out, "are gone or have no vectors any more"),
        part(sent.over_cap, "are over the cap: `kimberly settings set vector_cap=N` raises it"),
    )
}

fn default_file(user: &str) -> PathBuf {
    let safe: String = user.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    PathBuf::from(format!("kimberly-vectors-{safe}.jsonl"))
}

/// For the bar only.
async fn missing(context: &Context, client: &Client) -> CliResult<u64> {
    let request = v1::GetEmbeddingStatusRequest { user_id: context.user.clone() };
    let status = client.embeddings().get_embedding_status(request).await?.into_inner().status.unwrap_or_default();
    Ok(u64::try_from(status.missing_vectors).unwrap_or(0))
}

/// Computes what the file does not hold; returns how many vectors.
async fn compute(
    context: &Context,
    client: &Client,
    machine: &mut Machine,
    work: &mut Work,
    (all, bar): (bool, &ProgressBar),
) -> CliResult<u64> {
    let (mut cursor, mut patience, mut done) = (String::new(), Patience::default(), 0);
    let mut under_way: VecDeque<v1::EmbeddingTexts> = VecDeque::new();
    loop {
        let request = v1::ExportEmbeddingTextsRequest {
            user_id: context.user.clone(),
            missing_only: !all,
            cursor: cursor.clone(),
        };
        let mut stream = match client.embeddings().export_embedding_texts(request).await.map_err(CliError::of_stream) {
            Ok(stream) => stream.into_inner(),
            Err(error) => {
                patience.again(error).await?;
                continue;
            }
        };
        let ended = loop {
            match stream.message().await.map_err(CliError::of_stream) {
                Ok(Some(piece)) => {
                    let wanted: Vec<_> = piece.items.into_iter().filter(|item| !work.holds(item)).collect();
                    for item in wanted {
                        machine.give(&item.texts).await?;
                        under_way.push_back(item);
                        if under_way.len() >= AT_ONCE {
                            done += take(machine, &mut under_way, work, bar).await?;
                        }
                    }
                    cursor = piece.cursor;
                    patience.renew();
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        match ended {
            Ok(()) => break,
            Err(error) => patience.again(error).await?,
        }
    }
    while !under_way.is_empty() {
        done += take(machine, &mut under_way, work, bar).await?;
    }
    Ok(done)
}

/// Keeps the vectors of the item whose turn it is.
async fn take(
    machine: &mut Machine,
    under_way: &mut VecDeque<v1::EmbeddingTexts>,
    work: &mut Work,
    bar: &ProgressBar,
) -> CliResult<u64> {
    let Some(of) = under_way.pop_front() else { return Ok(0) };
    let vectors: Vec<_> = machine.take().await?.into_iter().map(|values| v1::Vector { values }).collect();
    let count = vectors.len() as u64;
    work.keep(&v1::EmbeddingItem { id: of.id, fingerprint: of.fingerprint, vectors })?;
    bar.inc(count);
    Ok(count)
}

/// Sends everything that the file holds.
async fn send(context: &Context, client: &Client, model: &str, work: &Work) -> CliResult<Sent> {
    let mut sent = Sent::default();
    for items in batches(work.items()?) {
        let request = v1::UploadEmbeddingsRequest { user_id: context.user.clone(), model: model.to_owned(), items };
        let upload = || {
            let (mut client, request) = (client.embeddings(), request.clone());
            async move { client.upload_embeddings(request).await }
        };
        for outcome in patiently(upload).await?.into_inner().outcomes {
            match v1::UploadOutcome::try_from(outcome).unwrap_or_default() {
                v1::UploadOutcome::Stored => sent.stored += 1,
                v1::UploadOutcome::Unchanged => sent.unchanged += 1,
                v1::UploadOutcome::Stale => sent.stale += 1,
                v1::UploadOutcome::OverCap => sent.over_cap += 1,
                v1::UploadOutcome::NotEligible | v1::UploadOutcome::Unspecified => sent.left_out += 1,
            }
        }
    }
    Ok(sent)
}

fn batches(items: Vec<v1::EmbeddingItem>) -> Vec<Vec<v1::EmbeddingItem>> {
    let mut batches: Vec<(usize, Vec<v1::EmbeddingItem>)> = Vec::new();
    for item in items {
        let vectors = item.vectors.len();
        match batches.last_mut() {
            Some((held, batch)) if *held + vectors <= MAX_VECTORS && batch.len() < MAX_ITEMS => {
                *held += vectors;
                batch.push(item);
            }
            _ => batches.push((vectors, vec![item])),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_keep_to_their_bounds_and_lose_nothing() {
        let item = |n: usize, vectors: usize| v1::EmbeddingItem {
            id: n.to_string(),
            fingerprint: String::new(),
            vectors: vec![v1::Vector::default(); vectors],
        };
        let items: Vec<_> = (0..600).map(|n| item(n, n % 7 + 1)).chain([item(600, MAX_VECTORS)]).collect();
        let batches = batches(items.clone());
        assert_eq!(batches.concat(), items);
        for batch in &batches {
            assert!(batch.len() <= MAX_ITEMS);
            assert!(batch.iter().map(|item| item.vectors.len()).sum::<usize>() <= MAX_VECTORS);
        }
        assert_eq!(default_file("a/../b c"), PathBuf::from("kimberly-vectors-a____b_c.jsonl"));
    }
}
