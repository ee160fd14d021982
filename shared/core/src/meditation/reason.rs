//! Why a step proposes a change, or spares a memory.

use crate::memory::names;

/// The reason of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Over quota, and has the smallest score.
    OverQuota,
    /// A short-term memory outlived its lifetime.
    Expired,
    /// Its session ended.
    SessionEnded,
    /// Its grace passed, and it still scores low.
    GracePassed,
    /// Its grace passed after its owner deleted it.
    OwnerDeleted,
    /// Its grace passed, and the archive is over its allowance.
    ArchiveOverAllowance,
    /// Spared: protected.
    Protected,
    /// Spared: permanent.
    Permanent,
    /// Spared: scores well now.
    ScoresWell,
    /// Spared for today: the daily cap is spent.
    DailyCap,
    /// Its salience fell below the threshold that a caller named.
    LowSalience,
    /// Its text was not read in its present form.
    Unread,
    /// It is often retrieved.
    OftenRetrieved,
    /// It was never retrieved.
    NeverRetrieved,
    /// It was never retrieved, and has little importance.
    Unimportant,
    /// The data derived from it is old.
    Outdated,
    /// It contradicts another memory that also holds.
    Contradicts,
    /// The other memory has far less confidence.
    LessBelieved,
    /// It became colder.
    Cooled,
    /// It became hotter.
    Warmed,
    /// Other memories say the same.
    SaysTheSame,
    /// It follows from the subjects.
    Follows,
    /// The subjects are alike, and many.
    Recurs,
    /// Something that it was concluded from no longer holds.
    PremiseGone,
    /// The subjects are about the same entity.
    Told,
}
names!(Reason {
    OverQuota => "over_quota",
    Expired => "expired",
    SessionEnded => "session_ended",
    GracePassed => "grace_passed",
    OwnerDeleted => "owner_deleted",
    ArchiveOverAllowance => "archive_over_allowance",
    Protected => "protected",
    Permanent => "permanent",
    ScoresWell => "scores_well",
    DailyCap => "daily_cap",
    LowSalience => "low_salience",
    Unread => "unread",
    OftenRetrieved => "often_retrieved",
    NeverRetrieved => "never_retrieved",
    Unimportant => "unimportant",
    Outdated => "outdated",
    Contradicts => "contradicts",
    LessBelieved => "less_believed",
    Cooled => "cooled",
    Warmed => "warmed",
    SaysTheSame => "says_the_same",
    Follows => "follows",
    Recurs => "recurs",
    PremiseGone => "premise_gone",
    Told => "told",
});
