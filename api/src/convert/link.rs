//! Converts links in both directions.

use kimberly_core::links::{Direction, Link, LinkDraft, LinkKey, Relation};
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use super::enums::{self, WireEnum as _};
use super::problems::Problems;
use super::time;

/// Parses the key of a link. Errors prefix the fields with `path`, which ends with a dot or is empty.
pub fn key(path: &str, from: &str, relation: i32, to: &str) -> Result<LinkKey> {
    let mut problems = Problems::default();
    let nobody = MemoryId(uuid::Uuid::nil());
    let from = problems.absorb(MemoryId::parse(&format!("{path}from_id"), from)).unwrap_or(nobody);
    let relation = named(&mut problems, &format!("{path}relation"), relation).unwrap_or(Relation::RelatedTo);
    let to = problems.absorb(MemoryId::parse(&format!("{path}to_id"), to)).unwrap_or(nobody);
    problems.finish((from, relation, to))
}

fn named(problems: &mut Problems, field: &str, raw: i32) -> Option<Relation> {
    enums::set(raw).map_err(|problem| problems.add(field, problem)).ok()
}

/// Converts the fields of a link that callers write. Ignores the times that Kimberly sets.
pub fn draft(path: &str, raw: v1::MemoryLink) -> Result<LinkDraft> {
    let mut problems = Problems::default();
    let source = problems.take(&format!("{path}.source_type"), enums::optional(raw.source_type));
    let key = problems.absorb(key(&format!("{path}."), &raw.from_id, raw.relation, &raw.to_id));
    let nobody = MemoryId(uuid::Uuid::nil());
    let (from, relation, to) = key.unwrap_or((nobody, Relation::RelatedTo, nobody));
    let (weight, confidence, evidence) = (raw.weight, raw.confidence, raw.evidence);
    problems.finish(LinkDraft { from, relation, to, weight, confidence, source, evidence })
}

/// Converts an exported link.
pub fn record(path: &str, raw: v1::MemoryLink) -> Result<Link> {
    let mut problems = Problems::default();
    let (created, verified) = (raw.created_at, raw.verified_at);
    if created.is_none() {
        problems.add(format!("{path}.created_at"), "is unset; an imported link needs its creation time");
    }
    let mut at = |field: &str, raw| problems.take(&format!("{path}.{field}"), time::optional_timestamp(raw));
    let (created_at, verified_at) = (at("created_at", created).unwrap_or_default(), at("verified_at", verified));
    let span = Some(raw.start_byte..raw.end_byte).filter(|span| !span.is_empty());
    let draft = problems.absorb(draft(path, raw));
    let link = problems.finish(draft)?.map(|draft| draft.checked(path, created_at)).transpose()?;
    let link = link.ok_or_else(|| Error::invalid(path, "is no link"))?;
    Ok(Link { verified_at, span, ..link })
}

/// Converts a link to the contract.
pub fn link(link: Link) -> v1::MemoryLink {
    v1::MemoryLink {
        from_id: link.from.to_string(),
        relation: link.relation.number(),
        to_id: link.to.to_string(),
        weight: Some(link.weight),
        confidence: Some(link.confidence),
        source_type: link.source.number(),
        evidence: link.evidence.unwrap_or_default(),
        created_at: Some(time::wire_timestamp(link.created_at)),
        verified_at: link.verified_at.map(time::wire_timestamp),
        start_byte: link.span.as_ref().map_or(0, |span| span.start),
        end_byte: link.span.map_or(0, |span| span.end),
    }
}

/// Parses the direction of links: both if unset.
pub fn direction(raw: i32) -> Result<Direction> {
    match v1::LinkDirection::try_from(raw) {
        Ok(v1::LinkDirection::Unspecified) => Ok(Direction::Both),
        Ok(v1::LinkDirection::Out) => Ok(Direction::Out),
        Ok(v1::LinkDirection::In) => Ok(Direction::In),
        Err(_) => {
            let problem =
                format!("is {raw}; allowed are LINK_DIRECTION_OUT (1) and LINK_DIRECTION_IN (2), and 0 for both");
            Err(Error::invalid("direction", problem))
        }
    }
}

/// Parses the relations to select.
pub fn relations(raw: &[i32]) -> Result<Vec<Relation>> {
    let mut problems = Problems::default();
    let all = raw.iter().enumerate();
    let all = all.filter_map(|(index, raw)| named(&mut problems, &format!("relations[{index}]"), *raw)).collect();
    problems.finish(all)
}

#[cfg(test)]
mod tests {
    use kimberly_core::Timestamp;
    use kimberly_core::memory::SourceType;

    use super::*;

    #[test]
    fn a_link_goes_out_and_comes_back_as_it_was() {
        let id = |n| MemoryId(uuid::Uuid::from_u128(n));
        let every = Link {
            from: id(1),
            relation: Relation::Contradicts,
            to: id(2),
            weight: 0.25,
            confidence: 0.5,
            source: SourceType::Inference,
            created_at: Timestamp(1),
            verified_at: Some(Timestamp(3)),
            evidence: Some("Ana said so".to_owned()),
            span: Some(3..9),
        };
        assert_eq!(record("links[0]", link(every.clone())).unwrap(), every);
        let bare = Link { verified_at: None, evidence: None, span: None, ..every };
        assert_eq!(record("links[0]", link(bare.clone())).unwrap(), bare);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let raw = v1::MemoryLink { relation: 99, source_type: 99, ..Default::default() };
        let Err(Error::Invalid(violations)) = record("links[0]", raw) else { panic!("it is no link") };
        let fields: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
        for field in ["created_at", "source_type", "from_id", "relation", "to_id"] {
            assert!(fields.contains(&format!("links[0].{field}").as_str()), "{field}: {fields:?}");
        }
        assert!(direction(3).is_err() && relations(&[1, 0]).is_err());
    }
}
