//! Checkpoints of the system's audit, written to a folder that should lie where nobody who can write the data can.
//!
//! Vaults tell the end of their chains in that of the system now and then, so that its checkpoints speak for all. Before
//! one is written, the audit is held to the one before: what does not fit is said in the log, loudly, each time.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::Result;
use kimberly_core::audit::SignedCheckpoint;
use kimberly_core::bounds::MAX_CHECKPOINT_BYTES;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::{Signer, SystemAudit};
use kimberly_core::usecases::App;
use kimberly_core::usecases::audit::AuditOf;
use tokio_util::sync::CancellationToken;

/// What checkpoints begin and end with by name.
const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".json";

/// Writes checkpoints.
#[derive(Clone)]
pub struct Checkpoints {
    /// The use cases.
    pub app: App,
    /// The audit.
    pub audit: Arc<dyn SystemAudit>,
    /// What signs them.
    pub signer: Arc<dyn Signer>,
    /// Where they go.
    pub folder: PathBuf,
    /// How often.
    pub every: Duration,
}

/// What came of a look.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// A checkpoint was written to this file.
    New(PathBuf),
    /// Nothing was done since the one before.
    NothingNew,
}

impl Checkpoints {
    /// Writes one now, and then one in each interval in which something was done, until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            match self.write().await {
                Ok(Written::New(file)) => tracing::info!("wrote {}", file.display()),
                Ok(Written::NothingNew) => {}
                Err(error) => tracing::warn!("no checkpoint of the audit was written: {error}"),
            }
            if shutdown.run_until_cancelled(tokio::time::sleep(self.every)).await.is_none() {
                return;
            }
        }
    }

    /// Holds the audit to the newest checkpoint of the folder, then writes one if the audit has gone on.
    pub async fn write(&self) -> Result<Written> {
        let of = AuditOf::System(Arc::clone(&self.audit));
        let signed = self.app.checkpoint_audit(&of, &*self.signer).await?;
        let folder = self.folder.clone();
        let before = blocking(move || newest(&folder)).await?;
        if let Some((name, before)) = before.filter(|(_, one)| one.checkpoint.log == signed.checkpoint.log) {
            let verdict = self.app.verify_audit(&of, Some(before.checkpoint.head)).await?;
            if !verdict.verification.is_intact() {
                let found = verdict.verification.findings.first();
                tracing::error!(
                    ?found,
                    "the audit of the system is not what {} says; `kimberly audit verify --system` shows where",
                    name.display()
                );
            } else if before.checkpoint.head == signed.checkpoint.head {
                return Ok(Written::NothingNew);
            }
        }
        let folder = self.folder.clone();
        blocking(move || write(&folder, &signed)).await.map(Written::New)
    }
}

/// Does work on files where it may wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.unwrap_or_else(|_| Err(io::Error::other("it panicked")));
    done.map_err(|error| Error::storage(StorageFailure::Unavailable, format!("the folder of checkpoints: {error}")))
}

/// The checkpoint that was written last; files that are none, also damaged ones, are passed over.
fn newest(folder: &Path) -> io::Result<Option<(PathBuf, SignedCheckpoint)>> {
    let mut names: Vec<OsString> = match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<_>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    names.retain(|name| name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX)));
    // Their names hold the time.
    names.sort_unstable();
    Ok(names.iter().rev().find_map(|name| {
        let path = folder.join(name);
        let mut text = String::new();
        File::open(&path).ok()?.take(MAX_CHECKPOINT_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
        SignedCheckpoint::parse(&text).ok().map(|signed| (path, signed))
    }))
}

/// Writes a new file, whole or not at all.
fn write(folder: &Path, signed: &SignedCheckpoint) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let (at, no) = (signed.checkpoint.at.0.max(0), signed.checkpoint.head.no);
    let file = folder.join(format!("{PREFIX}{at:017}-{no}{SUFFIX}"));
    let part = file.with_added_extension("part");
    let mut out = File::create(&part)?;
    out.write_all(signed.to_text().as_bytes())?;
    out.sync_all()?;
    fs::rename(&part, &file)?;
    File::open(folder)?.sync_all()?;
    Ok(file)
}
