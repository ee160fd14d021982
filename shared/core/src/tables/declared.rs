//! The list of all declared tables. Only stores use it, so that the types of rows do not depend on each other.

use super::table::{Table, TableRow};
use crate::beliefs::ClaimRow;
use crate::context::HandedOut;
use crate::documents::Passage;
use crate::entities::{Mention, ReadMark, Ruling, Tie};
use crate::extraction::{StatementRow, UnreadTurn};
use crate::links::{Ending, Link};
use crate::meditation::Fingerprint;
use crate::retention::{NotedTemperature, Recalibration};
use crate::reviews::Decision;
use crate::statements::{Forgotten, Struck, VaultKey};
use crate::tagging::AutoTag;
use crate::versions::Version;

/// All declared tables, in the order in which they are filled.
pub const ALL: &[&Table] = &[
    Link::TABLE,
    HandedOut::TABLE,
    Ending::TABLE,
    Version::TABLE,
    UnreadTurn::TABLE,
    StatementRow::TABLE,
    Mention::TABLE,
    Tie::TABLE,
    ReadMark::TABLE,
    Ruling::TABLE,
    Decision::TABLE,
    ClaimRow::TABLE,
    Recalibration::TABLE,
    Passage::TABLE,
    AutoTag::TABLE,
    NotedTemperature::TABLE,
    Fingerprint::TABLE,
    Struck::TABLE,
    Forgotten::TABLE,
    VaultKey::TABLE,
];

/// Reports whether forgetting writes rows of a table: it must go on while nothing else may be added to a full disk.
pub fn is_of_forgetting(table: &Table) -> bool {
    [Struck::TABLE.name, Forgotten::TABLE.name, VaultKey::TABLE.name].contains(&table.name)
}
