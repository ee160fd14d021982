//! Names of the contract's enums: `TIER_LONG_TERM` is `long_term` here, in tables and arguments.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
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

/// A value of one of the contract's enums, typed by its short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arg<E> {
    /// The value.
    pub(crate) value: E,
}

/// The values of an enum that can be typed, and their names.
type Known<E> = (Vec<Arg<E>>, Vec<&'static str>);

/// One of the contract's enums whose values can be typed.
pub(crate) trait Typed: Copy + PartialEq + Into<i32> + 'static {
    /// The values that can be typed.
    fn typed() -> &'static Known<Self>;
}

impl<E: Typed> ValueEnum for Arg<E> {
    fn value_variants<'a>() -> &'a [Self] {
        &E::typed().0
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (values, names) = E::typed();
        values.iter().zip(names).find(|(one, _)| *one == self).map(|(_, name)| PossibleValue::new(*name))
    }
}

impl<E: Typed> From<Arg<E>> for i32 {
    fn from(arg: Arg<E>) -> Self {
        arg.value.into()
    }
}

impl<E: Typed> Arg<E> {
    /// Parses a short name.
    pub(crate) fn number(name: &str) -> Option<i32> {
        Self::from_str(name, true).ok().map(Into::into)
    }

    /// The argument for a value, if it can be typed.
    pub(crate) fn of(value: E) -> Option<Self> {
        E::typed().0.iter().copied().find(|arg| arg.value == value)
    }
}

/// Exclusive upper bound of enum numbers.
const NUMBERS: i32 = 128;

/// Makes every value of an enum typeable: from 1, or from 0 if "unspecified" is worth typing.
macro_rules! argument {
    ($(#[$doc:meta])* $name:ident => $type:ty, $prefix:literal, from $first:literal) => {
        $(#[$doc])*
        pub(crate) type $name = Arg<$type>;

        impl Typed for $type {
            fn typed() -> &'static Known<Self> {
                static TYPED: LazyLock<Known<$type>> = LazyLock::new(|| {
                    let known = ($first..NUMBERS).filter_map(|number| <$type>::try_from(number).ok());
                    let name = |value: $type| {
                        let whole = value.as_str_name();
                        whole.strip_prefix($prefix).unwrap_or(whole).to_lowercase()
                    };
                    // Leaked once per enum, since clap needs static names.
                    known.map(|value| (Arg { value }, &*name(value).leak())).unzip()
                });
                &TYPED
            }
        }
    };
}

argument!(/// A tier.
    TierArg => v1::Tier, "TIER_", from 1);
argument!(/// A state.
    StateArg => v1::MemoryState, "MEMORY_STATE_", from 1);
argument!(/// A source.
    SourceArg => v1::Source, "SOURCE_", from 1);
argument!(/// A scope.
    ScopeArg => v1::Scope, "SCOPE_", from 1);
argument!(/// A creator.
    CreatorArg => v1::Creator, "CREATOR_", from 1);
argument!(/// A mark about vectors.
    EmbedArg => v1::EmbedMark, "EMBED_MARK_", from 1);
argument!(/// A kind of goal.
    GoalKindArg => v1::GoalKind, "GOAL_KIND_", from 1);
argument!(/// A status of a goal.
    GoalStatusArg => v1::GoalStatus, "GOAL_STATUS_", from 1);
argument!(/// Who agreed.
    ConsentGiverArg => v1::ConsentGiver, "CONSENT_GIVER_", from 1);
argument!(/// What becomes of memories whose consent is retracted.
    RetractionArg => v1::Retraction, "RETRACTION_", from 1);
argument!(/// How memories served.
    OutcomeArg => v1::Outcome, "OUTCOME_", from 1);
argument!(/// Which sensitivity a filter lets through.
    SensitivityArg => v1::SensitivityFilter, "SENSITIVITY_FILTER_", from 1);
argument!(/// What a key may do.
    OperationArg => v1::Operation, "OPERATION_", from 1);
argument!(/// A preset.
    PresetArg => v1::WeightPreset, "WEIGHT_PRESET_", from 1);
argument!(/// A kind of record; `unspecified` is a memory without a form of its own.
    KindArg => v1::Kind, "KIND_", from 0);
argument!(/// A part of a context.
    ContextPartArg => v1::ContextPart, "CONTEXT_PART_", from 1);
argument!(/// A layer.
    LayerArg => v1::Layer, "LAYER_", from 1);
argument!(/// How something came to be known.
    SourceTypeArg => v1::SourceType, "SOURCE_TYPE_", from 1);
argument!(/// What a memory is to another one.
    RelationArg => v1::Relation, "RELATION_", from 1);
argument!(/// What an entity is.
    EntityTypeArg => v1::EntityType, "ENTITY_TYPE_", from 1);
argument!(/// What an entity is to another one.
    EntityRelationArg => v1::EntityRelation, "ENTITY_RELATION_", from 1);
argument!(/// Why something waits for a decision.
    ReviewKindArg => v1::ReviewKind, "REVIEW_KIND_", from 1);
argument!(/// What is done about something that waits.
    ReviewChangeArg => v1::ReviewChange, "REVIEW_CHANGE_", from 1);
argument!(/// Which way links lead.
    DirectionArg => v1::LinkDirection, "LINK_DIRECTION_", from 1);

#[cfg(test)]
mod tests {
    use super::*;

    fn typed_as_shown<E: Typed>(show: fn(i32) -> String) {
        let (values, names) = E::typed();
        for (arg, name) in values.iter().zip(names) {
            let number = arg.value.into();
            assert_eq!((&*show(number).replace('-', "_"), Arg::<E>::number(name)), (*name, Some(number)));
        }
    }

    #[test]
    fn every_name_that_is_shown_can_be_typed() {
        typed_as_shown::<v1::Tier>(tier);
        typed_as_shown::<v1::WeightPreset>(preset);
        typed_as_shown::<v1::SourceType>(source_type);
        assert_eq!((TierArg::number("LONG_TERM"), TierArg::number("unspecified")), (Some(2), None));
        assert_eq!((KindArg::number("unspecified"), KindArg::number("core")), (Some(0), None));
        assert_eq!((tier(0), tier(99)), (String::new(), "99".to_owned()));
    }
}
