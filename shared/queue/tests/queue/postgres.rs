//! What only a server has: roles, tables that several make at once, other installations beside this one, and connections
//! that break.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod losing;
mod tables;
