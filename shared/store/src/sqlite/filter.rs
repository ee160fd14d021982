//! A filter as SQL: fixed fragments for the conditions that are set, all values as parameters.

use kimberly_core::memory::{MemoryFilter, SensitivityFilter};

use super::conn::Args;
use super::rows::{code, state_code};
use crate::rows::folded;

/// Adds the conditions of a filter on `memories m` to `sql`, each with a leading `AND`, and their values to `args`.
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
        (" AND m.created_at >= ?", filter.created_after),
        (" AND m.created_at < ?", filter.created_before),
        (" AND coalesce(m.occurred_at, m.created_at) >= ?", filter.occurred_after),
        (" AND coalesce(m.occurred_at, m.created_at) < ?", filter.occurred_before),
    ] {
        if let Some(at) = at {
            sql.push_str(condition);
            args.push(at.0);
        }
    }
}

fn push_names(sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
    if let Some(session) = &filter.session_id {
        sql.push_str(" AND m.session = (SELECT no FROM sessions WHERE id = ?)");
        args.push(session.clone());
    }
    if !filter.namespaces.is_empty() {
        sql.push_str(
            " AND m.namespace IN (SELECT no FROM namespaces WHERE name IN (SELECT value FROM json_each(?)) \
             UNION ALL SELECT 0 WHERE ?)",
        );
        args.push(json(&filter.namespaces));
        args.push(filter.namespaces.iter().any(String::is_empty));
    }
    if !filter.speakers.is_empty() {
        let names: Vec<_> = filter.speakers.iter().map(|s| folded(s)).collect();
        sql.push_str(" AND m.speaker IN (SELECT no FROM speakers WHERE folded IN (SELECT value FROM json_each(?)))");
        args.push(json(&names));
    }
    if !filter.tags_any.is_empty() {
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value IN (SELECT value FROM json_each(?)))",
        );
        args.push(json(&filter.tags_any));
    }
    if !filter.tags_all.is_empty() {
        sql.push_str(
            " AND NOT EXISTS (SELECT 1 FROM json_each(?) a WHERE a.value NOT IN \
             (SELECT value FROM json_each(coalesce(m.tags, '[]'))))",
        );
        args.push(json(&filter.tags_all));
    }
}

fn push_codes(sql: &mut String, column: &str, codes: impl Iterator<Item = i64>) {
    let mut codes: Vec<_> = codes.collect();
    codes.sort_unstable();
    codes.dedup();
    let list = codes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    sql.push_str(" AND ");
    sql.push_str(column);
    sql.push_str(" IN (");
    sql.push_str(&list);
    sql.push(')');
}

/// Text as a JSON array.
pub(crate) fn json(items: &[String]) -> String {
    serde_json::to_string(items).unwrap_or_default()
}

/// Numbers as a JSON array.
pub(crate) fn json_numbers(numbers: impl Iterator<Item = i64>) -> String {
    let list = numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    format!("[{list}]")
}
