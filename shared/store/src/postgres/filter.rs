//! Converts a filter to SQL: one fragment per condition, with all caller values as parameters.

use std::fmt::Write as _;

use kimberly_core::memory::MemoryFilter;

use super::conn::Args;
use crate::filter::{Condition, Names, Tags, conditions, list, subject_keys};
use crate::sealed::Seals;

/// Appends the conditions of a filter on memories `m` to `sql`, each with a leading `AND`, and their values to `args`,
/// whose first value is the user.
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
        Condition::From(of, least) => write!(sql, "{} >= ${}", of.sql, args.push(least)),
        Condition::Before(of, end) => write!(sql, "{} < ${}", of.sql, args.push(end)),
        Condition::AtLeast(of, least) => write!(sql, "{of} >= ${}", args.push(least)),
        Condition::Below(of, end) => write!(sql, "{of} < ${}", args.push(end)),
        Condition::HeldAsKnown { at, known } => {
            let (at, known) = (args.push(at), args.push(known));
            write!(
                sql,
                "(coalesce(m.valid_to, 9223372036854775807) >= ${at} OR EXISTS (SELECT 1 FROM endings e \
                 WHERE e.user_id = $1 AND e.memory_id = m.id AND e.at > ${known}))"
            )
        }
        Condition::Text(of, texts) => write!(sql, "{of} = ANY(${})", args.push(storable(&texts))),
        Condition::Subject(subjects) => {
            write!(sql, "m.subject_key = ANY(${})", args.push(subject_keys(&subjects, seals)))
        }
        Condition::Prefix(from, behind) => {
            let (from, behind) = (args.push(from), args.push(behind));
            write!(sql, "m.name_key >= ${from} AND m.name_key < ${behind}")
        }
        Condition::Is(of, true) => write!(sql, "{}", of.sql),
        Condition::Is(of, false) => write!(sql, "NOT {}", of.sql),
        Condition::Named(Names { sql: of, table, name }, names) => {
            let (names, default) = (args.push(storable(&names)), names.iter().any(String::is_empty));
            let numbers = format!("SELECT no FROM {table} WHERE user_id = $1 AND {name} = ANY(${names})");
            if default { write!(sql, "({of} IN ({numbers}) OR {of} = 0)") } else { write!(sql, "{of} IN ({numbers})") }
        }
        Condition::AnyTag(tags, which) => {
            let tags = args.push(storable(&tags));
            let own = format!("coalesce(m.tags && ${tags}, false)");
            match which {
                Tags::Own => write!(sql, "{own}"),
                // Tags that meditation gave are looked up by memory, through their primary key.
                Tags::All => write!(
                    sql,
                    "({own} OR EXISTS (SELECT 1 FROM auto_tags t WHERE t.user_id = $1 AND t.memory_id = m.id \
                     AND t.tag = ANY(${tags})))"
                ),
            }
        }
    };
}

/// Reports whether a text can be stored. Postgres text cannot contain NUL, so no stored name does.
pub(crate) fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

fn storable(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| is_storable(name)).cloned().collect()
}
