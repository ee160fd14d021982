//! Postgres only: roles, concurrent creation of tables, several installations in one database, and broken
//! connections.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod losing;
mod tables;
