//! Explains why memories are archived, erased or spared, in sentences with the numbers of a change.

use crate::meditation::{Change, Reason};
use crate::retention::{readable_bytes, readable_span};

/// The age of the memory.
pub(in crate::meditation) const AGE: &str = "age";
/// The lifetime of memories in its tier.
pub(in crate::meditation) const LIFETIME: &str = "lifetime";
/// Bytes that its tier, or the archive, holds.
pub(in crate::meditation) const HELD: &str = "held";
/// Bytes that its tier, or the archive, may hold.
pub(in crate::meditation) const ALLOWED: &str = "allowed";
/// 1 if the tier holds protected memories, which are not counted.
pub(in crate::meditation) const SOME_PROTECTED: &str = "some_protected";
/// Time since its grace ended.
pub(in crate::meditation) const GRACE_OVER: &str = "grace_over";
/// The score below which a memory is erased after its grace.
pub(in crate::meditation) const LOW_SCORE: &str = "low_score";
/// The daily cap on erased bytes.
pub(in crate::meditation) const CAP: &str = "cap";
/// The salience of a memory that a caller forgot.
pub(crate) const SALIENCE: &str = "salience";
/// The salience below which a caller forgot memories.
pub(crate) const THRESHOLD: &str = "threshold";
/// The number of retrievals.
pub(in crate::meditation) const RETRIEVED: &str = "retrieved";
/// The importance before the change.
pub(in crate::meditation) const BEFORE: &str = "importance_before";
/// The reason for which a spared memory would have been archived or erased, by its index in [`Reason::ALL`].
pub(in crate::meditation) const INSTEAD: &str = "instead";
/// The number of records that become one.
pub(in crate::meditation) const MERGED: &str = "merged";

/// Explains a reason with the numbers of a change.
pub(super) fn sentence(reason: Reason, change: &Change) -> String {
    let body = &change.body;
    let bytes = |name| readable_bytes(body.count(name));
    let (score, low) = (change.score(), body.real(LOW_SCORE));
    let ended = || format!("its grace ended {} ago", readable_span(body.time(GRACE_OVER)));
    let although = || match body.chosen(INSTEAD, Reason::ALL).filter(|instead| *instead != reason) {
        Some(instead) => sentence(instead, change),
        None => ended(),
    };
    match reason {
        Reason::OverQuota => {
            let tier = change.tier().map_or("", |tier| tier.name());
            let some = if body.has(SOME_PROTECTED) { ", protected ones not counted" } else { "" };
            let (held, allowed) = (bytes(HELD), bytes(ALLOWED));
            format!("{tier} holds {held} of {allowed}{some}; score {score:.3} is the smallest")
        }
        Reason::Expired => {
            let (age, lifetime) = (readable_span(body.time(AGE)), readable_span(body.time(LIFETIME)));
            format!("it is {age} old and short_term memories live for about {lifetime}")
        }
        Reason::SessionEnded => "its session ended".to_owned(),
        Reason::GracePassed => format!("{} and score {score:.3} is below {low:.3}", ended()),
        Reason::OwnerDeleted => format!("its owner deleted it and {}", ended()),
        Reason::ArchiveOverAllowance => {
            let (held, allowed) = (bytes(HELD), bytes(ALLOWED));
            format!("{} and the archive holds {held} of {allowed}; score {score:.3} is the smallest", ended())
        }
        Reason::LowSalience => {
            let (salience, threshold) = (body.real(SALIENCE), body.real(THRESHOLD));
            format!("its salience {salience:.3} is below {threshold:.3}")
        }
        Reason::Protected => format!("it is protected, although {}", although()),
        Reason::Permanent => format!("only its owner removes a permanent memory, although {}", although()),
        Reason::ScoresWell => format!("score {score:.3} is not below {low:.3}, although {}", ended()),
        Reason::DailyCap => {
            let (cap, size) = (bytes(CAP), readable_bytes(change.size_bytes()));
            format!("today's cap of {cap} leaves no room for its {size}, although {}", although())
        }
        Reason::Cooled => "it became colder".to_owned(),
        Reason::Warmed => "it became hotter".to_owned(),
        Reason::Outdated => "its derived data is a week old".to_owned(),
        Reason::Unread => "its current text was not read yet".to_owned(),
        Reason::OftenRetrieved => format!("it was retrieved {} times", body.count(RETRIEVED)),
        Reason::NeverRetrieved => {
            format!("it was never retrieved, and not written for {}", readable_span(body.time(AGE)))
        }
        Reason::Unimportant => {
            let (age, importance) = (readable_span(body.time(AGE)), body.count(BEFORE));
            format!("its importance is {importance}, it was never retrieved, and not written for {age}")
        }
        Reason::SaysTheSame => {
            format!("{} memories say the same, and one can replace them", body.count(MERGED))
        }
        Reason::Contradicts | Reason::LessBelieved => super::believed(change),
        Reason::Follows => "they imply it".to_owned(),
        Reason::Recurs => "they describe repeated, similar events".to_owned(),
        Reason::Told => "known facts about it changed".to_owned(),
        Reason::PremiseGone => "a memory that it was concluded from is no longer valid".to_owned(),
    }
}
