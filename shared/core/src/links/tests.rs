//! Tests of the bounds of links.

use super::*;
use crate::bounds::MAX_LINK_EVIDENCE_BYTES;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::SourceType;
use crate::tables::{Cells, TableRow as _};
use crate::time::Timestamp;

fn id(n: u128) -> MemoryId {
    MemoryId(uuid::Uuid::from_u128(n))
}

fn draft() -> LinkDraft {
    LinkDraft::new(id(1), Relation::DerivedFrom, id(2))
}

fn fields(checked: Result<Link>) -> Vec<String> {
    let Err(Error::Invalid(violations)) = checked else { return Vec::new() };
    violations.into_iter().map(|violation| violation.field).collect()
}

#[test]
fn a_link_is_held_to_its_bounds_and_has_defaults() {
    let link = draft().checked("link", Timestamp(7)).unwrap();
    assert_eq!((link.weight.to_bits(), link.confidence.to_bits()), (1.0_f64.to_bits(), 1.0_f64.to_bits()));
    assert_eq!((link.source, link.evidence, link.created_at), (SourceType::ToldByUser, None, Timestamp(7)));
    let longest = "e".repeat(MAX_LINK_EVIDENCE_BYTES);
    let good = LinkDraft { weight: Some(0.0), confidence: Some(1.0), evidence: longest.clone(), ..draft() };
    assert!(good.checked("link", Timestamp(7)).is_ok());
    for evidence in [format!("{longest}e"), "\0".to_owned()] {
        let bad = LinkDraft { weight: Some(1.1), confidence: Some(f64::NAN), evidence, ..draft() };
        let named = ["link.weight", "link.confidence", "link.evidence"];
        assert_eq!(fields(bad.checked("link", Timestamp(7))), named);
    }
}

#[test]
fn a_link_comes_back_from_its_row() {
    for verified_at in [None, Some(Timestamp(9))] {
        let evidence = verified_at.map(|_| "Ana said so".to_owned());
        let span = verified_at.map(|_| 3..9);
        let link = Link { verified_at, evidence, span, ..draft().checked("link", Timestamp(7)).unwrap() };
        assert_eq!(Link::from_row(&mut Cells::new(link.to_row())).unwrap(), link);
    }
}
