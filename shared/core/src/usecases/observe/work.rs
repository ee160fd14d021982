//! The transaction: which messages are new, and what is stored of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::admission::Admission;
use super::super::covering::Covering;
use super::super::embed_later;
use super::super::idempotency::{self, Key};
use super::super::prepared::Prepared;
use super::super::support::{entry, may_store};
use super::ObserveInput;
use super::known::Known;
use super::room::Room;
use crate::access::Caller;
use crate::context::{Digest, Fingerprints, HandedOut, sentences};
use crate::conversation::{
    Left, Message, Observed, ObservedMessage, Place, Said, Skipped, Taken, id_of, place, sent_digest, without,
};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::memory::{MemoryDraft, Role, Tier};
use crate::ports::{Ids, NewMemory, VaultTransaction, WriteContext};
use crate::scoring::Scorer;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// A call, checked.
pub(super) struct Work {
    pub(super) input: ObserveInput,
    pub(super) key: Option<Key>,
    pub(super) prints: Fingerprints,
    pub(super) now: Timestamp,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) defaults: Arc<ServerDefaults>,
    pub(super) caller: Option<Arc<Caller>>,
}

/// What a transaction did.
#[derive(Default)]
pub(super) struct Done {
    pub(super) observed: Observed,
    /// How many were stored, by tier.
    pub(super) created: Vec<(Tier, u64)>,
    /// How full the tiers are that grew.
    pub(super) shares: Vec<(Tier, f64)>,
    /// What moved to the archive.
    pub(super) moved: Vec<Change>,
}

impl Work {
    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Done> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(observed) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(Done { observed, ..Done::default() });
        }
        let known = Known::read(tx, &self.input).await?;
        let mut outcomes = self.placed(&known);
        let handed_out = self.handed_out(tx, &outcomes).await?;
        let items = self.drafts(&known, &handed_out, &mut outcomes)?;
        let mut done = if items.is_empty() { Done::default() } else { self.store(tx, &context, items).await? };
        done.observed.messages = outcomes.into_iter().flatten().collect();
        idempotency::remember(self.key.as_ref(), tx, &done.observed, self.now).await?;
        Ok(done)
    }

    /// What becomes of messages that are not stored; of the others `None`.
    fn placed(&self, known: &Known) -> Vec<Option<ObservedMessage>> {
        let messages = &self.input.messages;
        let mut outcomes: Vec<_> = messages.iter().map(|message| self.skipped(message)).collect();
        let asked: Vec<usize> = (0..messages.len()).filter(|index| outcomes[*index].is_none()).collect();
        let said: Vec<Said> = asked.iter().map(|index| said(&messages[*index])).collect();
        let mut seen = HashMap::new();
        for (index, place) in asked.into_iter().zip(place(&known.said, &said)) {
            let id = &messages[index].id;
            let stored = known.by_id.get(&index).copied().map(ObservedMessage::Duplicate);
            let before = seen.get(id).copied().map(ObservedMessage::Duplicate);
            outcomes[index] = stored.or(before).or(match place {
                Place::Stored(turn) => Some(ObservedMessage::Duplicate(known.ids[turn])),
                Place::Past => Some(ObservedMessage::Skipped(Skipped::Past)),
                Place::New => None,
            });
            if !id.is_empty() {
                seen.insert(id.clone(), self.id_of(&messages[index]));
            }
        }
        outcomes
    }

    fn skipped(&self, message: &Message) -> Option<ObservedMessage> {
        let why = if message.content.trim().is_empty() {
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

    /// Which sentences of new messages were handed out before. Those of goals count only for callers who reach all.
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

    /// What is stored of new messages; notes what becomes of each.
    fn drafts(
        &self,
        known: &Known,
        handed_out: &HashSet<Digest>,
        outcomes: &mut [Option<ObservedMessage>],
    ) -> Result<Vec<Prepared>> {
        let input = &self.input;
        let mut items = Vec::new();
        for (index, message) in input.messages.iter().enumerate() {
            if outcomes[index].is_some() {
                continue;
            }
            let left = without(message.role, &message.content, &self.prints, &|digest| handed_out.contains(digest));
            let content = match &left {
                Left::All => message.content.trim(),
                Left::Part(part) => part,
                Left::Nothing => {
                    outcomes[index] = Some(ObservedMessage::Skipped(Skipped::HandedOut));
                    continue;
                }
            };
            let most = self.defaults.draft_limits.max_content_bytes;
            let start = &content[..content.floor_char_boundary(most)];
            let (cut, without_quotes) = (start.len() < content.len(), left != Left::All);
            let position = known.next + i64::try_from(items.len()).unwrap_or(i64::MAX);
            let taken = Taken { content: start, is_part: cut || without_quotes, position };
            let draft = message.draft(&input.session_id, &input.namespace, input.sensitive, taken);
            let draft = draft.normalized(&format!("messages[{index}]"), self.defaults.draft_limits)?;
            let new = || MemoryId(self.ids.new_id(self.now));
            let id = if message.id.is_empty() { new() } else { self.id_of(message) };
            items.push(Prepared::new(draft, id, self.now, self.caller.as_deref()));
            outcomes[index] = Some(ObservedMessage::Stored { id, cut, without_quotes });
        }
        Ok(items)
    }

    /// Stores turns, and makes room for them.
    async fn store(&self, tx: &mut dyn VaultTransaction, context: &WriteContext, items: Vec<Prepared>) -> Result<Done> {
        let drafts: Vec<&MemoryDraft> = items.iter().map(|item| &item.memory.draft).collect();
        may_store(self.caller.as_deref(), drafts.iter().copied())?;
        let covering = Covering::read(tx.as_reader(), &drafts, self.now).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let mut scorer = Scorer::new(&context.goals, settings.weights.value, &[], self.now.start_of_hour());
        let covered = |item: &Prepared| {
            let draft = covering.covered(item.memory.draft.clone(), "messages")?;
            Ok(NewMemory { draft, ..item.scored(&mut scorer) })
        };
        let memories: Vec<NewMemory> = items.iter().map(covered).collect::<Result<_>>()?;
        let seqs = tx.insert_memories(&memories).await?;
        let subject = Some(&memories).filter(|all| all.len() == 1).map(|all| all[0].id.to_string());
        tx.audit(&entry(self.now, "conversation.observe", subject, memories.len() as u64)).await?;
        let mut room = Room::new(context, &settings, (&memories, &seqs));
        let moved = room.make(tx, Arc::clone(&self.ids), self.now).await?;
        let after = WriteContext { usage: room.usage(), ..context.clone() };
        let admission = Admission::ask(tx, &after, settings.clone(), room.added()).await?;
        let (trace, tools) = (self.input.traceparent.as_deref(), (&*self.ids, &*self.defaults));
        admission.follow_up(tx, &*self.ids, self.now, trace).await?;
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        let of_tier = |tier: &Tier| memories.iter().filter(|memory| memory.draft.tier == *tier).count() as u64;
        let created = Tier::ALL.iter().map(|tier| (*tier, of_tier(tier))).filter(|(_, items)| *items > 0).collect();
        let observed = Observed { archived: moved.len() as u64, ..Observed::default() };
        Ok(Done { observed, created, shares: admission.shares(), moved })
    }
}

/// What is compared of a message.
fn said(message: &Message) -> Said {
    Said {
        id: message.id.clone(),
        role: message.role,
        digest: sent_digest(&message.content),
        bytes: message.content.len(),
        at: message.at,
    }
}
