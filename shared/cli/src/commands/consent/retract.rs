//! `kimberly consent retract`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, text};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The record's id
    id: String,
    /// Erase its memories
    #[arg(long, conflicts_with = "seal")]
    purge: bool,
    /// Keep its memories hidden until a new consent releases them
    #[arg(long)]
    seal: bool,
    /// Makes the call safe to repeat: the same id returns the first answer
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    request_id: String,
}

impl Args {
    pub(super) async fn run(self, context: &Context) -> CliResult {
        let retraction = match (self.purge, self.seal) {
            (true, _) => v1::Retraction::Purge,
            (_, true) => v1::Retraction::Seal,
            _ => v1::Retraction::Unspecified,
        };
        let client = context.connect().await?;
        let request = v1::RetractConsentRequest {
            user_id: context.user.clone(),
            id: ids::one(context, &client, Kind::Consent, self.id).await?,
            retraction: retraction.into(),
            request_id: self.request_id,
        };
        let done = client.consents().retract_consent(request).await?.into_inner();
        let consent = done.consent.clone().unwrap_or_default();
        context.out.answer(|| json::of(&done), || said(&consent, &done))
    }
}

fn said(consent: &v1::Consent, done: &v1::RetractConsentResponse) -> String {
    let id = &consent.id;
    if consent.retraction == i32::from(v1::Retraction::Seal) {
        let kept = "`kimberly consent grant --release` releases hidden memories";
        return format!(
            "{id} is retracted; {} hidden ({kept})",
            text::count(done.withheld, "memory is", "memories are")
        );
    }
    let rest = if done.left > 0 {
        format!("; {} hidden and being erased", text::count(done.left, "more is", "more are"))
    } else {
        String::new()
    };
    format!("{id} is retracted; {} erased{rest}", text::count(done.erased, "memory is", "memories are"))
}
