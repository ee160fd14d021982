//! Backdates memories by an import, the only way to set when a memory was created.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::import_item::Memory as Item;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::import_result::Outcome;
use tokio_stream::{StreamExt as _, iter};

use crate::User;

const DAY: i64 = 86_400;

impl User {
    /// Makes a memory `days` older. Its links are lost.
    pub async fn move_back(&mut self, id: &str, days: i64) {
        let mut memory = self.memory(id).await;
        self.forget_now(&[id]).await;
        let times = [&mut memory.created_at, &mut memory.updated_at, &mut memory.last_seen_at, &mut memory.occurred_at];
        for at in times.into_iter().flatten() {
            at.seconds -= days * DAY;
        }
        let record = pb::MemoryRecord { memory: Some(memory), ..Default::default() };
        let (user_id, import_id) = (self.id(), id.to_owned());
        let start = pb::ImportStart { user_id, import_id, with_forgotten: true, ..Default::default() };
        let item = pb::ImportItem { index: 0, memory: Some(Item::Record(record)) };
        let requests = [Message::Start(start), Message::Item(item)];
        let requests = requests.map(|message| pb::ImportMemoriesRequest { message: Some(message) });
        let mut answers = self.clients.memories.import_memories(iter(requests)).await.expect("an import").into_inner();
        while let Some(answer) = answers.next().await {
            let answer = answer.expect("an import goes on");
            let stored = |result: &pb::ImportResult| matches!(result.outcome, Some(Outcome::Receipt(_)));
            assert!(answer.results.iter().all(stored), "{answer:?}");
        }
    }
}
