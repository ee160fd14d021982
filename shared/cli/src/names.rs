//! Names of the contract's enums: `TIER_LONG_TERM` is `long_term` here, in tables and arguments.

use clap::ValueEnum;
use kimberly_proto::v1;

macro_rules! named {
    ($show:ident, $type:ty, $prefix:literal) => {
        /// The short name of a value; empty if it is unset, its number if this build does not know it.
        pub(crate) fn $show(value: i32) -> String {
            <$type>::try_from(value).map_or_else(|_| value.to_string(), |known| short(known.as_str_name(), $prefix))
        }
    };
}

named!(tier, v1::Tier, "TIER_");
named!(state, v1::MemoryState, "MEMORY_STATE_");
named!(source, v1::Source, "SOURCE_");
named!(scope, v1::Scope, "SCOPE_");
named!(creator, v1::Creator, "CREATOR_");
named!(goal_kind, v1::GoalKind, "GOAL_KIND_");
named!(goal_status, v1::GoalStatus, "GOAL_STATUS_");
named!(meditation_status, v1::MeditationStatus, "MEDITATION_STATUS_");
named!(trigger, v1::MeditationTrigger, "MEDITATION_TRIGGER_");
named!(action, v1::DecisionAction, "DECISION_ACTION_");
named!(reason, v1::DecisionReason, "DECISION_REASON_");
named!(change_kind, v1::ChangeKind, "CHANGE_KIND_");
named!(origin, v1::SettingOrigin, "SETTING_ORIGIN_");
named!(operation, v1::Operation, "OPERATION_");
named!(audit_finding, v1::AuditFindingKind, "AUDIT_FINDING_KIND_");
named!(retraction, v1::Retraction, "RETRACTION_");
named!(consent_giver, v1::ConsentGiver, "CONSENT_GIVER_");
named!(consent_status, v1::ConsentStatus, "CONSENT_STATUS_");
named!(embedding_state, v1::EmbeddingState, "EMBEDDING_STATE_");
named!(kind, v1::Kind, "KIND_");
named!(layer, v1::Layer, "LAYER_");
named!(source_type, v1::SourceType, "SOURCE_TYPE_");
named!(relation, v1::Relation, "RELATION_");
named!(entity_type, v1::EntityType, "ENTITY_TYPE_");
named!(entity_relation, v1::EntityRelation, "ENTITY_RELATION_");
named!(review_kind, v1::ReviewKind, "REVIEW_KIND_");
named!(review_change, v1::ReviewChange, "REVIEW_CHANGE_");
named!(role, v1::Role, "ROLE_");
named!(context_part, v1::ContextPart, "CONTEXT_PART_");
named!(context_reason, v1::ContextReason, "CONTEXT_REASON_");
named!(outcome_type, v1::OutcomeType, "OUTCOME_TYPE_");
named!(polarity, v1::Polarity, "POLARITY_");
named!(note_type, v1::NoteType, "NOTE_TYPE_");
named!(insight_type, v1::InsightType, "INSIGHT_TYPE_");
named!(temperature, v1::Temperature, "TEMPERATURE_");

fn short(name: &str, prefix: &str) -> String {
    match name.strip_prefix(prefix).unwrap_or(name) {
        "UNSPECIFIED" => String::new(),
        rest => rest.to_lowercase(),
    }
}

/// The name of a preset, with hyphens as people write it.
pub(crate) fn preset(value: i32) -> String {
    v1::WeightPreset::try_from(value)
        .map_or_else(|_| value.to_string(), |known| short(known.as_str_name(), "WEIGHT_PRESET_").replace('_', "-"))
}

macro_rules! argument {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($variant:ident),+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        #[value(rename_all = "snake_case")]
        pub(crate) enum $name {
            $(#[allow(missing_docs, clippy::allow_attributes, reason = "shown by its name")] $variant),+
        }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => Self::$variant),+ }
            }
        }

        impl From<$name> for i32 {
            fn from(name: $name) -> Self {
                <$target>::from(name) as Self
            }
        }

        impl $name {
            /// Reads a short name.
            #[allow(dead_code, clippy::allow_attributes, reason = "most are read by clap alone")]
            pub(crate) fn number(name: &str) -> Option<i32> {
                Self::from_str(name, true).ok().map(Into::into)
            }
        }
    };
}

argument!(/// A tier.
    TierArg => v1::Tier { ShortTerm, LongTerm, Permanent });
argument!(/// A state.
    StateArg => v1::MemoryState { Active, Archived, Deleted });
argument!(/// A source.
    SourceArg => v1::Source { Chat, Agent, Import, Upload });
argument!(/// A scope.
    ScopeArg => v1::Scope { Private, Shared, Public });
argument!(/// A creator.
    CreatorArg => v1::Creator { System, User, Agent });
argument!(/// A mark about vectors.
    EmbedArg => v1::EmbedMark { Auto, Always, Never });
argument!(/// A kind of goal.
    GoalKindArg => v1::GoalKind { Goal, Project, Task });
argument!(/// A status of a goal.
    GoalStatusArg => v1::GoalStatus { Active, Done });
argument!(/// Who agreed.
    ConsentGiverArg => v1::ConsentGiver { User, Guardian, Operator });
argument!(/// What becomes of memories whose consent is retracted.
    RetractionArg => v1::Retraction { Purge, Seal });
argument!(/// How memories served.
    OutcomeArg => v1::Outcome { Helpful, NotHelpful });
argument!(/// Which sensitivity a filter lets through.
    SensitivityArg => v1::SensitivityFilter { Exclude, Only });
argument!(/// What a key may do.
    OperationArg => v1::Operation { Read, Write, Delete, Export, Meditate, Admin });
argument!(/// A preset.
    PresetArg => v1::WeightPreset { Balanced, TaskFocused, FeedbackDriven, FreshContext, Archival });

argument!(/// A kind of record; `unspecified` is a memory without a form of its own.
KindArg => v1::Kind {
    Unspecified, Raw, Turn, Episode, Fact, Preference, Decision, Knowledge, Belief, Note, Value, Drive, Playbook,
    Relationship, Document, Summary, Insight, Profile, Block
});
argument!(/// A part of a context.
    ContextPartArg => v1::ContextPart { Core, Wishes, Goals, Snapshots, Recalled, Turns });
argument!(/// A layer.
    LayerArg => v1::Layer { Capture, Episodes, Knowledge, Identity, Supporting });
argument!(/// How something came to be known.
SourceTypeArg => v1::SourceType {
    DirectExperience, Inference, ToldByUser, ToldByAgent, Consolidation, Correction, Import, Connector, Extraction,
    UserResolved
});

argument!(/// What a memory is to another one.
RelationArg => v1::Relation {
    DerivedFrom, Supersedes, Contradicts, PartOf, Summarizes, Mentions, RelatedTo, References, SimilarTo, Precedes,
    AuthoredBy
});
argument!(/// What an entity is.
EntityTypeArg => v1::EntityType {
    Person, Place, Organization, Product, Project, Event, Email, Url, Handle, File, Code
});
argument!(/// What an entity is to another one.
EntityRelationArg => v1::EntityRelation {
    WorksWith, WorksAt, LivesIn, Family, Owns, PartOf, AuthoredBy, LocatedIn, Precedes, Follows, References, RelatedTo
});
argument!(/// Why something waits for a decision.
    ReviewKindArg => v1::ReviewKind { Contradiction, Stale, Uncertain, Clutter, Duplicate, Promotion, Merge });
argument!(/// What is done about something that waits.
ReviewChangeArg => v1::ReviewChange { KeepFirst, KeepSecond, KeepBoth, Confirm, Archive, Forget, Promote, Merge });
argument!(/// Which way links lead.
    DirectionArg => v1::LinkDirection { Out, In });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_is_shown_can_be_typed() {
        for number in 1..=3 {
            assert_eq!(TierArg::number(&tier(number)), Some(number));
            assert_eq!(StateArg::number(&state(number)), Some(number));
            assert_eq!(ScopeArg::number(&scope(number)), Some(number));
            assert_eq!(CreatorArg::number(&creator(number)), Some(number));
            assert_eq!(GoalKindArg::number(&goal_kind(number)), Some(number));
            assert_eq!(ConsentGiverArg::number(&consent_giver(number)), Some(number));
        }
        for number in 1..=5 {
            assert_eq!(PresetArg::number(&preset(number).replace('-', "_")), Some(number));
        }
        for number in 1..=17 {
            assert_eq!(KindArg::number(&kind(number)), Some(number));
        }
        for number in 1..=5 {
            assert_eq!(LayerArg::number(&layer(number)), Some(number));
        }
        for number in 1..=9 {
            assert_eq!(SourceTypeArg::number(&source_type(number)), Some(number));
        }
        for number in 1..=11 {
            assert_eq!(RelationArg::number(&relation(number)), Some(number));
            assert_eq!(EntityTypeArg::number(&entity_type(number)), Some(number));
        }
        for number in 1..=6 {
            assert_eq!(ReviewKindArg::number(&review_kind(number)), Some(number));
        }
        for number in 1..=7 {
            assert_eq!(ReviewChangeArg::number(&review_change(number)), Some(number));
        }
        for number in 1..=12 {
            assert_eq!(EntityRelationArg::number(&entity_relation(number)), Some(number));
        }
        assert_eq!((tier(0), tier(99)), (String::new(), "99".to_owned()));
    }
}
