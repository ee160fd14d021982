//! The transaction: decides which messages are new, and stores them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::compact_session::covered_ids;
use super::super::idempotency::{self, Key};
use super::super::prepared::Prepared;
use super::super::statements::forgotten;
use super::super::store_conversation::{StoreConversation, Stored};
use super::input::ObserveInput;
use super::known::{Aligned, Known, Matching};
use crate::access::Caller;
use crate::compacting::{Batches, asks};
use crate::context::{Digest, Fingerprints, HandedOut, sentences};
use crate::conversation::{
    Alignment, Left, Message, Observed, ObservedMessage, Said, Skipped, Taken, id_of, sent_digest, without,
};
use crate::error::Result;
use crate::extraction::{Mode, UnreadTurn, mask};
use crate::ids::MemoryId;
use crate::memory::{Detail, Role};
use crate::ports::{Ids, Job, NewMemory, VaultTransaction, WriteContext};
use crate::settings::{CompactingDefaults, ServerDefaults};
use crate::statements::Recognizer;
use crate::tables::{TableRow as _, find, put};
use crate::time::{Span, Timestamp};

/// A job whose turns are overdue for this long has failed, and another one is enqueued.
const ASKED_AGAIN_AFTER: Span = Span::seconds(60);
/// Seconds after which a job reads turns that a caller waits for, should the caller's process die.
const WAITING_S: u32 = 30;

/// A checked call.
pub(super) struct Work {
    pub(super) input: ObserveInput,
    /// Position of the first message in its stream, for errors.
    pub(super) first: usize,
    pub(super) matching: Matching,
    pub(super) key: Option<Key>,
    pub(super) prints: Fingerprints,
    pub(super) now: Timestamp,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) defaults: Arc<ServerDefaults>,
    pub(super) caller: Option<Arc<Caller>>,
}

/// The result of a transaction.
#[derive(Default)]
pub(super) struct Done {
    pub(super) observed: Observed,
    pub(super) stored: Stored,
    /// How the messages after these are matched; `None` for a replay.
    pub(super) matching: Option<Matching>,
}

impl Work {
    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Done> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(observed) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(Done { observed, ..Done::default() });
        }
        let CompactingDefaults { on, batch, keep, .. } = self.defaults.compacting;
        let by = Batches::whole(batch, keep);
        let recognizer = forgotten::recognizer(tx.as_reader()).await?;
        let least = if on { by.at_least } else { 0 };
        let known = Known::read(tx, &self.input, (self.matching, least), recognizer.as_ref()).await?;
        let (mut outcomes, alignments) = self.aligned(&known, recognizer.as_ref());
        let left = self.not_forgotten(tx, recognizer.as_ref(), &mut outcomes).await?;
        let handed_out = self.handed_out(tx, &outcomes).await?;
        let items = self.drafts(&known, (&handed_out, &left), recognizer.as_ref(), &mut outcomes)?;
        let stored = if items.is_empty() { Stored::default() } else { self.store(tx, &context, &items).await? };
        if on {
            self.compact_later(tx, by, &known, &stored.memories).await?;
        }
        let matching = known.matching_next(&alignments, items.len());
        let messages = outcomes.into_iter().flatten().collect();
        let observed = Observed { messages, archived: stored.moved.len() as u64, problems: Vec::new() };
        idempotency::remember(self.key.as_ref(), tx, &observed, self.now).await?;
        Ok(Done { observed, stored, matching: Some(matching) })
    }

    /// Returns the outcomes of messages that are not stored, `None` for the others, and the alignments of messages.
    fn aligned<'k>(&self, known: &'k Known, by: Option<&Recognizer>) -> (Vec<Option<ObservedMessage>>, Aligned<'k>) {
        let messages = &self.input.messages;
        let mut outcomes: Vec<_> = messages.iter().map(|message| self.skipped(message)).collect();
        let asked: Vec<usize> = (0..messages.len()).filter(|index| outcomes[*index].is_none()).collect();
        let said: Vec<Said> = asked.iter().map(|index| said(&messages[*index], by)).collect();
        let mut seen = HashMap::new();
        let alignments = known.alignments(&said);
        for (index, alignment) in asked.into_iter().zip(&alignments.alignments) {
            let id = &messages[index].id;
            let stored = known.by_id.get(&index).copied().map(ObservedMessage::Duplicate);
            let before = seen.get(id).copied().map(ObservedMessage::Duplicate);
            outcomes[index] = stored.or(before).or(match alignment {
                Alignment::Stored(turn) => Some(ObservedMessage::Duplicate(alignments.turns.ids[*turn])),
                Alignment::Past => Some(ObservedMessage::Skipped(Skipped::Past)),
                Alignment::New => None,
            });
            if !id.is_empty() {
                seen.insert(id.clone(), self.id_of(&messages[index]));
            }
        }
        // Messages before one that is known by its id were erased.
        let known = known.by_id.keys().max().copied().unwrap_or(0);
        for outcome in outcomes[..known].iter_mut().filter(|outcome| outcome.is_none()) {
            *outcome = Some(ObservedMessage::Skipped(Skipped::Past));
        }
        (outcomes, alignments)
    }

    fn skipped(&self, message: &Message) -> Option<ObservedMessage> {
        let why = if !message.problems.is_empty() {
            Skipped::Invalid
        } else if message.content.trim().is_empty() {
            Skipped::Empty
        } else if message.role == Role::System && !self.input.keep_system {
            Skipped::System
        } else {
            return None;
        };
        Some(ObservedMessage::Skipped(why))
    }

    fn id_of(&self, message: &Message) -> MemoryId {
        id_of(&self.input.session_id, &self.input.namespace, self.input.sensitive, message)
    }

    /// Returns which sentences of new messages were handed out before. Those of goals count only for callers who reach all memories.
    async fn handed_out(
        &self,
        tx: &mut dyn VaultTransaction,
        outcomes: &[Option<ObservedMessage>],
    ) -> Result<HashSet<Digest>> {
        let new = self.input.messages.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_none());
        let spoken = new.map(|(message, _)| message).filter(|message| message.role != Role::User);
        let digests = spoken.flat_map(|message| sentences(&message.content)).map(|one| self.prints.of(&one));
        let digests: Vec<Digest> = digests.collect::<HashSet<_>>().into_iter().collect();
        let found = HandedOut::among(tx.as_reader(), &digests).await?;
        let reaches_all = self.caller.as_ref().is_none_or(|caller| caller.grant.rows.are_all());
        Ok(found.into_iter().filter(|one| reaches_all || one.memory.is_some()).map(|one| one.digest).collect())
    }

    /// Drafts turns of new messages, and notes the outcome of each.
    fn drafts(
        &self,
        known: &Known,
        (handed_out, left_over): (&HashSet<Digest>, &HashMap<usize, String>),
        recognizer: Option<&Recognizer>,
        outcomes: &mut [Option<ObservedMessage>],
    ) -> Result<Vec<Prepared>> {
        let input = &self.input;
        let mut items = Vec::new();
        for (index, message) in input.messages.iter().enumerate() {
            if outcomes[index].is_some() {
                continue;
            }
            let said = left_over.get(&index).unwrap_or(&message.content);
            let left = without(message.role, said, &self.prints, &|digest| handed_out.contains(digest));
            let content = match &left {
                Left::All => said.trim(),
                Left::Part(part) => part,
                Left::Nothing => {
                    outcomes[index] = Some(ObservedMessage::Skipped(Skipped::HandedOut));
                    continue;
                }
            };
            let content = self.masked(content);
            let most = self.defaults.draft_limits.max_content_bytes;
            let start = &content[..content.floor_char_boundary(most)];
            let (cut, without_quotes) = (start.len() < content.len(), left != Left::All);
            let masked = matches!(content, Cow::Owned(_));
            let without_forgotten = left_over.contains_key(&index);
            let is_part = cut || without_quotes || masked || without_forgotten;
            let sent = if is_part { sent_digest(&message.content) } else { String::new() };
            // A short sentence that was forgotten could be guessed from a plain digest.
            let by = recognizer.filter(|_| without_forgotten);
            let sent = by.map_or_else(|| sent.clone(), |by| by.keyed(&sent));
            let position = known.next + i64::try_from(items.len()).unwrap_or(i64::MAX);
            let taken = Taken { content: start, sent: &sent, position };
            let draft = message.draft(&input.session_id, &input.namespace, input.sensitive, taken);
            let draft = draft.normalized(&format!("messages[{}]", self.first + index), self.defaults.draft_limits)?;
            let new = || MemoryId(self.ids.new_id(self.now));
            let id = if message.id.is_empty() { new() } else { self.id_of(message) };
            items.push(Prepared::new(draft, id, self.now, self.caller.as_deref()));
            outcomes[index] = Some(ObservedMessage::Stored { id, cut, without_quotes, masked, without_forgotten });
        }
        Ok(items)
    }

    /// Masks keys, passwords and account numbers in a content, unless they are kept.
    fn masked<'c>(&self, content: &'c str) -> Cow<'c, str> {
        if self.defaults.extraction.mask_secrets { mask(content) } else { Cow::Borrowed(content) }
    }

    /// Stores turns, and notes which are to be read.
    async fn store(&self, tx: &mut dyn VaultTransaction, context: &WriteContext, items: &[Prepared]) -> Result<Stored> {
        let storing = StoreConversation {
            action: "conversation.observe",
            now: self.now,
            ids: &self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            traceparent: self.input.traceparent.as_deref(),
        };
        let stored = storing.run(tx, context, items).await?;
        if self.defaults.extraction.on && self.input.extraction != Mode::Skip {
            self.read_later(tx, &stored.memories).await?;
        }
        Ok(stored)
    }

    /// Enqueues a job that compacts the session, if it has enough turns that no summary covers.
    async fn compact_later(
        &self,
        tx: &mut dyn VaultTransaction,
        by: Batches,
        known: &Known,
        new: &[NewMemory],
    ) -> Result<()> {
        let Some(last) = new.last() else { return Ok(()) };
        if known.newest.ids.len() + new.len() < by.at_least {
            return Ok(());
        }
        let newest = &known.newest.ids[known.newest.ids.len().saturating_sub(by.at_least)..];
        let uncompacted = newest.len() - covered_ids(tx.as_reader(), newest).await?.len();
        if asks(uncompacted, new.len(), known.next, by) {
            let job = Job::Compact { turn_id: last.id };
            tx.enqueue(self.ids.new_id(self.now), &job, self.now, self.input.traceparent.as_deref()).await?;
        }
        Ok(())
    }

    /// Notes that what people and assistants said is to be read. Enqueues a job unless one is under way.
    async fn read_later(&self, tx: &mut dyn VaultTransaction, memories: &[NewMemory]) -> Result<()> {
        let waits = self.input.extraction == Mode::Wait;
        let after_s = if waits { WAITING_S } else { 0 };
        let due = self.now.plus(Span::seconds(i64::from(after_s)));
        let unread = |memory: &NewMemory| match &memory.draft.detail {
            Some(Detail::Turn(turn)) if matches!(turn.role, Role::User | Role::Assistant) => {
                Some(UnreadTurn { due, position: turn.position, turn: memory.id })
            }
            _ => None,
        };
        let unread: Vec<UnreadTurn> = memories.iter().filter_map(unread).collect();
        if unread.is_empty() {
            return Ok(());
        }
        let oldest = find::<UnreadTurn>(tx.as_reader(), &UnreadTurn::query().at_most(1)).await?;
        put(tx, &unread).await?;
        let is_under_way =
            |oldest: &UnreadTurn| oldest.due <= self.now && self.now < oldest.due.plus(ASKED_AGAIN_AFTER);
        if waits || !oldest.first().is_some_and(is_under_way) {
            let job = Job::Extract { after_s: u64::from(after_s) };
            tx.enqueue(self.ids.new_id(self.now), &job, self.now, self.input.traceparent.as_deref()).await?;
        }
        Ok(())
    }
}

/// Returns what is compared of a message.
fn said(message: &Message, by: Option<&Recognizer>) -> Said {
    let sent = sent_digest(&message.content);
    Said {
        id: message.id.clone(),
        role: message.role,
        digest: by.map_or_else(|| sent.clone(), |by| by.keyed(&sent)),
        bytes: message.content.len(),
        at: message.at,
        position: 0,
    }
}
