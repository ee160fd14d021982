//! `kimberly embed --offline`: gets texts from the server, computes their vectors here and uploads them.
//!
//! Vectors are saved to a file as they are computed, and uploaded in batches along the way, so that a server that
//! refuses them does so before hours are spent. The server refuses single texts that changed meanwhile; the next run
//! computes them.

use std::collections::VecDeque;
use std::path::PathBuf;

use indicatif::ProgressBar;
use kimberly_proto::v1;
use serde_json::json;

use super::machine::{Machine, ModelArgs};
use super::work::Work;
use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::patience::{Patience, patiently};
use crate::{progress, text};

/// Items in progress at the model; enough to keep it busy.
const AT_ONCE: usize = 64;
/// Limits of one upload.
const MAX_ITEMS: usize = 256;
const MAX_VECTORS: usize = 512;

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Done {
    computed: usize,
    stored: usize,
    unchanged: usize,
    stale: usize,
    left_out: usize,
    over_cap: usize,
    failed: usize,
    /// Why the first failed item failed.
    why: String,
}

/// A run.
struct Run<'a> {
    context: &'a Context,
    client: Client,
    machine: Machine,
    work: Work,
    bar: ProgressBar,
    /// Items in progress at the model, in order.
    under_way: VecDeque<v1::EmbeddingTexts>,
    batch: Batch,
    sent: bool,
    done: Done,
}

/// Computes and uploads the missing vectors, or all of them.
pub(super) async fn run(context: &Context, model: ModelArgs, work: Option<PathBuf>, all: bool) -> CliResult {
    let folder = model.model.clone().unwrap_or_default();
    let client = context.connect().await?;
    let machine = Machine::start(&folder, &model).await?;
    let slug = machine.model.clone();
    let work = Work::open(&work.unwrap_or_else(|| default_file(&context.user)), &slug)?;
    let status = status(context, &client).await?;
    // The active index may belong to the model being replaced: then all vectors are missing.
    let missing_only = !all && version(&status.model) == version(&slug);
    let total = if missing_only { status.missing_vectors } else { status.needed_vectors };
    let bar = progress::texts(u64::try_from(total).unwrap_or(0));
    let (under_way, batch, done) = (VecDeque::new(), Batch::default(), Done::default());
    let mut run = Run { context, client, machine, work, bar, under_way, batch, sent: false, done };
    let ended = run.all(missing_only).await;
    run.bar.finish_and_clear();
    ended?;
    run.machine.end().await?;
    run.work.remove()?;
    let done = run.done;
    context.out.answer(
        || {
            json!({
                "model": slug, "computed": done.computed, "stored": done.stored, "unchanged": done.unchanged,
                "stale": done.stale, "notEligible": done.left_out, "overCap": done.over_cap, "failed": done.failed,
            })
        },
        || summary(&done, &slug),
    )
}

impl Run<'_> {
    /// Processes all texts; resumes at the cursor after a lost connection.
    async fn all(&mut self, missing_only: bool) -> CliResult {
        let (mut cursor, mut patience) = (String::new(), Patience::default());
        loop {
            let user_id = self.context.user.clone();
            let request = v1::ExportEmbeddingTextsRequest { user_id, missing_only, cursor: cursor.clone() };
            let stream = self.client.embeddings().export_embedding_texts(request).await.map_err(CliError::of_stream);
            let ended = match stream {
                Ok(stream) => self.follow(stream.into_inner(), &mut cursor, &mut patience).await?,
                Err(error) => Err(error),
            };
            match ended {
                Ok(()) => break,
                Err(error) => patience.again(error).await?,
            }
        }
        while !self.under_way.is_empty() {
            self.take().await?;
        }
        self.send().await
    }

    /// Processes the items of a stream. The inner error is the stream's.
    async fn follow(
        &mut self,
        mut stream: tonic::Streaming<v1::ExportEmbeddingTextsResponse>,
        cursor: &mut String,
        patience: &mut Patience,
    ) -> CliResult<CliResult> {
        loop {
            match stream.message().await.map_err(CliError::of_stream) {
                Ok(Some(piece)) => {
                    for item in piece.items {
                        self.item(item).await?;
                    }
                    *cursor = piece.cursor;
                    patience.renew();
                }
                Ok(None) => return Ok(Ok(())),
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Computes an item unless an earlier run did.
    async fn item(&mut self, item: v1::EmbeddingTexts) -> CliResult {
        if let Some(there) = self.work.get(&item)? {
            self.bar.inc(there.vectors.len() as u64);
            return self.add(there).await;
        }
        self.machine.give(&item.texts).await?;
        self.under_way.push_back(item);
        if self.under_way.len() >= AT_ONCE { self.take().await } else { Ok(()) }
    }

    /// Receives the vectors of the oldest item in progress.
    async fn take(&mut self) -> CliResult {
        let Some(of) = self.under_way.pop_front() else { return Ok(()) };
        self.bar.inc(of.texts.len() as u64);
        match self.machine.take().await? {
            Ok(vectors) => {
                self.done.computed += vectors.len();
                let vectors = vectors.into_iter().map(|values| v1::Vector { values }).collect();
                let item = v1::EmbeddingItem { id: of.id, fingerprint: of.fingerprint, vectors };
                self.work.save(&item)?;
                self.add(item).await
            }
            Err(why) => {
                if self.done.failed == 0 {
                    self.done.why = format!("{}: {}", of.id, text::printable(&why));
                }
                self.done.failed += 1;
                Ok(())
            }
        }
    }

    /// Adds an item to the batch. The first item is uploaded alone, to learn whether the server accepts vectors at all.
    async fn add(&mut self, item: v1::EmbeddingItem) -> CliResult {
        if !self.batch.fits(&item) {
            self.send().await?;
        }
        self.batch.push(item);
        if self.sent { Ok(()) } else { self.send().await }
    }

    async fn send(&mut self) -> CliResult {
        let items = std::mem::take(&mut self.batch).items;
        if items.is_empty() {
            return Ok(());
        }
        let request = v1::UploadEmbeddingsRequest {
            user_id: self.context.user.clone(),
            model: self.machine.model.clone(),
            items,
        };
        let upload = || {
            let (mut client, request) = (self.client.embeddings(), request.clone());
            async move { client.upload_embeddings(request).await }
        };
        for outcome in patiently(upload).await?.into_inner().outcomes {
            match v1::UploadOutcome::try_from(outcome).unwrap_or_default() {
                v1::UploadOutcome::Stored => self.done.stored += 1,
                v1::UploadOutcome::Unchanged => self.done.unchanged += 1,
                v1::UploadOutcome::Stale => self.done.stale += 1,
                v1::UploadOutcome::OverCap => self.done.over_cap += 1,
                v1::UploadOutcome::NotEligible | v1::UploadOutcome::Unspecified => self.done.left_out += 1,
            }
        }
        self.sent = true;
        Ok(())
    }
}

/// An upload batch.
#[derive(Default)]
struct Batch {
    items: Vec<v1::EmbeddingItem>,
    vectors: usize,
}

impl Batch {
    fn fits(&self, item: &v1::EmbeddingItem) -> bool {
        self.items.len() < MAX_ITEMS && self.vectors + item.vectors.len() <= MAX_VECTORS
    }

    fn push(&mut self, item: v1::EmbeddingItem) {
        self.vectors += item.vectors.len();
        self.items.push(item);
    }
}

fn summary(done: &Done, model: &str) -> String {
    let there =
        text::count(done.stored + done.unchanged, "memory or goal has a vector", "memories and goals have vectors");
    let part = |count: usize, words: &str| if count > 0 { format!("; {count} {words}") } else { String::new() };
    let why = format!("could not be read by the model ({})", done.why);
    format!(
        "computed {} with {model}; {there} now{}{}{}{}",
        text::count(done.computed, "vector", "vectors"),
        part(done.stale, "changed meanwhile: run it again"),
        part(done.left_out, "were removed or get no vectors any more"),
        part(done.over_cap, "are over the cap: `kimberly settings set vector_cap=N` raises it"),
        part(done.failed, &why),
    )
}

fn default_file(user: &str) -> PathBuf {
    let safe: String = user.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    PathBuf::from(format!("kimberly-vectors-{safe}.jsonl"))
}

async fn status(context: &Context, client: &Client) -> CliResult<v1::EmbeddingStatus> {
    let request = v1::GetEmbeddingStatusRequest { user_id: context.user.clone() };
    Ok(client.embeddings().get_embedding_status(request).await?.into_inner().status.unwrap_or_default())
}

/// The model's version, which identifies a model whatever its folder is called.
fn version(slug: &str) -> &str {
    slug.rsplit_once('-').map_or(slug, |(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_stay_within_their_bounds_and_take_any_item() {
        let item =
            |vectors: usize| v1::EmbeddingItem { vectors: vec![v1::Vector::default(); vectors], ..Default::default() };
        let mut batch = Batch::default();
        while batch.fits(&item(1)) {
            batch.push(item(1));
        }
        assert_eq!((batch.items.len(), batch.vectors), (MAX_ITEMS, MAX_ITEMS));
        let mut batch = Batch::default();
        while batch.fits(&item(7)) {
            batch.push(item(7));
        }
        assert!(batch.vectors <= MAX_VECTORS && batch.vectors + 7 > MAX_VECTORS);
    }

    #[test]
    fn files_and_versions_are_named_by_what_they_are_of() {
        assert_eq!(default_file("a/../b c"), PathBuf::from("kimberly-vectors-a____b_c.jsonl"));
        assert_eq!(version("my-model-0123456789abcdef"), version("other-0123456789abcdef"));
        assert_eq!(version(""), "");
    }
}
