//! `kimberly backup create`
//!
//! The server holds one vault after another still, and finally the registry, while their files are copied here. To hold
//! a database, the server keeps a read transaction open: later writes are appended to the log (WAL) beside it, and
//! pages that the server moves from the log into the database are still in the log, which is copied last. So database
//! and log are consistent at every moment between the two copies.
//!
//! Vaults come first; then `system.db`, so that it knows every vault of the copy; then key files, so that each vault
//! has one. The queue is omitted: its jobs would be from another moment than the vaults.

use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use kimberly_crypto::refuse_lost_registry;
use kimberly_proto::v1;
use serde_json::json;
use tonic::Streaming;

use super::files::{self, Unfinished};
use super::manifest::{self, LeftOut, Manifest};
use super::{data_folder, mirror};
use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{progress, text, time};

/// How often a vault is copied again after its hold was lost.
const TRIES: usize = 3;
/// Suffix of a database's log, which is copied after the database.
const LOG: &str = "-wal";

#[derive(clap::Args)]
pub(super) struct Args {
    /// The folder to create; it must be absent or empty
    folder: PathBuf,
    /// Store the key files in this folder instead of the backup; later backups update it, so that purged users become
    /// unreadable in all backups
    #[arg(long, value_name = "FOLDER")]
    keys: Option<PathBuf>,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let data = data_folder(self.config.as_deref())?;
        refuse_lost_registry(&data).map_err(|lost| CliError::failed(lost.to_string()))?;
        if !data.join("system.db").is_file() {
            return Err(CliError::failed(format!(
                "{} holds no data: a backup is made on the server's machine, from its data folder; name it with \
                 KIMBERLY_DATA_DIR",
                data.display()
            )));
        }
        for folder in std::iter::once(&self.folder).chain(&self.keys) {
            refuse_within(&data, folder)?;
        }
        let client = context.connect().await?;
        let unfinished = Unfinished::begin(&self.folder)?;
        let manifest = Manifest::new(time::now_seconds(), self.keys.is_some());
        let mut copying = Copying { data, to: unfinished.staged.clone(), manifest };
        copying.all(&client).await?;
        copying.keys(self.keys.as_deref())?;
        copying.manifest.ended_at = time::now_seconds();
        files::write(&copying.to.join(manifest::NAME), copying.manifest.to_text().as_bytes())?;
        unfinished.finish()?;
        say(context, &self.folder, &copying.manifest)
    }
}

fn refuse_within(data: &Path, folder: &Path) -> CliResult {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute(folder).starts_with(absolute(data)) {
        return Err(CliError::usage(format!(
            "{} is in the data folder; a backup belongs on another disk",
            folder.display()
        )));
    }
    Ok(())
}

struct Copying {
    data: PathBuf,
    to: PathBuf,
    manifest: Manifest,
}

impl Copying {
    async fn all(&mut self, client: &Client) -> CliResult {
        let bar = progress::vaults();
        let mut page_token = String::new();
        loop {
            let held = self.next(client, &page_token).await?;
            bar.inc(1);
            if held.registry {
                bar.finish_and_clear();
                return Ok(());
            }
            page_token = held.next_page_token;
        }
    }

    /// Copies the next vault or the registry, with retries.
    async fn next(&mut self, client: &Client, page_token: &str) -> CliResult<v1::HoldStillResponse> {
        let before = self.manifest.files.len();
        for _ in 0..TRIES {
            let request = v1::HoldStillRequest { page_token: page_token.to_owned() };
            let mut stream = client.maintenance().hold_still(request).await?.into_inner();
            let lost = || CliError::failed("the server ended while files were copied; run it again");
            let held = stream.message().await?.ok_or_else(lost)?;
            self.held(&held)?;
            if held.problem.is_empty() && was_lost(&mut stream) {
                self.forget(before)?;
                continue;
            }
            return Ok(held);
        }
        Err(CliError::failed(format!(
            "the server released its hold on the files {TRIES} times during the copy: the backup's disk may be too \
             slow, or the server is stopping"
        )))
    }

    fn held(&mut self, held: &v1::HoldStillResponse) -> CliResult {
        if held.registry {
            let gone =
                || CliError::failed("system.db is gone while the server uses it; `kimberly doctor` says what to do");
            return if self.database("system.db")? { Ok(()) } else { Err(gone()) };
        }
        if !manifest::is_below(&held.folder) {
            return Err(CliError::failed(format!(
                "the server named the folder {:?}, which does not exist",
                held.folder
            )));
        }
        if !held.problem.is_empty() {
            self.manifest.left_out.push(LeftOut { folder: held.folder.clone(), why: held.problem.clone() });
            return Ok(());
        }
        if !self.database(&format!("{}/memory.db", held.folder))? {
            let why = "its database is gone: its user was purged meanwhile, or it is lost".to_owned();
            self.manifest.left_out.push(LeftOut { folder: held.folder.clone(), why });
            return Ok(());
        }
        let attachments = format!("{}/attachments", held.folder);
        for name in files::below(&self.data.join(&attachments))? {
            // Uploads in progress do not belong to the vault yet.
            if !name.to_string_lossy().starts_with('.') {
                self.copy(&format!("{attachments}/{}", name.display()))?;
            }
        }
        Ok(())
    }

    /// Copies a database with its log; returns whether it exists.
    fn database(&mut self, path: &str) -> CliResult<bool> {
        let exists = self.copy(path)?;
        if exists {
            self.copy(&format!("{path}{LOG}"))?;
        }
        Ok(exists)
    }

    /// Copies a file if it exists; returns whether it does.
    fn copy(&mut self, path: &str) -> CliResult<bool> {
        let copied = files::copy(&self.data.join(path), &self.to.join(path), path.to_owned())?;
        let exists = copied.is_some();
        self.manifest.files.extend(copied);
        Ok(exists)
    }

    /// Removes the files copied since `before`.
    fn forget(&mut self, before: usize) -> CliResult {
        for file in self.manifest.files.drain(before..) {
            let path = self.to.join(&file.path);
            std::fs::remove_file(&path).map_err(|error| files::failed("removing", &path, &error))?;
        }
        Ok(())
    }

    /// Copies the key files last, so that every vault has one. A user purged meanwhile has no key file; their vault is
    /// removed from the copy.
    fn keys(&mut self, apart: Option<&Path>) -> CliResult {
        let source = self.data.join("keys");
        self.manifest.encrypted = source.is_dir();
        if !self.manifest.encrypted {
            return Ok(());
        }
        match apart {
            Some(apart) => mirror::mirror(&source, apart)?,
            None => {
                for path in mirror::key_files(&source)? {
                    self.copy(&format!("keys/{}", path.display()))?;
                }
            }
        }
        let keys = apart.map_or_else(|| self.to.join("keys"), Path::to_owned);
        self.drop_purged(&keys)
    }

    fn drop_purged(&mut self, keys: &Path) -> CliResult {
        let vaults: Vec<String> = self
            .manifest
            .files
            .iter()
            .filter_map(|file| file.path.strip_suffix("/memory.db"))
            .map(str::to_owned)
            .collect();
        for folder in vaults {
            let Some(key) = mirror::key_of(&folder) else { continue };
            if keys.join(key).exists() {
                continue;
            }
            let path = self.to.join(&folder);
            std::fs::remove_dir_all(&path).map_err(|error| files::failed("removing", &path, &error))?;
            self.manifest.files.retain(|file| !file.path.starts_with(&format!("{folder}/")));
            let why = "its user was purged while the backup was made, or its key file is missing".to_owned();
            self.manifest.left_out.push(LeftOut { folder, why });
        }
        Ok(())
    }
}

/// Whether the server released its hold before the copy was done.
fn was_lost(stream: &mut Streaming<v1::HoldStillResponse>) -> bool {
    stream.message().now_or_never().is_some()
}

fn say(context: &Context, folder: &Path, manifest: &Manifest) -> CliResult {
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    for one in &manifest.left_out {
        context.out.note(&format!("{} is not in the backup: {}", one.folder, one.why));
    }
    let vaults = manifest.files.iter().filter(|file| file.path.ends_with("/memory.db")).count();
    context.out.answer(
        || json!({"folder": folder, "vaults": vaults, "files": manifest.files.len(), "bytes": bytes, "leftOut": manifest.left_out}),
        || {
            let size = text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
            let keys = if manifest.encrypted {
                "\nit intentionally does not contain the key rings that decrypt it: store a copy of them elsewhere \
                 (`kimberly rings`, docs/guides/encryption.md); \
                 without them this backup is unreadable"
            } else {
                "\nit is not encrypted: anyone who can read it reads everything"
            };
            let (vaults, files) = (text::count(vaults, "vault", "vaults"), text::count(manifest.files.len(), "file", "files"));
            format!("{vaults}, {files}, {size} in {}{keys}", folder.display())
        },
    )
}
