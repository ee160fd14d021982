//! `kimberly remember`

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::{CreatorArg, EmbedArg, ScopeArg, SourceArg, TierArg};
use crate::record::RecordArgs;
use crate::{ids, input, json, time, view};

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub(crate) struct Args {
    /// What to remember; `-` reads it from stdin
    text: String,
    /// Its tier
    #[arg(long, value_enum, default_value = "long_term")]
    tier: TierArg,
    /// A tag; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Its session
    #[arg(long)]
    session: Option<String>,
    /// The speaker
    #[arg(long, value_name = "NAME")]
    speaker: Option<String>,
    /// When it happened, if that is not now: 2023-05-08, 2023-05-08 13:56, or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    at: Option<Timestamp>,
    /// The system never archives or erases it
    #[arg(long)]
    protect: bool,
    /// It is sensitive, which needs a consent (`kimberly consent grant`)
    #[arg(long)]
    sensitive: bool,
    /// Note for your records that the person agreed; does not replace a consent record
    #[arg(long)]
    consent: bool,
    /// The consent to store it under [default: the newest that covers it, if it is sensitive]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    consent_id: String,
    /// Its namespace, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    /// Whether it gets vectors: as the cap allows, before others, or never
    #[arg(long, value_enum, default_value = "auto")]
    embed: EmbedArg,
    /// Its channel into Kimberly
    #[arg(long, value_enum, default_value = "chat")]
    source: SourceArg,
    /// Its intended audience
    #[arg(long, value_enum, default_value = "private")]
    scope: ScopeArg,
    /// Its author
    #[arg(long = "by", value_enum, default_value = "user")]
    created_by: CreatorArg,
    /// Free-form data, a JSON object
    #[arg(long, value_name = "JSON")]
    attributes: Option<String>,
    /// Stores a new memory even if its statement is known
    #[arg(long)]
    new: bool,
    /// Makes the call safe to repeat: the same id returns the first answer
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    #[command(flatten)]
    record: RecordArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let (request_id, always_new) = (self.request_id.clone().unwrap_or_default(), self.new);
        let mut draft = self.draft()?;
        let client = context.connect().await?;
        draft.consent_id = ids::one(context, &client, Kind::Consent, draft.consent_id).await?;
        let request =
            v1::CreateMemoryRequest { user_id: context.user.clone(), memory: Some(draft), request_id, always_new };
        let answer = client.memories().create_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }

    fn draft(self) -> CliResult<v1::MemoryDraft> {
        let attributes = self.attributes.as_deref().map(attributes).transpose()?;
        let mut draft = v1::MemoryDraft {
            tier: self.tier.into(),
            content: input::text(self.text)?,
            metadata: Some(v1::Metadata {
                tags: self.tag,
                source: self.source.into(),
                sensitive: self.sensitive,
                scope: self.scope.into(),
                ..v1::Metadata::default()
            }),
            attributes,
            session_id: self.session.unwrap_or_default(),
            protected: self.protect,
            speaker: self.speaker.unwrap_or_default(),
            occurred_at: self.at,
            created_by: self.created_by.into(),
            consent: self.consent,
            namespace: self.namespace,
            consent_id: self.consent_id,
            embed: self.embed.into(),
            ..v1::MemoryDraft::default()
        };
        let kind = self.record.kind().unwrap_or_default();
        self.record.write(kind, &mut draft)?;
        Ok(draft)
    }
}

/// Parses a JSON object from the command line.
fn attributes(raw: &str) -> CliResult<prost_types::Struct> {
    json::parse(raw).and_then(|value| json::free(&value)).map_err(|problem| {
        CliError::usage(format!("--attributes: {problem}; write a JSON object such as '{{\"page\": 3}}'"))
    })
}
