//! The row of a purge.

use kimberly_core::audit::AuditHead;
use kimberly_core::erasure::{Erased, Purge, PurgeStep};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::{PurgeId, UserId};

use super::ReadRow;
use crate::corrupt;

/// The columns that [`purge_from`] reads.
pub(crate) const PURGE_COLUMNS: &str =
    "id, user_id, pseudonym, step, erased, asked_by, asked_at, finished_at, audit_no, audit_hash";

/// Reads a purge from [`PURGE_COLUMNS`].
pub(crate) fn purge_from<'r>(c: &mut impl ReadRow<'r>) -> Result<Purge> {
    let corrupt = || corrupt("a purge is not one that this build can read");
    let (id, named, pseudonym) = (PurgeId(c.uuid()?), c.opt_str()?, c.text()?);
    let user = named.map(|user| UserId::parse(user).map_err(|_| corrupt())).transpose()?;
    let step = usize::try_from(c.int()?).ok().and_then(|code| PurgeStep::ALL.get(code).copied()).ok_or_else(corrupt)?;
    let erased = serde_json::from_str(c.str()?).map_err(|_| corrupt())?;
    let (asked_by, asked_at, finished_at) = (c.text()?, c.time()?, c.opt_time()?);
    let (no, hash) = (c.opt_int()?, c.opt_digest()?);
    let told = no.zip(hash).map(|(no, hash)| AuditHead { no: no.cast_unsigned(), hash });
    Ok(Purge { id, user, pseudonym, step, erased, asked_by, asked_at, finished_at, told })
}

/// Returns the number of a step.
pub(crate) fn step_code(step: PurgeStep) -> i64 {
    PurgeStep::ALL.iter().zip(0..).find(|(other, _)| **other == step).map_or(0, |(_, code)| code)
}

/// Encodes what was erased as JSON.
pub(crate) fn erased_json(erased: &Erased) -> Result<String> {
    serde_json::to_string(erased)
        .map_err(|_| Error::storage(StorageFailure::Defect, "what was erased cannot be written as JSON"))
}
