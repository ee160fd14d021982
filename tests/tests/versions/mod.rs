//! Builds of several versions over one database: the next one migrates the schema while processes of this one write;
//! those continue beside it and can restart, unless the migration excludes them.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

mod beside;
mod newer;
mod refused;

use kimberly_store::conformance::database::{APP, Database};
use kimberly_tests::System;

/// Number of migrations of this version.
const OWN: i64 = 2;
/// The oldest version whose builds can work beside this one.
const SERVES_FROM: i64 = 1;

/// A small quota keeps workers busy; the hard limit, ten times as much, does not interfere.
const SETTINGS: [(&str, &str); 2] =
    [("KIMBERLY_QUOTAS__LONG_TERM", "128KiB"), ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000")];

/// Three api, two worker and two embedder processes of this version.
async fn system(database: &Database) -> System {
    System::start_over(&database.url_as(APP), &database.url(), &SETTINGS).await
}

/// The migration that a database is at, and the oldest version whose builds it serves.
async fn version(database: &Database) -> (i64, i64) {
    let sql = "SELECT unnest(ARRAY[version::text, serves_from::text]) FROM kimberly.schema_version";
    let found = database.texts(sql).await;
    let number = |n: usize| found.get(n).and_then(|text| text.parse().ok()).expect("a number");
    assert_eq!(found.len(), 2, "one row says it");
    (number(0), number(1))
}
