//! `relevance_to_goals`: lexical and tag overlap with the user's active goals, projects and recent agent tasks (K-3.2).
//!
//! Three pieces of evidence, for one goal, joined as independent ones (noisy or), times the goal's importance:
//! `importance * (1 - (1 - t)*(1 - 0.5*d)*(1 - g))`, with
//! - `t` the share of the title's stems that the memory holds,
//! - `d = n/(n + 4)` for the number `n` of further stems of the description and the tags that it holds,
//! - `g = m/(m + 0.5)` for the number `m` of tags that both carry, without regard to case.
//!
//! Where both have vectors, `importance * v` counts if it is more, with `v` the evidence of their nearness.
//!
//! The best goal wins; of equals, the one with the smallest id, which is the oldest. A memory holds the stems of its
//! content and of its tags. Stems are those of the English Snowball stemmer; the stop-words of a goal do not count,
//! unless its title consists of nothing else. Scripts that write without gaps are compared by pairs of characters.

use std::collections::{BTreeSet, HashMap};

use super::sample::sample;
use super::stop_words::is_stop_word;
use crate::goals::Goal;
use crate::ids::GoalId;
use crate::text::words::{fold, is_unparted, stem, words};
use crate::time::Timestamp;

/// Shared description stems at which their evidence is half of its maximum.
const DESCRIPTION_HALF: f64 = 4.0;
/// The most that the description's evidence counts.
const DESCRIPTION: f64 = 0.5;
/// Shared tags at which their evidence is half of its maximum.
const TAGS_HALF: f64 = 0.5;
/// Words in the stem cache; a full cache is cleared.
const REMEMBERED_WORDS: usize = 1 << 16;
/// Longer words are not cached, in bytes.
const LONGEST_REMEMBERED: usize = 48;
/// The stem number of a word that no goal holds.
const NOWHERE: u32 = u32::MAX;

/// How a memory matches the goals.
#[derive(Debug, Default)]
pub(super) struct Relevance {
    /// The signal.
    pub(super) value: f64,
    /// The goal that matched best, if any did.
    pub(super) best: Option<BestGoal>,
}

/// The goal that matched best.
#[derive(Debug)]
pub(super) struct BestGoal {
    /// Its id.
    pub(super) id: GoalId,
    /// Its importance.
    pub(super) importance: f64,
    /// Number of stems in its title.
    pub(super) title_words: u32,
    /// The match.
    pub(super) matches: Matches,
    /// The evidence of nearness, if it exceeded the evidence from words.
    pub(super) nearness: Option<f64>,
}

/// The number of stems and tags that a memory and a goal share.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Matches {
    /// Stems of the title.
    pub(super) title: u32,
    /// Further stems, of the description and the tags.
    pub(super) description: u32,
    /// Tags.
    pub(super) tags: u32,
}

#[derive(Debug)]
struct IndexedGoal {
    id: GoalId,
    importance: f64,
    title_words: u32,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    goal: usize,
    in_title: bool,
}

/// An index from stems and tags to goals.
#[derive(Debug)]
pub(super) struct GoalIndex {
    goals: Vec<IndexedGoal>,
    stems: HashMap<String, u32>,
    postings: Vec<Vec<Posting>>,
    tags: HashMap<String, Vec<usize>>,
    /// Cache: a word as written, with the number of its stem.
    remembered: HashMap<String, u32>,
    /// For each stem, the item that last counted it.
    held_by: Vec<u64>,
    item: u64,
    matches: Vec<Matches>,
}

impl GoalIndex {
    /// Indexes the goals that count at `now`.
    pub(super) fn new(goals: &[Goal], now: Timestamp) -> Self {
        let mut counting: Vec<&Goal> = goals.iter().filter(|goal| goal.counts_at(now)).collect();
        counting.sort_by_key(|goal| goal.id);
        let mut index = Self {
            goals: Vec::with_capacity(counting.len()),
            stems: HashMap::new(),
            postings: Vec::new(),
            tags: HashMap::new(),
            remembered: HashMap::new(),
            held_by: Vec::new(),
            item: 0,
            matches: vec![Matches::default(); counting.len()],
        };
        for goal in counting {
            index.add(goal);
        }
        index.held_by = vec![0; index.postings.len()];
        index
    }

    /// Returns the number of goals that count.
    pub(super) const fn len(&self) -> usize {
        self.goals.len()
    }

    fn add(&mut self, goal: &Goal) {
        let (number, draft) = (self.goals.len(), &goal.draft);
        let mut title: BTreeSet<String> = meaningful_stems(&draft.title).collect();
        if title.is_empty() {
            title = stems(&draft.title).collect();
        }
        let texts = std::iter::once(&draft.description).chain(&draft.tags);
        let further: BTreeSet<String> = texts.flat_map(|text| meaningful_stems(text)).collect();
        for stem in &title {
            self.post(stem, Posting { goal: number, in_title: true });
        }
        for stem in further.difference(&title) {
            self.post(stem, Posting { goal: number, in_title: false });
        }
        for tag in draft.tags.iter().map(|tag| fold(tag)).collect::<BTreeSet<_>>() {
            self.tags.entry(tag).or_default().push(number);
        }
        self.goals.push(IndexedGoal {
            id: goal.id,
            importance: if draft.importance.is_nan() { 0.0 } else { draft.importance.clamp(0.0, 1.0) },
            title_words: u32::try_from(title.len()).unwrap_or(u32::MAX),
        });
    }

    fn post(&mut self, stem: &str, posting: Posting) {
        let next = u32::try_from(self.postings.len()).unwrap_or(NOWHERE);
        let number = *self.stems.entry(stem.to_owned()).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
        }
        if let Some(list) = self.postings.get_mut(number as usize) {
            list.push(posting);
        }
    }

    /// Returns how a memory with this content and these tags matches. `near` are the goals that its vector is near to.
    pub(super) fn relevance(&mut self, content: &str, tags: &[String], near: &[(GoalId, f64)]) -> Relevance {
        if self.goals.is_empty() {
            return Relevance::default();
        }
        self.item += 1;
        self.matches.fill(Matches::default());
        for text in sample(content).chain(tags.iter().map(String::as_str)) {
            for word in words(text) {
                self.meet(word);
            }
        }
        if !self.tags.is_empty() {
            self.meet_tags(tags);
        }
        self.best(near)
    }

    fn meet(&mut self, word: &str) {
        if let Some(&number) = self.remembered.get(word) {
            self.hold(number);
        } else if is_unparted(word) {
            for pair in pairs(word) {
                self.hold(self.number(&pair));
            }
        } else {
            let number = self.number(&stem(&fold(word)));
            if word.len() <= LONGEST_REMEMBERED {
                if self.remembered.len() >= REMEMBERED_WORDS {
                    self.remembered.clear();
                }
                self.remembered.insert(word.to_owned(), number);
            }
            self.hold(number);
        }
    }

    fn number(&self, stem: &str) -> u32 {
        self.stems.get(stem).copied().unwrap_or(NOWHERE)
    }

    /// Counts a stem for the goals that hold it, once per memory.
    fn hold(&mut self, number: u32) {
        let (Some(held_by), Some(postings)) =
            (self.held_by.get_mut(number as usize), self.postings.get(number as usize))
        else {
            return;
        };
        if std::mem::replace(held_by, self.item) == self.item {
            return;
        }
        for posting in postings {
            if let Some(matches) = self.matches.get_mut(posting.goal) {
                *(if posting.in_title { &mut matches.title } else { &mut matches.description }) += 1;
            }
        }
    }

    fn meet_tags(&mut self, tags: &[String]) {
        let folded: BTreeSet<String> = tags.iter().map(|tag| fold(tag)).collect();
        for goal in folded.iter().filter_map(|tag| self.tags.get(tag)).flatten() {
            if let Some(matches) = self.matches.get_mut(*goal) {
                matches.tags += 1;
            }
        }
    }

    fn best(&self, near: &[(GoalId, f64)]) -> Relevance {
        let mut best = Relevance::default();
        for (goal, &matches) in self.goals.iter().zip(&self.matches) {
            let IndexedGoal { id, importance, title_words } = *goal;
            let (by_words, mut nearness) = (evidence(goal, matches), None);
            let mut value = by_words;
            if let Some((_, evidence)) = near.iter().find(|(goal, _)| *goal == id)
                && importance * evidence > by_words
            {
                (value, nearness) = ((importance * evidence).min(1.0), Some(*evidence));
            }
            if value > best.value {
                best = Relevance { value, best: Some(BestGoal { id, importance, title_words, matches, nearness }) };
            }
        }
        best
    }
}

fn evidence(goal: &IndexedGoal, matches: Matches) -> f64 {
    let title = f64::from(matches.title) / f64::from(goal.title_words.max(1));
    let further = f64::from(matches.description);
    let tags = f64::from(matches.tags);
    let description = DESCRIPTION * (further / (further + DESCRIPTION_HALF));
    let tags = tags / (tags + TAGS_HALF);
    (goal.importance * (1.0 - (1.0 - title) * (1.0 - description) * (1.0 - tags))).clamp(0.0, 1.0)
}

/// Returns the stems of a text, without stop-words.
fn meaningful_stems(text: &str) -> impl Iterator<Item = String> {
    folded_words(text).filter(|folded| !is_stop_word(folded)).map(|folded| stem(&folded))
}

fn stems(text: &str) -> impl Iterator<Item = String> {
    folded_words(text).map(|folded| stem(&folded))
}

fn folded_words(text: &str) -> impl Iterator<Item = String> {
    words(text).flat_map(|word| if is_unparted(word) { pairs(word) } else { vec![fold(word)] })
}

/// Pairs of neighbouring characters, for scripts that write without gaps; a single character stands for itself.
fn pairs(word: &str) -> Vec<String> {
    let chars: Vec<char> = fold(word).chars().collect();
    if chars.len() < 2 { vec![chars.iter().collect()] } else { chars.windows(2).map(String::from_iter).collect() }
}
