//! Reads, on one snapshot of the vault, the parts that need no query.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::super::compact_session::covered;
use super::input::CheckedContext;
use crate::compacting::Covers;
use crate::context::Part;
use crate::core_memory::{PREFIX, label_of, sort_key};
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{MemoryId, Seq};
use crate::memory::{Creator, Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind, Role};
use crate::ports::{LexicalQuery, LexicalTerm, NamesQuery, VaultReader};
use crate::text::directives::openings;
use crate::time::Timestamp;

/// Most records of each kind that are read, and their bytes.
const TURNS: usize = 64;
const GOALS: usize = 32;
const BLOCKS: usize = 64;
const PREFERENCES: usize = 64;
const WISHES: usize = 32;
const HITS: usize = 256;
const MAX_BYTES: usize = 512 * 1024;
/// Most words of a wish: a longer text expresses one only in passing.
const WISH_WORDS: u32 = 100;

/// Snapshots that are read: more than a session keeps side by side.
const SNAPSHOTS: usize = 32;

/// The items to read.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a part of a context")]
pub(super) struct Wanted {
    turns: Option<String>,
    snapshots: bool,
    core: bool,
    wishes: bool,
    goals: bool,
    filter: MemoryFilter,
    now: Timestamp,
}

impl Wanted {
    /// Goals cover the whole vault, so a caller who reaches only some memories gets none.
    pub(super) fn of(asked: &CheckedContext, now: Timestamp, is_limited: bool) -> Self {
        let has = |part| asked.parts.contains(&part);
        Self {
            // A query may refer to the last turns even where they are not handed out.
            turns: asked.session.clone(),
            snapshots: has(Part::Snapshots),
            core: has(Part::Core),
            wishes: has(Part::Wishes),
            goals: has(Part::Goals) && !is_limited,
            filter: asked.filter.clone(),
            now,
        }
    }
}

/// The data read.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    /// Blocks of core memory with their labels, in order.
    pub(super) core: Vec<(String, Memory)>,
    /// Preferences and standing wishes, most important first, newest first among equals.
    pub(super) wishes: Vec<Memory>,
    /// Active goals, newest first.
    pub(super) goals: Vec<Goal>,
    /// The last turns of the session, newest first.
    pub(super) turns: Vec<Memory>,
    /// Summaries of what was said before them, newest first.
    pub(super) snapshots: Vec<(Covers, Memory)>,
    /// Turns that a snapshot covers.
    pub(super) compacted: HashSet<MemoryId>,
}

impl Gathered {
    /// Returns every record that may be handed out.
    pub(super) fn all(&self) -> impl Iterator<Item = &Memory> {
        let parts = self.core.iter().map(|(_, memory)| memory).chain(&self.wishes);
        parts.chain(self.snapshots.iter().map(|(_, memory)| memory)).chain(self.last_turns())
    }

    /// Returns the last turns that no snapshot covers, newest first.
    pub(super) fn last_turns(&self) -> impl Iterator<Item = &Memory> {
        self.turns.iter().filter(|turn| !self.compacted.contains(&turn.id))
    }

    /// Returns what the person (`true`) and the assistant (`false`) said, newest first; leaves out answers of tools.
    pub(super) fn said(&self) -> Vec<(bool, &str)> {
        let said = |turn| match role(turn) {
            Some(Role::User) => Some((true, turn.draft.content.as_str())),
            Some(Role::Assistant) => Some((false, turn.draft.content.as_str())),
            _ => None,
        };
        self.turns.iter().filter_map(said).collect()
    }
}

/// Reads what `wanted` names.
pub(super) async fn read(vault: &mut dyn VaultReader, wanted: &Wanted) -> Result<Gathered> {
    let (turns, snapshots) = match &wanted.turns {
        Some(session) => (last_turns(vault, session, wanted).await?, snapshots(vault, session, wanted).await?),
        None => (Vec::new(), Vec::new()),
    };
    let compacted = if snapshots.is_empty() { HashSet::new() } else { covered(vault, &turns).await? };
    let wishes = if wanted.wishes { wishes(vault, wanted).await? } else { Vec::new() };
    let goals = if wanted.goals { vault.goals(Some(GoalStatus::Active), None, GOALS).await? } else { Vec::new() };
    let core = if wanted.core { core(vault, wanted).await? } else { Vec::new() };
    Ok(Gathered { core, wishes, goals, turns, snapshots, compacted })
}

/// Reads the blocks that are not empty, in their order.
async fn core(vault: &mut dyn VaultReader, wanted: &Wanted) -> Result<Vec<(String, Memory)>> {
    let filter = wanted.filter.clone();
    let query = NamesQuery { filter, prefix: PREFIX.to_owned(), limit: BLOCKS, ..NamesQuery::default() };
    let seqs: Vec<Seq> = vault.names(&query).await?.into_iter().map(|one| one.seq).collect();
    let named = |memory: Memory| {
        let label = label_of(memory.draft.name.as_deref()?)?.to_owned();
        (!memory.draft.content.trim().is_empty()).then_some((label, memory))
    };
    let mut blocks: Vec<_> = vault.memories(&seqs).await?.into_iter().filter_map(named).collect();
    blocks.sort_by(|(one, _), (other, _)| sort_key(one).cmp(&sort_key(other)));
    Ok(blocks)
}

/// Reads the last turns. Archived turns were said, too: they only made room for others.
async fn last_turns(vault: &mut dyn VaultReader, session: &str, wanted: &Wanted) -> Result<Vec<Memory>> {
    let filter = MemoryFilter {
        session_id: Some(session.to_owned()),
        kinds: vec![RecordKind::Turn],
        states: vec![MemoryState::Active, MemoryState::Archived],
        ..wanted.filter.clone()
    };
    let mut turns = vault.list(&filter, ListOrder::NewestFirst, None, TURNS, MAX_BYTES).await?;
    turns.sort_by_key(|turn| Reverse((position(turn), turn.seq)));
    Ok(turns)
}

/// Reads the session's summaries by compacting.
async fn snapshots(vault: &mut dyn VaultReader, session: &str, wanted: &Wanted) -> Result<Vec<(Covers, Memory)>> {
    if !wanted.snapshots {
        return Ok(Vec::new());
    }
    let filter = MemoryFilter {
        session_id: Some(session.to_owned()),
        kinds: vec![RecordKind::Summary],
        states: vec![MemoryState::Active, MemoryState::Archived],
        ..wanted.filter.clone()
    };
    let found = vault.list(&filter, ListOrder::NewestFirst, None, SNAPSHOTS, MAX_BYTES).await?;
    let mut made: Vec<(Covers, Memory)> =
        found.into_iter().filter_map(|memory| Some((Covers::of(&memory)?, memory))).collect();
    made.sort_by_key(|(covers, memory)| Reverse((*covers, memory.seq)));
    Ok(made)
}

async fn wishes(vault: &mut dyn VaultReader, wanted: &Wanted) -> Result<Vec<Memory>> {
    let filter = MemoryFilter { kinds: vec![RecordKind::Preference], ..wanted.filter.clone() };
    let mut wishes = vault.list(&filter, ListOrder::NewestFirst, None, PREFERENCES, MAX_BYTES).await?;
    let any = openings().map(LexicalTerm::word).collect();
    let query = LexicalQuery { any, all: Vec::new(), filter: wanted.filter.clone() };
    let mut told: Vec<Seq> = vault
        .lexical(&query, HITS)
        .await?
        .into_iter()
        .filter_map(|hit| {
            let directs = hit.traits.directs && !hit.traits.is_question && hit.traits.words <= WISH_WORDS;
            (directs && wishes.iter().all(|wish| wish.seq != hit.seq)).then_some(hit.seq)
        })
        .collect();
    told.sort_unstable_by_key(|seq| Reverse(*seq));
    told.truncate(WISHES);
    let told = vault.memories(&told).await?;
    wishes.extend(told.into_iter().filter(|memory| is_of_person(memory) && memory.holds_at(wanted.now)));
    wishes.sort_by_key(|wish| Reverse((wish.draft.importance, wish.seq)));
    Ok(wishes)
}

/// Reports whether the person said or wrote it. An assistant's note may come from a page that it read, so its wording
/// alone makes it no wish.
fn is_of_person(memory: &Memory) -> bool {
    let by_person = role(memory).map_or(memory.draft.created_by == Creator::User, |role| role == Role::User);
    by_person && matches!(memory.draft.kind, RecordKind::Unset | RecordKind::Turn | RecordKind::Fact | RecordKind::Note)
}

fn role(memory: &Memory) -> Option<Role> {
    match &memory.draft.detail {
        Some(Detail::Turn(turn)) => Some(turn.role),
        _ => None,
    }
}

fn position(memory: &Memory) -> i64 {
    match &memory.draft.detail {
        Some(Detail::Turn(turn)) => turn.position,
        _ => 0,
    }
}
