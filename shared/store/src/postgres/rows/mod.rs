//! How the domain's types lie in columns.

mod cells;
mod credential;
mod purge;

pub(crate) use cells::Cells;
pub(crate) use credential::{certificate, credential, push_credential};
pub(crate) use purge::{erased_json, purge, step_code};
