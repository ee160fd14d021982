//! Runs several statements in one string.

use rusqlite::{Connection, Result, Row};

use super::Args;

/// Runs statements one after another and passes every row to `take`, until that returns `false`. `?` takes the next value,
/// across all statements, and `?3` the third.
pub(super) fn run(raw: &Connection, sql: &str, args: &Args, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<()> {
    let mut next = 0;
    for sql in statements(sql) {
        let mut statement = raw.prepare_cached(sql)?;
        for parameter in 1..=statement.parameter_count() {
            let number = statement.parameter_name(parameter).and_then(|name| name.get(1..)?.parse::<usize>().ok());
            let index = number.map_or(next, |number| number.saturating_sub(1));
            next = next.max(index + 1);
            statement.raw_bind_parameter(parameter, args.get(index))?;
        }
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            if !take(row) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Splits at semicolons that are not in quotes. Statements must not contain comments, which may hold anything.
fn statements(sql: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    let parts = sql.split(move |c: char| match quote {
        None if c == '\'' || c == '"' => {
            quote = Some(c);
            false
        }
        Some(open) if open == c => {
            quote = None;
            false
        }
        None => c == ';',
        Some(_) => false,
    });
    parts.map(str::trim).filter(|statement| !statement.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes() {
        let split = |sql| statements(sql).collect::<Vec<_>>();
        assert_eq!(split("BEGIN;"), ["BEGIN"]);
        assert_eq!(
            split("SELECT group_concat(a, ';'); ; SELECT \";\", 'it''s;'"),
            ["SELECT group_concat(a, ';')", "SELECT \";\", 'it''s;'",]
        );
        assert_eq!(split(""), Vec::<&str>::new());
    }

    #[test]
    fn values_are_taken_across_statements() {
        let raw = Connection::open_in_memory().unwrap();
        let mut found = Vec::new();
        let args = Args::new().with(1).with(2).with(3);
        run(&raw, "SELECT ?, ?; SELECT ?", &args, &mut |row| {
            found.push(row.get::<_, i64>(0).unwrap());
            true
        })
        .unwrap();
        assert_eq!(found, [1, 3]);
        let sum = &mut |row: &Row<'_>| row.get::<_, i64>(0).unwrap() == 5;
        run(&raw, "SELECT ?3 + ?2", &args, sum).unwrap();
    }
}
