//! What runs decided, and why, in the words that the console uses.

use kimberly_proto::v1::{DecisionAction as Action, DecisionReason as Reason};

/// What was done with a memory.
pub(crate) fn action(value: i32) -> String {
    let Ok(action) = Action::try_from(value) else { return value.to_string() };
    let words = match action {
        Action::Unspecified => "",
        Action::Archive => "archived",
        Action::Delete => "erased",
        Action::Spare => "spared",
        Action::Recognize => "recorded whom and what it names",
        Action::Relate => "recorded how those are related",
        Action::Recalibrate => "importance adjusted",
        Action::Tag => "tagged",
        Action::Weigh => "recorded what it claims",
        Action::Contradict => "asked which is true",
        Action::Resolve => "kept; the other ended",
        Action::Temper => "temperature recorded",
        Action::Merge => "merged into one",
        Action::Conclude => "concluded from it",
        Action::Withdraw => "insight ended",
        Action::Describe => "profile written",
    };
    words.to_owned()
}

/// Why.
pub(crate) fn reason(value: i32) -> String {
    let Ok(reason) = Reason::try_from(value) else { return value.to_string() };
    let words = match reason {
        Reason::Unspecified => "",
        Reason::OverQuota => "over quota",
        Reason::Expired => "its lifetime ended",
        Reason::SessionEnded => "its session ended",
        Reason::GracePassed => "grace passed, still scores low",
        Reason::OwnerDeleted => "forgotten by its owner",
        Reason::ArchiveOverAllowance => "the archive is full",
        Reason::Protected => "protected",
        Reason::Permanent => "permanent",
        Reason::ScoresWell => "scores well now",
        Reason::DailyCap => "today's cap is reached",
        Reason::LowSalience => "low salience",
        Reason::Unread => "not read before",
        Reason::Contradicts => "contradicts another",
        Reason::LessBelieved => "the other has less confidence",
        Reason::OftenRetrieved => "often retrieved",
        Reason::NeverRetrieved => "never retrieved",
        Reason::Unimportant => "never retrieved, of little importance",
        Reason::Outdated => "a week old",
        Reason::Cooled => "became colder",
        Reason::Warmed => "became hotter",
        Reason::SaysTheSame => "says the same as others",
        Reason::Follows => "implies something",
        Reason::Recurs => "a repeated event",
        Reason::PremiseGone => "a premise ended",
        Reason::Told => "more is known about it",
    };
    words.to_owned()
}
