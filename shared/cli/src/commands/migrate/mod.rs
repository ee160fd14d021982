//! `kimberly migrate`: moves everything from a data folder to a database, or back. This command opens no vault: a
//! program of the worker moves the data, and this one shows its progress.

mod mover;

use std::path::PathBuf;

use serde_json::json;

use crate::context::Context;
use crate::error::CliResult;
use crate::text;
use mover::Ended;

#[derive(clap::Args)]
#[command(after_help = "\
Kimberly keeps serving from the old place. Run this once or more meanwhile; what was copied and not written to since is
skipped. Then stop all its processes and run it once more: it copies what is left, compares everything, and from then on
processes start on the other side alone. If it is interrupted, run it again: it resumes. Vectors are rebuilt there.

The address may leave the password to PGPASSWORD or ~/.pgpass. Everything else ([keys], [postgres] schema and timeouts,
[attachments.s3]) is as the configuration says. See docs/guides/scale.md.")]
pub(crate) struct Args {
    /// The source: the data folder, or an address of Postgres
    #[arg(long, value_name = "FOLDER or postgres://…")]
    from: String,
    /// The destination: an address of Postgres whose schema is empty, or a folder that does not exist yet
    #[arg(long, value_name = "postgres://… or FOLDER")]
    to: String,
    /// The address of the tables' owner [default: `postgres.owner_url`, else the address itself]
    #[arg(long, env = "KIMBERLY_MIGRATE_OWNER_URL", hide_env_values = true, value_name = "postgres://…")]
    owner_url: Option<String>,
    /// Keep copying new writes until the processes are stopped, then finish
    #[arg(long)]
    follow: bool,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let plan = json!({
            "config": self.config, "from": self.from, "to": self.to, "owner_url": self.owner_url, "follow": self.follow,
        });
        let ended = mover::run(&plan, context).await?;
        context.out.answer(|| ended.to_json(), || said(&ended))
    }
}

fn said(ended: &Ended) -> String {
    match ended {
        Ended::CaughtUp { from, to } => format!(
            "everything in {from} is copied to {to}, but processes still work on {from}: stop them and run this \
             again, which completes the migration"
        ),
        Ended::Moved { from, to, users, vaults, rows, digest } => format!(
            "moved {} with {}, {rows} rows in all, from {from} to {to}; everything was compared \
             (SHA-256 {digest})\n\
             start Kimberly on {to} now. {from} is unchanged, but processes refuse to start on it; remove it when you no longer need it, \
             because later purges do not reach it",
            text::count(*users, "user", "users"),
            text::count(*vaults, "vault", "vaults")
        ),
        Ended::MovedBefore { from, to } => format!("everything in {from} was already moved to {to}"),
    }
}
