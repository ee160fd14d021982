//! The statements avoid forms that Citus refuses, on every Postgres. Needs no server: it reads the sources.

use std::path::{Path, PathBuf};

use kimberly_store::conformance::database::spread_tables;

/// Functions whose value Citus does not pass on in an UPDATE.
const VOLATILE: [&str; 3] = ["gen_random_uuid(", "random(", "clock_timestamp("];

/// Returns the Rust files under a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the string literals of a source that are statements or parts of them, with single spaces.
fn statements(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n").replace("\\\"", "'").replace("'\"'", "''");
    let literals = code.split('"').skip(1).step_by(2).map(|text| text.replace('\\', " "));
    let one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    literals.map(one_line).filter(|text| text.contains("SELECT ") || is_write(text)).collect()
}

fn is_write(text: &str) -> bool {
    ["INSERT INTO ", "UPDATE ", "DELETE FROM "].iter().any(|verb| text.contains(verb))
}

/// Returns the tables that a statement names.
fn tables(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split([' ', ',', '(', ')']).filter(|word| !word.is_empty()).collect();
    let named = words.windows(2).filter(|pair| ["FROM", "JOIN", "INTO", "UPDATE"].contains(&pair[0]));
    named.map(|pair| pair[1]).collect()
}

/// Returns why Citus refuses a statement.
fn problem(text: &str) -> Option<&'static str> {
    let all = spread_tables();
    let is_users = |table: &str| all.iter().any(|(name, by_user)| *name == table && *by_user);
    let is_other = |table: &str| all.iter().any(|(name, by_user)| *name == table && !*by_user);
    let named = tables(text);
    let insert = text.split_once("INSERT INTO ").map(|(_, rest)| rest);
    if let Some((_, values)) = insert.and_then(|insert| insert.split_once(" VALUES "))
        && values.contains("SELECT ")
    {
        return Some("a subquery within VALUES: select from vaults instead");
    }
    let into_users = insert.is_some_and(|insert| insert.split(' ').next().is_some_and(is_users));
    if into_users && let Some((into, select)) = text.split_once("SELECT ") {
        if !select.split(',').next().is_some_and(|first| first.ends_with("user_id")) {
            return Some(
                "an INSERT whose SELECT does not read the user from a table of users: it runs as COPY, which row-level security forbids",
            );
        }
        if text.contains(" RETURNING ") && !into.contains(" AS ") {
            return Some("an INSERT with SELECT and RETURNING without an alias: Citus cannot name its columns");
        }
    }
    if text.contains("UPDATE ") && insert.is_none() && VOLATILE.iter().any(|function| text.contains(function)) {
        return Some("a volatile function within an UPDATE");
    }
    if named.contains(&"vector_graphs") && text.contains("EXISTS (SELECT") {
        return Some("a correlated subquery beside a reference table");
    }
    let beside = |table: &&str| is_other(table) && *table != "vector_graphs";
    (named.iter().any(|table| is_users(table)) && named.iter().any(beside))
        .then_some("a join of a table of users with one of the coordinator: use two statements")
}

#[test]
fn no_statement_has_a_form_that_citus_refuses() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    for folder in ["postgres", "declared", "rows"] {
        files(&src.join(folder), &mut paths);
    }
    let (mut read, mut problems) = (0, Vec::new());
    for path in paths {
        for text in statements(&std::fs::read_to_string(&path).unwrap()) {
            read += 1;
            problems.extend(problem(&text).map(|why| format!("{}: {why}: {text}", path.display())));
        }
    }
    assert!(read > 200, "only {read} statements were found");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn each_refused_form_is_recognized() {
    for (refused, why) in [
        ("INSERT INTO goals (user_id, id) SELECT $1, * FROM unnest($2::uuid[])", "COPY"),
        ("INSERT INTO blobs (user_id, no) VALUES ($1, (SELECT max(no) FROM blobs WHERE user_id = $1))", "VALUES"),
        (
            "INSERT INTO blobs (user_id, no) SELECT v.user_id, 1 FROM vaults v WHERE v.user_id = $1 RETURNING no",
            "alias",
        ),
        ("UPDATE vaults SET commit_mark = gen_random_uuid() WHERE user_id = $1", "volatile"),
        (
            "SELECT 1 FROM vector_graphs g WHERE NOT EXISTS (SELECT 1 FROM vector_indices i WHERE i.graph = g.graph)",
            "reference",
        ),
        ("DELETE FROM outbox_marks WHERE user_id = $1 AND NOT EXISTS (SELECT 1 FROM outbox)", "coordinator"),
    ] {
        assert!(problem(refused).is_some_and(|said| said.contains(why)), "{refused}: {:?}", problem(refused));
    }
    assert_eq!(
        problem("INSERT INTO goals (user_id, id) SELECT v.user_id, $2 FROM vaults v WHERE v.user_id = $1"),
        None
    );
}
