//! The api as its clients see it: a complete server within the test, real clients, and everything that they may do
//! wrong. One program, since linking the api takes longer than most of these tests.

mod access;
mod audit;
mod bounds;
mod browsers;
mod certificates;
mod common;
mod connections;
mod consents;
mod conversations;
mod default_user;
mod forgetting;
mod goals;
mod http;
mod keys;
mod late_bodies;
mod limits;
mod links;
mod mcp;
mod mcp_bounds;
mod meditation;
mod memories;
mod own_keys;
mod paging;
mod records;
mod settings_and_metrics;
mod source;
mod streams;
mod tls;
mod tokens;
mod transport;
