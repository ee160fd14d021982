//! `kimberly console`

use kimberly_proto::v1::{self, Operation};
use kimberly_runtime::config::Period;
use serde_json::json;
use uuid::Uuid;

use crate::context::Context;
use crate::error::CliResult;
use crate::time;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long the link's key is valid, if the server requires keys; at least 1m
    #[arg(long = "for", default_value = "8h", value_name = "SPAN")]
    lifetime: Period,
    /// A link that changes nothing
    #[arg(long)]
    read_only: bool,
}

impl Args {
    #[expect(clippy::disallowed_methods, reason = "a name of no other key")]
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        if !context.has_key()? {
            let link = link(&context.server, &context.user, None);
            return context.out.answer(|| json!({"link": link}), || link.clone());
        }
        let request = v1::CreateKeyRequest {
            name: format!("console-{}", Uuid::new_v4().simple()),
            grant: Some(self.grant(&context.user)),
            lifetime: Some(time::wire(self.lifetime)?),
            ..Default::default()
        };
        let made = client.access().create_key(request).await?.into_inner();
        let name = made.credential.unwrap_or_default().name;
        let link = link(&context.server, &context.user, Some((&name, &made.key)));
        let until = format!("it opens once and is valid for {}", self.lifetime);
        context.out.note(&format!("{until}; to end it earlier: kimberly keys revoke {name}"));
        context.out.answer(|| json!({"link": link, "key": name}), || link.clone())
    }

    fn grant(&self, user: &str) -> v1::Grant {
        let reads: &[Operation] = &[Operation::Read];
        let all = &[Operation::Read, Operation::Write, Operation::Delete, Operation::Meditate];
        let operations = if self.read_only { reads } else { all };
        let operations = operations.iter().map(|operation| (*operation).into()).collect();
        v1::Grant { users: vec![user.to_owned()], operations, ..Default::default() }
    }
}

/// A link to the console: the user, and the key's name and secret. All of it is in the fragment, which browsers never
/// send. The page uses the name to rotate the key, so that the link works once.
pub(crate) fn link(server: &str, user: &str, key: Option<(&str, &str)>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("user", user);
    if let Some((name, key)) = key {
        query.append_pair("once", name).append_pair("key", key);
    }
    format!("{}/console/#/?{}", server.trim_end_matches('/'), query.finish())
}
