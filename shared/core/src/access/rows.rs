//! The memories of its users that a credential reaches.

use serde::{Deserialize, Deserializer};

use crate::bounds::{MAX_GRANT_NAMESPACES, MAX_NAMESPACE_BYTES};
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{Memory, MemoryDraft, MemoryFilter, MemoryState, SensitivityFilter, Tier, trimmed_label};
use crate::ports::RowFacts;

/// Limits a grant to a part of each vault; without limits all memories are reachable. A limited grant reaches only single
/// memories: calls about a whole user are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Sorted and unique; empty means all.
    namespaces: Vec<String>,
    /// Sorted and unique; empty means all.
    tiers: Vec<Tier>,
    exclude_sensitive: bool,
}

impl Rows {
    /// Checks limits; errors name the fields below `field`. An empty name is the default namespace; an empty list is no
    /// limit.
    pub fn parse(field: &str, namespaces: &[String], tiers: &[Tier], exclude_sensitive: bool) -> Result<Self> {
        let mut violations = Vec::new();
        if namespaces.len() > MAX_GRANT_NAMESPACES {
            let problem = format!("has {} entries; at most {MAX_GRANT_NAMESPACES} are allowed", namespaces.len());
            violations.push(FieldViolation::new(format!("{field}.namespaces"), problem));
        }
        let mut names = Vec::new();
        for (index, raw) in namespaces.iter().enumerate().take(MAX_GRANT_NAMESPACES) {
            match trimmed_label(raw, MAX_NAMESPACE_BYTES) {
                Ok(name) => names.push(name.to_owned()),
                Err(_) if raw.is_empty() => names.push(String::new()),
                Err(problem) => {
                    violations.push(FieldViolation::new(format!("{field}.namespaces[{index}]"), problem));
                }
            }
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        Ok(Self { namespaces: sorted(names), tiers: sorted(tiers.to_vec()), exclude_sensitive })
    }

    /// Reports whether all memories are reachable.
    pub const fn are_all(&self) -> bool {
        self.namespaces.is_empty() && self.tiers.is_empty() && !self.exclude_sensitive
    }

    /// The namespaces, sorted; empty means all.
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    /// The tiers; empty means all.
    pub fn tiers(&self) -> &[Tier] {
        &self.tiers
    }

    /// Whether sensitive memories are excluded.
    pub const fn exclude_sensitive(&self) -> bool {
        self.exclude_sensitive
    }

    /// Returns the namespace if exactly one is reachable.
    pub fn only_namespace(&self) -> Option<&str> {
        match self.namespaces.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Reports whether memories of a namespace are reachable.
    pub fn reach_namespace(&self, namespace: &str) -> bool {
        self.namespaces.is_empty() || self.namespaces.iter().any(|name| name == namespace)
    }

    /// Reports whether these limits reach everything that the others reach.
    pub fn cover(&self, others: &Self) -> bool {
        is_part(&others.namespaces, &self.namespaces)
            && is_part(&others.tiers, &self.tiers)
            && (others.exclude_sensitive || !self.exclude_sensitive)
    }

    /// Reports whether a memory is reachable.
    pub fn admit(&self, memory: &Memory) -> bool {
        !memory.withheld && self.admit_draft(&memory.draft)
    }

    /// Reports whether a memory would be reachable if it was stored with this draft.
    pub fn admit_draft(&self, draft: &MemoryDraft) -> bool {
        self.hold(draft.tier, &draft.namespace, draft.metadata.sensitive)
    }

    /// Reports whether the memory with these facts is reachable.
    pub fn admit_facts(&self, facts: &RowFacts) -> bool {
        self.hold(facts.tier, &facts.namespace, facts.sensitive)
    }

    fn hold(&self, tier: Tier, namespace: &str, sensitive: bool) -> bool {
        (self.tiers.is_empty() || self.tiers.contains(&tier))
            && self.reach_namespace(namespace)
            && !(self.exclude_sensitive && sensitive)
    }

    /// Narrows a filter to reachable memories; `None` if nothing can match. Excludes withheld memories.
    pub fn within(&self, filter: &MemoryFilter) -> Option<MemoryFilter> {
        let sensitivity = match (self.exclude_sensitive, filter.sensitivity) {
            (true, SensitivityFilter::Only) => return None,
            (true, _) => SensitivityFilter::Exclude,
            (false, asked) => asked,
        };
        let tiers = joined(&filter.tiers, &self.tiers)?;
        let namespaces = joined(&filter.namespaces, &self.namespaces)?;
        Some(MemoryFilter { tiers, namespaces, sensitivity, withheld: false, doomed: false, ..filter.clone() })
    }

    /// Returns a filter for all reachable memories, in any state.
    pub fn filter(&self) -> MemoryFilter {
        let any = MemoryFilter { states: MemoryState::ALL.to_vec(), ..MemoryFilter::default() };
        self.within(&any).unwrap_or(any)
    }
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

/// Reports whether the first list is a subset of the second; an empty list means all.
fn is_part<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    whole.is_empty() || (!part.is_empty() && part.iter().all(|item| whole.contains(item)))
}

/// Intersects two lists, where an empty list means all; `None` if nothing is in both.
fn joined<T: Clone + PartialEq>(asked: &[T], allowed: &[T]) -> Option<Vec<T>> {
    if asked.is_empty() || allowed.is_empty() {
        return Some(if asked.is_empty() { allowed } else { asked }.to_vec());
    }
    let both: Vec<T> = asked.iter().filter(|item| allowed.contains(item)).cloned().collect();
    (!both.is_empty()).then_some(both)
}

/// Parses the limits in stored grants and tokens. A list that is present must not be empty: otherwise a limit to
/// nothing would be taken for no limit.
pub(super) fn written(
    namespaces: Option<Vec<String>>,
    tiers: Option<Vec<Tier>>,
    exclude_sensitive: bool,
) -> Result<Rows, String> {
    if namespaces.as_ref().is_some_and(Vec::is_empty) || tiers.as_ref().is_some_and(Vec::is_empty) {
        return Err("allows nothing; omit it for no limit".to_owned());
    }
    let (namespaces, tiers) = (namespaces.unwrap_or_default(), tiers.unwrap_or_default());
    Rows::parse("grant", &namespaces, &tiers, exclude_sensitive).map_err(|error| error.to_string())
}

/// Parses a list that may be absent but not null.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Vec<T>>, D::Error> {
    Vec::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Metadata;

    fn rows(namespaces: &[&str], tiers: &[Tier], exclude_sensitive: bool) -> Rows {
        let names: Vec<String> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        Rows::parse("grant", &names, tiers, exclude_sensitive).unwrap()
    }

    fn draft(namespace: &str, tier: Tier, sensitive: bool) -> MemoryDraft {
        let metadata = Metadata { sensitive, ..Metadata::default() };
        MemoryDraft { namespace: namespace.to_owned(), tier, metadata, ..MemoryDraft::default() }
    }

    #[test]
    fn each_limit_leaves_out_what_it_names_nothing_of() {
        let (long, short) = (Tier::LongTerm, Tier::ShortTerm);
        assert!(Rows::default().are_all() && Rows::default().admit_draft(&draft("x", short, true)));
        let work = rows(&["work", ""], &[], false);
        assert!(work.admit_draft(&draft("work", long, true)) && work.admit_draft(&draft("", long, true)));
        assert!(!work.admit_draft(&draft("home", long, false)) && !work.admit_draft(&draft("Work", long, false)));
        let kept = rows(&[], &[long, Tier::Permanent], false);
        assert!(kept.admit_draft(&draft("any", long, true)) && !kept.admit_draft(&draft("any", short, false)));
        let plain = rows(&[], &[], true);
        assert!(plain.admit_draft(&draft("any", short, false)) && !plain.admit_draft(&draft("any", short, true)));
        assert!(!work.are_all() && !kept.are_all() && !plain.are_all());
    }

    #[test]
    fn names_are_trimmed_as_those_of_memories_are_and_held_to_their_bounds() {
        assert_eq!(rows(&[" work ", "work", ""], &[], false).namespaces(), ["", "work"]);
        let longest = "n".repeat(MAX_NAMESPACE_BYTES);
        assert_eq!(rows(&[&longest], &[], false).only_namespace(), Some(longest.as_str()));
        for wrong in ["a\nb", "   ", &format!("{longest}n")] {
            let error = Rows::parse("grant", &["ok".to_owned(), wrong.to_owned()], &[], false).unwrap_err();
            assert!(matches!(&error, Error::Invalid(v) if v[0].field == "grant.namespaces[1]"), "{error}");
        }
        let many = |n: usize| (0..n).map(|n| n.to_string()).collect::<Vec<_>>();
        assert!(Rows::parse("grant", &many(MAX_GRANT_NAMESPACES), &[], false).is_ok());
        assert!(Rows::parse("grant", &many(MAX_GRANT_NAMESPACES + 1), &[], false).is_err());
    }

    #[test]
    fn limits_cover_what_lies_within_them_and_no_more() {
        let all = Rows::default();
        let work = rows(&["work"], &[], false);
        let both = rows(&["work", "home"], &[Tier::LongTerm], false);
        let plain = rows(&["work"], &[Tier::LongTerm], true);
        for one in [&all, &work, &both, &plain] {
            assert!(all.cover(one) && one.cover(one), "{one:?}");
        }
        assert!(both.cover(&plain) && work.cover(&plain));
        for (one, other) in [(&work, &all), (&work, &both), (&both, &work), (&plain, &work), (&plain, &all)] {
            assert!(!one.cover(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_filter_is_narrowed_to_what_is_reached_or_matches_nothing() {
        let rows = rows(&["work"], &[Tier::LongTerm], true);
        let narrowed = rows.within(&MemoryFilter { withheld: true, ..MemoryFilter::default() }).unwrap();
        assert_eq!((narrowed.namespaces, narrowed.tiers), (vec!["work".to_owned()], vec![Tier::LongTerm]));
        assert_eq!((narrowed.sensitivity, narrowed.withheld), (SensitivityFilter::Exclude, false));
        let asked = |namespaces: &[&str], tiers: &[Tier], sensitivity| MemoryFilter {
            namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
            tiers: tiers.to_vec(),
            sensitivity,
            ..MemoryFilter::default()
        };
        let any = SensitivityFilter::Any;
        assert_eq!(rows.within(&asked(&["home", "work"], &[], any)).unwrap().namespaces, ["work"]);
        assert!(rows.within(&asked(&["home"], &[], any)).is_none());
        assert!(rows.within(&asked(&[""], &[], any)).is_none());
        assert!(rows.within(&asked(&[], &[Tier::ShortTerm], any)).is_none());
        assert!(rows.within(&asked(&[], &[], SensitivityFilter::Only)).is_none());
        assert_eq!(rows.filter().effective_states(), MemoryState::ALL);
    }
}
