//! Vectors on Postgres do what the indices beside vaults in files do.

mod alone;
mod common;
mod erased;
mod graphs;
mod same;
mod switching;
mod together;
