//! `tag`: tags records by rules and keywords, and again after a week or when they changed (Y-4).

use std::collections::HashMap;

use async_trait::async_trait;

use super::reading::{left, pages};
use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step, Trigger};
use crate::entities::ReadMark;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Subject;
use crate::meditation::kinds::BYTES;
use crate::tables::{Condition, find};
use crate::time::{Span, Timestamp};

/// Most records that a scheduled run tags unless the operator sets a cap. Requested runs have no such limit.
const MOST: usize = 480;
/// How long tags stay fresh. They become outdated because word frequencies in a vault change.
const FRESH: Span = Span::days(7);
/// An upper bound on day numbers, so that rules version and day fit into one version.
const DAYS: i64 = 10_000_000;

/// Gives records tags.
#[derive(Clone, Copy, Debug)]
pub struct Tag;

#[async_trait]
impl Step for Tag {
    fn name(&self) -> &'static str {
        "tag"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let (picture, name) = (context.picture, self.name());
        let fresh = Self::first_fresh(picture.as_of);
        let read = context.read(move |reader| {
            Box::pin(async move {
                let outdated = ReadMark::of(name, Self::first_version()).that(Condition::Before("rules", fresh.into()));
                Ok((ReadMark::unread_by(reader, name, fresh).await?, find::<ReadMark>(reader, &outdated).await?))
            })
        });
        let (unread, outdated) = read.await?;
        let marks: HashMap<MemoryId, i64> = outdated.into_iter().map(|mark| (mark.memory, mark.rules)).collect();
        let due = picture.reached().filter(|item| unread.binary_search(&item.seq).is_ok());
        let mut due: Vec<_> = due.map(|item| (marks.get(&item.id).copied(), item)).collect();
        // Records without tags first, then the oldest tags, so that none waits forever.
        due.sort_by_key(|(mark, item)| (*mark, item.seq));
        let night = if picture.trigger == Trigger::Schedule { MOST } else { usize::MAX };
        due.truncate(left(picture, name, night));
        let (new, old): (Vec<_>, Vec<_>) = due.into_iter().partition(|(mark, _)| mark.is_none());
        let mut changes = Vec::new();
        for (reason, due) in [(Reason::Unread, new), (Reason::Outdated, old)] {
            let due: Vec<&RetentionItem> = due.into_iter().map(|(_, item)| item).collect();
            changes.extend(pages(&due).into_iter().map(|page| change(page, reason)));
        }
        Ok(changes)
    }
}

impl Tag {
    /// The version of the rules. Raise it when their results change, so that records are read again.
    const RULES: i64 = 1;

    const fn first_version() -> i64 {
        Self::RULES * DAYS
    }

    /// Returns the smallest version of tags that are fresh at this time.
    const fn first_fresh(now: Timestamp) -> i64 {
        Self::version(now.minus(FRESH)) + 1
    }

    /// Returns the version stored for a record tagged at this time by these rules.
    pub(in crate::meditation) const fn version(at: Timestamp) -> i64 {
        Self::first_version() + at.day()
    }
}

fn change(page: &[&RetentionItem], reason: Reason) -> Change {
    let subjects = page.iter().map(|item| Subject { id: item.id.0, seq: item.seq }).collect();
    let bytes = page.iter().map(|item| item.size_bytes).sum();
    Change { step: "", kind: Kind::Tag, subjects, reason, body: Body::default().whole(BYTES, bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_given_again_on_the_seventh_day() {
        let at = Timestamp(1_790_000_000_000_000);
        let due = |now: Timestamp| Tag::version(at) < Tag::first_fresh(now);
        assert!(!due(at) && !due(at.plus(Span::days(6))));
        assert!(due(at.plus(Span::days(7))) && due(at.plus(Span::days(8))));
    }
}
