//! `kimberly rings rotate`

use std::path::Path;
use std::time::{Duration, Instant};

use kimberly_crypto::{Added, KeyId, RingLocation, Survey, survey};
use serde_json::json;

use super::OnHere;
use crate::context::Context;
use crate::error::{CliError, CliResult};

/// Poll interval for progress.
const BETWEEN: Duration = Duration::from_millis(200);
/// After this time without progress, a hint is printed.
const STUCK: Duration = Duration::from_secs(15);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    on: OnHere,
    /// Add the key and return; `kimberly rings` shows the progress
    #[arg(long)]
    no_wait: bool,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let (location, data) = self.on.find()?;
        let added = location.add_key(&data).map_err(|error| CliError::failed(error.to_string()))?;
        let (current, is_new) = match added {
            Added::New(id) => (id, true),
            Added::UnderWay { current, .. } => (current, false),
        };
        context.out.note(&explained(&location, &current, is_new));
        if self.no_wait {
            let said = format!("{current} is now in use; the worker rewraps older key files");
            return context.out.answer(|| answer(&location, &current, None), || said);
        }
        let files = wait(context, &location, &data, &current).await?;
        let said = format!(
            "all {files} key files are wrapped by {current}; no file in {} needs an older {ring} key any more\n\
             earlier backups of data/keys still do: `kimberly rings retire {ring}` moves the old keys from the ring to a file \
             beside it",
            data.display(),
            ring = location.ring()
        );
        context.out.answer(|| answer(&location, &current, Some(files)), || said)
    }
}

/// Warns holders of copies before it is too late.
fn explained(location: &RingLocation, current: &KeyId, is_new: bool) -> String {
    let ring = location.ring();
    let begun = if is_new {
        format!("{location} has a new key, {current}")
    } else {
        format!("a rotation to {current}, in {location}, is in progress, so no further key was added")
    };
    format!(
        "{begun}\nnew data needs this key, and earlier copies of the ring do not contain it: copy the file again, \
         separate from the data, then run `kimberly rings copied {ring}`"
    )
}

/// Waits until every key file is wrapped by the current key; returns their number.
async fn wait(context: &Context, location: &RingLocation, data: &Path, current: &KeyId) -> CliResult<u64> {
    let (mut least, mut moved, mut said) = (u64::MAX, Instant::now(), false);
    loop {
        let found = look(data).await?;
        let left = found.left(location.ring(), current);
        if left == 0 {
            return match found.problems.first() {
                None => Ok(found.files),
                Some(problem) => Err(CliError::failed(format!(
                    "everything else is wrapped by {current}, but {} key files cannot be read: {problem}",
                    found.unreadable
                ))),
            };
        }
        if left < least {
            (least, moved) = (left, Instant::now());
        } else if moved.elapsed() > STUCK && !said {
            said = true;
            context.out.note(&format!(
                "{left} of {} key files are left, and none was rewrapped lately: check the worker and its log (the \
                 rotation continues without this command)",
                found.files
            ));
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

async fn look(data: &Path) -> CliResult<Survey> {
    let data = data.to_owned();
    let found = tokio::task::spawn_blocking(move || survey(&data)).await;
    let found = found.map_err(|_| CliError::failed("reading key files panicked"))?;
    found.map_err(|error| CliError::failed(error.to_string()))
}

fn answer(location: &RingLocation, current: &KeyId, files: Option<u64>) -> serde_json::Value {
    json!({
        "ring": location.ring().as_str(),
        "current": current.as_str(),
        "done": files.is_some(),
        "files": files,
    })
}
