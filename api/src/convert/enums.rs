//! Converts closed sets by name. An unknown number is refused with a list of the allowed ones. The contract defines the
//! meaning of unset.

use std::sync::LazyLock;

use kimberly_core::access::{CredentialKind, Operation};
use kimberly_core::compacting::SummarizedBy;
use kimberly_core::consent::{ConsentStatus, GivenBy, Retraction};
use kimberly_core::context::{Part, Trust, Why};
use kimberly_core::entities::{EntityRelation, EntityType};
use kimberly_core::extraction::{Mode, ReadBy, Why as Unextracted};
use kimberly_core::goals::{GoalKind, GoalStatus};
use kimberly_core::links::Relation;
use kimberly_core::meditation::{Kind, MeditationStatus, Reason, Trigger};
use kimberly_core::memory::{
    ChangeKind, ClosedSet, ConfidenceReason, Creator, EmbedMark, InsightType, Layer, MemoryState, NoteType, Outcome,
    OutcomeType, Polarity, RecordKind, Role, Scope, Source, SourceType, Tier,
};
use kimberly_core::retention::Temperature;
use kimberly_core::reviews::{ReviewChange, ReviewKind};
use kimberly_core::scoring::Preset;
use kimberly_core::usecases::SemanticStatus;
use kimberly_core::usecases::links::Resolution;
use kimberly_proto::v1;

use super::problems::Problems;

/// A closed set that the contract also defines.
pub trait WireEnum: ClosedSet {
    /// Returns every value with its number and name in the contract.
    fn values() -> &'static [(Self, i32, &'static str)];

    /// Returns the value's number in the contract.
    fn number(self) -> i32 {
        Self::values().iter().find(|(value, ..)| *value == self).map_or(0, |(_, number, _)| *number)
    }

    /// Returns the value's name in the contract.
    fn wire_name(self) -> &'static str {
        Self::values().iter().find(|(value, ..)| *value == self).map_or("", |(.., name)| *name)
    }
}

/// Returns the contract's name for a value, which starts with the name of the enum.
fn spelled(of: &str, value: &str) -> String {
    let mut spelled = String::new();
    for (at, letter) in of.char_indices() {
        if at > 0 && letter.is_uppercase() {
            spelled.push('_');
        }
        spelled.push(letter.to_ascii_uppercase());
    }
    let value = if value == "unset" { "unspecified" } else { value };
    format!("{spelled}_{}", value.replace('-', "_").to_ascii_uppercase())
}

/// Pairs each set with its enum in the contract. Core and the contract declare the values, so they are not repeated
/// here; the test below compares the two.
macro_rules! pairs {
    ($($domain:ident => $wire:ident,)+) => {
        $(impl WireEnum for $domain {
            fn values() -> &'static [(Self, i32, &'static str)] {
                static VALUES: LazyLock<Vec<($domain, i32, &'static str)>> = LazyLock::new(|| {
                    let wire = |value: $domain| {
                        v1::$wire::from_str_name(&spelled(stringify!($wire), value.name())).unwrap_or_default()
                    };
                    $domain::VALUES.iter().map(|&value| (value, wire(value).into(), wire(value).as_str_name())).collect()
                });
                &VALUES
            }
        })+

        #[cfg(test)]
        const PAIRS: &[fn()] = &[$(|| {
            tests::both_ways::<$domain>(stringify!($wire), |number| {
                v1::$wire::try_from(number).ok().map(|wire| wire.as_str_name())
            });
        }),+];
    };
}

pairs! {
    Tier => Tier,
    MemoryState => MemoryState,
    Source => Source,
    Temperature => Temperature,
    Scope => Scope,
    ChangeKind => ChangeKind,
    GivenBy => ConsentGiver,
    ConsentStatus => ConsentStatus,
    Retraction => Retraction,
    Creator => Creator,
    EmbedMark => EmbedMark,
    Outcome => Outcome,
    RecordKind => Kind,
    Mode => ExtractionMode,
    ReadBy => ExtractedBy,
    SummarizedBy => SummarizedBy,
    Unextracted => UnextractedReason,
    Layer => Layer,
    SourceType => SourceType,
    Resolution => Resolution,
    Relation => Relation,
    ConfidenceReason => ConfidenceReason,
    Part => ContextPart,
    Trust => ContextTrust,
    Why => ContextReason,
    Role => Role,
    OutcomeType => OutcomeType,
    Polarity => Polarity,
    NoteType => NoteType,
    InsightType => InsightType,
    SemanticStatus => SemanticStatus,
    GoalKind => GoalKind,
    GoalStatus => GoalStatus,
    MeditationStatus => MeditationStatus,
    Trigger => MeditationTrigger,
    Kind => DecisionAction,
    Reason => DecisionReason,
    EntityType => EntityType,
    EntityRelation => EntityRelation,
    ReviewKind => ReviewKind,
    ReviewChange => ReviewChange,
    Operation => Operation,
    CredentialKind => CredentialKind,
    Preset => WeightPreset,
}

/// Parses a value, or `None` if it is unset. The error lists the allowed values.
pub fn optional<E: WireEnum>(raw: i32) -> Result<Option<E>, String> {
    if raw == 0 {
        return Ok(None);
    }
    let known = E::values().iter().find(|(_, number, _)| *number == raw);
    known.map(|(value, ..)| Some(*value)).ok_or_else(|| format!("is {raw}; allowed are {}", allowed::<E>()))
}

/// Parses a value that must be set.
pub fn set<E: WireEnum>(raw: i32) -> Result<E, String> {
    optional(raw)?.ok_or_else(|| format!("is unset; allowed are {}", allowed::<E>()))
}

/// Parses the values of a list, which must all be set. Errors give the index in `field`.
pub fn all<E: WireEnum>(field: &str, raw: &[i32]) -> kimberly_core::Result<Vec<E>> {
    let mut problems = Problems::default();
    let all = raw.iter().enumerate().filter_map(|(index, raw)| {
        set(*raw).map_err(|problem| problems.add(format!("{field}[{index}]"), problem)).ok()
    });
    let all = all.collect();
    problems.finish(all)
}

fn allowed<E: WireEnum>() -> String {
    let name = |(_, number, name): &(E, i32, &str)| format!("{name} ({number})");
    E::values().iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn both_ways<E: WireEnum + std::fmt::Debug>(of: &str, contract: impl Fn(i32) -> Option<&'static str>) {
        let unset = E::VALUES.iter().filter(|value| value.name() == "unset").count();
        assert!(unset == 0 || E::VALUES[0].name() == "unset", "{of}: what unset means comes first");
        for &value in E::VALUES {
            let number = value.number();
            assert_eq!(contract(number), Some(&*spelled(of, value.name())), "{of}: the contract lacks {value:?}");
            assert_eq!(value.wire_name(), spelled(of, value.name()));
            assert_eq!(optional::<E>(number).unwrap(), Some(value).filter(|_| number > 0));
            assert_eq!(set::<E>(number).ok(), Some(value).filter(|_| number > 0));
        }
        let sorted = E::VALUES.is_sorted_by_key(|value| value.number());
        assert!(sorted || of == "ContextPart", "{of}: positions are stored, in the order of the contract");
        let numbers = (1..100).filter(|&n| contract(n).is_some()).count();
        assert_eq!(numbers, E::VALUES.len() - unset, "{of}: the contract knows a value that the domain does not");
        for unknown in [-1, 99, i32::MAX, i32::MIN] {
            let problem = optional::<E>(unknown).unwrap_err();
            assert!(problem.contains(&unknown.to_string()), "{problem}");
            assert!(E::VALUES.iter().all(|value| problem.contains(value.wire_name())), "{problem}");
        }
        assert!(set::<E>(0).unwrap_err().starts_with("is unset; allowed are "));
    }

    /// The contract's numbers never change, and the store keeps positions and names of values, so these must not change
    /// either. A set that is stored nowhere may have its own order.
    #[test]
    fn every_closed_set_has_the_values_of_the_contract_by_name() {
        for pair in PAIRS {
            pair();
        }
    }
}
