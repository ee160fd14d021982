//! Delivers messages to Kimberly: spooled ones first, then new ones. What cannot be delivered now is spooled.

use std::collections::HashSet;

use kimberly_proto::v1;

use super::spool::{Spool, Waiting};
use super::transcript::Said;
use super::within::within;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::time;

/// Maximum messages per call.
const AT_ONCE: usize = 200;

/// The destination of a delivery.
pub(super) struct Deliver<'a> {
    /// `None` if Kimberly is not reachable.
    pub(super) client: Option<&'a Client>,
    pub(super) user: &'a str,
    pub(super) namespace: &'a str,
    pub(super) spool: Spool,
}

impl Deliver<'_> {
    /// Delivers spooled and new messages.
    pub(super) async fn all(&self, session: &str, new: Vec<Said>) -> CliResult {
        let waiting = |said| Waiting {
            user: self.user.to_owned(),
            namespace: self.namespace.to_owned(),
            session: session.to_owned(),
            said,
        };
        let new: Vec<Waiting> = new.into_iter().map(waiting).collect();
        let Some(client) = self.client else {
            return Ok(self.spool.add(&unknown(new, &self.spool.waiting()))?);
        };
        let taken = self.spool.take();
        let new = unknown(new, &taken.waiting);
        let all: Vec<Waiting> = taken.waiting.iter().cloned().chain(new).collect();
        let (left, failed) = bring(client, &all).await;
        self.spool.add(left)?;
        taken.done();
        failed.map_or(Ok(()), Err)
    }
}

/// Messages that are not spooled yet: the transcript is read from further back than the last event.
fn unknown(mut new: Vec<Waiting>, waiting: &[Waiting]) -> Vec<Waiting> {
    let known: HashSet<&str> = waiting.iter().map(|one| one.said.id.as_str()).collect();
    new.retain(|one| !known.contains(one.said.id.as_str()));
    new
}

/// Delivers messages in batches; returns the rest and the error, if any. Permanently refused messages are not retried.
async fn bring<'w>(client: &Client, all: &'w [Waiting]) -> (&'w [Waiting], Option<CliError>) {
    let (mut at, mut failed) = (0, None);
    for group in all.chunk_by(|a, b| (&a.user, &a.namespace, &a.session) == (&b.user, &b.namespace, &b.session)) {
        for piece in group.chunks(AT_ONCE) {
            match within(client.conversations().observe(request(piece))).await {
                Ok(_) => {}
                Err(error) if error.retryable => return (&all[at..], Some(error)),
                Err(error) => failed = Some(error),
            }
            at += piece.len();
        }
    }
    (&[], failed)
}

fn request(piece: &[Waiting]) -> v1::ObserveRequest {
    let of = piece.first();
    let text = |field: fn(&Waiting) -> &String| of.map(field).cloned().unwrap_or_default();
    v1::ObserveRequest {
        user_id: text(|one| &one.user),
        session_id: text(|one| &one.session),
        namespace: text(|one| &one.namespace),
        messages: piece.iter().map(|one| message(&one.said)).collect(),
        ..v1::ObserveRequest::default()
    }
}

fn message(said: &Said) -> v1::Message {
    let role = if said.by_person { v1::Role::User } else { v1::Role::Assistant };
    v1::Message {
        id: said.id.clone(),
        role: role.into(),
        content: said.text.clone(),
        time: time::parse(&said.at).ok(),
        ..v1::Message::default()
    }
}
