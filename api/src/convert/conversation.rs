//! Converts messages from the contract; their outcomes and contexts to the contract.

use kimberly_core::context::{Part, Taken};
use kimberly_core::conversation::{Message, Observed, ObservedMessage, Received, Skipped};
use kimberly_core::extraction::{Candidate, Explained, Extraction, LeftOut, ReadBy, ReadTurn};
use kimberly_core::memory::{RecordKind, Role};
use kimberly_core::usecases::ContextOutput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1::{self, MessageOutcome as Outcome};

use super::enums::{self, WireEnum as _};
use super::problems::Problems;
use super::{attributes, int32, time};

/// Converts messages. Those that are invalid carry their problems.
pub fn messages(raw: Vec<v1::Message>) -> Result<Vec<Message>> {
    raw.into_iter().enumerate().map(|(index, one)| one_message(&format!("messages[{index}]"), one)).collect()
}

/// Converts a message, which carries its problems. `path` names it in them.
pub fn one_message(path: &str, raw: v1::Message) -> Result<Message> {
    let mut problems = Problems::default();
    let unreadable = Received::unreadable(raw.unreadable.clone()).unreadable;
    let one = message(path, raw, &mut problems);
    if !unreadable.is_empty() {
        // Its other fields are as empty as its role.
        problems = Problems::default();
        problems.add(path, format!("cannot be read: {unreadable}"));
    }
    match problems.finish(()) {
        Err(Error::Invalid(problems)) => Ok(Message { problems, ..one }),
        Err(other) => Err(other),
        Ok(()) => Ok(one),
    }
}

fn message(path: &str, raw: v1::Message, problems: &mut Problems) -> Message {
    let at = |field: &str| format!("{path}.{field}");
    let attributes = raw.attributes.map(|given| attributes::to_json(&at("attributes"), &given));
    Message {
        id: raw.id,
        role: problems.take(&at("role"), enums::set(raw.role).map(Some)).unwrap_or(Role::User),
        content: raw.content,
        name: raw.name,
        at: problems.take(&at("time"), time::optional_timestamp(raw.time)),
        tool: raw.tool,
        tool_call_id: raw.tool_call_id,
        attributes: problems.absorb(attributes.transpose()).flatten(),
        problems: Vec::new(),
    }
}

/// Converts the outcome of messages to the contract.
pub fn observed(observed: Observed) -> v1::ObserveResponse {
    let mut messages: Vec<v1::ObservedMessage> = observed.messages.into_iter().map(observed_message).collect();
    for (index, problem) in observed.problems {
        if let Some(message) = messages.get_mut(index) {
            message.problem = problem;
        }
    }
    let stored = messages.iter().filter(|one| one.outcome() == Outcome::Stored).count();
    let archived = super::int64(observed.archived);
    v1::ObserveResponse { messages, stored: int32(stored), archived, extracted: Vec::new() }
}

/// Converts what was extracted from a turn to the contract.
pub fn extracted(turn: ReadTurn) -> v1::ExtractedTurn {
    let ids = |ids: Vec<MemoryId>| ids.into_iter().map(|id| id.to_string()).collect();
    v1::ExtractedTurn {
        id: turn.turn.to_string(),
        made_ids: ids(turn.made),
        merged_ids: ids(turn.merged),
        superseded_ids: ids(turn.superseded),
        left_out: turn.left_out.iter().map(left_out).collect(),
        extracted_by: turn.by.number(),
        statements: Vec::new(),
        judged: Vec::new(),
    }
}

/// Converts what would be extracted from a message to the contract.
pub fn would_extract((found, judged): (Extraction, Vec<Explained>)) -> v1::ExtractedTurn {
    v1::ExtractedTurn {
        left_out: found.left_out.iter().map(left_out).collect(),
        extracted_by: ReadBy::Rules.number(),
        statements: found.candidates.into_iter().map(statement).collect(),
        judged: judged.into_iter().map(judged_claim).collect(),
        ..v1::ExtractedTurn::default()
    }
}

fn judged_claim(claim: Explained) -> v1::JudgedClaim {
    v1::JudgedClaim {
        start_byte: byte(claim.span.start),
        end_byte: byte(claim.span.end),
        probability: claim.probability.into(),
        owner: claim.owner.to_owned(),
        polarity: claim.polarity.to_owned(),
        slot: claim.slot.unwrap_or_default().to_owned(),
        reasons: claim.reasons,
    }
}

fn statement(candidate: Candidate) -> v1::ExtractedStatement {
    v1::ExtractedStatement {
        kind: candidate.class.kind().number(),
        content: candidate.content,
        subject: candidate.subject,
        importance: candidate.importance.into(),
        confidence: candidate.confidence,
        start_byte: byte(candidate.span.start),
        end_byte: byte(candidate.span.end),
    }
}

fn left_out(left: &LeftOut) -> v1::UnextractedSpan {
    v1::UnextractedSpan { reason: left.why.number(), start_byte: byte(left.span.start), end_byte: byte(left.span.end) }
}

fn byte(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn observed_message(message: ObservedMessage) -> v1::ObservedMessage {
    let of = |outcome: Outcome| v1::ObservedMessage { outcome: outcome.into(), ..v1::ObservedMessage::default() };
    match message {
        ObservedMessage::Stored { id, cut, without_quotes, masked, without_forgotten } => {
            let id = id.to_string();
            v1::ObservedMessage { id, cut, without_quotes, masked, without_forgotten, ..of(Outcome::Stored) }
        }
        ObservedMessage::Duplicate(id) => v1::ObservedMessage { id: id.to_string(), ..of(Outcome::Duplicate) },
        ObservedMessage::Skipped(why) => of(match why {
            Skipped::Empty => Outcome::Empty,
            Skipped::System => Outcome::System,
            Skipped::HandedOut => Outcome::HandedOut,
            Skipped::Past => Outcome::Past,
            Skipped::Invalid => Outcome::Invalid,
            Skipped::Forgotten => Outcome::Forgotten,
        }),
    }
}

/// Parses the requested parts of a context.
pub fn parts(raw: &[i32]) -> Result<Vec<Part>> {
    let mut problems = Problems::default();
    let take = |(index, raw): (usize, &i32)| problems.take(&format!("parts[{index}]"), enums::set(*raw).map(Some));
    let parts = raw.iter().enumerate().filter_map(take).collect();
    problems.finish(parts)
}

/// Converts a context to the contract.
pub fn context(output: ContextOutput) -> v1::GetContextResponse {
    let context = output.context;
    let left_out = context.left_out.into_iter();
    v1::GetContextResponse {
        text: context.text,
        tokens: count(context.tokens),
        budget_tokens: count(output.budget),
        items: context.taken.into_iter().map(item).collect(),
        left_out: left_out.map(|(part, items)| v1::LeftOut { part: part.number(), items: int32(items) }).collect(),
        query: output.query,
        semantic: output.semantic.number(),
    }
}

fn item(taken: Taken) -> v1::ContextItem {
    let Taken { item, bytes, tokens } = taken;
    v1::ContextItem {
        part: item.part.number(),
        id: item.id,
        kind: if item.seq.is_some() { item.kind.number() } else { RecordKind::Unset.number() },
        reason: item.why.number(),
        relevance: item.relevance,
        trust: item.part.trust().number(),
        start_byte: count(bytes.start),
        end_byte: count(bytes.end),
        start_token: count(tokens.start),
        end_token: count(tokens.end),
    }
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
