//! `kimberly work`: working memory, one operation per call.

use clap::Subcommand;
use kimberly_proto::v1;
use kimberly_proto::v1::working_operation::Operation;
use kimberly_runtime::config::Period;

use crate::context::Context;
use crate::error::CliResult;
use crate::{input, json, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
    /// The session of the keys [default: keys shared by all sessions]
    #[arg(long, default_value = "", hide_default_value = true, global = true)]
    session: String,
    /// Their namespace, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, global = true)]
    namespace: String,
}

#[derive(Subcommand)]
enum Command {
    /// Write a text
    Set {
        /// The key, such as scratch:plan
        key: String,
        /// The text; `-` reads it from stdin
        value: String,
        /// Its lifetime, such as 10m [default: 1h]
        #[arg(long = "for", value_name = "TIME")]
        lifetime: Option<Period>,
    },
    /// Print a text
    Get {
        /// The key
        key: String,
    },
    /// Remove a key
    Delete {
        /// The key
        key: String,
    },
    /// Increment a whole number
    Incr {
        /// The key
        key: String,
        /// The number to add; may be negative
        #[arg(default_value_t = 1, allow_negative_numbers = true)]
        by: i64,
    },
    /// Append to a text
    Append {
        /// The key
        key: String,
        /// The text to append; `-` reads it from stdin
        value: String,
    },
    /// Change the lifetime of a text
    Expire {
        /// The key
        key: String,
        /// Its new lifetime from now, such as 10m
        #[arg(value_name = "TIME")]
        lifetime: Period,
    },
    /// List keys
    Keys {
        /// Their prefix
        #[arg(default_value = "", hide_default_value = true)]
        prefix: String,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let keyspace = (self.namespace, self.session);
        let (key, operation) = match self.command {
            Command::Keys { prefix } => return keys(context, keyspace, prefix).await,
            Command::Set { key, value, lifetime } => {
                let lifetime = lifetime.map(time::wire).transpose()?;
                (key, Operation::Set(v1::WorkingSet { value: input::text(value)?, lifetime }))
            }
            Command::Get { key } => (key, Operation::Get(v1::WorkingGet {})),
            Command::Delete { key } => (key, Operation::Delete(v1::WorkingDelete {})),
            Command::Incr { key, by } => (key, Operation::Increment(v1::WorkingIncrement { by, lifetime: None })),
            Command::Append { key, value } => {
                (key, Operation::Append(v1::WorkingAppend { value: input::text(value)?, lifetime: None }))
            }
            Command::Expire { key, lifetime } => {
                (key, Operation::Expire(v1::WorkingExpire { lifetime: Some(time::wire(lifetime)?) }))
            }
        };
        one(context, keyspace, v1::WorkingOperation { key, operation: Some(operation) }).await
    }
}

async fn one(
    context: &Context,
    (namespace, session_id): (String, String),
    operation: v1::WorkingOperation,
) -> CliResult {
    let request = v1::RunWorkingOperationsRequest {
        user_id: context.user.clone(),
        namespace,
        session_id,
        operations: vec![operation],
    };
    let answer = context.connect().await?.working().run_working_operations(request).await?.into_inner();
    let result = answer.results.first().cloned().unwrap_or_default();
    context.out.answer(|| json::of(&result), || said(&result))
}

/// The text, if it was requested; else when the entry expires.
fn said(result: &v1::WorkingResult) -> String {
    match (&result.value, result.expires_at) {
        (Some(value), _) => value.clone(),
        (None, Some(at)) => format!("until {}", time::minute(Some(&at))),
        (None, None) if result.found => "removed".to_owned(),
        (None, None) => "there is no such key".to_owned(),
    }
}

async fn keys(context: &Context, (namespace, session_id): (String, String), prefix: String) -> CliResult {
    let mut request = v1::ListWorkingKeysRequest {
        user_id: context.user.clone(),
        namespace,
        session_id,
        prefix,
        ..Default::default()
    };
    let client = context.connect().await?;
    let mut all = v1::ListWorkingKeysResponse::default();
    loop {
        let page = client.working().list_working_keys(request.clone()).await?.into_inner().keys;
        let Some(last) = page.last() else { break };
        request.after.clone_from(last);
        all.keys.extend(page);
    }
    context
        .out
        .answer(|| json::of(&all), || if all.keys.is_empty() { "no keys".to_owned() } else { all.keys.join("\n") })
}
