//! `kimberly vaults`: vaults that were found damaged.

use clap::Subcommand;
use kimberly_proto::v1;
use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::view::table;
use crate::{json as json_of, time};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Read all of the user's vault and say whether it is whole
    Check {
        /// Let it be used again if it is whole
        #[arg(long)]
        release: bool,
        /// Read the bytes of its attachments too
        #[arg(long)]
        attachments: bool,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => list(context).await,
            Some(Command::Check { release, attachments }) => check(context, release, attachments).await,
        }
    }
}

/// All vaults in quarantine.
pub(crate) async fn quarantined(context: &Context) -> CliResult<Vec<v1::QuarantinedVault>> {
    let mut client = context.connect().await?.maintenance();
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListQuarantinedVaultsRequest { page_size: 1_000, page_token };
        let page = client.list_quarantined_vaults(request).await?.into_inner();
        all.extend(page.vaults);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(all);
        }
    }
}

async fn list(context: &Context) -> CliResult {
    let all = quarantined(context).await?;
    let one = |vault: &v1::QuarantinedVault| json!({"user_id": vault.user_id, "damage": vault.damage, "since": json_of::time(vault.since.as_ref())});
    context.out.answer(
        || json!({"vaults": all.iter().map(one).collect::<Vec<_>>()}),
        || {
            if all.is_empty() {
                return "no vault was found damaged".to_owned();
            }
            let mut rows = table(&["user", "since", "problem"]);
            for vault in &all {
                rows.add_row([vault.user_id.clone(), time::minute(vault.since.as_ref()), vault.problem.clone()]);
            }
            format!(
                "{}\nput them back from a backup (docs/damage.md), then `kimberly vaults check --release`",
                rows.trim_fmt()
            )
        },
    )
}

async fn check(context: &Context, release: bool, attachments: bool) -> CliResult {
    let user = &context.user;
    let request = v1::CheckVaultRequest { user_id: user.clone(), release, attachments };
    let found = context.connect().await?.maintenance().check_vault(request).await?.into_inner();
    if !found.damage.is_empty() {
        return Err(CliError::failed(format!(
            "the vault of {user} is in quarantine: {}; docs/damage.md says how to put it back{}",
            found.problem,
            if release { "" } else { "; if that is done, --release lets it be used again" }
        )));
    }
    if !found.damaged_attachments.is_empty() {
        return Err(CliError::failed(format!(
            "the vault of {user} is whole, but for the bytes of {} of its attachments: {}; docs/damage.md says what to do",
            found.damaged_attachments.len(),
            found.damaged_attachments.join(", ")
        )));
    }
    context.out.answer(|| json!({"user_id": user, "damage": null}), || format!("the vault of {user} is whole"))
}
