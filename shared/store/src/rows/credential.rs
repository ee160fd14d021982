//! The row of a credential.

use kimberly_core::access::{
    CertificateName, Credential, CredentialId, CredentialKind, CredentialName, ListedCredential,
};
use kimberly_core::error::{Error, Result, StorageFailure};

use super::{ReadRow, WriteRow};
use crate::codes::{code, from_code};
use crate::corrupt;

/// The columns that [`credential_from`] reads; [`push_credential`] writes the ones of a new credential.
pub(crate) const CREDENTIAL_COLUMNS: &str = "id, name, kind, secret_hash, agent, granted, created_at, created_by, \
     expires_at, certificate, revoked_at, replaced_hash, replaced_until, last_used_at";

/// Reads a credential from [`CREDENTIAL_COLUMNS`].
pub(crate) fn credential_from<'r>(c: &mut impl ReadRow<'r>) -> Result<ListedCredential> {
    let corrupt = || corrupt("a credential is not one that this build can read");
    let id = CredentialId::parse(c.str()?).ok_or_else(corrupt)?;
    let name = CredentialName::parse(c.str()?).map_err(|_| corrupt())?;
    let kind = from_code(c.int()?).map_err(|_| corrupt())?;
    let secret_hash = c.opt_digest()?.ok_or_else(corrupt)?;
    let agent = c.flag()?;
    let grant = serde_json::from_str(c.str()?).map_err(|_| corrupt())?;
    let (created_at, created_by) = (c.time()?, c.text()?);
    let expires_at = c.opt_time()?;
    let certificate = c.opt_text()?.map(|name| CertificateName::parse(&name).map_err(|_| corrupt())).transpose()?;
    let revoked_at = c.opt_time()?;
    let (replaced_hash, replaced_until) = (c.opt_digest()?, c.opt_time()?);
    let last_used_at = c.opt_time()?;
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

/// Adds the values of a new credential: the first ten columns.
pub(crate) fn push_credential(args: &mut impl WriteRow, credential: &Credential) -> Result<()> {
    let granted = serde_json::to_string(&credential.grant)
        .map_err(|_| Error::storage(StorageFailure::Defect, "a grant cannot be serialized"))?;
    args.put_text(credential.id.as_str().to_owned());
    args.put_text(credential.name.as_str().to_owned());
    args.put_int(code(credential.kind));
    args.put_opt_bytes(Some(credential.secret_hash.to_vec()));
    args.put_flag(credential.agent);
    args.put_text(granted);
    args.put_int(credential.created_at.0);
    args.put_text(credential.created_by.clone());
    args.put_opt_int(credential.expires_at.map(|at| at.0));
    args.put_opt_text(certificate(credential));
    Ok(())
}

/// Returns the name in its certificate.
pub(crate) fn certificate(credential: &Credential) -> Option<String> {
    credential.certificate.as_ref().map(|name| name.as_str().to_owned())
}
