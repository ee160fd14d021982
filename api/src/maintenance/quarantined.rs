//! Lists damaged vaults, and on the first page damaged files that all users share.

use kimberly_core::damage::SharedFile;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use kimberly_queue::QueueError;

use super::token::{behind, token};
use crate::access::{Entered, System};
use crate::convert;
use crate::convert::time::wire_timestamp;

pub(super) async fn handle(
    entered: Entered<v1::ListQuarantinedVaultsRequest, Option<UserId>>,
) -> Result<v1::ListQuarantinedVaultsResponse> {
    let Entered { message: request, system, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let limit = page.limit()?;
    let after = convert::text(page.token).map(|token| behind(&token)).transpose()?;
    let damaged = if after.is_none() { damaged_files(&system).await? } else { Vec::new() };
    let found = match system.quarantine.quarantined(after.as_ref(), limit).await {
        // The list is in one of these files.
        Err(_) if damaged.contains(&SharedFile::Registry) => Vec::new(),
        found => found?,
    };
    let next = found.last().filter(|_| found.len() == limit).map(|last| token(&last.user)).unwrap_or_default();
    let vaults = found.into_iter().map(|one| v1::QuarantinedVault {
        user_id: one.user.to_string(),
        damage: one.damage.to_string(),
        problem: one.damage.sentence().to_owned(),
        since: Some(wire_timestamp(one.since)),
    });
    let files = damaged
        .into_iter()
        .map(|file| v1::DamagedFile { name: file.name().to_owned(), advice: file.advice().to_owned() });
    Ok(v1::ListQuarantinedVaultsResponse {
        vaults: vaults.collect(),
        next_page_token: next,
        damaged_files: files.collect(),
    })
}

async fn damaged_files(system: &System) -> Result<Vec<SharedFile>> {
    let mut damaged = Vec::new();
    if !system.quarantine.registry_is_whole().await? {
        damaged.push(SharedFile::Registry);
    } else if system.quarantine.unregistered().await? > 0 {
        damaged.push(SharedFile::OutdatedRegistry);
    }
    if let Err(QueueError::Damaged(_)) = system.queue.examine().await {
        damaged.push(SharedFile::Queue);
    }
    Ok(damaged)
}
