//! Stores credentials.

use async_trait::async_trait;
use kimberly_core::access::{CertificateName, Credential, CredentialId, CredentialName, ListedCredential};
use kimberly_core::error::Result;
use kimberly_core::ports::{Added, By, Credentials};
use kimberly_core::time::Timestamp;
use rusqlite::Row;

use super::audit::Change;
use super::{RegistryPort, SystemDb};
use crate::registry::told;
use crate::rows::{CREDENTIAL_COLUMNS, certificate, credential_from, push_credential};
use crate::sqlite::conn::Args;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _};

const BY_ID: &str = "WHERE id = ?";
const BY_NAME: &str = "WHERE name = ?";
const BY_CERTIFICATE: &str = "WHERE certificate = ? AND revoked_at IS NULL";
const LIST: &str = "WHERE name > ? ORDER BY name LIMIT +?";
/// One statement, so that limit and name are checked atomically.
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
/// Uses recorded per statement.
const USES_AT_ONCE: usize = 100;

impl SystemDb {
    async fn credentials(&self, which: &str, args: Args) -> Result<Vec<ListedCredential>> {
        let sql = format!("SELECT {CREDENTIAL_COLUMNS} FROM credentials {which}");
        let read = |row: &Row<'_>| credential_from(&mut Cells::new(row));
        self.reader().await?.conn()?.rows("reading credentials", sql, args, read).await
    }
}

#[async_trait]
impl Credentials for RegistryPort {
    async fn add(&self, credential: &Credential, most: usize, by: &By) -> Result<Added> {
        self.shared.options.refuse_adding()?;
        let args = insert(credential)?.with(sql_limit(most));
        let change = Change { doing: "writing a credential", sql: ADD, args };
        if self.change(Some(change), vec![told(by, "key.create", credential.name.as_str())]).await? > 0 {
            return Ok(Added::Done);
        }
        let args =
            Args::new().with(credential.id.as_str()).with(credential.name.as_str()).with(certificate(credential));
        let mut lease = self.shared.registry.reader().await?;
        let known = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            Ok((c.flag()?, c.flag()?))
        };
        Ok(match lease.conn()?.row("looking up a credential", KNOWN, args, known).await?.unwrap_or_default() {
            (true, _) => Added::Taken,
            (false, true) => Added::CertificateTaken,
            (false, false) => Added::Full,
        })
    }

    async fn put_local_admin(&self, credential: &Credential, by: &By) -> Result<()> {
        let change = Change { doing: "writing the local credential", sql: PUT, args: insert(credential)? };
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
            self.shared
                .registry
                .writer()
                .await?
                .conn()?
                .run("recording uses of credentials", USED.repeat(some.len()), args)
                .await?;
        }
        Ok(())
    }
}

/// Returns the values of a new credential.
fn insert(credential: &Credential) -> Result<Args> {
    let mut args = Args::new();
    push_credential(&mut args, credential)?;
    Ok(args)
}
