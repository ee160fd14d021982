//! `kimberly vaults`: vaults that were found damaged.

mod register;

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::view::table;
use crate::{json, time};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Check the user's whole vault for damage
    Check {
        /// Release it from quarantine if it is intact
        #[arg(long)]
        release: bool,
        /// Also read all bytes of its attachments
        #[arg(long)]
        attachments: bool,
    },
    /// Rebuild the registry of users from the folders of vaults, after system.db was lost
    Register(register::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => list(context).await,
            Some(Command::Check { release, attachments }) => check(context, release, attachments).await,
            Some(Command::Register(args)) => args.run(context).await,
        }
    }
}

/// All quarantined vaults, and the damaged shared files.
pub(crate) async fn damaged(context: &Context) -> CliResult<(Vec<v1::QuarantinedVault>, Vec<v1::DamagedFile>)> {
    let mut client = context.connect().await?.maintenance();
    let (mut vaults, mut files, mut page_token) = (Vec::new(), Vec::new(), String::new());
    loop {
        let request = v1::ListQuarantinedVaultsRequest { page_size: 1_000, page_token };
        let page = client.list_quarantined_vaults(request).await?.into_inner();
        vaults.extend(page.vaults);
        files.extend(page.damaged_files);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok((vaults, files));
        }
    }
}

async fn list(context: &Context) -> CliResult {
    let (vaults, damaged_files) = damaged(context).await?;
    let answer = v1::ListQuarantinedVaultsResponse { vaults, damaged_files, next_page_token: String::new() };
    let all = &answer.vaults;
    context.out.answer(
        || json::of(&answer),
        || {
            let files = answer
                .damaged_files
                .iter()
                .fold(String::new(), |text, file| text + &format!("{} is damaged: {}\n", file.name, file.advice));
            if all.is_empty() {
                return format!("{files}no vault was found damaged");
            }
            let mut rows = table(&["user", "since", "problem"]);
            for vault in all {
                rows.add_row([vault.user_id.clone(), time::minute(vault.since.as_ref()), vault.problem.clone()]);
            }
            format!(
                "{files}{}\nrestore them from a backup (docs/guides/back-up.md), then `kimberly vaults check \
                 --release`",
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
            "the vault of {user} is in quarantine: {}; docs/guides/back-up.md says how to restore it{}",
            found.problem,
            if release { "" } else { "; if that is done, --release ends the quarantine" }
        )));
    }
    if !found.damaged_attachments.is_empty() {
        return Err(CliError::failed(format!(
            "the vault of {user} is intact, except for the bytes of {} of its attachments: {}; docs/damage.md says \
             what to do",
            found.damaged_attachments.len(),
            found.damaged_attachments.join(", ")
        )));
    }
    context.out.answer(|| json::of(&found), || format!("the vault of {user} is intact"))
}
