//! The key of the account that runs the service, in a file that only this account can read. That account may do
//! everything, so requiring credentials never locks the owner out.

use std::path::PathBuf;

use kimberly_core::Error;
use kimberly_core::access::{
    ApiKey, Credential, CredentialId, CredentialKind, CredentialName, Grant, KeySecret, LOCAL_ADMIN, ListedCredential,
};
use kimberly_core::audit::Actor;
use kimberly_core::error::StorageFailure;
use kimberly_core::ports::{By, Clock, Credentials};
use kimberly_crypto::{KeyError, KeySources, Secret32, create_private, read_private, replace_private};
use kimberly_runtime::Failure;
use kimberly_runtime::config::{AuthMode, Config};
use tokio::sync::Mutex;

/// The name of the file in the folder of the account's keys.
const FILE: &str = "admin.token";

/// The path of the key's file. Locked during a replacement, so that file and credential match.
pub struct LocalAdmin(Mutex<PathBuf>);

impl LocalAdmin {
    /// Registers the credential of the file. If credentials are required, creates a missing file first. Returns `None`
    /// if there is no file and credentials are not required.
    pub async fn prepare(
        config: &Config,
        credentials: &dyn Credentials,
        clock: &dyn Clock,
    ) -> Result<Option<Self>, Failure> {
        let make = config.auth.mode == AuthMode::Required;
        let sources = KeySources { folder: config.keys.folder.clone(), ..KeySources::default() };
        let Some(folder) = sources.account_folder(&config.data_dir, make)? else { return Ok(None) };
        let file = folder.join(FILE);
        if make && read_private(&file)?.is_none() && create_private(&file, line(&fresh_key()?).as_bytes())? {
            tracing::info!("created the key of this account in {}", file.display());
        }
        let Some(bytes) = read_private(&file)? else { return Ok(None) };
        let key = std::str::from_utf8(&bytes).ok().and_then(|text| ApiKey::parse(text.trim()));
        let key = key.ok_or_else(|| {
            let problem = format!("{} holds no key", file.display());
            Failure::new(problem, "remove it and restart the api, which creates another one")
        })?;
        credentials.put_local_admin(&credential(&key, clock)?, &by_system(clock)).await?;
        Ok(Some(Self(Mutex::new(file))))
    }

    /// Replaces the account's key: first in the file, which decides at the next start, then in the registry, which
    /// calls read. Returns the id of the old key, if there was one, and the new credential.
    pub(super) async fn renew(
        &self,
        credentials: &dyn Credentials,
        clock: &dyn Clock,
    ) -> kimberly_core::Result<(Option<CredentialId>, ListedCredential)> {
        let file = self.0.lock().await;
        let failed = |error: KeyError| Error::storage(StorageFailure::Defect, format!("renewing local-admin: {error}"));
        let key = fresh_key().map_err(failed)?;
        let credential = credential(&key, clock)?;
        let before = credentials.by_name(&credential.name).await?.map(|listed| listed.credential.id);
        replace_private(&file, line(&key).as_bytes()).map_err(failed)?;
        credentials.put_local_admin(&credential, &by_system(clock)).await?;
        Ok((before, ListedCredential { credential, last_used_at: None }))
    }
}

/// Attributes the change to the system, since the account runs the service.
fn by_system(clock: &dyn Clock) -> By {
    By::new(Actor::System.name(), clock.now())
}

/// Returns the content of the file.
fn line(key: &ApiKey) -> String {
    format!("{}\n", key.reveal())
}

fn credential(key: &ApiKey, clock: &dyn Clock) -> kimberly_core::Result<Credential> {
    Ok(Credential {
        id: key.id(),
        name: CredentialName::parse(LOCAL_ADMIN)?,
        kind: CredentialKind::LocalAdmin,
        secret_hash: key.secret_hash(),
        certificate: None,
        agent: false,
        grant: Grant::everything(),
        created_at: clock.now(),
        created_by: "system".to_owned(),
        expires_at: None,
        revoked_at: None,
        replaced: None,
    })
}

/// Generates the secret of a key.
pub(crate) fn random_secret() -> Result<KeySecret, KeyError> {
    Secret32::random().map(|secret| (*secret.expose()).into())
}

/// Generates the id of a key.
pub(crate) fn random_id() -> Result<[u8; 8], KeyError> {
    let random = Secret32::random()?;
    let mut id = [0; 8];
    id.copy_from_slice(&random.expose()[..8]);
    Ok(id)
}

fn fresh_key() -> Result<ApiKey, KeyError> {
    Ok(ApiKey::new(CredentialId::from_random(random_id()?), random_secret()?))
}
