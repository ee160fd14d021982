//! `kimberly worker migrate`: moves all data from a data folder to a database or back. `kimberly migrate` starts it,
//! since the command line must not access vaults itself.
//!
//! The plan arrives as one JSON line on stdin, which keeps URLs with passwords out of the arguments. Progress goes to
//! stdout as JSON lines. The process ends when stdin closes, since its caller is gone then.

mod plan;
mod progress;

use std::io::Read as _;
use std::time::Duration;

use kimberly_runtime::config::Environment;
use kimberly_runtime::{forbid_inspection, leave};
use kimberly_store::moving::{Moved, Moving};
use tokio::sync::oneshot;

use crate::once;
use crate::trouble::Trouble;
use plan::{Ends, Plan};
use progress::{Line, Progress};

/// Maximum number of passes while users keep writing.
const PASSES: u32 = 4;
/// No further pass follows if at most 1/`FEW` of the users changed during the last pass.
const FEW: u64 = 50;
/// Interval between checks whether processes still use the source.
const BETWEEN: Duration = Duration::from_secs(1);

/// Migrates, and exits with an exit code of the command line.
pub fn main() -> ! {
    forbid_inspection(&Environment::of_process());
    let progress = Progress::default();
    let trouble = match work(&progress) {
        Ok(()) => leave(0),
        Err(trouble) => trouble,
    };
    let (message, code) = trouble.told();
    progress.say(&Line::Failed { message: &message, code });
    leave(code)
}

fn work(progress: &Progress) -> Result<(), Trouble> {
    let plan = Plan::read(&once::line()?)?;
    let ends = plan.ends()?;
    once::threads()?.block_on(async {
        tokio::select! {
            moved = run(&plan, ends, progress) => moved,
            () = left_alone() => Err(Trouble::Failed("ended, because its caller is gone; run it again".to_owned())),
        }
    })
}

/// Completes when stdin closes.
async fn left_alone() {
    let (gone, waits) = oneshot::channel();
    std::thread::spawn(move || {
        let mut rest = [0; 64];
        let mut stdin = std::io::stdin().lock();
        while stdin.read(&mut rest).is_ok_and(|read| read > 0) {}
        let _ = gone.send(());
    });
    let _ = waits.await;
}

async fn run(plan: &Plan, ends: Ends, progress: &Progress) -> Result<(), Trouble> {
    let (shown_from, shown_to) = ends.shown();
    let Some(moving) = Moving::begin(ends.from, ends.to, ends.objects).await? else {
        progress.say(&Line::MovedBefore { from: &shown_from, to: &shown_to });
        return Ok(());
    };
    let moved = until_moved(plan, &moving, progress).await;
    let (from, to) = moving.shown();
    moving.close().await;
    match moved? {
        Some(Moved { users, vaults, rows, digest }) => {
            progress.say(&Line::Moved { from: &from, to: &to, users, vaults, rows, digest: &digest });
        }
        None => progress.say(&Line::CaughtUp { from: &from, to: &to, waits: false }),
    }
    Ok(())
}

/// Copies until few changes remain, then hands over once no process uses the source. Returns `None` if one still does
/// and the plan does not wait for it.
async fn until_moved(plan: &Plan, moving: &Moving, progress: &Progress) -> Result<Option<Moved>, Trouble> {
    let tell = |told| progress.tell(told);
    for _ in 0..PASSES {
        let passed = moving.pass(&tell).await?;
        if passed.copied <= passed.users / FEW {
            break;
        }
    }
    let mut said = false;
    loop {
        if let Some(moved) = moving.finish(&tell).await? {
            return Ok(Some(moved));
        }
        if !plan.follow {
            return Ok(None);
        }
        if !said {
            let (from, to) = moving.shown();
            progress.say(&Line::CaughtUp { from: &from, to: &to, waits: true });
            said = true;
        }
        tokio::time::sleep(BETWEEN).await;
        moving.pass(&|_| ()).await?;
    }
}
