//! Tests of `scoring/v2`.

mod golden;
mod properties;
mod signals;
mod speed;

use uuid::Uuid;

use super::*;
use crate::goals::{GoalDraft, GoalKind, GoalStatus};
use crate::ids::{GoalId, Seq};
use crate::scoring::Preset;

/// 2025-11-20T12:00:00Z
const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

fn goal(number: u128, title: &str, description: &str, tags: &[&str]) -> Goal {
    Goal {
        id: GoalId(Uuid::from_u128(number)),
        draft: GoalDraft {
            kind: GoalKind::Goal,
            title: title.to_owned(),
            description: description.to_owned(),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            importance: 1.0,
            status: GoalStatus::Active,
        },
        created_at: NOON,
        updated_at: NOON,
        revision: 1,
    }
}

fn item(content: &str, tags: &[&str]) -> ScoringItem {
    ScoringItem {
        seq: Seq(1),
        content: content.to_owned(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        sentiment: 0.0,
        feedback: None,
        helpful: 0,
        unhelpful: 0,
        created_at: NOON,
        last_seen_at: NOON,
        access_count: 0,
    }
}

fn tag(name: &str, helpful: u64, unhelpful: u64) -> TagOutcomes {
    TagOutcomes { tag: name.to_owned(), helpful, unhelpful }
}

fn scorer(goals: &[Goal]) -> Scorer {
    Scorer::new(goals, Preset::Balanced.weights(), &[], NOON)
}
