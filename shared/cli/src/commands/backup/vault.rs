//! Restores one user's vault in place of a quarantined one while everything runs; no process uses it meanwhile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_proto::v1;
use serde_json::json;

use super::files;
use super::manifest::File;
use super::mirror;
use super::opened::Backup;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::time;

/// Files in a vault's folder that stay: the quarantine marker, and vectors, which are rebuilt.
const STAYS: [&str; 2] = ["quarantine", "vectors"];
/// Prefix of the folder that receives the old files. It is inside the vault's folder, so that a purge removes it too.
const ASIDE: &str = "damaged-";

/// The folder of a user's vault below the data folder.
pub(super) fn folder_of(user: &UserId) -> String {
    let name = user.folder_name();
    format!("vaults/{}/{name}", name.get(..2).unwrap_or_default())
}

pub(super) async fn restore(context: &Context, backup: &Backup, data: &Path) -> CliResult {
    let user = UserId::parse(&context.user).map_err(|error| CliError::usage(error.to_string()))?;
    let folder = folder_of(&user);
    let files: Vec<&File> = backup.manifest.of_vault(&folder).collect();
    if !files.iter().any(|file| file.path.ends_with("/memory.db")) {
        return Err(CliError::failed(format!("the backup holds no vault of {user}")));
    }
    if check(context, &user, false).await?.damage.is_empty() {
        return Err(CliError::failed(format!(
            "the vault of {user} is not in quarantine, and only quarantined vaults are replaced; `kimberly vaults` \
             lists them"
        )));
    }
    refuse_purged(context, &user, backup.manifest.begun_at).await?;
    let vault = data.join(&folder);
    if !vault.join("quarantine").exists() {
        return Err(CliError::failed(format!(
            "{} is not the data folder of this server; name it with KIMBERLY_DATA_DIR",
            data.display()
        )));
    }
    let key = mirror::key_of(&folder).map(|key| data.join("keys").join(key));
    let aside = move_aside(&vault, key.as_deref())?;
    put_back(backup, &files, &folder, data)?;
    let found = check(context, &user, true).await?;
    if !found.damage.is_empty() {
        return Err(CliError::failed(format!(
            "the restored vault is damaged too: {}; try another backup (the earlier files are in {})",
            found.problem,
            aside.display()
        )));
    }
    context.out.answer(
        || json!({"userId": user.as_str(), "restored": true, "aside": aside}),
        || {
            format!(
                "the vault of {user} is restored and in use; the earlier files are in {}: remove them when you no longer need \
                 them",
                aside.display()
            )
        },
    )
}

/// Lets the server check the vault; with `release`, an intact vault leaves quarantine.
async fn check(context: &Context, user: &UserId, release: bool) -> CliResult<v1::CheckVaultResponse> {
    let request = v1::CheckVaultRequest { user_id: user.to_string(), release, attachments: false };
    Ok(context.connect().await?.maintenance().check_vault(request).await?.into_inner())
}

/// Refuses a purged user, since a purge covers backups too.
async fn refuse_purged(context: &Context, user: &UserId, begun_at: i64) -> CliResult {
    let request = v1::ListPurgesRequest { user_id: user.to_string(), ..Default::default() };
    let purges = context.connect().await?.erasure().list_purges(request).await?.into_inner().purges;
    let later = |purge: &v1::Purge| purge.asked_at.is_some_and(|at| at.seconds >= begun_at);
    if purges.iter().any(later) {
        return Err(CliError::failed(format!(
            "{user} was purged after this backup was made, so this vault must not be restored"
        )));
    }
    Ok(())
}

/// Moves all existing files aside, whatever an earlier attempt left. Returns the new folder.
fn move_aside(vault: &Path, key: Option<&Path>) -> CliResult<PathBuf> {
    let mut aside = vault.join(format!("{ASIDE}{}", time::now_seconds()));
    while aside.exists() {
        aside.as_mut_os_string().push("+");
    }
    files::make_folder(&aside)?;
    let entries = fs::read_dir(vault).map_err(|error| files::failed("reading", vault, &error))?;
    for entry in entries {
        let name = entry.map_err(|error| files::failed("reading", vault, &error))?.file_name();
        let shown = name.to_string_lossy();
        if !STAYS.contains(&&*shown) && !shown.starts_with(ASIDE) {
            rename(&vault.join(&name), &aside.join(&name))?;
        }
    }
    if let Some(key) = key.filter(|key| key.exists()) {
        rename(key, &aside.join("vault.key"))?;
    }
    files::sync(&aside)?;
    files::sync(vault)?;
    Ok(aside)
}

fn rename(from: &Path, to: &Path) -> CliResult {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(files::failed("moving", from, &error)),
        _ => Ok(()),
    }
}

/// Creates new files instead of overwriting, since processes may still have the old ones open.
fn put_back(backup: &Backup, vault: &[&File], folder: &str, data: &Path) -> CliResult {
    for file in vault {
        let to = data.join(&file.path);
        backup.put(file, &to)?;
        files::sync(kimberly_crypto::folder_of(&to))?;
    }
    let Some(key) = mirror::key_of(folder) else { return Ok(()) };
    let to = data.join("keys").join(&key);
    if let Some(keys) = &backup.keys {
        if files::copy(&keys.join(&key), &to, String::new())?.is_none() {
            return Err(CliError::failed(format!("{} holds no key file of this user", keys.display())));
        }
    } else if let Some(file) =
        backup.manifest.files.iter().find(|file| Path::new(&file.path) == Path::new("keys").join(&key))
    {
        backup.put(file, &to)?;
    }
    let folder = kimberly_crypto::folder_of(&to);
    if folder.exists() { files::sync(folder) } else { Ok(()) }
}
