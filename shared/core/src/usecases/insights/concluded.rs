//! The earlier conclusions of meditations, and those that ended with a premise.

use std::collections::BTreeSet;

use super::{WITHDRAWN, list_kind, premises};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::Ending;
use crate::memory::{Memory, RecordKind};
use crate::ports::VaultReader;
use crate::reasoning::Conclusion;
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;

/// Conclusions that ended with a premise, and the end of validity that each got.
#[derive(Debug, Default)]
pub(crate) struct Withdrawn(BTreeSet<(MemoryId, Option<Timestamp>)>);

impl Withdrawn {
    /// Reads the withdrawn ones among some conclusions.
    pub(in crate::usecases) async fn read(reader: &mut dyn VaultReader, of: &[Memory]) -> Result<Self> {
        if of.is_empty() {
            return Ok(Self::default());
        }
        let query = Ending::query().among(&["memory_id"], of.iter().map(|memory| memory.id));
        let endings = find::<Ending>(reader, &query).await?.into_iter().filter(|ending| ending.why == WITHDRAWN);
        Ok(Self(endings.map(|ending| (ending.memory, ending.until)).collect()))
    }

    /// Reports whether a conclusion ever ended like this.
    pub(crate) fn once(&self, id: MemoryId) -> bool {
        self.0.iter().any(|(memory, _)| *memory == id)
    }

    /// Reports whether it ended like this, and its end was not changed since.
    pub(crate) fn ended(&self, memory: &Memory) -> bool {
        self.0.contains(&(memory.id, memory.draft.valid_to))
    }
}

/// The earlier conclusions of meditations.
#[derive(Debug, Default)]
pub(crate) struct Concluded {
    /// All conclusions, in any state, except withheld ones.
    pub(crate) all: Vec<Memory>,
    /// Those that once ended with a premise.
    pub(crate) withdrawn: Withdrawn,
}

impl Concluded {
    /// Reads all conclusions.
    pub(crate) async fn read(reader: &mut dyn VaultReader) -> Result<Self> {
        let mut all = list_kind(reader, RecordKind::Insight).await?;
        all.retain(|memory| memory.draft.was_concluded());
        Ok(Self { withdrawn: Withdrawn::read(reader, &all).await?, all })
    }

    /// Reports whether the same was concluded before and holds, or was ended by a person: then it is not concluded
    /// again. A conclusion that a person edited is the same if it rests on the same premises. An unchanged one ended
    /// when its premises did, and may be concluded again.
    pub(crate) fn knows(&self, namespace: &str, conclusion: &Conclusion, now: Timestamp) -> bool {
        let rests_on = conclusion.rests_on();
        let is_same = |memory: &&Memory| {
            let rests_so = || premises(memory).iter().copied().collect::<BTreeSet<_>>() == rests_on;
            let written_over = !memory.draft.is_concluded() && rests_so();
            memory.draft.namespace == namespace && (memory.draft.content == conclusion.text || written_over)
        };
        let mut same = self.all.iter().filter(is_same);
        same.any(|memory| memory.holds_at(now) || !(self.withdrawn.ended(memory) || memory.revision == 1))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::{EntityId, Seq};
    use crate::memory::MemoryDraft;
    use crate::reasoning::Rule;

    #[test]
    fn what_ended_with_its_time_is_concluded_again_and_what_a_person_ended_is_not() {
        let conclusion = Conclusion {
            rule: Rule::WorksIn,
            about: EntityId(Uuid::nil()),
            subject: "Ana".to_owned(),
            text: "Ana works in Porto.".to_owned(),
            confidence: 0.8,
            premises: Vec::new(),
            valid_from: None,
            valid_to: None,
        };
        let draft = MemoryDraft {
            content: conclusion.text.clone(),
            kind: RecordKind::Insight,
            valid_to: Some(Timestamp(5)),
            ..MemoryDraft::default()
        };
        let memory = Memory::new(MemoryId(Uuid::nil()), Seq(1), draft, Timestamp(0));
        let knows = |revision, at| {
            let before = Concluded { all: vec![Memory { revision, ..memory.clone() }], ..Concluded::default() };
            before.knows(&memory.draft.namespace, &conclusion, Timestamp(at))
        };
        assert!(knows(1, 4), "it holds");
        assert!(!knows(1, 6), "its premises may hold for longer by now");
        assert!(knows(2, 6), "a person ended it");
    }
}
