//! `kimberly audit public-key`: the key that verifies a server's signatures.

use kimberly_crypto::key_id;
use kimberly_proto::v1;
use serde_json::json;

use super::statement::key;
use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let shown = of_server(context).await?;
        let id = key(&shown).map(|key| key_id(&key)).map_err(CliError::failed)?;
        context.out.answer(|| json!({"publicKey": shown, "keyId": id}), || shown.clone())
    }
}

/// The public key that the server reports.
pub(super) async fn of_server(context: &Context) -> CliResult<String> {
    let info = context.connect().await?.server().get_server_info(v1::GetServerInfoRequest {}).await?.into_inner();
    if info.public_key.is_empty() {
        let problem = "signing is off on this server, because it needs encryption; \
                       encryption.enabled = true turns on both for a new data folder";
        return Err(CliError::failed(problem));
    }
    Ok(info.public_key)
}
