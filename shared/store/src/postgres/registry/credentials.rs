//! Stores credentials.

use async_trait::async_trait;
use kimberly_core::access::{CertificateName, Credential, CredentialId, CredentialName, ListedCredential};
use kimberly_core::error::Result;
use kimberly_core::ports::{Added, By, Credentials};
use kimberly_core::time::Timestamp;

use super::RegistryPort;
use super::change::Change;
use crate::postgres::conn::Args;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::registry::told;
use crate::rows::{CREDENTIAL_COLUMNS, certificate, credential_from, push_credential};

const BY_ID: &str = "WHERE id = $1";
const BY_NAME: &str = "WHERE name = $1";
const BY_CERTIFICATE: &str = "WHERE certificate = $1 AND revoked_at IS NULL";
/// No name is empty, so a page after the empty name is the first.
const LIST: &str = "WHERE name > $1 ORDER BY name LIMIT $2";
const ADD: &str = "INSERT INTO credentials \
     (id, name, kind, secret_hash, agent, granted, created_at, created_by, expires_at, certificate) \
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 \
     WHERE (SELECT count(*) FROM credentials WHERE revoked_at IS NULL) < $11 ON CONFLICT DO NOTHING";
const KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM credentials WHERE id = $1 OR name = $2), \
     EXISTS (SELECT 1 FROM credentials WHERE certificate = $3 AND revoked_at IS NULL)";
const PUT: &str = "INSERT INTO credentials AS c \
     (id, name, kind, secret_hash, agent, granted, created_at, created_by, expires_at, certificate) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name) DO UPDATE SET id = $1, kind = $3, \
     secret_hash = $4, agent = $5, granted = $6, expires_at = $9, revoked_at = NULL, replaced_hash = NULL, \
     replaced_until = NULL \
     WHERE c.id <> $1 OR c.secret_hash <> $4 OR c.granted <> $6 OR c.revoked_at IS NOT NULL";
const REVOKE: &str = "UPDATE credentials SET revoked_at = $1 WHERE name = $2 AND revoked_at IS NULL";
const REPLACE: &str = "UPDATE credentials SET secret_hash = $1, replaced_hash = secret_hash, replaced_until = $2 \
     WHERE name = $3 AND secret_hash = $4 AND revoked_at IS NULL";
/// Locks in the order of ids, so that two writers of the same ids wait for each other without a deadlock.
const USED: &str = "WITH uses AS ( \
         SELECT c.id, max(u.at) AS at FROM unnest($1::text[], $2::bigint[]) AS u (id, at) \
         JOIN credentials c ON c.id = u.id GROUP BY c.id), \
     locked AS (SELECT c.id FROM credentials c JOIN uses USING (id) ORDER BY c.id FOR NO KEY UPDATE OF c) \
     UPDATE credentials c SET last_used_at = greatest(c.last_used_at, uses.at) \
     FROM uses JOIN locked USING (id) WHERE c.id = uses.id";
/// Uses recorded per statement.
const USES_AT_ONCE: usize = 1_000;

impl RegistryPort {
    async fn credentials(&self, which: &str, args: Args) -> Result<Vec<ListedCredential>> {
        let sql = format!("SELECT {CREDENTIAL_COLUMNS} FROM credentials {which}");
        self.0.rows("reading credentials", sql, args, |row| credential_from(&mut Cells::new(row))).await
    }
}

#[async_trait]
impl Credentials for RegistryPort {
    async fn add(&self, credential: &Credential, most: usize, by: &By) -> Result<Added> {
        let args = values(credential)?.with(sql_limit(most));
        let change = Change { doing: "writing a credential", sql: ADD, args };
        if self.change(change, told(by, "key.create", credential.name.as_str())).await? > 0 {
            return Ok(Added::Done);
        }
        let args = Args::none().with(credential.id.as_str().to_owned()).with(credential.name.as_str().to_owned());
        let known = |row: &_| {
            let c = &mut Cells::new(row);
            Ok((c.flag()?, c.flag()?))
        };
        let found = self.0.row("looking up a credential", KNOWN, args.with(certificate(credential)), known).await?;
        Ok(match found.unwrap_or_default() {
            (true, _) => Added::Taken,
            (false, true) => Added::CertificateTaken,
            (false, false) => Added::Full,
        })
    }

    async fn put_local_admin(&self, credential: &Credential, by: &By) -> Result<()> {
        let change = Change { doing: "writing the local credential", sql: PUT, args: values(credential)? };
        self.change(change, told(by, "key.renew", credential.name.as_str())).await.map(drop)
    }

    async fn by_id(&self, id: CredentialId) -> Result<Option<Credential>> {
        let found = self.credentials(BY_ID, Args::none().with(id.as_str().to_owned())).await?;
        Ok(found.into_iter().next().map(|listed| listed.credential))
    }

    async fn by_certificate(&self, certificate: &CertificateName) -> Result<Option<Credential>> {
        let found = self.credentials(BY_CERTIFICATE, Args::none().with(certificate.as_str().to_owned())).await?;
        Ok(found.into_iter().next().map(|listed| listed.credential))
    }

    async fn by_name(&self, name: &CredentialName) -> Result<Option<ListedCredential>> {
        let found = self.credentials(BY_NAME, Args::none().with(name.as_str().to_owned())).await?;
        Ok(found.into_iter().next())
    }

    async fn list(&self, after: Option<&CredentialName>, limit: usize) -> Result<Vec<ListedCredential>> {
        let after = after.map_or("", CredentialName::as_str).to_owned();
        self.credentials(LIST, Args::none().with(after).with(sql_limit(limit))).await
    }

    async fn revoke(&self, name: &CredentialName, by: &By) -> Result<()> {
        let args = Args::none().with(by.at.0).with(name.as_str().to_owned());
        let change = Change { doing: "revoking a credential", sql: REVOKE, args };
        self.change(change, told(by, "key.revoke", name.as_str())).await.map(drop)
    }

    async fn replace_secret(
        &self,
        name: &CredentialName,
        was: &[u8; 32],
        hash: &[u8; 32],
        until: Timestamp,
        by: &By,
    ) -> Result<bool> {
        let args = Args::none().with(hash.to_vec()).with(until.0).with(name.as_str().to_owned()).with(was.to_vec());
        let change = Change { doing: "renewing a credential", sql: REPLACE, args };
        Ok(self.change(change, told(by, "key.rotate", name.as_str())).await? > 0)
    }

    async fn used(&self, uses: &[(CredentialId, Timestamp)]) -> Result<()> {
        for some in uses.chunks(USES_AT_ONCE) {
            let ids: Vec<String> = some.iter().map(|(id, _)| id.as_str().to_owned()).collect();
            let times: Vec<i64> = some.iter().map(|(_, at)| at.0).collect();
            self.0.run("recording uses of credentials", USED, Args::none().with(ids).with(times)).await?;
        }
        Ok(())
    }
}

/// Returns the values of a new credential.
fn values(credential: &Credential) -> Result<Args> {
    let mut args = Args::none();
    push_credential(&mut args, credential)?;
    Ok(args)
}
