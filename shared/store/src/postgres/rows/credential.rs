//! The row of a credential.

use kimberly_core::access::{
    CertificateName, Credential, CredentialId, CredentialKind, CredentialName, ListedCredential,
};
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::postgres::PgRow;

use super::Cells;
use crate::corrupt;
use crate::postgres::conn::Args;

/// The kinds, each stored as its position.
const KINDS: [CredentialKind; 3] = [CredentialKind::ApiKey, CredentialKind::LocalAdmin, CredentialKind::Certificate];

/// A credential from its columns.
pub(crate) fn credential(row: &PgRow) -> Result<ListedCredential> {
    let corrupt = || corrupt("a credential is not one that this build can read");
    let c = &mut Cells::new(row);
    let id = CredentialId::parse(c.str()?).ok_or_else(corrupt)?;
    let name = CredentialName::parse(c.str()?).map_err(|_| corrupt())?;
    let kind = usize::try_from(c.int()?).ok().and_then(|code| KINDS.get(code).copied()).ok_or_else(corrupt)?;
    let secret_hash = c.opt_digest()?.ok_or_else(corrupt)?;
    let agent = c.flag()?;
    let grant = serde_json::from_str(c.str()?).map_err(|_| corrupt())?;
    let (created_at, created_by) = (c.time()?, c.text()?);
    let (expires_at, revoked_at) = (c.opt_time()?, c.opt_time()?);
    let (replaced_hash, replaced_until) = (c.opt_digest()?, c.opt_time()?);
    let last_used_at = c.opt_time()?;
    let certificate = c.opt_text()?.map(|name| CertificateName::parse(&name).map_err(|_| corrupt())).transpose()?;
    if certificate.is_some() != (kind == CredentialKind::Certificate) {
        return Err(corrupt());
    }
    let replaced = replaced_hash.zip(replaced_until);
    let credential = Credential {
        id,
        name,
        kind,
        secret_hash,
        certificate,
        agent,
        grant,
        created_at,
        created_by,
        expires_at,
        revoked_at,
        replaced,
    };
    Ok(ListedCredential { credential, last_used_at })
}

/// Adds the values of a new one, but for what it gets later.
pub(crate) fn push_credential(args: &mut Args, credential: &Credential) -> Result<()> {
    let granted = serde_json::to_string(&credential.grant)
        .map_err(|_| Error::storage(StorageFailure::Defect, "a grant cannot be serialized"))?;
    let kind = KINDS.iter().zip(0_i64..).find(|(kind, _)| **kind == credential.kind).map_or(0, |(_, code)| code);
    args.push(credential.id.as_str().to_owned());
    args.push(credential.name.as_str().to_owned());
    args.push(kind);
    args.push(credential.secret_hash.to_vec());
    args.push(credential.agent);
    args.push(granted);
    args.push(credential.created_at.0);
    args.push(credential.created_by.clone());
    args.push(credential.expires_at.map(|at| at.0));
    args.push(certificate(credential));
    Ok(())
}

/// The name in its certificate.
pub(crate) fn certificate(credential: &Credential) -> Option<String> {
    credential.certificate.as_ref().map(|name| name.as_str().to_owned())
}
