//! `kimberly keys`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use kimberly_core::access::LOCAL_ADMIN;
use kimberly_crypto::create_private;
use kimberly_proto::v1;
use kimberly_runtime::config::Period;
use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::names::{OperationArg, TierArg};
use crate::pages::every;
use crate::view::table;
use crate::{json, names, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Create a key, which is shown once; or register a client certificate instead
    Create(Create),
    /// List keys, revoked ones included
    List,
    /// Revoke keys permanently
    Revoke {
        /// The keys' names
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Give a key a new secret; it is shown once
    Rotate(Rotate),
}

#[derive(clap::Args)]
struct Create {
    /// Its name, which is never reused
    name: String,
    /// Users that it can access: an id, a prefix of ids and *, or * for all; can be repeated
    #[arg(long = "for", required = true, value_name = "PATTERN")]
    users: Vec<String>,
    /// Allowed operations
    #[arg(long, value_enum, value_delimiter = ',', required = true, value_name = "OPERATION")]
    can: Vec<OperationArg>,
    /// Only memories in this namespace, "" for the default one; can be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    namespace: Vec<String>,
    /// Only memories in these tiers [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "TIER")]
    tier: Vec<TierArg>,
    /// No sensitive memories
    #[arg(long)]
    no_sensitive: bool,
    /// Its holder is an agent: a program that acts by itself
    #[arg(long)]
    agent: bool,
    /// Its lifetime, such as 30d [default: until it is revoked]
    #[arg(long, value_name = "SPAN")]
    expires: Option<Period>,
    /// Register a client certificate instead, by its one URI such as <spiffe://example.org/agent>, else its one DNS name
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    certificate: Option<String>,
    /// Write the key to a new file that only this account can read, instead of showing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Rotate {
    /// The key's name
    name: String,
    /// How long the old secret is still accepted, at most 7d
    #[arg(long, default_value = "1d", value_name = "SPAN")]
    overlap: Period,
    /// Write the key to a new file that only this account can read, instead of showing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::Create(args) => create(context, args).await,
            Command::List => list(context).await,
            Command::Revoke { names } => revoke(context, names).await,
            Command::Rotate(args) => rotate(context, args).await,
        }
    }
}

async fn create(context: &Context, args: Create) -> CliResult {
    if args.certificate.as_deref() == Some("") {
        return Err(CliError::usage(
            "--certificate is empty; give the certificate's URI or DNS name, or omit the option to create a key",
        ));
    }
    refuse_existing(args.out.as_deref())?;
    let grant = v1::Grant {
        users: args.users,
        operations: args.can.into_iter().map(Into::into).collect(),
        namespaces: args.namespace,
        tiers: args.tier.into_iter().map(Into::into).collect(),
        exclude_sensitive: args.no_sensitive,
    };
    let request = v1::CreateKeyRequest {
        name: args.name,
        grant: Some(grant),
        agent: args.agent,
        lifetime: args.expires.map(time::wire).transpose()?,
        certificate: args.certificate.unwrap_or_default(),
    };
    let made = context.connect().await?.access().create_key(request).await?.into_inner();
    let credential = made.credential.clone().unwrap_or_default();
    if !credential.certificate.is_empty() {
        let said = || {
            format!(
                "registered {}: callers with a certificate for {} have its rights",
                credential.name, credential.certificate
            )
        };
        return context.out.answer(|| json::of(&made), said);
    }
    tell(context, &made, args.out.as_deref())
}

async fn rotate(context: &Context, args: Rotate) -> CliResult {
    refuse_existing(args.out.as_deref())?;
    if args.name == LOCAL_ADMIN && args.out.is_some() {
        return Err(CliError::usage(format!("{LOCAL_ADMIN} is always written to its own file; omit --out")));
    }
    let request = v1::RotateKeyRequest { name: args.name.clone(), overlap: Some(time::wire(args.overlap)?) };
    let renewed = context.connect().await?.access().rotate_key(request).await?.into_inner();
    if renewed.key.is_empty() {
        let said = format!("{} has a new secret, written to its file", args.name);
        return context.out.answer(|| json::of(&renewed), || said);
    }
    let made = v1::CreateKeyResponse { credential: renewed.credential, key: renewed.key };
    tell(context, &made, args.out.as_deref())
}

/// Prints a key, or writes it to a file and says so.
fn tell(context: &Context, made: &v1::CreateKeyResponse, out: Option<&Path>) -> CliResult {
    let Some(file) = out else {
        context.out.note("save this key now, it is not shown again; anyone who has it can use all its rights");
        return context.out.answer(|| json::of(made), || made.key.clone());
    };
    let credential = made.credential.clone().unwrap_or_default();
    let again = format!("`kimberly keys rotate {}` gives it a new secret", credential.name);
    match create_private(file, format!("{}\n", made.key).as_bytes()) {
        Ok(true) => {}
        Ok(false) => return Err(CliError::failed(format!("{} was created meanwhile; {again}", file.display()))),
        Err(error) => return Err(CliError::failed(format!("{error}; {again}"))),
    }
    context.out.answer(
        || json!({"file": file.display().to_string(), "credential": json::of(&credential)}),
        || format!("the key {} is in {}", credential.name, file.display()),
    )
}

fn refuse_existing(out: Option<&Path>) -> CliResult {
    match out {
        Some(file) if file.exists() => {
            Err(CliError::usage(format!("{} exists; name a file that does not", file.display())))
        }
        _ => Ok(()),
    }
}

async fn list(context: &Context) -> CliResult {
    let mut client = context.connect().await?.access();
    let credentials = every(async |page_token| {
        let page = client.list_keys(v1::ListKeysRequest { page_size: 1_000, page_token }).await?.into_inner();
        Ok((page.credentials, page.next_page_token))
    });
    let answer = v1::ListKeysResponse { credentials: credentials.await?, next_page_token: String::new() };
    context.out.answer(
        || json::of(&answer),
        || {
            if answer.credentials.is_empty() {
                "no keys; `kimberly keys create NAME --for USER --can read,write` creates one".to_owned()
            } else {
                rows(&answer.credentials)
            }
        },
    )
}

async fn revoke(context: &Context, names: Vec<String>) -> CliResult {
    let mut client = context.connect().await?.access();
    for name in names {
        let answer = client.revoke_key(v1::RevokeKeyRequest { name: name.clone() }).await;
        let answer = answer.map_err(|status| CliError::from(status).during(&name))?.into_inner();
        context.out.answer(|| json::of(&answer), || format!("{name} is revoked"))?;
    }
    Ok(())
}

fn rows(keys: &[v1::Credential]) -> String {
    let mut rows = table(&["key", "may", "for", "made", "ends", "last used"]);
    for key in keys {
        let grant = key.grant.clone().unwrap_or_default();
        let operations: Vec<String> = grant.operations.iter().map(|operation| names::operation(*operation)).collect();
        let ends = match (&key.revoked_at, &key.expires_at) {
            (Some(at), _) => format!("revoked {}", time::ago(Some(at))),
            (None, Some(at)) => time::minute(Some(at)),
            (None, None) => String::new(),
        };
        let kind = if key.agent { " (agent)" } else { "" };
        let shown = if key.certificate.is_empty() { String::new() } else { format!("\n{}", key.certificate) };
        rows.add_row([
            format!("{}{kind}{shown}", key.name),
            operations.join(", "),
            text::line(&reach(&grant), 60),
            format!("{} by {}", time::ago(key.created_at.as_ref()), key.created_by),
            ends,
            time::ago(key.last_used_at.as_ref()),
        ]);
    }
    rows.trim_fmt()
}

/// Describes the users and memories that a key can access.
fn reach(grant: &v1::Grant) -> String {
    let named = |name: &String| if name.is_empty() { "the default one".to_owned() } else { name.clone() };
    let namespaces: Vec<String> = grant.namespaces.iter().map(named).collect();
    let tiers: Vec<String> = grant.tiers.iter().map(|tier| names::tier(*tier)).collect();
    let limits = [("namespace", namespaces), ("tier", tiers)].into_iter().filter(|(_, names)| !names.is_empty());
    let mut limits: Vec<String> = limits.map(|(what, names)| format!("{what} {}", names.join(" or "))).collect();
    if grant.exclude_sensitive {
        limits.push("nothing sensitive".to_owned());
    }
    let users = grant.users.join(", ");
    if limits.is_empty() { users } else { format!("{users} ({})", limits.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_says_for_which_memories_a_key_is_good() {
        let all = v1::Grant { users: vec!["ada".to_owned(), "shop-*".to_owned()], ..v1::Grant::default() };
        assert_eq!(reach(&all), "ada, shop-*");
        let some = v1::Grant {
            namespaces: vec![String::new(), "clinic".to_owned()],
            tiers: vec![v1::Tier::LongTerm.into()],
            exclude_sensitive: true,
            ..all
        };
        let limits = "namespace the default one or clinic, tier long_term, nothing sensitive";
        assert_eq!(reach(&some), format!("ada, shop-* ({limits})"));
    }
}
