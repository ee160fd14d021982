//! The kinds of changes. `kinds` has the rules of each.

use crate::memory::names;

/// The effect of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Moves to the archive.
    Archive,
    /// Erases.
    Delete,
    /// Leaves a memory alone that was due for archiving or erasing.
    Spare,
    /// Notes which entities its text names.
    Recognize,
    /// Notes which relations between entities its text states.
    Relate,
    /// Moves its importance.
    Recalibrate,
    /// Gives it tags.
    Tag,
    /// Notes which claims it makes.
    Weigh,
    /// Notes that it contradicts another; a person decides which one holds.
    Contradict,
    /// Ends another memory that it contradicts, so that only this one holds.
    Resolve,
    /// Notes its temperature.
    Temper,
    /// Replaces it and others that say the same by one record.
    Merge,
    /// Keeps a conclusion from several records.
    Conclude,
    /// Ends a conclusion from something that no longer holds.
    Withdraw,
    /// Writes a profile of an entity from several records.
    Describe,
}
names!(Kind {
    Archive => "archive",
    Delete => "delete",
    Spare => "spare",
    Recognize => "recognize",
    Relate => "relate",
    Recalibrate => "recalibrate",
    Tag => "tag",
    Weigh => "weigh",
    Contradict => "contradict",
    Resolve => "resolve",
    Temper => "temper",
    Merge => "merge",
    Conclude => "conclude",
    Withdraw => "withdraw",
    Describe => "describe",
});
