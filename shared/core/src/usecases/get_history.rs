//! Returns what happened to a record, as one timeline.

use super::App;
use crate::bounds::MAX_HISTORY;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Ending, Link};
use crate::meditation::RecordedDecision;
use crate::memory::ConfidenceChange;
use crate::ports::VaultReader;
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;
use crate::versions::Version;

/// Something that happened to a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It was created.
    Created,
    /// It was last changed.
    Updated,
    /// Its confidence changed.
    Believed(ConfidenceChange),
    /// It was linked to another, or another to it.
    Linked(Link),
    /// The end of its validity was set, with a reason.
    Ended(Ending),
    /// Its content or detail was changed. The old text is stored, but not returned here.
    Edited(Version),
    /// A meditation decided about it.
    Decided(Box<RecordedDecision>),
}

/// The timeline of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Times and events, oldest first.
    pub events: Vec<(Timestamp, Event)>,
    /// Whether older events were left out.
    pub truncated: bool,
}

impl App {
    /// Returns the newest [`MAX_HISTORY`] events of a record, oldest first.
    #[boxed]
    pub async fn history(&self, user: &UserId, id: MemoryId) -> Result<History> {
        self.vaults.read(user, move |reader| Box::pin(async move { history(reader, id).await })).await
    }
}

async fn history(reader: &mut dyn VaultReader, id: MemoryId) -> Result<History> {
    let memory = reader.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))?;
    let mut events = vec![(memory.created_at, Event::Created)];
    if memory.updated_at != memory.created_at {
        events.push((memory.updated_at, Event::Updated));
    }
    events.extend(memory.belief.history.iter().map(|change| (change.changed_at, Event::Believed(*change))));
    let links: Vec<Link> = find(reader, &Link::of([id], Direction::Both).at_most(MAX_HISTORY)).await?;
    events.extend(links.into_iter().map(|link| (link.created_at, Event::Linked(link))));
    let endings = Ending::query().is("memory_id", id).descending().at_most(MAX_HISTORY);
    events.extend(find(reader, &endings).await?.into_iter().map(|ending: Ending| (ending.at, Event::Ended(ending))));
    let versions = Version::query().is("memory_id", id).descending().without(Version::TEXTS).at_most(MAX_HISTORY);
    let versions: Vec<Version> = find(reader, &versions).await?;
    events.extend(versions.into_iter().map(|version| (version.changed_at, Event::Edited(version))));
    let decisions = reader.decisions_about(id, MAX_HISTORY).await?;
    events.extend(decisions.into_iter().map(|one| (one.decided_at, Event::Decided(Box::new(one)))));
    events.sort_by_key(|(at, _)| *at);
    let surplus = events.len().saturating_sub(MAX_HISTORY);
    events.drain(..surplus);
    Ok(History { events, truncated: surplus > 0 })
}
