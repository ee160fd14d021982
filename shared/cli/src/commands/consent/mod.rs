//! `kimberly consent`: records of what a person agreed to. Sensitive memories are stored under such a record.

mod grant;
mod retract;

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::pages;
use crate::view::{Short, table};
use crate::{json, names, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record that a person agreed; prints the record's id
    Grant(grant::Args),
    /// List records, newest first
    List {
        /// Also retracted and expired ones
        #[arg(long)]
        all: bool,
    },
    /// Retract a consent: its memories are hidden at once, then erased or sealed
    Retract(retract::Args),
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::Grant(args) => args.run(context).await,
            Command::List { all } => list(context, all).await,
            Command::Retract(args) => args.run(context).await,
        }
    }
}

async fn list(context: &Context, all: bool) -> CliResult {
    let consents = pages::consents(&context.connect().await?, &context.user, all).await?;
    let answer = v1::ListConsentsResponse { consents, next_page_token: String::new() };
    context.out.answer(
        || json::of(&answer),
        || {
            if answer.consents.is_empty() {
                "no consents; `kimberly consent grant \"PURPOSE\"` records one".to_owned()
            } else {
                rows(&answer.consents)
            }
        },
    )
}

fn rows(consents: &[v1::Consent]) -> String {
    let short = Short::of(consents.iter().map(|consent| consent.id.as_str()));
    let mut rows = table(&["id", "purpose, and about what", "status", "granted", "ends"]);
    for consent in consents {
        let retraction = names::retraction(consent.retraction);
        let how = if retraction.is_empty() { retraction } else { format!("\n({retraction})") };
        rows.add_row([
            short.id(&consent.id).to_owned(),
            format!("{}\n{}", text::line(&consent.purpose, 80), text::line(&about(consent.scope.as_ref()), 120)),
            format!("{}{how}", names::consent_status(consent.status)),
            format!("{}\nby {}", time::day(consent.granted_at.as_ref()), names::consent_giver(consent.given_by)),
            time::minute(consent.expires_at.as_ref()),
        ]);
    }
    rows.trim_fmt()
}

/// Describes a scope in words.
fn about(scope: Option<&v1::ConsentScope>) -> String {
    let scope = scope.cloned().unwrap_or_default();
    let tiers: Vec<String> = scope.tiers.iter().map(|tier| names::tier(*tier)).collect();
    let named = |name: &String| if name.is_empty() { "the default one".to_owned() } else { name.clone() };
    let namespaces: Vec<String> = scope.namespaces.iter().map(named).collect();
    let parts = [("tier", tiers), ("namespace", namespaces), ("tag", scope.tags), ("session", scope.session_ids)];
    let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<String> = parts.map(|(what, names)| format!("{what} {}", names.join(" or "))).collect();
    if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_reads_as_words() {
        assert_eq!(about(None), "everything");
        let scope = v1::ConsentScope {
            tiers: vec![1, 3],
            namespaces: vec![String::new(), "clinic".to_owned()],
            tags: vec!["health".to_owned()],
            ..Default::default()
        };
        let expected = "tier short_term or permanent, namespace the default one or clinic, tag health";
        assert_eq!(about(Some(&scope)), expected);
    }
}
