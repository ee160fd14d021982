//! Stores one memory.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::item::Tier;
use super::{Does, MAX_TIME_BYTES, Tool, time};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(super) struct Remember;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// One fact as a sentence that stands alone: names instead of "she", dates instead of "tomorrow".
        content: String where length(1..=b::ABSOLUTE_MAX_CONTENT_BYTES),
        /// A few words to find it by, such as "food" or "work".
        #[serde(default)]
        tags: Vec<String> where length(0..=b::MAX_TAGS) items(1..=b::MAX_TAG_BYTES),
        /// Its tier: `short_term` for this session alone, `long_term` for most, `permanent` for what must never go.
        #[serde(default)]
        tier: Tier,
        /// When it happened, if not now, such as 2026-05-04 or 2026-05-04T18:30:00Z.
        #[serde(default)]
        occurred_at: String where length(0..=MAX_TIME_BYTES),
        /// The speaker, if it is not the person whose memory this is.
        #[serde(default)]
        speaker: String where length(0..=b::MAX_SPEAKER_BYTES),
        /// The session that it belongs to, if there is one.
        #[serde(default)]
        session_id: String where length(0..=b::MAX_SESSION_ID_BYTES),
        /// Whether it is about health, beliefs or the like. Is refused unless the person's consent to that is recorded.
        #[serde(default)]
        sensitive: bool,
        /// Whether it becomes a new memory even if the same is known, such as another entry of a diary.
        #[serde(default)]
        new: bool,
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The memory's id.
        id: String,
        /// Its tier.
        tier: Tier,
        /// Whether it was known already and only confirmed.
        existing: bool,
    }
}

impl Tool for Remember {
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Remember";
    const DESCRIPTION: &'static str = "Store one lasting fact, preference, decision, plan or correction about the \
        person, or what they ask you to remember. What is known is confirmed, not stored twice. No small talk, no \
        guesses, no passwords. Returns its id.";
    const DOES: Does = Does::Adds;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let metadata = v1::Metadata {
            tags: input.tags,
            source: v1::Source::Agent.into(),
            sensitive: input.sensitive,
            ..v1::Metadata::default()
        };
        let memory = v1::MemoryDraft {
            tier: v1::Tier::from(input.tier).into(),
            content: input.content,
            metadata: Some(metadata),
            session_id: input.session_id,
            speaker: input.speaker,
            occurred_at: time("occurred_at", &input.occurred_at)?,
            created_by: v1::Creator::Agent.into(),
            ..v1::MemoryDraft::default()
        };
        let request = v1::CreateMemoryRequest {
            user_id: call.user.clone(),
            memory: Some(memory),
            request_id: String::new(),
            always_new: input.new,
        };
        let answer = call.memories().create_memory(call.request(request)).await?.into_inner();
        let receipt = answer.receipt.unwrap_or_default();
        let masked =
            if receipt.masked { " What looked like a password, a key or a card number was masked." } else { "" };
        let did = if receipt.existing { "Already known, confirmed" } else { "Remembered" };
        let text = format!("{did} as {}.{masked}", receipt.id);
        let tier = receipt.tier().into();
        Ok(Answer::new(text, Output { id: receipt.id, tier, existing: receipt.existing }))
    }
}
