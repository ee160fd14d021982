//! Records what a person decides about entities: that two are the same or are not, what one is called, or that one is
//! none. Also takes such a decision back.

use std::sync::Arc;

use crate::bounds::MAX_ENTITY_NAME_BYTES;
use crate::boxed;
use crate::entities::{Mention, NameId, Ruled, Ruling};
use crate::error::{Error, Result};
use crate::ids::{EntityId, UserId};
use crate::memory::label_problem;
use crate::ports::VaultTransaction;
use crate::tables::{delete, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

/// Most records per name that a decision is stored under: the newest that hold the name.
const UNDER: usize = 32;

/// A decision about entities, to record or to take back.
#[derive(Clone, Debug)]
pub struct RuleInput {
    /// The kind of decision.
    pub ruled: Ruled,
    /// The name that it is about.
    pub id: EntityId,
    /// The second name that it is about; the same as `id` where it is about one alone.
    pub other: EntityId,
    /// The new name, for [`Ruled::Called`].
    pub called: String,
    /// Whether to take the decision back.
    pub undo: bool,
}

impl RuleInput {
    fn check(&self) -> Result<()> {
        let about_two = matches!(self.ruled, Ruled::Same | Ruled::Apart);
        if about_two && self.id == self.other {
            return Err(Error::invalid("other_id", "is the same as `id`; name another one"));
        }
        if self.ruled == Ruled::Called && !(self.undo && self.called.is_empty()) {
            let empty = self.called.is_empty().then(|| "is empty; give a name".to_owned());
            if let Some(problem) = empty.or_else(|| label_problem(&self.called, MAX_ENTITY_NAME_BYTES)) {
                return Err(Error::invalid("name", problem));
            }
        }
        Ok(())
    }

    /// Name of the action, for the audit.
    const fn action(&self) -> &'static str {
        match (self.ruled, self.undo) {
            (Ruled::Same, false) => "entity.merge",
            (Ruled::Same, true) => "entity.unmerge",
            (Ruled::Apart, false) => "entity.split",
            (Ruled::Apart, true) => "entity.unsplit",
            (Ruled::Dismissed, false) => "entity.dismiss",
            (Ruled::Dismissed, true) => "entity.undismiss",
            (Ruled::Called, false) => "entity.rename",
            (Ruled::Called, true) => "entity.unrename",
        }
    }

    fn names(&self) -> (NameId, NameId) {
        let (one, other) = (NameId(self.id.0), NameId(self.other.0));
        if other < one { (other, one) } else { (one, other) }
    }

    async fn carry_out(&self, tx: &mut dyn VaultTransaction, now: Timestamp) -> Result<bool> {
        let (name, other) = self.names();
        let before = delete(tx, &Ruling::about(self.ruled, name, other)).await?;
        if self.undo {
            return Ok(before > 0);
        }
        // An earlier decision to the contrary no longer holds.
        if let Some(contrary) = match self.ruled {
            Ruled::Same => Some(Ruled::Apart),
            Ruled::Apart => Some(Ruled::Same),
            Ruled::Dismissed | Ruled::Called => None,
        } {
            delete(tx, &Ruling::about(contrary, name, other)).await?;
        }
        let mentions = Mention::of_names(tx.as_reader(), &[name, other], now).await?;
        let called = (self.ruled == Ruled::Called).then(|| self.called.clone());
        let under = |mention: &&Mention| Ruling {
            ruled: self.ruled,
            name,
            other,
            memory: mention.memory,
            at: now,
            called: called.clone(),
        };
        let holding = self.holding(&mentions)?;
        let rulings: Vec<Ruling> = holding.iter().map(under).collect();
        put(tx, &rulings).await?;
        Ok(before == 0 || called.is_some())
    }

    /// Returns the newest mentions of each name, one per record.
    fn holding<'m>(&self, mentions: &'m [Mention]) -> Result<Vec<&'m Mention>> {
        let (name, other) = self.names();
        let mut all: Vec<&Mention> = Vec::new();
        let mut spaces = Vec::new();
        for id in [name, other] {
            let mut of: Vec<&Mention> = mentions.iter().filter(|mention| mention.name == id).collect();
            of.sort_by(|a, b| b.at.cmp(&a.at).then(a.memory.cmp(&b.memory)));
            of.dedup_by_key(|mention| mention.memory);
            let missing = || Error::entity_not_found(EntityId(id.0));
            spaces.push(of.first().ok_or_else(missing)?.space);
            all.extend(of.into_iter().take(UNDER));
        }
        if spaces.first() != spaces.last() {
            return Err(Error::invalid("other_id", "is in another namespace; entities of namespaces stay separate"));
        }
        all.sort_by_key(|mention| mention.memory);
        all.dedup_by_key(|mention| mention.memory);
        Ok(all)
    }
}

impl App {
    /// Records a decision about entities, or takes it back; reports whether anything changed.
    #[boxed]
    pub async fn rule_entity(&self, user: &UserId, input: RuleInput) -> Result<bool> {
        input.check()?;
        let (now, id, input) = (self.clock.now(), input.id, Arc::new(input));
        let running = self.vaults.transact_existing(user, "entity.rule", move |tx| {
            let input = Arc::clone(&input);
            Box::pin(async move {
                let changed = input.carry_out(tx, now).await?;
                if changed {
                    tx.audit(&entry(now, input.action(), Some(input.id.to_string()), 1)).await?;
                }
                Ok(changed)
            })
        });
        running.await?.ok_or_else(|| Error::entity_not_found(id))
    }
}
