//! Credentials.

use async_trait::async_trait;
use kimberly_core::access::{
    CertificateName, Credential, CredentialId, CredentialKind, CredentialName, ListedCredential,
};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{Added, By, Credentials};
use kimberly_core::time::Timestamp;
use sqlx::sqlite::SqliteRow;

use super::audit::{Change, told};
use super::{RegistryPort, SystemDb};
use crate::sqlite::conn::Args;
use crate::sqlite::errors;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::Cells;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, kind, secret_hash, agent, granted, created_at, created_by, expires_at, revoked_at, \
             replaced_hash, replaced_until, last_used_at, certificate FROM credentials ",
            $rest
        )
    };
}

const BY_ID: &str = select!("WHERE id = ?");
const BY_NAME: &str = select!("WHERE name = ?");
const BY_CERTIFICATE: &str = select!("WHERE certificate = ? AND revoked_at IS NULL");
const LIST: &str = select!("WHERE name > ? ORDER BY name LIMIT ?");
/// One statement, so that neither bound nor name can be taken in between.
const ADD: &str = "INSERT INTO credentials \
     (id, name, kind, secret_hash, agent, granted, created_at, created_by, expires_at, certificate) \
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 \
     WHERE (SELECT count(*) FROM credentials WHERE revoked_at IS NULL) < ?11 ON CONFLICT DO NOTHING";
const KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM credentials WHERE id = ? OR name = ?), \
     EXISTS (SELECT 1 FROM credentials WHERE certificate = ? AND revoked_at IS NULL)";
const PUT: &str = "INSERT INTO credentials \
     (id, name, kind, secret_hash, agent, granted, created_at, created_by, expires_at, certificate) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (name) DO UPDATE SET id = ?1, kind = ?3, secret_hash = ?4, \
     agent = ?5, granted = ?6, expires_at = ?9, revoked_at = NULL, replaced_hash = NULL, replaced_until = NULL \
     WHERE id <> ?1 OR secret_hash <> ?4 OR granted <> ?6 OR revoked_at IS NOT NULL";
const REVOKE: &str = "UPDATE credentials SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL";
const REPLACE: &str = "UPDATE credentials SET secret_hash = ?, replaced_hash = secret_hash, replaced_until = ? \
     WHERE name = ? AND secret_hash = ? AND revoked_at IS NULL";
const USED: &str = "UPDATE credentials SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?;";
/// Uses that are noted with one statement.
const USES_AT_ONCE: usize = 100;

impl SystemDb {
    async fn credentials(&self, sql: &'static str, args: Args) -> Result<Vec<ListedCredential>> {
        self.reader().await?.conn()?.rows("reading credentials", sql, args, read).await
    }
}

#[async_trait]
impl Credentials for RegistryPort {
    async fn add(&self, credential: &Credential, most: usize, by: &By) -> Result<Added> {
        let args = insert(credential)?.with(sql_limit(most));
        let change = Change { doing: "keeping a credential", sql: ADD, args };
        if self.change(Some(change), vec![told(by, "key.create", credential.name.as_str())]).await? > 0 {
            return Ok(Added::Done);
        }
        let args =
            Args::new().with(credential.id.as_str()).with(credential.name.as_str()).with(certificate(credential));
        let mut lease = self.shared.registry.reader().await?;
        let known = |row: &SqliteRow| {
            let c = &mut Cells::new(row);
            Ok((c.flag()?, c.flag()?))
        };
        Ok(match lease.conn()?.row("looking a credential up", KNOWN, args, known).await?.unwrap_or_default() {
            (true, _) => Added::Taken,
            (false, true) => Added::CertificateTaken,
            (false, false) => Added::Full,
        })
    }

    async fn put_local_admin(&self, credential: &Credential, by: &By) -> Result<()> {
        let change = Change { doing: "keeping the local credential", sql: PUT, args: insert(credential)? };
        self.change(Some(change), vec![told(by, "key.renew", credential.name.as_str())]).await.map(drop)
    }

    async fn by_id(&self, id: CredentialId) -> Result<Option<Credential>> {
        let found = self.shared.registry.credentials(BY_ID, Args::new().with(id.as_str())).await?;
        Ok(found.into_iter().next().map(|listed| listed.credential))
    }

    async fn by_certificate(&self, certificate: &CertificateName) -> Result<Option<Credential>> {
        let found = self.shared.registry.credentials(BY_CERTIFICATE, Args::new().with(certificate.as_str())).await?;
        Ok(found.into_iter().next().map(|listed| listed.credential))
    }

    async fn by_name(&self, name: &CredentialName) -> Result<Option<ListedCredential>> {
        Ok(self.shared.registry.credentials(BY_NAME, Args::new().with(name.as_str())).await?.into_iter().next())
    }

    async fn list(&self, after: Option<&CredentialName>, limit: usize) -> Result<Vec<ListedCredential>> {
        let args = Args::new().with(after.map_or("", CredentialName::as_str)).with(sql_limit(limit));
        self.shared.registry.credentials(LIST, args).await
    }

    async fn revoke(&self, name: &CredentialName, by: &By) -> Result<()> {
        let args = Args::new().with(by.at.0).with(name.as_str());
        let change = Change { doing: "revoking a credential", sql: REVOKE, args };
        self.change(Some(change), vec![told(by, "key.revoke", name.as_str())]).await.map(drop)
    }

    async fn replace_secret(
        &self,
        name: &CredentialName,
        was: &[u8; 32],
        hash: &[u8; 32],
        until: Timestamp,
        by: &By,
    ) -> Result<bool> {
        let args = Args::new().with(hash.to_vec()).with(until.0).with(name.as_str()).with(was.to_vec());
        let change = Change { doing: "renewing a credential", sql: REPLACE, args };
        Ok(self.change(Some(change), vec![told(by, "key.rotate", name.as_str())]).await? > 0)
    }

    async fn used(&self, uses: &[(CredentialId, Timestamp)]) -> Result<()> {
        for some in uses.chunks(USES_AT_ONCE) {
            let args = some.iter().fold(Args::new(), |args, (id, at)| args.with(at.0).with(id.as_str()));
            self.shared.registry.writer().await?.conn()?.run("noting uses", USED.repeat(some.len()), args).await?;
        }
        Ok(())
    }
}

fn insert(credential: &Credential) -> Result<Args> {
    let granted = serde_json::to_string(&credential.grant)
        .map_err(|_| Error::storage(StorageFailure::Defect, "a grant cannot be serialized"))?;
    Ok(Args::new()
        .with(credential.id.as_str())
        .with(credential.name.as_str())
        .with(match credential.kind {
            CredentialKind::ApiKey => 0_i64,
            CredentialKind::LocalAdmin => 1,
            CredentialKind::Certificate => 2,
        })
        .with(credential.secret_hash.to_vec())
        .with(credential.agent)
        .with(granted)
        .with(credential.created_at.0)
        .with(credential.created_by.as_str())
        .with(credential.expires_at.map(|at| at.0))
        .with(certificate(credential)))
}

fn certificate(credential: &Credential) -> Option<&str> {
    credential.certificate.as_ref().map(CertificateName::as_str)
}

fn read(row: &SqliteRow) -> Result<ListedCredential> {
    let corrupt = || errors::corrupt("a credential is not one that this build can read");
    let c = &mut Cells::new(row);
    let id = CredentialId::parse(c.str()?).ok_or_else(corrupt)?;
    let name = CredentialName::parse(c.str()?).map_err(|_| corrupt())?;
    let kind = match c.int()? {
        0 => CredentialKind::ApiKey,
        1 => CredentialKind::LocalAdmin,
        2 => CredentialKind::Certificate,
        _ => return Err(corrupt()),
    };
    let secret_hash = c.opt_digest()?.ok_or_else(corrupt)?;
    let agent = c.flag()?;
    let grant = serde_json::from_str(c.str()?).map_err(|_| corrupt())?;
    let (created_at, created_by) = (c.time()?, c.text()?);
    let (expires_at, revoked_at) = (c.opt_time()?, c.opt_time()?);
    let replaced = c.opt_digest()?.zip(c.opt_time()?);
    let last_used_at = c.opt_time()?;
    let certificate = c.opt_text()?.map(|name| CertificateName::parse(&name).map_err(|_| corrupt())).transpose()?;
    if certificate.is_some() != (kind == CredentialKind::Certificate) {
        return Err(corrupt());
    }
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
