//! `kimberly vaults register`: rebuilds the registry of users from the folders of vaults. This command opens no vault: a
//! program of the worker does the work.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::program::Program;
use crate::text;

#[derive(clap::Args)]
#[command(after_help = "\
For a data folder whose system.db was lost without a backup, or put back from an older one. All processes of Kimberly must
be stopped. Each vault names its user; credentials, the audit of the system and receipts of purges are nowhere else, so
they are not rebuilt: create keys again, and purge users again whose purge was under way. See docs/damage.md.")]
pub(super) struct Args {
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The program's answer.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Registered(Registered),
    Failed { message: String, code: u8 },
}

#[derive(Deserialize)]
struct Registered {
    data_dir: PathBuf,
    users: u64,
    known: u64,
    left: Vec<Left>,
}

/// A vault that names no user.
#[derive(Deserialize, Serialize)]
struct Left {
    folder: String,
    why: String,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let done = match self.answer().await? {
            Answer::Registered(done) => done,
            Answer::Failed { message, code: 2 } => return Err(CliError::usage(message)),
            Answer::Failed { message, .. } => return Err(CliError::failed(message)),
        };
        context.out.answer(
            || json!({"dataDir": done.data_dir, "users": done.users, "known": done.known, "left": done.left}),
            || done.said(),
        )?;
        match done.left.len() {
            0 => Ok(()),
            left => Err(CliError::failed(format!("{} could not be registered", text::count(left, "vault", "vaults")))),
        }
    }

    /// Runs the program.
    async fn answer(&self) -> CliResult<Answer> {
        let mut program = Program::start("register")?;
        program.send(&json!({"config": self.config})).await?;
        if let Some(answer) = program.next().await? {
            return Ok(answer);
        }
        let status = program.end().await?;
        Err(CliError::failed(format!("the worker ended ({status}) before all users were registered; run this again")))
    }
}

impl Registered {
    fn said(&self) -> String {
        let line = |text: String, left: &Left| text + &format!("\n{}: {}", left.folder, left.why);
        let left = self.left.iter().fold(String::new(), line);
        let users = text::count(self.users, "user", "users");
        if self.users == 0 {
            return format!("{} knows the users of all vaults that name one{left}", self.data_dir.display());
        }
        format!(
            "registered {users} in {}, beside {} known before{left}\n\
             credentials and the audit of the system are not rebuilt; start Kimberly and create keys again (`kimberly \
             keys create`)",
            self.data_dir.join("system.db").display(),
            self.known
        )
    }
}
