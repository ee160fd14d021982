//! A filter as SQL: fixed fragments for the conditions that are set, all values as parameters.

use std::fmt::Write as _;

use kimberly_core::memory::{MemoryFilter, SensitivityFilter};

use super::conn::Args;
use super::rows::{code, state_code};
use crate::rows::folded;

/// Adds the conditions of a filter on `memories m` to `sql`, each with a leading `AND`, and their values to `args`, whose
/// first is the user.
pub(crate) fn push_conditions(sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
    // Closed sets cannot carry text of the caller's; their numbers stand in the statement.
    push_codes(sql, "m.state", filter.effective_states().iter().map(|s| state_code(*s)));
    if !filter.tiers.is_empty() {
        push_codes(sql, "m.tier", filter.tiers.iter().map(|t| code(*t)));
    }
    if !filter.sources.is_empty() {
        push_codes(sql, "m.source", filter.sources.iter().map(|s| code(*s)));
    }
    if !filter.scopes.is_empty() {
        push_codes(sql, "m.scope", filter.scopes.iter().map(|s| code(*s)));
    }
    if filter.withheld {
        // What is about to be erased is shown to nobody.
        sql.push_str(" AND m.withheld < 2");
    } else {
        sql.push_str(" AND m.withheld = 0");
    }
    match filter.sensitivity {
        SensitivityFilter::Any => {}
        SensitivityFilter::Exclude => sql.push_str(" AND NOT m.sensitive"),
        SensitivityFilter::Only => sql.push_str(" AND m.sensitive"),
    }
    push_times(sql, args, filter);
    push_names(sql, args, filter);
}

fn push_times(sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
    for (condition, at) in [
        ("m.created_at >=", filter.created_after),
        ("m.created_at <", filter.created_before),
        ("coalesce(m.occurred_at, m.created_at) >=", filter.occurred_after),
        ("coalesce(m.occurred_at, m.created_at) <", filter.occurred_before),
    ] {
        if let Some(at) = at {
            let _ = write!(sql, " AND {condition} ${}", args.push(at.0));
        }
    }
}

fn push_names(sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
    if let Some(session) = &filter.session_id {
        let n = args.push(storable(std::slice::from_ref(session)));
        let of = "SELECT no FROM sessions WHERE user_id = $1";
        let _ = write!(sql, " AND m.session IN ({of} AND id = ANY(${n}))");
    }
    if !filter.namespaces.is_empty() {
        let (names, default) =
            (args.push(storable(&filter.namespaces)), filter.namespaces.iter().any(String::is_empty));
        let of = "SELECT no FROM namespaces WHERE user_id = $1";
        let _ = write!(sql, " AND (m.namespace IN ({of} AND name = ANY(${names})) OR (m.namespace = 0 AND {default}))");
    }
    if !filter.speakers.is_empty() {
        let names: Vec<_> = filter.speakers.iter().map(|s| folded(s)).collect();
        let n = args.push(storable(&names));
        let of = "SELECT no FROM speakers WHERE user_id = $1";
        let _ = write!(sql, " AND m.speaker IN ({of} AND folded = ANY(${n}))");
    }
    if !filter.tags_any.is_empty() {
        let _ = write!(sql, " AND m.tags && ${}", args.push(storable(&filter.tags_any)));
    }
    if !filter.tags_all.is_empty() {
        let tags = storable(&filter.tags_all);
        let all = tags.len() == filter.tags_all.len();
        let _ = write!(sql, " AND {all} AND m.tags @> ${}", args.push(tags));
    }
}

/// Whether a text can be stored: Postgres takes no NUL in one, so nothing is called by a name that holds it.
pub(crate) fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

fn storable(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| is_storable(name)).cloned().collect()
}

fn push_codes(sql: &mut String, column: &str, codes: impl Iterator<Item = i64>) {
    let mut codes: Vec<_> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    let list = codes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let _ = write!(sql, " AND {column} IN ({list})");
}
