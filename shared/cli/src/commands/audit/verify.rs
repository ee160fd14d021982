//! `kimberly audit verify`

use std::path::PathBuf;

use kimberly_core::audit::{AuditHead, hash_text};
use kimberly_proto::v1;

use super::offline;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// That of the system: what was done to keys, and what was refused
    #[arg(long)]
    system: bool,
    /// A head that was noted before: fails too if the audit does not hold it
    #[arg(long, value_name = "NUMBER:HASH")]
    head: Option<AuditHead>,
    /// Check what `audit export` wrote, without any server
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let verdict = match &self.export {
            Some(file) => offline::verify(file, self.head)?,
            None => online(context, self.system, self.head).await?,
        };
        context.out.answer(|| json::audit_verdict(&verdict), || view::audit_verdict(&verdict))?;
        if verdict.intact { Ok(()) } else { Err(CliError::failed("the audit is not whole")) }
    }
}

async fn online(context: &Context, system: bool, head: Option<AuditHead>) -> CliResult<v1::VerifyAuditResponse> {
    let expected = head.map(|head| {
        // Numbers beyond what the contract can say are never given.
        let number = i64::try_from(head.no).unwrap_or(i64::MAX);
        v1::AuditHead { number, hash: hash_text(&head.hash) }
    });
    let request = v1::VerifyAuditRequest { user_id: super::of(context, system), expected };
    Ok(context.connect().await?.audit().verify_audit(request).await?.into_inner())
}
