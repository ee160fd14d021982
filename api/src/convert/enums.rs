//! The closed sets. Unknown numbers are refused with the ones that are allowed; unset means what the contract says.

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
    ChangeKind, ConfidenceReason, Creator, EmbedMark, InsightType, Layer, MemoryState, NoteType, Outcome, OutcomeType,
    Polarity, RecordKind, Role, Scope, Source, SourceType, Tier,
};
use kimberly_core::retention::Temperature;
use kimberly_core::reviews::{ReviewChange, ReviewKind};
use kimberly_core::scoring::Preset;
use kimberly_core::usecases::SemanticStatus;
use kimberly_core::usecases::links::Resolution;
use kimberly_proto::v1;

use super::problems::Problems;

/// A closed set that both sides know.
pub trait WireEnum: Copy + 'static {
    /// Every value of the domain.
    const VALUES: &'static [Self];

    /// The number of the contract.
    fn number(self) -> i32;

    /// The name of the contract.
    fn wire_name(self) -> &'static str;
}

macro_rules! wire_enum {
    ($domain:ident, $wire:ident { $($value:ident $(=> $other:ident)?),+ $(,)? }) => {
        impl WireEnum for $domain {
            const VALUES: &'static [Self] = &[$(Self::$value),+];

            fn number(self) -> i32 {
                wire_enum!(@wire self, $domain, $wire { $($value $(=> $other)?),+ }) as i32
            }

            fn wire_name(self) -> &'static str {
                wire_enum!(@wire self, $domain, $wire { $($value $(=> $other)?),+ }).as_str_name()
            }
        }
    };
    (@wire $self:ident, $domain:ident, $wire:ident { $($value:ident $(=> $other:ident)?),+ }) => {
        match $self { $($domain::$value => wire_enum!(@value $wire $value $($other)?)),+ }
    };
    (@value $wire:ident $value:ident $other:ident) => { v1::$wire::$other };
    (@value $wire:ident $value:ident) => { v1::$wire::$value };
}

wire_enum!(Tier, Tier { ShortTerm, LongTerm, Permanent });
wire_enum!(MemoryState, MemoryState { Active, Archived, Deleted });
wire_enum!(Source, Source { Chat, Agent, Import, Upload });
wire_enum!(Temperature, Temperature { Hot, Warm, Cold });
wire_enum!(Scope, Scope { Private, Shared, Public });
wire_enum!(ChangeKind, ChangeKind { Created, Updated, Archived, Restored, Deleted, Erased, Withheld });
wire_enum!(GivenBy, ConsentGiver { User, Guardian, Operator });
wire_enum!(ConsentStatus, ConsentStatus { Active, Expired, Retracted });
wire_enum!(Retraction, Retraction { Purge, Seal });
wire_enum!(Creator, Creator { System, User, Agent });
wire_enum!(EmbedMark, EmbedMark { Auto, Always, Never });
wire_enum!(Outcome, Outcome { Helpful, NotHelpful });
wire_enum!(
    RecordKind,
    Kind {
        Unset => Unspecified,
        Raw,
        Turn,
        Episode,
        Fact,
        Preference,
        Decision,
        Knowledge,
        Belief,
        Note,
        Value,
        Drive,
        Playbook,
        Relationship,
        Document,
        Summary,
        Insight,
        Profile,
        Block,
    }
);
wire_enum!(Mode, ExtractionMode { Later => Unspecified, Wait, Skip });
wire_enum!(ReadBy, ExtractedBy { Rules, Model, RulesInstead });
wire_enum!(SummarizedBy, SummarizedBy { Rules, Model, ModelLater, RulesInstead });
wire_enum!(
    Unextracted,
    UnextractedReason {
        Greeting,
        Question,
        Hypothetical,
        Negated,
        Code,
        ToolNoise,
        Secret,
        Sensitive,
        Quoted,
        Nothing,
        Surplus,
    }
);
wire_enum!(Layer, Layer { Capture, Episodes, Knowledge, Identity, Supporting });
wire_enum!(
    SourceType,
    SourceType {
        DirectExperience,
        Inference,
        ToldByUser,
        ToldByAgent,
        Consolidation,
        Correction,
        Import,
        Connector,
        Extraction,
        UserResolved,
    }
);
wire_enum!(Resolution, Resolution { KeepFrom, KeepTo, KeepBoth });
wire_enum!(
    Relation,
    Relation {
        DerivedFrom,
        Supersedes,
        Contradicts,
        PartOf,
        Summarizes,
        Mentions,
        RelatedTo,
        References,
        SimilarTo,
        Precedes,
        AuthoredBy,
    }
);
wire_enum!(ConfidenceReason, ConfidenceReason { Written, Verified, Corroborated });
wire_enum!(Part, ContextPart { Core, Wishes, Goals, Snapshots, Recalled, Turns });
wire_enum!(Trust, ContextTrust { Kept, Wanted, Said });
wire_enum!(Why, ContextReason { Core, Preference, StandingWish, ActiveGoal, Relevant, LastTurn, Snapshot });
wire_enum!(Role, Role { User, Assistant, System, Tool });
wire_enum!(OutcomeType, OutcomeType { Success, Partial, Failure });
wire_enum!(Polarity, Polarity { Positive, Negative });
wire_enum!(NoteType, NoteType { Insight, Quote });
wire_enum!(InsightType, InsightType { Deduction, Induction });
wire_enum!(
    SemanticStatus,
    SemanticStatus { Off, Used, NotNeeded, NoIndex, UserDisabled, Unavailable, TimedOut, TurnedOff }
);
wire_enum!(GoalKind, GoalKind { Goal, Project, Task });
wire_enum!(GoalStatus, GoalStatus { Active, Done });
wire_enum!(MeditationStatus, MeditationStatus { Scheduled, Running, Complete, Failed });
wire_enum!(Trigger, MeditationTrigger { Schedule, Quota, Request, Rotation, SessionEnd });
wire_enum!(
    Kind,
    DecisionAction {
        Archive,
        Delete,
        Spare,
        Recognize,
        Relate,
        Recalibrate,
        Tag,
        Weigh,
        Contradict,
        Resolve,
        Temper,
        Merge,
        Conclude,
        Withdraw,
        Describe
    }
);
wire_enum!(
    Reason,
    DecisionReason {
        OverQuota,
        Expired,
        SessionEnded,
        GracePassed,
        OwnerDeleted,
        ArchiveOverAllowance,
        Protected,
        Permanent,
        ScoresWell,
        DailyCap,
        LowSalience,
        Unread,
        OftenRetrieved,
        NeverRetrieved,
        Unimportant,
        Outdated,
        Contradicts,
        LessBelieved,
        Cooled,
        Warmed,
        SaysTheSame,
        Follows,
        Recurs,
        PremiseGone,
        Told,
    }
);
wire_enum!(
    EntityType,
    EntityType { Person, Place, Organization, Product, Project, Event, Email, Url, Handle, File, Code }
);
wire_enum!(
    EntityRelation,
    EntityRelation {
        WorksWith,
        WorksAt,
        LivesIn,
        Family,
        Owns,
        PartOf,
        AuthoredBy,
        LocatedIn,
        Precedes,
        Follows,
        References,
        RelatedTo
    }
);
wire_enum!(ReviewKind, ReviewKind { Contradiction, Stale, Uncertain, Clutter, Duplicate, Promotion, Merge });
wire_enum!(ReviewChange, ReviewChange { KeepFirst, KeepSecond, KeepBoth, Confirm, Archive, Forget, Promote, Merge });
wire_enum!(Operation, Operation { Read, Write, Delete, Export, Meditate, Admin });
wire_enum!(CredentialKind, CredentialKind { ApiKey, LocalAdmin, Certificate });
wire_enum!(Preset, WeightPreset { Balanced, TaskFocused, FeedbackDriven, FreshContext, Archival });

/// A value, or `None` if it is unset. The problem lists what is allowed.
pub fn optional<E: WireEnum>(raw: i32) -> Result<Option<E>, String> {
    if raw == 0 {
        return Ok(None);
    }
    E::VALUES
        .iter()
        .copied()
        .find(|value| value.number() == raw)
        .map(Some)
        .ok_or_else(|| format!("is {raw}; allowed are {}", allowed::<E>()))
}

/// A value that must be set.
pub fn set<E: WireEnum>(raw: i32) -> Result<E, String> {
    optional(raw)?.ok_or_else(|| format!("is unset; allowed are {}", allowed::<E>()))
}

/// Values of a list, all set; errors name the places in `field`.
pub fn all<E: WireEnum>(field: &str, raw: &[i32]) -> kimberly_core::Result<Vec<E>> {
    let mut problems = Problems::default();
    let all = raw.iter().enumerate().filter_map(|(index, raw)| {
        set(*raw).map_err(|problem| problems.add(format!("{field}[{index}]"), problem)).ok()
    });
    let all = all.collect();
    problems.finish(all)
}

fn allowed<E: WireEnum>() -> String {
    let name = |value: &E| format!("{} ({})", value.wire_name(), value.number());
    E::VALUES.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both_ways<E: WireEnum + PartialEq + std::fmt::Debug>(
        declared: usize,
        known: impl Fn(i32) -> Option<&'static str>,
    ) {
        assert_eq!(E::VALUES.len(), declared, "a value is missing in the table");
        for &value in E::VALUES {
            assert_eq!(optional(value.number()).unwrap(), Some(value));
            assert_eq!(set::<E>(value.number()).unwrap(), value);
            assert_eq!(known(value.number()), Some(value.wire_name()));
        }
        let numbers = (1..100).filter(|&n| known(n).is_some()).count();
        assert_eq!(numbers, declared, "the contract knows a value that the domain does not");
        assert_eq!(optional::<E>(0).unwrap(), None);
        assert!(set::<E>(0).unwrap_err().starts_with("is unset; allowed are "));
        for unknown in [-1, 99, i32::MAX, i32::MIN] {
            let problem = optional::<E>(unknown).unwrap_err();
            assert!(problem.contains(&unknown.to_string()), "{problem}");
            assert!(E::VALUES.iter().all(|value| problem.contains(value.wire_name())), "{problem}");
        }
    }

    macro_rules! check {
        ($($domain:ident, $wire:ident;)+) => {$(
            both_ways::<$domain>($domain::ALL.len(), |n| v1::$wire::try_from(n).ok().map(|w| w.as_str_name()));
        )+};
    }

    #[test]
    fn every_closed_set_converts_both_ways() {
        check! {
            Tier, Tier; MemoryState, MemoryState; Source, Source; Scope, Scope; Creator, Creator; Outcome, Outcome;
            ChangeKind, ChangeKind; GoalKind, GoalKind; GoalStatus, GoalStatus; MeditationStatus, MeditationStatus; Trigger, MeditationTrigger;
            EmbedMark, EmbedMark; Operation, Operation; CredentialKind, CredentialKind;
            GivenBy, ConsentGiver; ConsentStatus, ConsentStatus; Retraction, Retraction;
            Relation, Relation; Resolution, Resolution; Layer, Layer; SourceType, SourceType; ConfidenceReason, ConfidenceReason; Role, Role; OutcomeType, OutcomeType;
            Unextracted, UnextractedReason; ReadBy, ExtractedBy; SummarizedBy, SummarizedBy; Part, ContextPart; Trust, ContextTrust; Why, ContextReason;
            Polarity, Polarity; NoteType, NoteType; InsightType, InsightType;
            EntityType, EntityType; EntityRelation, EntityRelation; ReviewKind, ReviewKind; ReviewChange, ReviewChange; Kind, DecisionAction; Reason, DecisionReason; Preset, WeightPreset;
        }
    }
    #[test]
    fn modes_of_extraction_convert_and_unset_is_one_of_them() {
        for (number, mode) in [(0, Mode::Later), (1, Mode::Wait), (2, Mode::Skip)] {
            assert_eq!((mode.number(), optional::<Mode>(number).unwrap().unwrap_or_default()), (number, mode));
        }
        assert!(optional::<Mode>(3).is_err());
    }

    #[test]
    fn kinds_convert_both_ways_and_unset_is_one_of_them() {
        assert_eq!(RecordKind::VALUES, RecordKind::ALL);
        for (number, kind) in (0..).zip(RecordKind::ALL) {
            assert_eq!(kind.number(), number);
            assert_eq!(optional::<RecordKind>(number).unwrap().unwrap_or_default(), *kind);
        }
        assert!(v1::Kind::try_from(19).is_err() && optional::<RecordKind>(19).is_err());
    }
}
