//! `kimberly consent grant`

use std::path::PathBuf;

use kimberly_proto::v1;
use prost_types::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::{ConsentGiverArg, TierArg};
use crate::{ids, json, text, time};

/// Maximum size of a consent text whose hash is stored, in bytes.
const LONGEST_WORDING: u64 = 16 << 20;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The purpose, in a few words
    purpose: String,
    /// Only memories of these tiers
    #[arg(long, value_enum, value_delimiter = ',')]
    tier: Vec<TierArg>,
    /// Only memories in this namespace, "" for the default one; can be repeated
    #[arg(long, value_name = "NAME")]
    namespace: Vec<String>,
    /// Only memories with this tag; repeat it for memories with one of several
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only memories of this session; can be repeated
    #[arg(long, value_name = "SESSION")]
    session: Vec<String>,
    /// Who consented
    #[arg(long, value_enum, default_value = "user")]
    given_by: ConsentGiverArg,
    /// Other details, such as the location of the signed form
    #[arg(long, default_value = "", hide_default_value = true)]
    note: String,
    /// When it ends: 2027-01-31, 2027-01-31 12:00, or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    until: Option<Timestamp>,
    /// A file with the consent's text; its SHA-256 is stored
    #[arg(long, value_name = "FILE")]
    wording: Option<PathBuf>,
    /// Release memories hidden when these consents were retracted, if the new one covers them
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    release: Vec<String>,
    /// Makes the call safe to repeat: the same id returns the first answer
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    request_id: String,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let wording_sha256 = self.wording.as_ref().map(hash).transpose()?.unwrap_or_default();
        let consent = v1::Consent {
            purpose: self.purpose,
            scope: Some(v1::ConsentScope {
                tiers: self.tier.into_iter().map(Into::into).collect(),
                namespaces: self.namespace,
                tags: self.tag,
                session_ids: self.session,
            }),
            given_by: self.given_by.into(),
            note: self.note,
            expires_at: self.until,
            wording_sha256,
            ..v1::Consent::default()
        };
        let client = context.connect().await?;
        let request = v1::GrantConsentRequest {
            user_id: context.user.clone(),
            consent: Some(consent),
            release_withheld: ids::all(context, &client, Kind::Consent, self.release).await?,
            request_id: self.request_id,
        };
        let granted = client.consents().grant_consent(request).await?.into_inner();
        let released = granted.released;
        context.out.answer(
            || json::of(&granted),
            || {
                let released = if released > 0 {
                    format!("; {} seen again", text::count(released, "memory is", "memories are"))
                } else {
                    String::new()
                };
                format!("{}{released}", granted.consent.clone().unwrap_or_default().id)
            },
        )
    }
}

fn hash(file: &PathBuf) -> CliResult<String> {
    let unreadable = |error| CliError::usage(format!("{} cannot be read: {error}", file.display()));
    if std::fs::metadata(file).map_err(unreadable)?.len() > LONGEST_WORDING {
        return Err(CliError::usage(format!("{} is larger than 16 MiB; name a text file", file.display())));
    }
    Ok(format!("{:x}", Sha256::digest(std::fs::read(file).map_err(unreadable)?)))
}
