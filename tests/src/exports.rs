//! Exports a user's memories, and imports items as the command does.

use std::time::SystemTime;

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::import_item::Memory as Item;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::import_result::Outcome;
use prost_types::Timestamp;
use tokio_stream::{StreamExt as _, iter};

use crate::User;

/// The time of the machine, which the processes use, too.
#[expect(clippy::disallowed_methods, reason = "messages are older or newer than what the processes do now")]
pub fn now() -> Timestamp {
    SystemTime::now().into()
}

impl User {
    /// All memories of the user, in any state.
    pub async fn exported(&mut self) -> Vec<pb::MemoryRecord> {
        let request = pb::ExportMemoriesRequest { user_id: self.id(), ..Default::default() };
        let mut pieces = self.clients.memories.export_memories(request).await.expect("an export").into_inner();
        let mut records = Vec::new();
        while let Some(piece) = pieces.next().await {
            records.extend(piece.expect("the export goes on").records);
        }
        records
    }

    /// Imports exported memories under an import id; returns the outcomes in their order.
    pub async fn imported(&mut self, import_id: &str, records: Vec<pb::MemoryRecord>) -> Vec<Outcome> {
        self.import_items(import_id, records.into_iter().map(Item::Record).collect()).await
    }

    /// Imports items under an import id; returns the outcomes in their order.
    pub async fn import_items(&mut self, import_id: &str, items: Vec<Item>) -> Vec<Outcome> {
        let (user_id, import_id) = (self.id(), import_id.to_owned());
        let start = Message::Start(pb::ImportStart { user_id, import_id, ..Default::default() });
        let item = |(index, memory)| Message::Item(pb::ImportItem { index, memory: Some(memory) });
        let messages = std::iter::once(start).chain((0..).zip(items).map(item));
        let requests: Vec<_> = messages.map(|message| pb::ImportMemoriesRequest { message: Some(message) }).collect();
        let mut answers = self.clients.memories.import_memories(iter(requests)).await.expect("an import").into_inner();
        let mut results = Vec::new();
        while let Some(answer) = answers.next().await {
            results.extend(answer.expect("the import goes on").results);
        }
        results.sort_by_key(|result| result.index);
        results.into_iter().filter_map(|result| result.outcome).collect()
    }
}
