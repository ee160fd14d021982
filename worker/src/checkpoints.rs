//! Writes checkpoints of the system's audit to a folder. Those who can write the data should have no access to that
//! folder.
//!
//! Vaults periodically anchor the heads of their chains in the system's audit, so its checkpoints cover all vaults.
//! Before it writes a checkpoint, the worker verifies the audit against the newest one signed by this data folder. If
//! they contradict each other, it writes none, since a checkpoint would vouch for tampered data, and logs an error in
//! each interval.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::Result;
use kimberly_core::audit::{AuditHead, Checkpoint, SignedCheckpoint};
use kimberly_core::bounds::MAX_CHECKPOINT_BYTES;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::{Signer, SystemAudit};
use kimberly_core::usecases::App;
use kimberly_core::usecases::audit::AuditOf;
use tokio_util::sync::CancellationToken;

/// Prefix and suffix of the names of checkpoint files.
const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".json";

/// Writes checkpoints.
#[derive(Clone)]
pub struct Checkpoints {
    /// The use cases.
    pub app: App,
    /// The audit.
    pub audit: Arc<dyn SystemAudit>,
    /// The signer of checkpoints.
    pub signer: Arc<dyn Signer>,
    /// The folder of checkpoints.
    pub folder: PathBuf,
    /// Interval between checkpoints.
    pub every: Duration,
}

/// The outcome of one attempt to write a checkpoint.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// A checkpoint was written to this file.
    New(PathBuf),
    /// Nothing changed since the last one.
    NothingNew,
    /// No checkpoint was written: the audit contradicts an earlier one, as the text explains.
    Contradicted(String),
}

impl Checkpoints {
    /// Writes a checkpoint at the start, then one per interval with changes, until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            match self.write().await {
                Ok(Written::New(file)) => tracing::info!("wrote {}", file.display()),
                Ok(Written::NothingNew) => {}
                Ok(Written::Contradicted(how)) => tracing::error!("the audit was tampered with: {how}"),
                Err(error @ Error::Storage { failure: StorageFailure::Corrupt, .. }) => {
                    tracing::error!("the audit is damaged or was tampered with: {error}");
                }
                Err(error) => tracing::warn!("no checkpoint of the audit was written: {error}"),
            }
            if shutdown.run_until_cancelled(tokio::time::sleep(self.every)).await.is_none() {
                return;
            }
        }
    }

    /// Verifies the audit against the newest checkpoint of this data folder. Writes a new one if the audit matches and
    /// has grown.
    pub async fn write(&self) -> Result<Written> {
        let of = AuditOf::System(Arc::clone(&self.audit));
        let signed = self.app.checkpoint_audit(&of, &*self.signer).await?;
        let (folder, own, log) = (self.folder.clone(), Arc::clone(&self.signer), signed.checkpoint.log.clone());
        match blocking(move || before(&folder, &*own, &log)).await? {
            Before::None => {}
            Before::OfAnother(file) => return Ok(Written::Contradicted(of_another(&file))),
            Before::This(file, head) => {
                let verdict = self.app.verify_audit(&of, Some(head)).await?;
                if let Some(found) = verdict.verification.findings.first() {
                    return Ok(Written::Contradicted(format!(
                        "it contradicts {} ({found:?}); `kimberly audit verify --system --checkpoint {}` shows where",
                        file.display(),
                        file.display()
                    )));
                }
                if head == signed.checkpoint.head {
                    return Ok(Written::NothingNew);
                }
            }
        }
        let folder = self.folder.clone();
        blocking(move || write(&folder, &signed)).await.map(Written::New)
    }
}

/// The message if all checkpoints signed here belong to another log.
fn of_another(file: &Path) -> String {
    format!(
        "{} was signed here and is about another audit of the system, so system.db was replaced; if you did that, move \
         earlier checkpoints to another folder",
        file.display()
    )
}

/// Runs blocking file operations.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.unwrap_or_else(|_| Err(io::Error::other("it panicked")));
    done.map_err(|error| Error::storage(StorageFailure::Unavailable, format!("the folder of checkpoints: {error}")))
}

/// The result of looking for earlier checkpoints of this data folder.
enum Before {
    /// There are none.
    None,
    /// The checkpoint of this log that covers the most entries, and the head that it recorded.
    This(PathBuf, AuditHead),
    /// There is none of this log, but one of another log.
    OfAnother(PathBuf),
}

/// Reads the folder's checkpoints. Ignores those that this data folder did not sign, and damaged ones: other data
/// folders may write here, and no writer may suppress or raise an alarm.
fn before(folder: &Path, signer: &dyn Signer, log: &str) -> io::Result<Before> {
    let mut before = Before::None;
    let mut furthest = None;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(before),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        let Some(Checkpoint { log: of, head, at }) = signed_here(&path, signer) else { continue };
        if of != log {
            if matches!(before, Before::None) {
                before = Before::OfAnother(path);
            }
        } else if furthest < Some((head.no, at)) {
            furthest = Some((head.no, at));
            before = Before::This(path, head);
        }
    }
    Ok(before)
}

/// Returns the checkpoint in a file if this signer signed it.
fn signed_here(path: &Path, signer: &dyn Signer) -> Option<Checkpoint> {
    let name = path.file_name()?.to_str()?;
    if !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_CHECKPOINT_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
    let SignedCheckpoint { checkpoint, key_id, signature } = SignedCheckpoint::parse(&text).ok()?;
    // Ed25519 signatures are deterministic (RFC 8032), so signing again verifies.
    let ours = key_id == signer.key_id() && signature == signer.sign(&checkpoint.message());
    ours.then_some(checkpoint)
}

/// Writes a new file atomically.
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
