//! Makes a record of a higher layer from others. It is derived from each of them, so they count as processed.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::App;
use super::create_memories::{Also, CreateInput, PreparedMemories};
use super::idempotency::Key;
use super::links::add;
use super::support::{entry, load};
use crate::bounds::MAX_PROMOTED;
use crate::boxed;
use crate::error::{Error, FieldViolation, Result, StorageFailure};
use crate::ids::{ConsentId, MemoryId, UserId};
use crate::links::{Link, LinkDraft, Relation, evidence_problem};
use crate::memory::{Detail, Layer, Memory, MemoryDraft, MemoryReceipt, MemoryState, RecordKind, SourceType};
use crate::ports::{NewMemory, VaultTransaction};
use crate::time::Timestamp;

/// Action in the audit log.
const ACTION: &str = "memory.promote";

/// A record to make from others.
#[derive(Clone, Debug, Default)]
pub struct PromoteInput {
    /// The sources, 1 to 100, none of them deleted.
    pub ids: Vec<MemoryId>,
    /// The new record, of a higher layer than all of them. If its namespace or consent record is empty, it takes theirs.
    pub draft: MemoryDraft,
    /// The reason; empty for none.
    pub reason: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Stores a record that is derived from others, and returns its receipt.
    #[boxed]
    pub async fn promote_memories(&self, user: &UserId, input: PromoteInput) -> Result<MemoryReceipt> {
        let PromoteInput { ids, draft, reason, request_id, traceparent } = input;
        let key = self.key(&request_id, ACTION, &(&ids, &draft, &reason))?;
        let ids = checked(ids, &reason)?;
        let asked = ids.clone();
        let sources = self.vaults.read(user, move |reader| {
            let ids = asked.clone();
            Box::pin(async move {
                let seqs: Vec<_> = reader.seqs(&ids).await?.into_iter().map(|(_, seq)| seq).collect();
                reader.memories(&seqs).await
            })
        });
        let sources = sources.await?;
        let first = ids.iter().find(|id| sources.iter().all(|source| source.id != **id));
        if let Some(missing) = first {
            return Err(Error::memory_not_found(*missing));
        }
        let promoted = Promoted { sources: &sources, draft, reason, now: self.clock.now(), traceparent };
        let receipts = self.store_memories(user, self.prepare_promotion(promoted, key)?).await?;
        receipts.into_iter().next().ok_or_else(|| Error::storage(StorageFailure::Corrupt, "nothing was stored"))
    }

    /// Prepares a record that is derived from others, to be stored with its links to them.
    pub(super) fn prepare_promotion(&self, promoted: Promoted<'_>, key: Option<Key>) -> Result<PreparedMemories> {
        let Promoted { sources, draft, reason, now, traceparent } = promoted;
        let common = Common::of(sources)?;
        let drafts = vec![common.inherited(draft)?];
        let prepared = self.prepare_memories(CreateInput { drafts, traceparent, ..CreateInput::default() })?;
        let evidence = (!reason.is_empty()).then_some(reason);
        let ids = sources.iter().map(|source| source.id).collect();
        Ok(prepared.with_also(key, Arc::new(Promotion { ids, common, evidence, now })))
    }
}

/// A record to be made from others.
pub(super) struct Promoted<'s> {
    /// Its source records.
    pub(super) sources: &'s [Memory],
    /// The new record.
    pub(super) draft: MemoryDraft,
    /// The reason; empty for none.
    pub(super) reason: String,
    /// Time of its links.
    pub(super) now: Timestamp,
    /// W3C trace context, passed on to the work that follows.
    pub(super) traceparent: Option<String>,
}

/// Checks the sources and the reason; returns each source once, in a fixed order.
fn checked(ids: Vec<MemoryId>, reason: &str) -> Result<Vec<MemoryId>> {
    let mut violations = Vec::new();
    if ids.is_empty() || ids.len() > MAX_PROMOTED {
        let problem = format!("has {} entries; 1-{MAX_PROMOTED} are allowed", ids.len());
        violations.push(FieldViolation::new("ids", problem));
    }
    if let Some(problem) = evidence_problem(reason) {
        violations.push(FieldViolation::new("reason", problem));
    }
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    Ok(ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
}

/// The common properties of all sources, which the new record inherits.
#[derive(Clone, Debug, PartialEq)]
struct Common {
    namespace: String,
    sensitive: bool,
    consent_id: Option<ConsentId>,
    /// The highest of the sources' layers.
    layer: Layer,
}

impl Common {
    fn of(sources: &[Memory]) -> Result<Self> {
        let of = |memory: &Memory| {
            let draft = &memory.draft;
            (draft.namespace.clone(), draft.metadata.sensitive, draft.consent_id)
        };
        let Some(first) = sources.first() else { return Err(Error::invalid("ids", "is empty")) };
        if sources.iter().any(|source| of(source) != of(first)) {
            let problem = "differ in namespace, sensitivity or consent record; promote those that are alike";
            return Err(Error::conflict("ids", problem));
        }
        let layer = sources.iter().map(|source| source.draft.kind.layer()).max().unwrap_or(Layer::Capture);
        let (namespace, sensitive, consent_id) = of(first);
        Ok(Self { namespace, sensitive, consent_id, layer })
    }

    /// Returns the draft with what it inherits; fails if it belongs elsewhere or has no higher layer.
    fn inherited(&self, mut draft: MemoryDraft) -> Result<MemoryDraft> {
        let kind = draft.detail.as_ref().map_or(draft.kind, Detail::kind);
        let layer = kind.layer();
        if layer <= self.layer || layer == Layer::Supporting || kind == RecordKind::Unset {
            let problem = format!("is {kind}; name one of a layer above {} of the sources", self.layer);
            return Err(Error::conflict("memory.kind", problem));
        }
        if !draft.namespace.is_empty() && draft.namespace != self.namespace {
            return Err(Error::conflict("memory.namespace", "is not that of the sources; omit it"));
        }
        if draft.consent_id.is_some() && draft.consent_id != self.consent_id {
            return Err(Error::conflict("memory.consent_id", "is not that of the sources; omit it"));
        }
        draft.namespace.clone_from(&self.namespace);
        draft.consent_id = self.consent_id;
        draft.metadata.sensitive |= self.sensitive;
        draft.source_type = draft.source_type.or(Some(SourceType::Consolidation));
        Ok(draft)
    }
}

/// Fails if the source is deleted.
fn may_be_promoted(source: &Memory) -> Result<()> {
    if source.state == MemoryState::Deleted {
        return Err(Error::WrongState { id: source.id.to_string(), state: source.state, allowed: "restore it first" });
    }
    Ok(())
}

/// Writes the rows that belong to the new record.
struct Promotion {
    ids: Vec<MemoryId>,
    common: Common,
    evidence: Option<String>,
    now: Timestamp,
}

#[async_trait]
impl Also for Promotion {
    async fn after(&self, tx: &mut dyn VaultTransaction, new: &[NewMemory]) -> Result<()> {
        let Some(new) = new.first().map(|memory| memory.id) else { return Ok(()) };
        let mut sources = Vec::with_capacity(self.ids.len());
        for id in &self.ids {
            let source = load(tx, *id).await?;
            may_be_promoted(&source)?;
            sources.push(source);
        }
        if Common::of(&sources)? != self.common {
            return Err(Error::conflict("ids", "were changed meanwhile; repeat the call"));
        }
        let link = |id: &MemoryId| Link {
            evidence: self.evidence.clone(),
            ..LinkDraft::new(new, Relation::DerivedFrom, *id).into_link(self.now)
        };
        let links: Vec<Link> = self.ids.iter().map(link).collect();
        add(tx, &links).await?;
        tx.audit(&entry(self.now, ACTION, Some(new.to_string()), self.ids.len() as u64)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ValueDetail;

    fn common(layer: Layer) -> Common {
        Common { namespace: "work".to_owned(), sensitive: true, consent_id: None, layer }
    }

    fn refused(layer: Layer, draft: MemoryDraft) -> String {
        match common(layer).inherited(draft) {
            Err(Error::Conflict { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_higher_layers_are_made_and_none_beside_them() {
        let of = |kind| MemoryDraft { kind, ..MemoryDraft::default() };
        for (layer, kind) in [
            (Layer::Capture, RecordKind::Turn),
            (Layer::Capture, RecordKind::Playbook),
            (Layer::Capture, RecordKind::Unset),
            (Layer::Episodes, RecordKind::Episode),
            (Layer::Knowledge, RecordKind::Belief),
            (Layer::Identity, RecordKind::Value),
        ] {
            assert_eq!(refused(layer, of(kind)), "memory.kind", "{layer} {kind}");
        }
        let value = Detail::Value(ValueDetail { priority: 3 });
        let made = common(Layer::Knowledge).inherited(MemoryDraft { detail: Some(value), ..MemoryDraft::default() });
        let made = made.unwrap();
        assert_eq!((made.namespace.as_str(), made.metadata.sensitive), ("work", true));
        assert_eq!(made.source_type, Some(SourceType::Consolidation));
    }

    #[test]
    fn it_belongs_where_its_sources_do() {
        let elsewhere =
            MemoryDraft { kind: RecordKind::Episode, namespace: "home".to_owned(), ..MemoryDraft::default() };
        assert_eq!(refused(Layer::Capture, elsewhere), "memory.namespace");
        let consent_id = Some(ConsentId(uuid::Uuid::from_u128(1)));
        let other = MemoryDraft { kind: RecordKind::Episode, consent_id, ..MemoryDraft::default() };
        assert_eq!(refused(Layer::Capture, other), "memory.consent_id");
    }

    #[test]
    fn sources_are_held_to_their_number() {
        let ids = |most: u128| (1..=most).map(|id| MemoryId(uuid::Uuid::from_u128(id))).collect::<Vec<_>>();
        assert!(checked(ids(0), "").is_err() && checked(ids(101), "").is_err());
        assert!(checked(ids(1), "\0").is_err());
        let twice = [ids(100), ids(100)].concat();
        assert!(checked(twice, "").is_err(), "as sent, it is 200");
        assert_eq!(checked([ids(50), ids(50)].concat(), "").unwrap(), ids(50));
    }
}
