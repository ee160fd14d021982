//! The loop of a model thread: take a batch, tokenize, compute, answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use kimberly_runtime::this_thread_goes_last;

use super::error::EmbedError;
use super::lane::Lane;
use super::meter::Meter;
use super::pace::Pace;
use super::queue::{Item, Queues};
use crate::model::{Model, ModelError, Workspace};

/// A thread of a lane.
pub(super) struct Worker {
    lane: Lane,
    threads: usize,
    model: Arc<Model>,
    queues: Arc<Queues>,
    meter: Meter,
    workspace: Workspace,
    pace: Pace,
}

/// A waiting text and its tokens.
type Read = (Item, Vec<u32>);

impl Worker {
    /// One of `threads` threads of a lane.
    pub(super) fn new(lane: Lane, threads: usize, model: &Arc<Model>, queues: &Arc<Queues>, meter: &Meter) -> Self {
        Self {
            lane,
            threads,
            model: Arc::clone(model),
            queues: Arc::clone(queues),
            meter: meter.clone(),
            workspace: Workspace::default(),
            pace: Pace::default(),
        }
    }

    /// Runs until the queues are stopped.
    pub(super) fn run(&mut self) {
        if self.lane == Lane::Bulk {
            this_thread_goes_last();
        }
        while let Some(batch) = self.queues.next(self.lane, self.pace.budget(), self.model.window(), self.threads) {
            self.meter.waits(self.lane, self.queues.waiting(self.lane));
            self.answer(batch);
        }
    }

    /// Computes a batch in order of length, so that neighbours need similar buffers.
    fn answer(&mut self, batch: Vec<Item>) {
        let begun = Instant::now();
        let mut texts: Vec<Read> = batch.into_iter().filter_map(|item| self.read(item)).collect();
        if texts.is_empty() {
            return;
        }
        texts.sort_by_key(|(_, tokens)| tokens.len());
        let (items, tokens): (Vec<Item>, Vec<Vec<u32>>) = texts.into_iter().unzip();
        // A panic that ends the thread would leave later callers waiting forever.
        let computed = catch_unwind(AssertUnwindSafe(|| self.model.embed(&tokens, &mut self.workspace)));
        let computed = computed.unwrap_or_else(|_| {
            self.workspace = Workspace::default();
            Err(ModelError::Compute("the model failed on a batch of texts".to_owned()))
        });
        match computed {
            Ok(vectors) => {
                let count = tokens.iter().map(Vec::len).sum();
                self.pace.saw(count, begun.elapsed());
                self.meter.computed(items.len(), count, begun.elapsed());
                for (item, vector) in items.into_iter().zip(vectors) {
                    let Item { request, index, .. } = item;
                    request.put(index, vector);
                }
            }
            Err(error) => items.iter().for_each(|item| self.refuse(item, &error.to_string())),
        }
    }

    /// Tokenizes a text; refuses it alone on an error, so that the rest of the batch is unaffected.
    fn read(&self, item: Item) -> Option<Read> {
        let tokens = catch_unwind(AssertUnwindSafe(|| self.model.tokenize(&item.text, item.purpose)));
        match tokens {
            Ok(Ok(tokens)) => return Some((item, tokens)),
            Ok(Err(error)) => self.refuse(&item, &error.to_string()),
            Err(_) => self.refuse(&item, "the tokenizer failed on a text"),
        }
        None
    }

    fn refuse(&self, item: &Item, why: &str) {
        tracing::error!("a text has no vector: {why}");
        self.meter.failed(1);
        item.request.fail(EmbedError::Failed(why.to_owned()));
    }
}
