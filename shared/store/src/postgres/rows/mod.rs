//! How the domain's types lie in columns.

mod cells;

pub(crate) use cells::Cells;
