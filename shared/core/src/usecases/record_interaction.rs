//! Counts one interaction with the person or agent of a relationship.

use serde::{Deserialize, Serialize};

use super::App;
use super::record_change::{RecordChange, Target};
use super::write_back::Versioning;
use crate::boxed;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Detail, Memory, MemoryReceipt};
use crate::time::Timestamp;

/// An interaction to count.
#[derive(Clone, Debug)]
pub struct InteractionInput {
    /// The relationship.
    pub id: MemoryId,
    /// How trustworthy they proved, 0 to 1; `None` leaves trust as it is.
    pub trust: Option<f64>,
    /// How it went, -1 to 1; `None` leaves sentiment as it is.
    pub sentiment: Option<f64>,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// A relationship as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Met {
    /// Number of interactions.
    pub interactions: i64,
    /// Trust in them, 0 to 1.
    pub trust: f64,
    /// Sentiment towards them, -1 to 1.
    pub sentiment: f64,
}

impl InteractionInput {
    fn check(&self) -> Result<()> {
        let felt = [("trust", self.trust, 0.0), ("sentiment", self.sentiment, -1.0)];
        let outside = felt.into_iter().filter_map(|(field, value, least)| {
            let value = value.filter(|value| !(least..=1.0).contains(value))?;
            Some(FieldViolation::new(field, format!("is {value}; {least} to 1 is allowed")))
        });
        let violations: Vec<FieldViolation> = outside.collect();
        if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
    }
}

impl App {
    /// Counts one interaction of an active relationship, and moves trust and sentiment towards the given values.
    #[boxed]
    pub async fn record_interaction(&self, user: &UserId, input: InteractionInput) -> Result<(MemoryReceipt, Met)> {
        input.check()?;
        let InteractionInput { id, trust, sentiment, request_id, traceparent } = input;
        let action = "relationship.interaction";
        let key = self.key(&request_id, action, &(id, trust, sentiment))?;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            let Some(Detail::Relationship(known)) = &mut memory.draft.detail else {
                return Err(no_relationship(memory));
            };
            known.count_interaction(trust, sentiment);
            Ok(Met { interactions: known.interactions, trust: known.trust, sentiment: known.sentiment })
        });
        let etag = String::new();
        let of = Target::Id(id);
        let versioning = Versioning::default();
        self.change_record(user, RecordChange { action, of, etag, key, versioning, traceparent, change, why: None })
            .await
    }
}

fn no_relationship(memory: &Memory) -> Error {
    let problem = "is not a relationship with an entity; list those by a filter on KIND_RELATIONSHIP";
    let kind = memory.draft.kind;
    Error::conflict("id", format!("names a memory of kind {kind}, which {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MemoryId;

    #[test]
    fn what_was_felt_is_held_to_its_bounds() {
        let id = MemoryId(uuid::Uuid::nil());
        let of =
            |trust, sentiment| InteractionInput { id, trust, sentiment, request_id: String::new(), traceparent: None };
        for (trust, sentiment) in [(None, None), (Some(0.0), Some(-1.0)), (Some(1.0), Some(1.0))] {
            assert!(of(trust, sentiment).check().is_ok(), "{trust:?} {sentiment:?}");
        }
        for (trust, sentiment, field) in
            [(Some(-0.1), None, "trust"), (Some(f64::NAN), None, "trust"), (None, Some(-1.1), "sentiment")]
        {
            let Err(Error::Invalid(found)) = of(trust, sentiment).check() else { panic!("{field} passed") };
            assert_eq!((found.len(), found[0].field.as_str()), (1, field));
        }
    }
}
