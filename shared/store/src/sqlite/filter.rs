//! Converts a filter to SQL: one fragment per condition, with all caller values as parameters.

use std::fmt::Write as _;

use kimberly_core::memory::MemoryFilter;

use super::conn::Args;
use crate::filter::{Condition, Names, Tags, conditions, list, subject_keys};
use crate::sealed::Seals;

/// Appends the conditions of a filter on memories `m` to `sql`, each with a leading `AND`, and their values to `args`.
pub(crate) fn push_conditions(sql: &mut String, args: &mut Args, filter: &MemoryFilter, seals: Option<&Seals>) {
    for condition in conditions(filter) {
        sql.push_str(" AND ");
        push(sql, args, condition, seals);
    }
}

/// Writing to a string cannot fail.
fn push(sql: &mut String, args: &mut Args, condition: Condition, seals: Option<&Seals>) {
    let _ = match condition {
        Condition::Among(of, numbers) => write!(sql, "{} IN ({})", of.sql, list(&numbers)),
        Condition::From(of, least) => {
            args.push(least);
            write!(sql, "{} >= ?", of.sql)
        }
        Condition::Before(of, end) => {
            args.push(end);
            write!(sql, "{} < ?", of.sql)
        }
        Condition::AtLeast(of, least) => {
            args.push(least);
            write!(sql, "{of} >= ?")
        }
        Condition::Below(of, end) => {
            args.push(end);
            write!(sql, "{of} < ?")
        }
        Condition::HeldAsKnown { at, known } => {
            args.push(at);
            args.push(known);
            write!(
                sql,
                "(coalesce(m.valid_to, 9223372036854775807) >= ? OR EXISTS (SELECT 1 FROM endings e \
                 WHERE e.memory_id = m.id AND e.at > ?))"
            )
        }
        Condition::Text(of, texts) => {
            args.push(json(&texts));
            write!(sql, "{of} IN (SELECT value FROM json_each(?))")
        }
        Condition::Subject(subjects) => {
            let keys = subject_keys(&subjects, seals);
            let placeholders = vec!["?"; keys.len()].join(", ");
            for key in keys {
                args.push(key);
            }
            write!(sql, "m.subject_key IN ({placeholders})")
        }
        Condition::Prefix(from, behind) => {
            args.push(from);
            args.push(behind);
            write!(sql, "m.name_key >= ? AND m.name_key < ?")
        }
        Condition::Is(of, true) => write!(sql, "{}", of.sql),
        Condition::Is(of, false) => write!(sql, "NOT {}", of.sql),
        Condition::Named(of, names) => named(sql, args, of, &names),
        Condition::AnyTag(tags, which) => any_tag(sql, args, &tags, which),
    };
}

/// Tags that meditation gave are looked up by memory, through their primary key.
fn any_tag(sql: &mut String, args: &mut Args, tags: &[String], which: Tags) -> std::fmt::Result {
    const OWN: &str = "EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value IN (SELECT value FROM json_each(?)))";
    args.push(json(tags));
    if which == Tags::Own {
        return write!(sql, "{OWN}");
    }
    args.push(json(tags));
    write!(
        sql,
        "({OWN} OR EXISTS (SELECT 1 FROM auto_tags t WHERE t.memory_id = m.id \
         AND t.tag IN (SELECT value FROM json_each(?))))"
    )
}

/// A single name becomes one number, which SQLite looks up in an index better than a set.
fn named(
    sql: &mut String,
    args: &mut Args,
    Names { sql: of, table, name }: Names,
    names: &[String],
) -> std::fmt::Result {
    match names {
        [one] if one.is_empty() => write!(sql, "{of} = 0"),
        [one] => {
            args.push(one.clone());
            write!(sql, "{of} = (SELECT no FROM {table} WHERE {name} = ?)")
        }
        _ => {
            args.push(json(names));
            args.push(names.iter().any(String::is_empty));
            write!(
                sql,
                "{of} IN (SELECT no FROM {table} WHERE {name} IN (SELECT value FROM json_each(?)) UNION ALL SELECT 0 WHERE ?)"
            )
        }
    }
}

/// Formats texts as a JSON array.
pub(crate) fn json(items: &[String]) -> String {
    serde_json::to_string(items).unwrap_or_default()
}

/// Formats numbers as a JSON array.
pub(crate) fn json_numbers(numbers: impl Iterator<Item = i64>) -> String {
    let list = numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    format!("[{list}]")
}
