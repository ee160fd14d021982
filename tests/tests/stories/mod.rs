//! Stories of users and operators, through the real processes.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

mod believing;
mod cascade;
mod compacting;
mod contradictions;
mod conversations;
mod corrections;
mod documents;
mod extraction;
mod forgetting;
mod graph;
mod language_model;
mod layers;
mod links;
mod meditation;
mod merging;
mod names;
mod paging;
mod past;
mod profiles;
mod reasoning;
mod recalibrating;
mod records;
mod remembering;
mod repeating;
mod reranking;
mod reviews;
mod sessions;
mod settings;
mod surroundings;
mod tagging;
mod temperature;
mod upkeep;
mod whole;
mod wire;
mod working;
