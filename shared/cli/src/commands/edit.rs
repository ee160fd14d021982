//! `kimberly edit`

use kimberly_proto::v1;
use prost_types::{FieldMask, Timestamp};

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::{EmbedArg, TierArg};
use crate::record::RecordArgs;
use crate::{ids, input, json, time, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// New content; `-` reads it from stdin
    #[arg(long)]
    text: Option<String>,
    /// New tier
    #[arg(long, value_enum)]
    tier: Option<TierArg>,
    /// A new tag instead of the old ones, "" to remove them all; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Option<Vec<String>>,
    /// New session; "" removes it
    #[arg(long)]
    session: Option<String>,
    /// New speaker; "" removes it
    #[arg(long, value_name = "NAME")]
    speaker: Option<String>,
    /// New namespace; "" is the default one
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// The consent to store it under; "" selects the newest one that covers a sensitive memory
    #[arg(long, value_name = "ID")]
    consent_id: Option<String>,
    /// When it happened
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    at: Option<Timestamp>,
    /// Whether it is protected from being archived or erased by the system
    #[arg(long, value_name = "BOOL")]
    protect: Option<bool>,
    /// Whether it gets vectors: as the cap allows, before others, or never
    #[arg(long, value_enum)]
    embed: Option<EmbedArg>,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
    #[command(flatten)]
    record: RecordArgs,
}

impl Args {
    pub(crate) async fn run(mut self, context: &Context) -> CliResult {
        let (id, etag) = (self.id.clone(), self.etag.clone());
        let record = std::mem::take(&mut self.record);
        let (mut draft, mut paths) = self.changes()?;
        paths.extend(record.paths().map(str::to_owned));
        if paths.is_empty() {
            return Err(CliError::usage(
                "nothing to change; name at least one of --text, --tier, --tag, --session, --speaker, --namespace, --consent-id, --at, --protect, --embed, --kind, --detail-json, --subject, --importance, --confidence, --source-type, --valid-from, --valid-to, --source-ref, --name",
            ));
        }
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, id).await?;
        draft.consent_id = ids::one(context, &client, Kind::Consent, draft.consent_id).await?;
        let kind = match record.kind() {
            None if record.detail_json.is_some() => kind_of(context, &client, &id).await?,
            named => named.unwrap_or_default(),
        };
        record.write(kind, &mut draft)?;
        let request = v1::UpdateMemoryRequest {
            user_id: context.user.clone(),
            id,
            memory: Some(draft),
            update_mask: Some(FieldMask { paths }),
            etag,
            request_id: String::new(),
        };
        let answer = client.memories().update_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }

    /// The new values and the names of their fields.
    fn changes(self) -> CliResult<(v1::MemoryDraft, Vec<String>)> {
        let named = [
            (self.text.is_some(), "content"),
            (self.tier.is_some(), "tier"),
            (self.tag.is_some(), "metadata.tags"),
            (self.session.is_some(), "session_id"),
            (self.speaker.is_some(), "speaker"),
            (self.namespace.is_some(), "namespace"),
            (self.consent_id.is_some(), "consent_id"),
            (self.at.is_some(), "occurred_at"),
            (self.protect.is_some(), "protected"),
            (self.embed.is_some(), "embed"),
        ];
        let paths = named.into_iter().filter(|(set, _)| *set).map(|(_, path)| path.to_owned()).collect();
        let tags = self.tag.unwrap_or_default().into_iter().filter(|tag| !tag.is_empty()).collect();
        let draft = v1::MemoryDraft {
            tier: self.tier.map_or(0, Into::into),
            content: self.text.map(input::text).transpose()?.unwrap_or_default(),
            metadata: Some(v1::Metadata { tags, ..v1::Metadata::default() }),
            session_id: self.session.unwrap_or_default(),
            speaker: self.speaker.unwrap_or_default(),
            namespace: self.namespace.unwrap_or_default(),
            consent_id: self.consent_id.unwrap_or_default(),
            occurred_at: self.at,
            protected: self.protect.unwrap_or_default(),
            embed: self.embed.map_or(0, Into::into),
            ..v1::MemoryDraft::default()
        };
        Ok((draft, paths))
    }
}

/// The kind of a memory, which determines how its detail is parsed.
pub(super) async fn kind_of(context: &Context, client: &Client, id: &str) -> CliResult<i32> {
    let request =
        v1::GetMemoryRequest { user_id: context.user.clone(), id: id.to_owned(), explain: false, ..Default::default() };
    let answer = client.memories().get_memory(request).await?.into_inner();
    Ok(answer.memory.map_or(0, |memory| memory.kind))
}
