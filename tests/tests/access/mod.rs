//! Who may make which call: every rpc of the contract with every kind of credential, for own, other and absent users, and for
//! memories in reach, out of reach and absent, over gRPC and as JSON. What is expected stands in tables written by hand
//! here; nothing of the code under test is asked. Refusals must say the same whatever there is.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod certificates;
mod credentials;
mod dialects;
mod expected;
mod json;
mod matrix;
mod requests;
mod rpcs;
mod tokens;
mod told;
mod world;
