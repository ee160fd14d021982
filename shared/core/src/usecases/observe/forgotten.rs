//! Leaves out what was forgotten and is sent again.

use std::collections::HashMap;

use super::super::statements::forgotten::{self, Rest, Sent};
use super::work::Work;
use crate::conversation::{Message, ObservedMessage, Skipped, Taken};
use crate::error::Result;
use crate::memory::MemoryDraft;
use crate::ports::VaultTransaction;
use crate::statements::Recognizer;

impl Work {
    /// Returns, by position, what is left of new messages that say something forgotten; skips those that say nothing else.
    pub(super) async fn not_forgotten(
        &self,
        tx: &mut dyn VaultTransaction,
        by: Option<&Recognizer>,
        outcomes: &mut [Option<ObservedMessage>],
    ) -> Result<HashMap<usize, String>> {
        let Some(by) = by else { return Ok(HashMap::new()) };
        let (input, mut left) = (&self.input, HashMap::new());
        let new = input.messages.iter().enumerate().filter(|(index, _)| outcomes[*index].is_none());
        let whole = |message: &Message| {
            let taken = Taken { content: message.content.trim(), sent: "", position: 0 };
            message.draft(&input.session_id, &input.namespace, input.sensitive, taken)
        };
        let drafts: Vec<(usize, MemoryDraft)> = new.map(|(index, message)| (index, whole(message))).collect();
        let sent = |(index, draft)| (index, Sent { draft, at: draft.occurred_at, is_import: false });
        let sent: Vec<_> = drafts.iter().map(|(index, draft)| sent((*index, draft))).collect();
        for (index, rest) in forgotten::left_of(tx.as_reader(), by, &sent).await? {
            match rest {
                Rest::Nothing(_) => outcomes[index] = Some(ObservedMessage::Skipped(Skipped::Forgotten)),
                Rest::Text(text) => drop(left.insert(index, text)),
            }
        }
        Ok(left)
    }
}
