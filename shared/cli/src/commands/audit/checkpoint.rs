//! `kimberly audit checkpoint`: a signed statement of the audit's current head, to be stored elsewhere.

use std::io::Write as _;
use std::path::PathBuf;

use kimberly_proto::v1;
use serde_json::json;

use super::statement::Statement;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The system's audit: changes of keys, and refused calls
    #[arg(long)]
    system: bool,
    /// The new file to write; `-` is stdout
    #[arg(default_value = "-")]
    file: PathBuf,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::CreateAuditCheckpointRequest { user_id: super::of(context, self.system) };
        let made = context.connect().await?.audit().create_audit_checkpoint(request).await?.into_inner();
        // A stored checkpoint must be usable later, so verify it now.
        Statement::parse(&made.statement)
            .and_then(|statement| statement.check(&made.public_key))
            .map_err(|problem| CliError::failed(format!("the server's checkpoint is invalid: {problem}")))?;
        if self.file.as_os_str() == "-" {
            context.out.note(&format!("store this elsewhere, and once the public key {}", made.public_key));
            return context.out.answer(|| json::of(&made), || made.statement.clone());
        }
        let (name, head) = (self.file.display(), made.head.unwrap_or_default().number);
        let written = std::fs::File::create_new(&self.file).and_then(|mut file| {
            file.write_all(made.statement.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| CliError::usage(format!("{name} cannot be written: {error}")))?;
        context.out.answer(
            || json!({"file": name.to_string(), "number": head, "publicKey": made.public_key}),
            || {
                format!(
                    "{name} contains the head of the audit, entry {head}; store it elsewhere, and once the public key \
                     {}",
                    made.public_key
                )
            },
        )
    }
}
