//! Sends everything, several users at once. For each user: settings and goals, then memories, links and attachments.
//! All of it is safe to repeat.

use futures::{StreamExt as _, stream};
use indicatif::ProgressBar;

use super::load::Load;
use super::stream::{Sent, send};
use super::{attachments, links};
use crate::client::Client;
use crate::progress;

/// Users sent to at once.
const USERS_AT_ONCE: usize = 8;

/// Sends all loads; returns the result of each, also of failed ones.
pub(super) async fn all(client: &Client, loads: &[Load], import_id: &str) -> Vec<Sent> {
    let bar = progress::bar(loads.iter().map(|load| load.memories).sum());
    let one_bar = if loads.len() == 1 { bar.clone() } else { ProgressBar::hidden() };
    let sending = loads.iter().map(|load| {
        let (bar, one_bar) = (&bar, &one_bar);
        async move {
            let sent = one(client, load, import_id, one_bar).await;
            if loads.len() > 1 {
                bar.inc(load.memories);
            }
            sent
        }
    });
    let sent = stream::iter(sending).buffered(USERS_AT_ONCE).collect().await;
    bar.finish_and_clear();
    sent
}

async fn one(client: &Client, load: &Load, import_id: &str, bar: &ProgressBar) -> Sent {
    let mut sent = Sent::default();
    let outcome = match send(client, load, import_id, (&mut sent, bar)).await {
        Ok(()) => match links::send(client, load).await {
            Ok(()) => attachments::send(client, load, &mut sent.attached).await,
            failed => failed,
        },
        failed => failed,
    };
    sent.failed = outcome.err().map(|error| error.during(&format!("user {}", load.user)));
    sent
}
