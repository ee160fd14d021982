//! Imports a conversation for a user.

use kimberly_core::ids::Seq;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{BatchCreateMemoriesRequest, MemoryDraft};
use tonic::transport::Channel;

use super::dataset::{Conversation, Question, Turn};
use crate::Result;

/// The granularity of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One memory per turn.
    Turns,
    /// One memory per session.
    Sessions,
}

impl Unit {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Turns, Self::Sessions];

    /// Its name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Sessions => "sessions",
        }
    }
}

/// The memory of each turn.
#[derive(Debug)]
pub(crate) struct Imported {
    /// Memory ids by turn index.
    by_turn: Vec<String>,
    /// Memory ids in order of creation, which is the order of their numbers in the vault, from 1.
    by_number: Vec<String>,
}

impl Imported {
    /// The evidence memories of a question, each once; `None` for one that does not exist.
    pub(crate) fn wanted(&self, question: &Question) -> Vec<Option<String>> {
        let mut wanted: Vec<Option<String>> = Vec::new();
        for turn in &question.evidence {
            let id = turn.and_then(|turn| self.by_turn.get(turn).cloned());
            if id.is_none() || !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        wanted
    }
}

impl Imported {
    /// The memory with this number in the vault.
    pub(crate) fn memory(&self, seq: Seq) -> Option<String> {
        self.by_number.get(usize::try_from(seq.0).ok()?.checked_sub(1)?).cloned()
    }
}

/// Imports a conversation in one batch.
pub(crate) async fn import(channel: &Channel, unit: Unit, user: &str, conversation: &Conversation) -> Result<Imported> {
    let turns = &conversation.turns;
    let groups: Vec<&[Turn]> = match unit {
        Unit::Turns => turns.chunks(1).collect(),
        Unit::Sessions => turns.chunk_by(|a, b| a.session == b.session).collect(),
    };
    let memories = groups.iter().map(|group| draft(unit, group)).collect();
    let request =
        BatchCreateMemoriesRequest { user_id: user.to_owned(), memories, always_new: true, ..Default::default() };
    let receipts =
        MemoryServiceClient::new(channel.clone()).batch_create_memories(request).await?.into_inner().receipts;
    let by_number: Vec<String> = receipts.into_iter().map(|receipt| receipt.id).collect();
    let by_turn = groups.iter().zip(&by_number).flat_map(|(group, id)| vec![id.clone(); group.len()]).collect();
    Ok(Imported { by_turn, by_number })
}

fn draft(unit: Unit, turns: &[Turn]) -> MemoryDraft {
    let seconds = turns.first().map(|turn| turn.session_at + i64::try_from(turn.position).unwrap_or(0));
    let occurred_at = seconds.map(|seconds| prost_types::Timestamp { seconds, nanos: 0 });
    if let (Unit::Turns, [turn]) = (unit, turns) {
        return MemoryDraft {
            content: turn.text.clone(),
            speaker: turn.speaker.clone(),
            session_id: format!("session_{}", turn.session),
            occurred_at,
            ..MemoryDraft::default()
        };
    }
    let lines: Vec<String> = turns.iter().map(|turn| format!("{}: {}", turn.speaker, turn.text)).collect();
    MemoryDraft { content: lines.join("\n"), occurred_at, ..MemoryDraft::default() }
}
