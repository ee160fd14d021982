//! Converts filters and orders from the contract.

use kimberly_core::Result;
use kimberly_core::memory::{ListOrder, MemoryFilter, RecordKind, SensitivityFilter};
use kimberly_proto::v1;

use super::enums::{self, WireEnum};
use super::problems::Problems;
use super::{text, time};

/// Converts a filter. An unset one selects every active memory.
pub fn filter(raw: Option<v1::MemoryFilter>) -> Result<MemoryFilter> {
    let Some(raw) = raw else { return Ok(MemoryFilter::default()) };
    let mut problems = Problems::default();
    let filter = MemoryFilter {
        tiers: several("filter.tiers", &raw.tiers, &mut problems),
        tags_any: raw.tags_any,
        tags_all: raw.tags_all,
        created_after: problems.take("filter.created_after", time::optional_timestamp(raw.created_after)),
        created_before: problems.take("filter.created_before", time::optional_timestamp(raw.created_before)),
        occurred_after: problems.take("filter.occurred_after", time::optional_timestamp(raw.occurred_after)),
        occurred_before: problems.take("filter.occurred_before", time::optional_timestamp(raw.occurred_before)),
        sensitivity: problems.take("filter.sensitivity", sensitivity(raw.sensitivity)),
        sources: several("filter.sources", &raw.sources, &mut problems),
        scopes: several("filter.scopes", &raw.scopes, &mut problems),
        session_id: text(raw.session_id),
        states: several("filter.states", &raw.states, &mut problems),
        speakers: raw.speakers,
        namespaces: raw.namespaces,
        stale: raw.stale,
        own_tags: false,
        withheld: false,
        doomed: false,
        kinds: kinds("filter.kinds", &raw.kinds, &mut problems),
        layers: several("filter.layers", &raw.layers, &mut problems),
        subjects: raw.subjects,
        min_confidence: raw.min_confidence,
        below_confidence: raw.below_confidence,
        min_importance: raw.min_importance,
        valid_at: problems.take("filter.valid_at", time::optional_timestamp(raw.valid_at)),
        known_as_of: problems.take("filter.known_as_of", time::optional_timestamp(raw.known_as_of)),
        authors: raw.authors,
        any_time: raw.any_time,
        name_prefix: text(raw.name_prefix),
    };
    problems.finish(filter)
}

/// Parses values of a closed set, without duplicates, in the order given. Refuses more entries than the set has values.
pub(super) fn several<E: WireEnum + PartialEq>(path: &str, raw: &[i32], problems: &mut Problems) -> Vec<E> {
    let most = E::VALUES.len();
    if raw.len() > most {
        problems.add(path, format!("has {} entries; at most {most} are allowed", raw.len()));
        return Vec::new();
    }
    let mut values = Vec::with_capacity(raw.len());
    for (index, &number) in raw.iter().enumerate() {
        match enums::set(number) {
            Ok(value) if values.contains(&value) => {}
            Ok(value) => values.push(value),
            Err(problem) => problems.add(format!("{path}[{index}]"), problem),
        }
    }
    values
}

/// Parses kinds. Unset is allowed here: it selects memories without a kind.
fn kinds(path: &str, raw: &[i32], problems: &mut Problems) -> Vec<RecordKind> {
    let most = RecordKind::ALL.len();
    if raw.len() > most {
        problems.add(path, format!("has {} entries; at most {most} are allowed", raw.len()));
        return Vec::new();
    }
    let mut kinds = Vec::with_capacity(raw.len());
    for (index, &number) in raw.iter().enumerate() {
        match enums::optional(number).map(Option::unwrap_or_default) {
            Ok(kind) if kinds.contains(&kind) => {}
            Ok(kind) => kinds.push(kind),
            Err(problem) => problems.add(format!("{path}[{index}]"), problem),
        }
    }
    kinds
}

fn sensitivity(raw: i32) -> Result<SensitivityFilter, String> {
    match v1::SensitivityFilter::try_from(raw) {
        Ok(v1::SensitivityFilter::Unspecified) => Ok(SensitivityFilter::Any),
        Ok(v1::SensitivityFilter::Exclude) => Ok(SensitivityFilter::Exclude),
        Ok(v1::SensitivityFilter::Only) => Ok(SensitivityFilter::Only),
        Err(_) => Err(format!(
            "is {raw}; allowed are {}",
            names([v1::SensitivityFilter::Exclude, v1::SensitivityFilter::Only].map(|v| (v.as_str_name(), v as i32)))
        )),
    }
}

/// Parses the order of a list: newest first if unset.
pub fn order(raw: i32) -> Result<ListOrder> {
    let order = match v1::ListOrder::try_from(raw) {
        Ok(v1::ListOrder::Unspecified | v1::ListOrder::NewestFirst) => Ok(ListOrder::NewestFirst),
        Ok(v1::ListOrder::OldestFirst) => Ok(ListOrder::OldestFirst),
        Err(_) => Err(format!(
            "is {raw}; allowed are {}",
            names([v1::ListOrder::NewestFirst, v1::ListOrder::OldestFirst].map(|v| (v.as_str_name(), v as i32)))
        )),
    };
    let mut problems = Problems::default();
    let order = problems.take("order", order);
    problems.finish(order)
}

fn names(allowed: [(&str, i32); 2]) -> String {
    allowed.map(|(name, number)| format!("{name} ({number})")).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kimberly_core::Error;
    use kimberly_core::memory::{MemoryState, Tier};

    fn fields(raw: v1::MemoryFilter) -> Vec<String> {
        match filter(Some(raw)) {
            Err(Error::Invalid(found)) => found.into_iter().map(|violation| violation.field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unset_filter_selects_every_active_memory() {
        assert_eq!(filter(None).unwrap(), MemoryFilter::default());
        assert_eq!(filter(Some(v1::MemoryFilter::default())).unwrap(), MemoryFilter::default());
    }

    #[test]
    fn every_part_of_a_filter_converts() {
        let raw = v1::MemoryFilter {
            tiers: vec![1, 3, 1],
            states: vec![2],
            sensitivity: 2,
            session_id: "s".to_owned(),
            ..Default::default()
        };
        let filter = filter(Some(raw)).unwrap();
        assert_eq!(filter.tiers, [Tier::ShortTerm, Tier::Permanent]);
        assert_eq!(filter.states, [MemoryState::Archived]);
        assert_eq!(filter.sensitivity, SensitivityFilter::Only);
        assert_eq!(filter.session_id.as_deref(), Some("s"));
    }

    #[test]
    fn every_wrong_entry_is_named() {
        let late = prost_types::Timestamp { seconds: i64::MAX, nanos: 0 };
        let raw = v1::MemoryFilter {
            tiers: vec![1, 9],
            sources: vec![0],
            scopes: vec![1, 1, 1, 1],
            states: vec![-1],
            sensitivity: 3,
            created_after: Some(late),
            ..Default::default()
        };
        assert_eq!(
            fields(raw),
            [
                "filter.tiers[1]",
                "filter.created_after",
                "filter.sensitivity",
                "filter.sources[0]",
                "filter.scopes",
                "filter.states[0]",
            ]
        );
    }

    #[test]
    fn unset_is_a_kind_and_every_wrong_kind_and_layer_is_named() {
        let raw = v1::MemoryFilter { kinds: vec![0, 6, 6], layers: vec![1], ..Default::default() };
        let good = filter(Some(raw)).unwrap();
        assert_eq!(good.kinds, [RecordKind::Unset, RecordKind::Decision]);
        assert_eq!(good.layers, [kimberly_core::memory::Layer::Capture]);
        assert!(filter(Some(v1::MemoryFilter { kinds: (0..19).collect(), ..Default::default() })).is_ok());
        let raw = v1::MemoryFilter { kinds: vec![19, -1], layers: vec![0, 6], ..Default::default() };
        let wrong = ["filter.layers[0]", "filter.layers[1]", "filter.kinds[0]", "filter.kinds[1]"];
        assert_eq!(fields(raw).into_iter().collect::<std::collections::BTreeSet<_>>(), wrong.map(str::to_owned).into());
        let many = v1::MemoryFilter { kinds: vec![0; 20], layers: vec![1; 6], ..Default::default() };
        assert_eq!(fields(many), ["filter.kinds", "filter.layers"]);
    }

    #[test]
    fn order_is_newest_first_unless_asked_otherwise() {
        assert_eq!(order(0).unwrap(), ListOrder::NewestFirst);
        assert_eq!(order(1).unwrap(), ListOrder::NewestFirst);
        assert_eq!(order(2).unwrap(), ListOrder::OldestFirst);
        assert!(matches!(order(3), Err(Error::Invalid(found)) if found[0].field == "order"));
    }
}
