//! Tests of all claims on every backend, and of each backend's specifics. One binary, because both compile the same
//! claims; `tests/programs.py` of the project runs each module in a separate process.

mod postgres;
mod secret;
mod sqlite;
