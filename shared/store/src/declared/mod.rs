//! Reads, counts, writes and deletes rows of tables that `kimberly_core::tables` declares, on either backend.
//!
//! A new table needs no code here: all statements are generated from its declaration. `connection` covers the
//! differences between backends; their SQL differs only in placeholders and the leading user column of keys.
//!
//! This module must not know what a row means. A filter on the memories that a row names decides who sees the row.

mod connection;
mod schema;
mod select;
mod words;
mod write;

pub(crate) use connection::{Connection, NOTHING};
pub(crate) use schema::{created, late_indices, names, tables};
#[cfg(test)]
pub(crate) use select::found_by;
pub(crate) use select::{count, rows, seqs_without_row};
pub(crate) use write::{delete, put, seal_words_of};
