//! Finds what may be promoted, among the newest raw records, episodes and beliefs that the caller reaches.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::window::{AT_ONCE, window};
use crate::bounds::{MAX_PAGE_SIZE, PROMOTED_FROM_CONFIDENCE};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::memory::{Detail, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::VaultReader;
use crate::reviews::{Alike, Review, ReviewKind, pairs};
use crate::tables::{RowQuery, find};
use crate::time::Timestamp;
use crate::usecases::list_unprocessed::processed;

/// Returns what records of some kinds may become, in the order of ids, each id once.
pub(super) async fn promotions(
    reader: &mut dyn VaultReader,
    kinds: &[RecordKind],
    now: Timestamp,
) -> Result<Vec<Review>> {
    let mut found = Vec::new();
    for kind in kinds {
        let of_kind = match kind {
            RecordKind::Raw => sessions(reader, now).await?,
            RecordKind::Episode => lessons(reader, now).await?,
            _ => held(reader, now).await?,
        };
        found.extend(of_kind);
    }
    // Two episodes may share two lessons: the second one waits until something was made of the first.
    found.sort_by_key(|review| review.id);
    found.dedup_by_key(|review| review.id);
    Ok(found)
}

fn of_kind(kind: RecordKind, now: Timestamp) -> MemoryFilter {
    MemoryFilter { kinds: vec![kind], ..ReviewKind::Promotion.filter(now) }
}

/// Groups raw records that nothing is derived from, by session, namespace, consent and sensitivity.
async fn sessions(reader: &mut dyn VaultReader, now: Timestamp) -> Result<Vec<Review>> {
    let window = window(reader, &of_kind(RecordKind::Raw, now)).await?;
    let mut done = HashSet::new();
    for page in window.chunks(MAX_PAGE_SIZE) {
        done.extend(processed(reader, page).await?);
    }
    let mut sessions: BTreeMap<_, Vec<Memory>> = BTreeMap::new();
    for memory in window {
        let draft = &memory.draft;
        let apart = (draft.namespace.clone(), draft.consent_id, draft.metadata.sensitive);
        let session = draft.session_id.clone().filter(|_| !draft.content.trim().is_empty());
        if let Some(session) = session.filter(|_| !done.contains(&memory.id)) {
            sessions.entry((session, apart)).or_default().push(memory);
        }
    }
    Ok(sessions.into_values().filter_map(|records| Review::session(records, now)).collect())
}

/// Returns episodes with lessons that say the same and that no belief says yet.
async fn lessons(reader: &mut dyn VaultReader, now: Timestamp) -> Result<Vec<Review>> {
    let beliefs = window(reader, &of_kind(RecordKind::Belief, now)).await?;
    let episodes = window(reader, &of_kind(RecordKind::Episode, now)).await?;
    let groups = alike(&beliefs, &episodes);
    let ids: HashSet<MemoryId> = groups.iter().flatten().map(|said| said.by.id).collect();
    let derived = derived(reader, ids.into_iter().collect(), RecordKind::Belief).await?;
    let is_open = |group: &Vec<Said<'_>>| group.iter().all(|said| said.is_open(derived.get(&said.by.id)));
    let item = |group: Vec<Said<'_>>| {
        let lesson = group.last()?.text.to_owned();
        Review::lesson(group.into_iter().map(|said| said.by.clone()).collect(), lesson)
    };
    Ok(groups.into_iter().filter(is_open).filter_map(item).collect())
}

/// Something that a record says: a lesson of an episode, or a belief.
#[derive(Clone, Copy)]
struct Said<'m> {
    by: &'m Memory,
    text: &'m str,
}

impl Said<'_> {
    /// Reports whether no belief that is derived from its episode says the same. A belief that says none of the
    /// episode's lessons counts for all of them: a person put it into other words.
    fn is_open(&self, beliefs: Option<&Vec<Memory>>) -> bool {
        let says = |belief: &Memory, text: &str| {
            let both = Alike::of(belief).zip(Alike::said(self.by, text));
            both.is_some_and(|(belief, text)| belief.is_near(&text))
        };
        let leaves_open =
            |belief: &Memory| !says(belief, self.text) && taught(self.by).iter().any(|lesson| says(belief, lesson));
        beliefs.is_none_or(|beliefs| beliefs.iter().all(leaves_open))
    }
}

fn taught(episode: &Memory) -> &[String] {
    match &episode.draft.detail {
        Some(Detail::Episode(detail)) => &detail.lessons,
        _ => &[],
    }
}

/// Groups lessons that say the same and that no belief says, from two or more episodes, with one lesson of each.
fn alike<'m>(beliefs: &'m [Memory], episodes: &'m [Memory]) -> Vec<Vec<Said<'m>>> {
    let beliefs = beliefs.iter().map(|by| Said { by, text: &by.draft.content });
    let lessons = episodes.iter().flat_map(|by| taught(by).iter().map(move |text| Said { by, text }));
    let said = beliefs.chain(lessons).filter_map(|said| Some((said, Alike::said(said.by, said.text)?)));
    let (said, texts): (Vec<Said<'_>>, Vec<Alike>) = said.unzip();
    let before: HashMap<usize, usize> = pairs(&texts).into_iter().map(|(older, newer)| (newer, older)).collect();
    let (mut group_of, mut groups): (Vec<usize>, Vec<Vec<Said<'_>>>) = (Vec::with_capacity(said.len()), Vec::new());
    for (at, one) in said.into_iter().enumerate() {
        let of = before.get(&at).and_then(|older| group_of.get(*older)).copied().unwrap_or(groups.len());
        group_of.push(of);
        match groups.get_mut(of) {
            Some(group) if group.last().is_some_and(|last| last.by.id == one.by.id) => {}
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let is_new =
        |group: &Vec<Said<'_>>| group.len() > 1 && group.iter().all(|said| said.by.draft.kind == RecordKind::Episode);
    groups.into_iter().filter(is_new).collect()
}

/// Returns beliefs that have been valid for long and from which no value was derived.
async fn held(reader: &mut dyn VaultReader, now: Timestamp) -> Result<Vec<Review>> {
    let filter = MemoryFilter { min_confidence: PROMOTED_FROM_CONFIDENCE, ..of_kind(RecordKind::Belief, now) };
    let window = window(reader, &filter).await?;
    let ids: Vec<MemoryId> = window.iter().map(|memory| memory.id).collect();
    let mut sources: HashMap<MemoryId, u64> = HashMap::new();
    for ids in ids.chunks(AT_ONCE) {
        for link in find::<Link>(reader, &derivations(ids, Direction::Out)).await? {
            *sources.entry(link.from).or_default() += 1;
        }
    }
    let item = |belief: Memory| {
        let sources = sources.get(&belief.id).copied().unwrap_or_default();
        Review::held(belief, sources, now)
    };
    let waiting: Vec<Review> = window.into_iter().filter_map(item).collect();
    let ids = waiting.iter().map(|review| review.id.first).collect();
    let done = derived(reader, ids, RecordKind::Value).await?;
    Ok(waiting.into_iter().filter(|review| !done.contains_key(&review.id.first)).collect())
}

/// Queries links that say what is derived from what, of records that are neither deleted nor withheld.
fn derivations(ids: &[MemoryId], direction: Direction) -> RowQuery {
    let links = Link::of(ids.iter().copied(), direction).is("relation", Relation::DerivedFrom.name());
    let mut query = links.without(&["evidence"]);
    query.memories.states = vec![MemoryState::Active, MemoryState::Archived];
    query
}

/// Returns, for each id, the records of a kind that are derived from it.
async fn derived(
    reader: &mut dyn VaultReader,
    ids: Vec<MemoryId>,
    kind: RecordKind,
) -> Result<HashMap<MemoryId, Vec<Memory>>> {
    let mut links = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        links.extend(find::<Link>(reader, &derivations(ids, Direction::In)).await?);
    }
    let made: HashSet<MemoryId> = links.iter().map(|link| link.from).collect();
    let made: Vec<MemoryId> = made.into_iter().collect();
    let mut records: HashMap<MemoryId, Memory> = HashMap::new();
    for ids in made.chunks(AT_ONCE) {
        let seqs: Vec<_> = reader.seqs(ids).await?.into_iter().map(|(_, seq)| seq).collect();
        let read = reader.memories(&seqs).await?.into_iter();
        records.extend(read.filter(|memory| memory.draft.kind == kind).map(|memory| (memory.id, memory)));
    }
    let mut derived: HashMap<MemoryId, Vec<Memory>> = HashMap::new();
    for link in links {
        if let Some(record) = records.get(&link.from) {
            derived.entry(link.to).or_default().push(record.clone());
        }
    }
    Ok(derived)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;
    use crate::memory::{EpisodeDetail, MemoryDraft};

    fn memory(number: u64, kind: RecordKind, content: &str, lessons: &[&str]) -> Memory {
        let lessons = lessons.iter().map(|&lesson| lesson.to_owned()).collect();
        let detail = Detail::Episode(EpisodeDetail { lessons, ..EpisodeDetail::default() });
        let detail = Some(detail).filter(|_| kind == RecordKind::Episode);
        let draft = MemoryDraft { kind, content: content.to_owned(), detail, ..MemoryDraft::default() };
        let id = MemoryId(uuid::Uuid::from_u128(u128::from(number)));
        Memory::new(id, Seq(i64::try_from(number).unwrap()), draft, Timestamp(7))
    }

    fn episode(number: u64, lessons: &[&str]) -> Memory {
        memory(number, RecordKind::Episode, "We released", lessons)
    }

    fn groups(beliefs: &[Memory], episodes: &[Memory]) -> Vec<(String, Vec<i64>)> {
        let of = |group: Vec<Said<'_>>| {
            let text = group.last().map(|said| said.text.to_owned()).unwrap_or_default();
            (text, group.into_iter().map(|said| said.by.seq.0).collect())
        };
        alike(beliefs, episodes).into_iter().map(of).collect()
    }

    #[test]
    fn lessons_that_say_the_same_are_one_group_in_the_words_of_the_newest() {
        let episodes = [
            episode(1, &["Small releases break less", "small releases break less!"]),
            episode(2, &["Measure before you move", "small releases break less"]),
            episode(3, &["Small releases break more"]),
            episode(4, &["The small releases break less."]),
        ];
        assert_eq!(groups(&[], &episodes), [("The small releases break less.".to_owned(), vec![1, 2, 4])]);
        let known = memory(9, RecordKind::Belief, "Small releases break less.", &[]);
        assert!(groups(std::slice::from_ref(&known), &episodes).is_empty(), "it is believed already");
        let mut elsewhere = known;
        elsewhere.draft.namespace = "work".to_owned();
        assert_eq!(groups(&[elsewhere], &episodes).len(), 1);
        let mut secret = episodes.to_vec();
        secret[3].draft.metadata.sensitive = true;
        assert_eq!(groups(&[], &secret)[0].1, [1, 2]);
    }

    #[test]
    fn a_belief_settles_its_lesson_and_one_in_other_words_all() {
        let episode = episode(1, &["Small releases break less", "Measure before you move"]);
        let open = |belief: &str| {
            let beliefs = vec![memory(9, RecordKind::Belief, belief, &[])];
            let is_open = |text: &&str| Said { by: &episode, text }.is_open(Some(&beliefs));
            ["Small releases break less", "Measure before you move"].iter().filter(|text| is_open(text)).count()
        };
        assert_eq!((open("small releases break less"), open("Release every day")), (1, 0));
        assert!(Said { by: &episode, text: "Measure before you move" }.is_open(None));
    }
}
