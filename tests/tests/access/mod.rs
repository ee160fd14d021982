//! The access matrix: every rpc of the contract with every kind of credential, for own, other and absent users, and
//! for visible, hidden and absent memories, over gRPC and JSON. Hand-written tables define the expectations; they do
//! not use the code under test. Refusals must be identical whatever exists.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod certificates;
mod credentials;
mod dialects;
mod expected;
mod json;
mod matrix;
mod profiles;
mod requests;
mod rpcs;
mod tokens;
mod told;
mod world;
