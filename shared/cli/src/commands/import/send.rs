//! Sends what was read: users at the same time, one user's batches in order, each safe to repeat.

use std::io::IsTerminal as _;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use indicatif::{ProgressBar, ProgressStyle};
use kimberly_proto::v1;
use tonic::Status;

use super::Load;
use crate::client::Client;
use crate::error::{CliError, CliResult};

/// Most memories in a batch, as the contract has it.
const BATCH: usize = 1_000;
/// Most content in a batch, in bytes; the contract allows 4 MiB.
const BATCH_BYTES: usize = 3 << 20;
/// Users sent to at the same time.
const USERS_AT_ONCE: usize = 8;
/// Tries of a call that finds the server away, and the first and longest pause between them.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Sends everything.
pub(super) async fn all(client: &Client, loads: &[Load], fingerprint: &str) -> CliResult {
    let bar = progress(loads);
    let sending = loads.iter().map(|load| one(client, load, fingerprint, &bar));
    let sent = stream::iter(sending).buffer_unordered(USERS_AT_ONCE).try_collect::<()>().await;
    bar.finish_and_clear();
    sent
}

/// A bar on stderr, for people only.
fn progress(loads: &[Load]) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let total = loads.iter().map(|load| load.drafts.len() as u64).sum();
    let bar = ProgressBar::new(total);
    let template = "{bar:40} {human_pos}/{human_len} memories, {per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

async fn one(client: &Client, load: &Load, fingerprint: &str, bar: &ProgressBar) -> CliResult {
    let user_id = &load.user;
    if let Some(settings) = &load.settings {
        let request = v1::UpdateSettingsRequest {
            user_id: user_id.clone(),
            user_settings: Some(settings.values),
            update_mask: Some(prost_types::FieldMask { paths: settings.paths.clone() }),
            etag: String::new(),
            request_id: format!("import-{fingerprint}-settings"),
        };
        patiently(|| {
            let request = request.clone();
            async move { client.settings().update_settings(request).await }
        })
        .await?;
    }
    for (goal, index) in load.goals.iter().zip(0..) {
        let request_id = format!("import-{fingerprint}-goal-{index}");
        let request = v1::CreateGoalRequest { user_id: user_id.clone(), goal: Some(goal.clone()), request_id };
        patiently(|| {
            let request = request.clone();
            async move { client.goals().create_goal(request).await }
        })
        .await?;
    }
    for range in batches(&load.drafts) {
        let request_id = format!("import-{fingerprint}-{}", range.start);
        let memories = load.drafts[range.clone()].to_vec();
        let request = v1::BatchCreateMemoriesRequest { user_id: user_id.clone(), memories, request_id };
        let send = || {
            let request = request.clone();
            async move { client.memories().batch_create_memories(request).await }
        };
        let what = format!("user {user_id}, memories {} to {}", range.start + 1, range.end);
        patiently(send).await.map_err(|error| error.during(&what))?;
        bar.inc(range.len() as u64);
    }
    Ok(())
}

/// Cuts drafts into batches by number and size; the same drafts give the same batches.
fn batches(drafts: &[v1::MemoryDraft]) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, draft) in drafts.iter().enumerate() {
        let size = draft.content.len();
        if index > start && (index - start == BATCH || bytes + size > BATCH_BYTES) {
            found.push(start..index);
            (start, bytes) = (index, 0);
        }
        bytes += size;
    }
    if start < drafts.len() {
        found.push(start..drafts.len());
    }
    found
}

/// Calls until the server answers, pausing longer each time; refusals end at once.
async fn patiently<T, F>(mut call: impl FnMut() -> F) -> CliResult<T>
where
    F: Future<Output = Result<T, Status>>,
{
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match call().await.map_err(CliError::from) {
            Err(error) if error.retryable => tokio::time::sleep(pause).await,
            settled => return settled,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    call().await.map_err(CliError::from)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn drafts(sizes: &[usize]) -> Vec<v1::MemoryDraft> {
        sizes.iter().map(|size| v1::MemoryDraft { content: "x".repeat(*size), ..Default::default() }).collect()
    }

    #[test]
    fn batches_hold_every_draft_once_and_stay_within_their_bounds() {
        assert_eq!(batches(&drafts(&vec![1; 2_500])), [0..1_000, 1_000..2_000, 2_000..2_500]);
        assert_eq!(batches(&drafts(&[2 << 20, 1 << 20, 1, 4 << 20, 1])), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(batches(&[]), Vec::<std::ops::Range<usize>>::new());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_away_is_waited_for_and_a_refusal_is_not() {
        let calls = Cell::new(0);
        let answer = patiently(|| {
            calls.set(calls.get() + 1);
            let away = calls.get() < 4;
            async move { if away { Err(Status::unavailable("away")) } else { Ok(7) } }
        });
        assert_eq!(answer.await.unwrap(), 7);
        let refused = Cell::new(0);
        let answer = patiently(|| {
            refused.set(refused.get() + 1);
            async { Err::<(), _>(Status::invalid_argument("no")) }
        });
        assert!(answer.await.is_err() && refused.get() == 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_stays_away_is_given_up() {
        let answer = patiently(|| async { Err::<(), _>(Status::unavailable("away")) }).await;
        assert!(answer.unwrap_err().retryable);
    }
}
