//! The keys of one user: created with their vault, read when it is opened, destroyed when it is purged.

use super::{Inner, Keys};
use crate::key_file::KeyFile;
use crate::wrap::Purpose;
use crate::{BlobKey, Created, DbKey, Destroyed, KeyError, KeyName, RingName, Sealer, Secret32, UserHash, WrappedKey};

/// Attempts to create a file that a concurrent purge destroys.
const ATTEMPTS: usize = 8;

/// The keys of one user's vault.
#[derive(Debug)]
pub struct UserKeys {
    /// The key of the vault's pages.
    pub db: DbKey,
    /// The new page key while the vault is being rekeyed: if `db` does not open it, try this one.
    pub next: Option<DbKey>,
    /// Seals and opens sensitive fields; `None` in a process that does not load the sensitive ring.
    pub sealer: Option<Sealer>,
    /// Seals attachments and names their objects.
    pub attachments: BlobKey,
}

impl Keys {
    /// The keys of the user with this hash (64 lower-case hexadecimal digits); `None` if they have none, or
    /// encryption is off.
    pub fn user(&self, user_hash: &str) -> Result<Option<UserKeys>, KeyError> {
        let name = user(user_hash)?;
        let Some(inner) = self.0.as_deref() else { return Ok(None) };
        let Some(file) = inner.file(&name)? else { return Ok(None) };
        match inner.open_user(&name, &file) {
            // The file was rewrapped after it was read, and the old ring key is removed already.
            Err(KeyError::UnknownKey { .. }) => {
                inner.file(&name)?.map(|file| inner.open_user(&name, &file)).transpose()
            }
            opened => opened.map(Some),
        }
    }

    /// The keys of a user, created unless they exist; concurrent callers get the same keys. Durable on return, hence
    /// before anything is encrypted with them. Needs both rings.
    pub fn make_user(&self, user_hash: &str) -> Result<UserKeys, KeyError> {
        let name = user(user_hash)?;
        let inner = self.inner()?;
        for _ in 0..ATTEMPTS {
            if let Some(file) = inner.file(&name)? {
                return inner.open_user(&name, &file);
            }
            let _held = inner.wrapping()?;
            let file = inner.fresh_user(&name)?;
            if inner.store.create_new(&name, &file.to_bytes()?)? == Created::Made {
                return inner.open_user(&name, &file);
            }
        }
        Err(KeyError::damaged(name.to_string(), "it appears and disappears"))
    }

    /// Whether the user has a key file, readable or not; `false` when encryption is off.
    pub fn has_user(&self, user_hash: &str) -> Result<bool, KeyError> {
        let name = user(user_hash)?;
        match self.0.as_deref() {
            Some(inner) => Ok(inner.store.read(&name)?.is_some()),
            None => Ok(false),
        }
    }

    /// Destroys the keys of a user. Everything encrypted with them becomes unreadable, backups included, unless a
    /// copy of the key file exists.
    pub fn destroy_user(&self, user_hash: &str) -> Result<Destroyed, KeyError> {
        self.inner()?.store.destroy(&user(user_hash)?)
    }
}

fn user(hash: &str) -> Result<KeyName, KeyError> {
    let refused = || KeyError::Refused("a user's keys are named by 64 lower-case hexadecimal digits".to_owned());
    UserHash::parse(hash).map(KeyName::User).ok_or_else(refused)
}

impl Inner {
    fn fresh_user(&self, name: &KeyName) -> Result<KeyFile, KeyError> {
        let fresh = |purpose| self.rings.wrap(&self.data_id, name, purpose, 1, &Secret32::random()?);
        let mut file = KeyFile::new(name, fresh(Purpose::Db)?);
        file.attachments = Some(fresh(Purpose::Attachments)?);
        file.sealing.push(fresh(Purpose::Sealing)?);
        Ok(file)
    }

    fn open_user(&self, name: &KeyName, file: &KeyFile) -> Result<UserKeys, KeyError> {
        let unwrap = |purpose, key: &WrappedKey| self.rings.unwrap(&self.data_id, name, purpose, key);
        let db = |key: &WrappedKey| Ok::<_, KeyError>(DbKey::new(key.generation, unwrap(Purpose::Db, key)?));
        let attachments = file
            .attachments
            .as_ref()
            .ok_or_else(|| KeyError::damaged(name.to_string(), "it has no key of attachments"))?;
        let sealer = if self.rings.has(RingName::Sensitive) {
            let open = |key: &WrappedKey| Ok((key.generation, unwrap(Purpose::Sealing, key)?));
            Sealer::new(file.sealing.iter().map(open).collect::<Result<_, KeyError>>()?)
        } else {
            None
        };
        Ok(UserKeys {
            db: db(&file.db)?,
            next: file.next.as_ref().map(db).transpose()?,
            sealer,
            attachments: BlobKey::from_secret(&unwrap(Purpose::Attachments, attachments)?)?,
        })
    }
}
