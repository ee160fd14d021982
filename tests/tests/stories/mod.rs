//! Stories of users and operators, told through the real processes.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

mod conversations;
mod corrections;
mod extraction;
mod graph;
mod layers;
mod links;
mod meditation;
mod names;
mod paging;
mod records;
mod remembering;
mod repeating;
mod sessions;
mod settings;
mod surroundings;
mod upkeep;
mod whole;
mod wire;
mod working;
