//! Vectors on Postgres behave like the indices beside vaults in files.

mod alone;
mod common;
mod erased;
mod graphs;
mod same;
mod switching;
mod together;
