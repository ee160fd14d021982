//! `kimberly backup restore`: a data folder from a backup.

use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_core::damage::RESTORED;
use serde_json::json;

use super::files::{self, Unfinished};
use super::manifest::File;
use super::opened::Backup;
use super::{data_folder, mirror, vault};
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::text;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The backup's folder
    folder: PathBuf,
    /// Restore only the user's vault, which is in quarantine, while Kimberly runs
    #[arg(long, conflicts_with = "without")]
    vault: bool,
    /// Leave out this user, who was purged after the backup was made; may be given several times
    #[arg(long, value_name = "USER")]
    without: Vec<String>,
    /// The folder of the key files, if the backup was made with --keys
    #[arg(long, value_name = "FOLDER")]
    keys: Option<PathBuf>,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let data = data_folder(self.config.as_deref())?;
        let backup = Backup::open(self.folder, self.keys)?;
        if self.vault {
            return vault::restore(context, &backup, &data).await;
        }
        whole(context, &backup, &data, &self.without)
    }
}

fn whole(context: &Context, backup: &Backup, data: &Path, without: &[String]) -> CliResult {
    let parse = |user: &String| UserId::parse(user).map_err(|error| CliError::usage(error.to_string()));
    let without = without.iter().map(parse).collect::<CliResult<Vec<_>>>()?;
    let mut out: Vec<String> = without.iter().map(vault::folder_of).collect();
    out.extend(backup.without_key());
    let out_keys: Vec<PathBuf> = out.iter().filter_map(|folder| mirror::key_of(folder)).collect();
    let unfinished = Unfinished::begin(data)?;
    let is_out = |path: &str| {
        out.iter().any(|folder| path.starts_with(&format!("{folder}/")))
            || path.strip_prefix("keys/").is_some_and(|key| out_keys.iter().any(|out| out == Path::new(key)))
    };
    let files: Vec<&File> = backup.manifest.files.iter().filter(|file| !is_out(&file.path)).collect();
    for file in &files {
        backup.put(file, &unfinished.staged.join(&file.path))?;
    }
    if let Some(keys) = &backup.keys {
        for path in mirror::key_files(keys)?.into_iter().filter(|path| !out_keys.contains(path)) {
            files::copy(&keys.join(&path), &unfinished.staged.join("keys").join(&path), String::new())?;
        }
    }
    // The backup has no queue; this marker makes the worker recreate the jobs.
    files::make_folder(&unfinished.staged.join("vaults"))?;
    files::write(&unfinished.staged.join(RESTORED), b"")?;
    unfinished.finish()?;
    for one in &backup.manifest.left_out {
        context.out.note(&format!("{} was not in the backup: {}", one.folder, one.why));
    }
    let gone = out.len();
    if gone > 0 {
        context.out.note(&format!(
            "{} omitted: of users named with --without, or whose keys were destroyed since",
            text::count(gone, "vault was", "vaults were")
        ));
    }
    context.out.answer(
        || json!({"dataDir": data, "files": files.len(), "gone": gone, "leftOut": backup.manifest.left_out}),
        || {
            let rings = if backup.manifest.encrypted {
                "; no backup contains the key rings that decrypt it: restore your copies, and check them with \
                 `kimberly doctor`"
            } else {
                ""
            };
            format!(
                "{} files in {}{rings}\npurge again every user who was purged after this backup and not named with \
                 --without\nstart Kimberly; full-text search works immediately, vectors are rebuilt",
                files.len(),
                data.display()
            )
        },
    )
}
