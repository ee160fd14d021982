//! Rows of tables that `kimberly_core::tables` declares, on any backend: one way to read, count, put and delete them.
//!
//! A new table needs nothing here: its columns are in its declaration, and statements are made of them. What differs between
//! backends is `connection`; what differs between their SQL is one placeholder and the user in front of every key.
//!
//! It must not know what a row means. Which rows are seen hangs on the memories that they are about, as a filter says.

mod connection;
mod schema;
mod select;
mod words;
mod write;

pub(crate) use connection::Connection;
pub(crate) use schema::{created, names, tables};
pub(crate) use select::{count, rows};
pub(crate) use write::{delete, put, seal_words_of};
