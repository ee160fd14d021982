//! Lineages, which may not lead through memories out of reach.

use std::sync::Arc;

use kimberly_core::links::{Direction, Lineage, LinkDraft, Relation, Walk};
use kimberly_core::memory::Tier;
use kimberly_core::ports::Vaults;
use kimberly_core::tables;

use super::{draft_in, limited, rows};
use crate::conformance::Bed;
use crate::conformance::fixtures::{at, memory_id, user};

/// Memories of the chain, more than a walk reads level by level.
const CHAIN: u128 = 80;
/// A memory of the chain that the limited reader cannot reach.
const HIDDEN: u128 = 60;

async fn lineage(vaults: &Arc<dyn Vaults>, from: u128, direction: Direction) -> Lineage {
    let walk = Arc::new(Walk { direction, ..Walk::provenance(memory_id(from)) });
    let user = user("u");
    let walked = vaults.read(&user, move |reader| {
        let walk = Arc::clone(&walk);
        Box::pin(async move { walk.walk(reader).await })
    });
    walked.await.unwrap()
}

fn ends(lineage: &Lineage) -> Vec<(usize, Direction, u128, u128)> {
    assert!(!lineage.truncated);
    let step = |step: &kimberly_core::links::LineageStep| {
        (step.depth, step.direction, step.link.from.0.as_u128(), step.link.to.0.as_u128())
    };
    lineage.steps.iter().map(step).collect()
}

/// A long chain is followed to its end in both directions, branches and cycles included, and only as far as its reader sees.
pub async fn a_chain_is_followed_as_far_as_its_reader_sees(bed: &Bed) {
    let space = |n| if n == HIDDEN { "home" } else { "work" };
    bed.remember("u", (1..=CHAIN).map(|n| draft_in(space(n), Tier::LongTerm, false, "one of many"))).await;
    let chain = (1..CHAIN).map(|n| (n, Relation::DerivedFrom, n + 1));
    // A second relation of one pair, a shortcut back, and a relation that is not followed.
    let others =
        [(50, Relation::Supersedes, 51), (50, Relation::DerivedFrom, 2), (1, Relation::Mentions, CHAIN)].into_iter();
    let link =
        |(from, relation, to)| LinkDraft::new(memory_id(from), relation, memory_id(to)).checked("link", at(5)).unwrap();
    let links: Vec<_> = chain.chain(others).map(link).collect();
    bed.write("u", move |tx| {
        let links = links.clone();
        Box::pin(async move { tables::put(tx, &links).await })
    })
    .await;
    let mut out: Vec<_> = (1..CHAIN).map(|n| (usize::try_from(n).unwrap(), Direction::Out, n, n + 1)).collect();
    out.splice(49..50, [(50, Direction::Out, 50, 2), (50, Direction::Out, 50, 51), (50, Direction::Out, 50, 51)]);
    assert_eq!(ends(&lineage(&bed.vaults, 1, Direction::Out).await), out);
    assert_eq!(ends(&lineage(&bed.vaults, 1, Direction::Both).await), out, "nothing leads to the first");
    let into = lineage(&bed.vaults, CHAIN, Direction::In).await;
    assert_eq!(into.steps.len(), out.len());
    assert_eq!(ends(&into)[78..], [(78, Direction::In, 2, 3), (79, Direction::In, 1, 2), (79, Direction::In, 50, 2)]);
    let limited = limited(bed, rows(&["work"], &[], false));
    out.retain(|(depth, ..)| *depth < 59);
    assert_eq!(ends(&lineage(&limited, 1, Direction::Out).await), out);
}
