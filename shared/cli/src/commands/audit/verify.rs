//! `kimberly audit verify`

use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_core::audit::{AuditHead, hash_text, vault_log};
use kimberly_proto::v1;

use super::statement::Statement;
use super::{offline, public_key};
use crate::context::Context;
use crate::envelope::OpeningArgs;
use crate::error::{CliError, CliResult};
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The system's audit: changes of keys, and refused calls
    #[arg(long)]
    system: bool,
    /// A head saved before: also fails if the audit does not contain it
    #[arg(long, value_name = "NUMBER:HASH", conflicts_with = "checkpoint")]
    head: Option<AuditHead>,
    /// A checkpoint of `audit checkpoint`: also fails if the audit does not contain its head
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// The key that signed the checkpoint, from `audit public-key` [default: the server's current key]
    #[arg(long, value_name = "HEX", requires = "checkpoint")]
    public_key: Option<String>,
    /// Verify a file of `audit export`, or an archive of `export --archive`, without any server
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        if self.export.is_none() && self.opening.is_given() {
            return Err(CliError::usage("--age-identity and --age-passphrase-file need --export"));
        }
        let statement = match &self.checkpoint {
            Some(file) => Some(self.statement(context, file).await?),
            None => None,
        };
        let noted = statement.as_ref().map(Statement::head).or(self.head);
        let verdict = if let Some(file) = &self.export {
            offline::verify(file, &self.opening, noted)?
        } else {
            if let (Some(statement), false) = (&statement, self.system) {
                let user = UserId::parse(&context.user).map_err(|error| CliError::usage(error.to_string()))?;
                statement.is_of(&vault_log(&user)).map_err(|problem| self.refused(&problem))?;
            }
            online(context, self.system, noted).await?
        };
        if let Some(statement) = &statement {
            statement.is_of(&verdict.log).map_err(|problem| self.refused(&problem))?;
        }
        context.out.answer(|| json::of(&verdict), || view::audit_verdict(&verdict))?;
        if verdict.intact { Ok(()) } else { Err(CliError::failed("the audit is not intact")) }
    }

    /// Reads the checkpoint and verifies its signature.
    async fn statement(&self, context: &Context, file: &Path) -> CliResult<Statement> {
        let statement = Statement::read(file)?;
        let public_key = match &self.public_key {
            Some(key) => key.clone(),
            None if self.export.is_some() => {
                let problem = "without a server, name the key that signed the checkpoint with --public-key; `kimberly \
                    audit public-key` shows it";
                return Err(CliError::usage(problem));
            }
            None => public_key::of_server(context).await?,
        };
        statement.check(&public_key).map_err(|problem| self.refused(&problem))?;
        Ok(statement)
    }

    fn refused(&self, problem: &str) -> CliError {
        let name = self.checkpoint.as_deref().unwrap_or(Path::new("")).display();
        CliError::failed(format!("the checkpoint in {name} cannot be used: {problem}"))
    }
}

async fn online(context: &Context, system: bool, head: Option<AuditHead>) -> CliResult<v1::VerifyAuditResponse> {
    let expected = head.map(|head| {
        // Larger numbers than the contract allows never occur.
        let number = i64::try_from(head.no).unwrap_or(i64::MAX);
        v1::AuditHead { number, hash: hash_text(&head.hash) }
    });
    let request = v1::VerifyAuditRequest { user_id: super::of(context, system), expected };
    Ok(context.connect().await?.audit().verify_audit(request).await?.into_inner())
}
