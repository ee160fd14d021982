//! Tests which data is read while conclusions are stored, in the transaction that blocks all writes.

use std::sync::{Arc, PoisonError};

use super::fake::{Row, Vault, World, finish};
use super::kinds::{Applying, Body, Making, carry_out, concluding, standing};
use super::*;
use crate::entities::{Fresh, Mention, Tie};
use crate::memory::{Creator, NIGHT, RecordKind};
use crate::reasoning::{Conclusion, Known};
use crate::tables::TableRow as _;

const RUN: MeditationId = MeditationId(Uuid::from_u128(7));
const FACTS: [&str; 4] =
    ["Ana works at Acme Corp.", "Acme Corp is based in Porto.", "Bob lives in Lisbon.", "Lisbon is in Portugal."];

/// A conclusion of an earlier run.
fn insight(seq: i64, conclusion: &Conclusion) -> Row {
    let mut row = Row::new(seq, &conclusion.text);
    row.memory.draft.kind = RecordKind::Insight;
    row.memory.draft.created_by = Creator::System;
    row.memory.draft.source_type = Some(SourceType::Inference);
    row.memory.draft.source_ref = Some(format!("{NIGHT}7"));
    row
}

fn change(conclusion: &Conclusion, memories: &[Memory]) -> Change {
    let premises = memories.iter().filter(|memory| conclusion.rests_on().contains(&memory.id));
    let subjects = premises.map(|memory| Subject { id: memory.id.0, seq: memory.seq }).collect();
    let body = Body::default().and(concluding(conclusion));
    Change { step: "reason", kind: Kind::Conclude, subjects, reason: Reason::Follows, body }
}

/// Returns the tables read for two changes whose conclusions are known, so that nothing is stored.
fn asked() -> Vec<&'static str> {
    let mut rows: Vec<Row> = (1..).zip(FACTS).map(|(seq, fact)| Row::new(seq, fact)).collect();
    let memories: Vec<Memory> = rows.iter().map(|row| row.memory.clone()).collect();
    let mut fresh = Fresh::default();
    for memory in &memories {
        fresh.read(memory, NOON);
    }
    let graph = Arc::new(fresh.graph(NOON));
    let known = Known::new(&graph, &memories, NOON);
    let conclusions: Vec<Conclusion> = graph.entities.iter().flat_map(|entity| known.conclusions(entity)).collect();
    assert_eq!(conclusions.len(), 2, "{conclusions:?}");
    let changes: Vec<Change> = conclusions.iter().map(|conclusion| change(conclusion, &memories)).collect();
    rows.extend((5..).zip(&conclusions).map(|(seq, conclusion)| insight(seq, conclusion)));
    let world = World::new(Vault::of(rows));
    let (ids, defaults) = (Arc::clone(&world.app.ids), Arc::clone(&world.app.defaults));
    let apply = world.app.vaults.transact(&world.user, "test", move |tx| {
        let (changes, graph) = (changes.clone(), Arc::clone(&graph));
        let (ids, defaults) = (Arc::clone(&ids), Arc::clone(&defaults));
        Box::pin(async move {
            let there = standing(tx, &changes).await?;
            let making = Making { run: RUN, ids: &ids, defaults: &defaults, graph: Some(&graph) };
            let when = Applying { at: NOON, delete_after: NOON, making: Some(making) };
            carry_out(tx, RUN, changes, &there, when).await
        })
    });
    assert!(finish(apply).unwrap().is_empty(), "what is known is not recorded as done");
    world.vaults.committed().asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[test]
fn whom_and_what_records_name_is_known_from_the_plan_and_not_put_together_again() {
    let asked = asked();
    assert!(![Mention::TABLE.name, Tie::TABLE.name].iter().any(|table| asked.contains(table)), "{asked:?}");
    assert!(asked.contains(&"list"), "what was concluded before is looked for: {asked:?}");
}

#[test]
fn what_was_concluded_before_is_read_once_for_all_changes_of_a_batch() {
    let pages = asked().iter().filter(|table| **table == "list").count();
    assert_eq!(pages, 2, "a page of both, and an empty one");
}

#[test]
fn step_that_left_nothing_over_reads_nothing_while_all_that_it_would_read_is_the_same() {
    let plan = |fingerprints: Vec<Fingerprint>, has_room: bool| {
        let row = Row::new(1, FACTS[0]);
        let mut picture = snapshot(Trigger::Request, vec![RetentionItem::of(&row.memory)]);
        picture.steps = vec!["reason".to_owned()];
        picture.fingerprints = fingerprints;
        if has_room {
            picture.settings = settings(&UserSettings::default());
        }
        let world = World::new(Vault::of([row]));
        let source = steps::Source { vaults: &world.app.vaults, user: &world.user, vectors: None };
        let plan = finish(Plan::make(source, picture, 0)).unwrap();
        let asked = world.vaults.committed().asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (plan.read, asked.contains(&Mention::TABLE.name))
    };
    let (read, asked) = plan(Vec::new(), true);
    assert!(asked && read.len() == 1, "{read:?}");
    assert_eq!(plan(read, true), (Vec::new(), false));
    assert_eq!(plan(Vec::new(), false), (Vec::new(), false), "what it has no room for is left over");
}
