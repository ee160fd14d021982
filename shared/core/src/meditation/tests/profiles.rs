//! Tests when descriptions end.

use super::fake::{Row, Vault, World, finish};
use super::*;
use crate::memory::{Creator, NIGHT, RecordKind};
use crate::usecases::MeditateInput;

/// A description that a run wrote, of an entity about which nothing is known.
fn described() -> Row {
    let mut row = Row::new(1, "Ana likes green tea.");
    row.memory.draft.kind = RecordKind::Profile;
    row.memory.draft.created_by = Creator::System;
    row.memory.draft.source_type = Some(SourceType::Inference);
    row.memory.draft.source_ref = Some(format!("{NIGHT}7"));
    row.memory.draft.name = Some("profiles/Ana".to_owned());
    row
}

#[test]
fn a_description_without_facts_ends_unless_records_are_still_to_be_read() {
    let all = ["entities", "link", "profiles"];
    for (unread, steps, expected) in [(false, &all[2..], 1), (true, &all[2..], 0), (true, &all[..], 1)] {
        let world = World::new(Vault { unread, ..Vault::of([described(), Row::new(2, "We cooked dinner.")]) });
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        let asked = MeditateInput { steps, dry_run: true, ..MeditateInput::default() };
        let plan = finish(world.app.meditate(&world.user, asked)).unwrap();
        let ends = plan.decisions.iter().filter(|change| change.kind == Kind::Withdraw).count();
        assert_eq!(ends, expected, "{unread}: {plan:?}");
    }
}
