//! Writes a changed memory back: checks whether the caller may, under which consent, and whether there is room;
//! computes its new score, and starts the work that follows. The use case decides what changes, and by which request.

mod differences;

use super::admission::Admission;
use super::attachments::seal::seal_later;
use super::core_memory::{hold_total, may_change};
use super::covering::Covering;
use super::embed_later;
use super::insights::withdraw_resting;
use super::masking::mask_changed;
use super::merge::was_merged;
use super::named::{add_version, discard};
use super::protection::Protection;
use super::support::{entry, load, may_store};
use super::unsummarize::{Other, unsummarize};
use crate::access::Caller;
use crate::error::{Error, Result};
use crate::goals::Goal;
use crate::meditation::ScoringItem;
use crate::meditation::kinds::forget;
use crate::memory::{Feedback, Memory, MemoryDraft, MemoryState, SourceType, Tier, size_bytes};
use crate::ports::{Ids, VaultTransaction, WriteContext};
use crate::scoring::{ScoreRecord, Scorer, Weights};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::text::TextTraits;
use crate::time::Timestamp;
use crate::versions::Version;
use differences::{captures_differently, feels_differently, reads_differently, scores_differently};

/// Audit action of a meditation that writes over a profile.
pub(super) const DESCRIBE: &str = "memory.describe";

/// The data recorded with the version that a change creates.
#[derive(Clone, Debug, Default)]
pub(super) struct Versioning {
    /// Reason for the change.
    pub(super) reason: Option<String>,
    /// Whether to drop this version and earlier ones.
    pub(super) discard: bool,
}

/// The data that every write needs, and the options of this one.
pub(super) struct WriteBack<'a> {
    /// Name of the action, for the audit.
    pub(super) action: &'static str,
    pub(super) now: Timestamp,
    pub(super) ids: &'a dyn Ids,
    pub(super) defaults: &'a ServerDefaults,
    pub(super) caller: Option<&'a Caller>,
    /// Whether sensitive attachments are sealed.
    pub(super) seals: bool,
    /// Whether the caller named the consent record.
    pub(super) names_consent: bool,
    pub(super) versioning: &'a Versioning,
    pub(super) trace: Option<&'a str>,
}

/// Result of a write.
pub(super) struct Stored {
    /// The quota shares of the tiers that grew.
    pub(super) shares: Vec<(Tier, f64)>,
    /// Whether secrets were masked in what was written.
    pub(super) masked: bool,
}

impl WriteBack<'_> {
    /// Writes a memory back that was `before`. Its draft must be normalized, and all that does not follow from the
    /// draft must be final. Masks secrets in what changed.
    pub(super) async fn store(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        before: &Memory,
        memory: &mut Memory,
    ) -> Result<Stored> {
        let masked = mask_changed(&before.draft, &mut memory.draft, self.defaults);
        if masked {
            // A mask may be longer than what it hides.
            memory.draft = std::mem::take(&mut memory.draft).normalized("memory", self.defaults.draft_limits)?;
        }
        memory.draft.confidence = None;
        memory.size_bytes = size_bytes(&memory.draft);
        if feels_differently(&before.draft, &memory.draft) {
            memory.sentiment = memory.draft.sentiment();
        }
        if memory.draft.content != before.draft.content {
            memory.traits = TextTraits::of(&memory.draft.content);
        }
        self.own(tx, before, &mut memory.draft).await?;
        may_store(self.caller, [&memory.draft])?;
        may_change(&before.draft, Some(&memory.draft), self.caller)?;
        memory.draft = self.covered(tx, &before.draft, std::mem::take(&mut memory.draft)).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, self.defaults);
        let weights = settings.weights.value;
        hold_total(tx.as_reader(), &settings, &memory.draft, memory.id).await?;
        let admission = Admission::ask(tx, context, settings.clone(), growth(before, memory)).await?;
        Protection::of_change(before, memory).admit(tx, &settings).await?;
        let score = self.rescored(tx, before, memory, (&context.goals, weights)).await?;
        if let Some(record) = &score {
            memory.score = record.score;
        }
        self.store_version(tx, before, memory).await?;
        if let Some(other) = Other::of(&before.draft, &memory.draft)
            && unsummarize(tx, memory.id, other, self.now).await?
        {
            hold_again(tx, before, memory).await?;
        }
        if before.holds_at(self.now) && !memory.holds_at(self.now) {
            withdraw_resting(tx, memory.id, self.now).await?;
        }
        if reads_differently(&before.draft, &memory.draft) {
            forget(tx, memory.id).await?;
        }
        tx.update_memory(memory, score.as_ref()).await?;
        if memory.draft.metadata.sensitive && !before.draft.metadata.sensitive {
            // Its text is sealed in this transaction, its attachments by a later job.
            seal_later(tx, (self.seals, self.ids.new_id(self.now)), self.now).await?;
        }
        tx.audit(&entry(self.now, self.action, Some(memory.id.to_string()), 1)).await?;
        admission.follow_up(tx, self.ids, self.now, self.trace).await?;
        if before.draft != memory.draft {
            let tools = (self.ids, self.defaults);
            embed_later(tx, tools, Some(&context.settings.settings), self.now, self.trace).await?;
        }
        Ok(Stored { shares: admission.shares(), masked })
    }

    /// Marks what a meditation concluded or a merge made as a correction once a person edits it. All other changes
    /// leave its origin, so that it is found when its sources are erased. No other record can become a conclusion.
    async fn own(&self, tx: &mut dyn VaultTransaction, before: &Memory, after: &mut MemoryDraft) -> Result<()> {
        let was = &before.draft;
        if !was.was_concluded() && !was_merged(tx.as_reader(), before).await? {
            return after.refuse_concluded("memory");
        }
        if self.action == DESCRIBE {
            return Ok(());
        }
        refuse_other_origin(was, after)?;
        if was.content != after.content || was.detail != after.detail {
            after.source_type = Some(SourceType::Correction);
        }
        Ok(())
    }

    /// Stores the old version of a named record, if its content or its detail changes.
    async fn store_version(&self, tx: &mut dyn VaultTransaction, before: &Memory, memory: &Memory) -> Result<()> {
        if self.versioning.discard {
            return discard(tx, before.id).await;
        }
        let (was, is) = (&before.draft, &memory.draft);
        if was.name.is_none() || (was.content == is.content && was.detail == is.detail) {
            return Ok(());
        }
        let by = (self.action, self.caller.map_or("", Caller::author));
        add_version(tx, Version::of(before, by, self.versioning.reason.clone(), self.now)).await
    }

    /// Returns the draft under the consent record that covers it now. Looks for one only if the change stores something that a
    /// consent is about: a thumbs up needs none. A record that the caller named must cover the draft; any other may be replaced.
    async fn covered(
        &self,
        tx: &mut dyn VaultTransaction,
        before: &MemoryDraft,
        after: MemoryDraft,
    ) -> Result<MemoryDraft> {
        let named = self.names_consent;
        let asks = named || (after.metadata.sensitive && captures_differently(before, &after));
        if !asks {
            // True wherever there is a record, whatever was sent.
            return Ok(MemoryDraft { consent: after.consent || after.consent_id.is_some(), ..after });
        }
        if named && after.consent_id.is_none() && before.consent_id.is_some() && !after.metadata.sensitive {
            let problem = "must not be emptied: the memory was stored under a consent, and retracting must still reach it; \
                           name another active consent, or delete the memory";
            return Err(Error::conflict("memory.consent_id", problem));
        }
        let covering = Covering::read(tx.as_reader(), &[&after], self.now).await?;
        if named || after.consent_id.is_none() {
            return covering.covered(after, "memory");
        }
        covering
            .covered(after.clone(), "memory")
            .or_else(|_| covering.covered(MemoryDraft { consent_id: None, ..after }, "memory"))
    }

    /// Computes a new score, if its inputs have changed. Outcomes and accesses stay as they were.
    async fn rescored(
        &self,
        tx: &mut dyn VaultTransaction,
        before: &Memory,
        memory: &Memory,
        (goals, weights): (&[Goal], Weights),
    ) -> Result<Option<ScoreRecord>> {
        if !scores_differently(&before.draft, &memory.draft) {
            return Ok(None);
        }
        let stored = tx.records(&[memory.id]).await?.pop();
        let (helpful, unhelpful) = stored.map_or((0, 0), |record| (record.helpful, record.unhelpful));
        let tags = tx.tag_outcomes().await?;
        let item = ScoringItem {
            seq: memory.seq,
            content: memory.draft.content.clone(),
            tags: memory.draft.metadata.tags.clone(),
            sentiment: memory.sentiment,
            feedback: memory.draft.metadata.user_feedback.map(Feedback::valence),
            helpful,
            unhelpful,
            created_at: memory.created_at,
            last_seen_at: memory.last_seen_at,
            access_count: memory.access_count,
        };
        Ok(Some(Scorer::new(goals, weights, &tags, self.now.start_of_hour()).score(&item)))
    }
}

/// Takes over that a record holds again because a merge of it was erased, unless the change sets until when it holds.
async fn hold_again(tx: &mut dyn VaultTransaction, before: &Memory, memory: &mut Memory) -> Result<()> {
    let held = load(tx, memory.id).await?;
    memory.revision = held.revision + 1;
    (memory.state, memory.archived_at, memory.delete_after) = (held.state, held.archived_at, held.delete_after);
    if memory.draft.valid_to == before.draft.valid_to {
        memory.draft.valid_to = None;
    }
    Ok(())
}

/// Fails if a change sets another origin for what a meditation concluded or a merge made.
fn refuse_other_origin(was: &MemoryDraft, is: &MemoryDraft) -> Result<()> {
    let concluded = was.was_concluded();
    let changed = [
        ("source_type", was.source_type() != is.source_type()),
        ("source_ref", concluded && was.source_ref != is.source_ref),
        ("kind", concluded && was.kind != is.kind),
    ];
    let Some((field, _)) = changed.into_iter().find(|(_, changed)| *changed) else { return Ok(()) };
    let problem = "cannot be changed on a concluded or merged memory; leave it out, or store a new memory";
    Err(Error::conflict(format!("memory.{field}"), problem))
}

/// Returns the bytes that the change adds to a tier; none for an archived memory, which counts for no tier.
fn growth(before: &Memory, after: &Memory) -> Vec<(Tier, u64)> {
    if after.state != MemoryState::Active {
        return Vec::new();
    }
    let held = if before.draft.tier == after.draft.tier { before.size_bytes } else { 0 };
    let added = after.size_bytes.saturating_sub(held);
    if added == 0 { Vec::new() } else { vec![(after.draft.tier, added)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Creator, NIGHT, RecordKind};

    #[test]
    fn no_caller_says_that_what_was_concluded_or_merged_is_something_else() {
        let merged = MemoryDraft {
            created_by: Creator::System,
            source_type: Some(SourceType::Consolidation),
            ..MemoryDraft::default()
        };
        let insight = MemoryDraft {
            kind: RecordKind::Insight,
            source_type: Some(SourceType::Inference),
            source_ref: Some(format!("{NIGHT}7")),
            ..merged.clone()
        };
        let refused = |was: &MemoryDraft, change: fn(&mut MemoryDraft)| {
            let mut is = was.clone();
            change(&mut is);
            refuse_other_origin(was, &is).is_err()
        };
        for was in [&merged, &insight] {
            assert!(refused(was, |draft| draft.source_type = None));
            assert!(!refused(was, |draft| draft.content = "Ana moved".to_owned()));
        }
        assert!(
            refused(&insight, |draft| draft.source_ref = None)
                && refused(&insight, |draft| draft.kind = RecordKind::Note)
        );
        assert!(!refused(&merged, |draft| draft.kind = RecordKind::Fact), "a merge is known by its links");
    }
}
