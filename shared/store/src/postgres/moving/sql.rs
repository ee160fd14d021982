//! SQL of a move, generated from the list of tables, and conversion of values.

use kimberly_core::error::Result;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::moving::cell::{Cell, Row, row_from};
use crate::moving::side::PAGE;
use crate::postgres::conn::Args;
use crate::postgres::rows::Cells;
use crate::slots::INDEXED;
use crate::tables::{Kind, Lies, Table};

const HEAD: &str = "SELECT settings, settings_revision, audit_pruned, audit_pruned_hash, changes_last, outbox_last, \
     embedding_asked_at FROM vaults WHERE user_id = $1";
const LOG: &str = "SELECT name, last FROM system_audit_log WHERE one = 1";

/// Selects the first page of a table, or the page after a key, whose parts are the last parameters. The first parameter
/// is the user, if the table is a user's. Tables that are not stored as plain rows are selected at once.
pub(super) fn select(table: &Table, of_user: bool, behind: bool) -> String {
    match table.lies {
        Lies::Head => return HEAD.to_owned(),
        // Slots start at 0, array subscripts at 1.
        Lies::Counters => {
            return format!(
                "SELECT n::bigint - 1, items[n], bytes[n] FROM vaults, generate_series(1, {INDEXED}) AS n \
                 WHERE user_id = $1 ORDER BY n"
            );
        }
        Lies::Log => return LOG.to_owned(),
        Lies::Alike => {}
    }
    let columns: Vec<_> = table
        .columns
        .iter()
        .map(|column| match column.kind {
            Kind::Int | Kind::Small => format!("t.{}::bigint", column.database),
            Kind::Flag => format!("t.{}::int::bigint", column.database),
            Kind::Id => format!("uuid_send(t.{})", column.database),
            Kind::Real | Kind::Text | Kind::Bytes | Kind::Tags => format!("t.{}", column.database),
        })
        .collect();
    let keys: Vec<_> = table.columns.iter().take(table.keys).map(|column| format!("t.{}", column.database)).collect();
    let keys = keys.join(", ");
    let first = if of_user { 2 } else { 1 };
    let placeholders: Vec<_> = (first..first + table.keys).map(|placeholder| format!("${placeholder}")).collect();
    let conditions: Vec<_> = [
        of_user.then(|| "t.user_id = $1".to_owned()),
        behind.then(|| format!("({keys}) > ({})", placeholders.join(", "))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let condition = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    format!("SELECT {} FROM {} t{condition} ORDER BY {keys} LIMIT {PAGE}", columns.join(", "), table.database)
}

/// Inserts rows with one array parameter per column, preceded by the user if the table is a user's. `more` lists
/// further columns that are not moved: name, cast and parameter type. A user's vault must exist.
pub(super) fn insert(table: &Table, of_user: bool, more: &[(&str, &str, &str)]) -> String {
    let (first, from, which) = if of_user { (2, "vaults u CROSS JOIN ", " WHERE u.user_id = $1") } else { (1, "", "") };
    let (mut names, mut values, mut parameters, mut aliases) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    if of_user {
        names.push("user_id".to_owned());
        values.push("u.user_id".to_owned());
    }
    for (number, column) in table.columns.iter().enumerate() {
        let (value, kind) = match column.kind {
            Kind::Int | Kind::Small => (format!("v{number}"), "bigint"),
            Kind::Flag => (format!("v{number} <> 0"), "bigint"),
            Kind::Real => (format!("v{number}"), "double precision"),
            Kind::Text => (format!("v{number}"), "text"),
            Kind::Id => (format!("v{number}"), "uuid"),
            Kind::Bytes => (format!("v{number}"), "bytea"),
            Kind::Tags => (format!("ARRAY(SELECT json_array_elements_text(coalesce(v{number}, '[]')::json))"), "text"),
        };
        names.push(column.database.to_owned());
        values.push(value);
        parameters.push(format!("${}::{kind}[]", first + number));
        aliases.push(format!("v{number}"));
    }
    for (number, (name, value, kind)) in (table.columns.len()..).zip(more) {
        names.push((*name).to_owned());
        values.push(format!("v{number}{value}"));
        parameters.push(format!("${}::{kind}[]", first + number));
        aliases.push(format!("v{number}"));
    }
    format!(
        "INSERT INTO {} ({}) SELECT {} FROM {from}unnest({}) AS r ({}){which}",
        table.database,
        names.join(", "),
        values.join(", "),
        parameters.join(", "),
        aliases.join(", ")
    )
}

/// Reads a row of [`select`].
pub(super) fn read(table: &Table, row: &PgRow) -> Result<Row> {
    row_from(&mut Cells::new(row), table)
}

/// Adds a part of a key.
pub(super) fn push_key(args: &mut Args, kind: Kind, cell: &Cell) {
    match (kind, cell) {
        (Kind::Id, cell) => args.push(uuid(cell)),
        (_, Cell::Int(number)) => args.push(*number),
        (_, Cell::Text(text)) => args.push(text.clone()),
        (_, Cell::Bytes(bytes)) => args.push(bytes.clone()),
        (_, Cell::Real(number)) => args.push(*number),
        (_, Cell::Null) => args.push(None::<i64>),
    };
}

/// Adds one column of many rows.
pub(super) fn push_column(args: &mut Args, kind: Kind, rows: &[Row], at: usize) {
    let cells = || rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Null));
    match kind {
        Kind::Int | Kind::Small | Kind::Flag => args.push(cells().map(Cell::int).collect::<Vec<_>>()),
        Kind::Real => args.push(cells().map(Cell::real).collect::<Vec<_>>()),
        Kind::Text | Kind::Tags => args.push(cells().map(Cell::text).collect::<Vec<_>>()),
        Kind::Id => args.push(cells().map(uuid).collect::<Vec<_>>()),
        Kind::Bytes => args.push(cells().map(Cell::bytes).collect::<Vec<_>>()),
    };
}

fn uuid(cell: &Cell) -> Option<Uuid> {
    match cell {
        Cell::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{OF_ALL, of_user};

    #[test]
    fn statements_name_the_user_first_and_go_on_behind_a_key() {
        let goals = of_user().iter().find(|table| table.name == "goals").unwrap();
        assert_eq!(
            select(goals, true, true),
            "SELECT uuid_send(t.id), t.status, t.created_at::bigint, t.body FROM goals t WHERE t.user_id = $1 AND (t.id) > ($2) \
             ORDER BY t.id LIMIT 256"
        );
        assert_eq!(
            insert(goals, true, &[]),
            "INSERT INTO goals (user_id, id, status, created_at, body) SELECT u.user_id, v0, v1, v2, v3 \
             FROM vaults u CROSS JOIN unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[]) AS r (v0, v1, v2, v3) \
             WHERE u.user_id = $1"
        );
        let users = OF_ALL.iter().find(|table| table.name == "users").unwrap();
        assert!(select(users, false, true).contains("WHERE (t.user_id) > ($1) ORDER BY t.user_id"));
    }
}
