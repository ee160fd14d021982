//! The two lanes and the threads that wait on them.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::OwnedSemaphorePermit;

use super::error::EmbedError;
use super::lane::Lane;
use super::request::Request;
use crate::model::Purpose;

/// Maximum texts per batch, so that other threads get some too.
const MAX_TEXTS: usize = 64;
/// Estimated bytes per token: fewer than usual, so that batches are rather too small.
const BYTES_PER_TOKEN: usize = 4;
/// Special tokens of every text.
const SPECIAL_TOKENS: usize = 2;

/// A waiting text.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) text: String,
    pub(super) purpose: Purpose,
    /// Its index in the request.
    pub(super) index: usize,
    pub(super) request: Request,
    /// Its permit of the lane, released when it is computed or dropped.
    pub(super) _room: OwnedSemaphorePermit,
}

impl Item {
    /// Estimated number of tokens, at most `window`.
    fn tokens(&self, window: usize) -> usize {
        (self.text.len() / BYTES_PER_TOKEN + SPECIAL_TOKENS).min(window)
    }
}

/// The waiting texts of both lanes.
#[derive(Debug, Default)]
pub(super) struct Queues {
    waiting: Mutex<Waiting>,
    query_came: Condvar,
    bulk_came: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    queries: VecDeque<Item>,
    bulk: VecDeque<Item>,
    stopping: bool,
}

impl Waiting {
    const fn of(&mut self, lane: Lane) -> &mut VecDeque<Item> {
        match lane {
            Lane::Query => &mut self.queries,
            Lane::Bulk => &mut self.bulk,
        }
    }
}

impl Queues {
    pub(super) fn push(&self, lane: Lane, item: Item) {
        let mut waiting = self.waiting.lock();
        if waiting.stopping {
            item.request.fail(EmbedError::Stopping);
            return;
        }
        waiting.of(lane).push_back(item);
        self.came(lane).notify_one();
    }

    /// The number of texts that wait in a lane.
    pub(super) fn waiting(&self, lane: Lane) -> usize {
        self.waiting.lock().of(lane).len()
    }

    const fn came(&self, lane: Lane) -> &Condvar {
        match lane {
            Lane::Query => &self.query_came,
            Lane::Bulk => &self.bulk_came,
        }
    }

    /// Ends all threads; waiting texts are refused.
    pub(super) fn stop(&self) {
        let mut waiting = self.waiting.lock();
        waiting.stopping = true;
        let left = std::mem::take(&mut waiting.queries).into_iter().chain(std::mem::take(&mut waiting.bulk));
        left.for_each(|item| item.request.fail(EmbedError::Stopping));
        self.query_came.notify_all();
        self.bulk_came.notify_all();
    }

    /// The next batch of a lane: about `budget` tokens, with each text counted up to `window`, and at most a thread's
    /// share of the waiting texts. Blocks until there is one; `None` when the threads should end.
    pub(super) fn next(&self, lane: Lane, budget: usize, window: usize, threads: usize) -> Option<Vec<Item>> {
        let mut waiting = self.waiting.lock();
        loop {
            if waiting.stopping {
                return None;
            }
            // No batch means an empty lane: `take` removed all cancelled texts.
            let batch = take(waiting.of(lane), budget, window, threads);
            if !batch.is_empty() {
                return Some(batch);
            }
            self.came(lane).wait(&mut waiting);
        }
    }
}

/// Takes texts from the front of a lane, skipping cancelled ones.
fn take(lane: &mut VecDeque<Item>, budget: usize, window: usize, threads: usize) -> Vec<Item> {
    let share = lane.len().div_ceil(threads).min(MAX_TEXTS);
    let mut batch = Vec::with_capacity(share);
    let mut tokens = 0;
    while batch.len() < share {
        let Some(item) = lane.pop_front() else { break };
        if !item.request.is_wanted() {
            continue;
        }
        tokens += item.tokens(window);
        if tokens > budget && !batch.is_empty() {
            lane.push_front(item);
            break;
        }
        batch.push(item);
    }
    batch
}
