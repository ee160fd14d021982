//! Where the tables of a database lie if it is a Citus: tables of one user on the node of that user, which the id of
//! the user decides, all others on the coordinator.

use super::{Lies, OF_ALL, of_user};

/// Where the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// All rows of a user are together on one node.
    ByUser,
    /// Every node has a copy, to join users' rows with.
    Everywhere,
    /// On the coordinator: read across users.
    Coordinator,
}

/// The table whose rows decide where a user's other rows are.
pub(crate) const FIRST: &str = "vaults";

/// Tables that a move does not copy row by row.
const NOT_MOVED: [(&str, Spread); 9] = [
    ("working", Spread::ByUser),
    ("vector_users", Spread::ByUser),
    ("vector_indices", Spread::ByUser),
    ("vectors", Spread::ByUser),
    ("vector_graphs", Spread::Everywhere),
    ("wrapped_keys", Spread::Coordinator),
    ("moves", Spread::Coordinator),
    ("moved_users", Spread::Coordinator),
    ("schema_version", Spread::Coordinator),
];

/// Returns every table of a database; a table comes after those that it refers to.
pub(crate) fn spread() -> impl Iterator<Item = (&'static str, Spread)> {
    let of_user = of_user().iter().filter(|table| table.lies == Lies::Alike);
    std::iter::once((FIRST, Spread::ByUser))
        .chain(of_user.map(|table| (table.database, Spread::ByUser)))
        .chain(OF_ALL.iter().map(|table| (table.database, Spread::Coordinator)))
        .chain(NOT_MOVED)
}
