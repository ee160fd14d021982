//! Keywords: words from a summary and from file names that distinguish a record from others.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::File;
use super::rules::stem;
use crate::bounds::MAX_TAG_BYTES;
use crate::compacting::brief;
use crate::error::Result;
use crate::extraction::secrets;
use crate::memory::{Memory, MemoryState, Tier};
use crate::ports::VaultReader;
use crate::text::lists::{is_stop_word, is_talk_word, is_time_word};
use crate::text::porter;
use crate::text::words::{composed, fold, is_unparted, words};
use crate::usage::Usage;

/// Fewest letters of a keyword.
const FEWEST_LETTERS: usize = 4;
/// A word does not distinguish records if more than one in this many memories contains it.
const COMMON: u64 = 10;
/// A word in at most this many memories always distinguishes them.
const FEW: u64 = 4;
/// How many occurrences in the text a word in a file name counts for.
const IN_NAME: u64 = 2;
/// Longest stem looked up, in characters.
const LONGEST: usize = 64;

/// A possible keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The word as displayed.
    pub(super) word: String,
    /// The stem in the index.
    stem: String,
    /// Number of occurrences.
    times: u64,
}

/// The words of a record that may be keywords, each once, in order.
pub(super) fn candidates(memory: &Memory, files: &[File]) -> Vec<Candidate> {
    // The summary may omit the context that marks a word as a secret: check the whole text.
    let text = &memory.draft.content;
    let text = if secrets(text).is_empty() { brief(text) } else { String::new() };
    let names = memory.draft.name.iter().map(String::as_str).chain(files.iter().map(|file| file.name.as_str()));
    let names: Vec<&str> = names.map(stem).filter(|name| secrets(name).is_empty()).collect();
    let of_names = names.iter().flat_map(|name| words(name)).map(|word| (word, IN_NAME));
    let (mut found, mut indexes): (Vec<Candidate>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    for (word, times) in of_names.chain(words(&text).map(|word| (word, 1))) {
        let folded = fold(word);
        if !may_be_one(word, &folded) {
            continue;
        }
        let stem = porter(&folded);
        if let Some(known) = indexes.get(&stem).and_then(|index| found.get_mut(*index)) {
            known.times += times;
            continue;
        }
        indexes.insert(stem.clone(), found.len());
        found.push(Candidate { word: composed(word).to_lowercase(), stem, times });
    }
    found
}

fn may_be_one(word: &str, folded: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() >= FEWEST_LETTERS
        && word.len() <= MAX_TAG_BYTES
        && !is_unparted(word)
        && !is_stop_word(folded)
        && !is_talk_word(folded)
        && !is_time_word(folded)
}

/// How many memories of a vault contain each requested word.
#[derive(Debug, Default)]
pub(crate) struct Frequencies {
    memories: u64,
    held: BTreeMap<String, u64>,
}

impl Frequencies {
    /// Reads the frequencies of candidates.
    pub(super) async fn read(reader: &mut dyn VaultReader, all: &[Vec<Candidate>]) -> Result<Self> {
        let wanted: HashSet<&str> = all.iter().flatten().map(|one| one.stem.as_str()).collect();
        let mut letters: Vec<char> = wanted.iter().filter_map(|stem| stem.chars().next()).collect();
        letters.sort_unstable();
        letters.dedup();
        if letters.is_empty() {
            return Ok(Self::default());
        }
        let usage = reader.usage().await?;
        let vocabulary = reader.vocabulary(&letters, 1, LONGEST).await?;
        let held = vocabulary.into_iter().filter(|(stem, _)| wanted.contains(stem.as_str())).collect();
        Ok(Self { memories: searched(&usage), held })
    }

    fn of(&self, candidate: &Candidate) -> u64 {
        self.held.get(&candidate.stem).copied().unwrap_or(1)
    }

    /// The sufficiently rare candidates, the most frequent in the record first. The number of memories with a word has
    /// no other influence: it counts the whole vault, and tags are visible to callers who reach only a part of it.
    pub(super) fn best<'c>(&self, candidates: &'c [Candidate]) -> Vec<&'c Candidate> {
        let most = FEW.max(self.memories / COMMON);
        let mut best: Vec<&Candidate> = candidates.iter().filter(|one| self.of(one) <= most).collect();
        // The sort is stable: equals keep the order of the text.
        best.sort_by_key(|one| std::cmp::Reverse(one.times));
        best
    }
}

/// The number of memories that the index may contain.
fn searched(usage: &Usage) -> u64 {
    let states = [MemoryState::Active, MemoryState::Archived];
    Tier::ALL.iter().flat_map(|tier| states.map(|state| usage.count(*tier, state).items)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::MemoryDraft;
    use crate::time::Timestamp;

    fn of(content: &str) -> Vec<Candidate> {
        let draft = MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() };
        candidates(&Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, Timestamp(0)), &[])
    }

    fn words_of(found: &[Candidate]) -> Vec<&str> {
        found.iter().map(|one| one.word.as_str()).collect()
    }

    #[test]
    fn keywords_have_four_letters_or_more_and_no_word_comes_twice() {
        assert_eq!(
            words_of(&of("The cat saw a heron, and herons saw the \"Café\" by the river.")),
            ["heron", "café", "river"]
        );
        assert_eq!(words_of(&of("We met Ana in 2019 about abc4567 and abcd567.")), ["abcd567"]);
        assert!(of("").is_empty() && of("她在里斯本").is_empty());
    }

    #[test]
    fn secrets_make_no_keywords() {
        let secret = "password: hunter2-Correct-Horse";
        assert!(!secrets(secret).is_empty(), "it is one");
        assert!(of(secret).is_empty());
        let apart = "The harbour opens at nine.\nThe ferry leaves at ten.\nThe bridge is closed.\npassword: hunter2-Correct-Horse";
        assert!(of(apart).is_empty(), "wherever the summary looks");
    }

    #[test]
    fn words_that_more_than_a_tenth_of_memories_hold_are_no_keywords() {
        let found = of("The document says that the heron stands near the harbour.");
        assert_eq!(words_of(&found), ["document", "heron", "stands", "near", "harbour"]);
        let held = |document| {
            let held = [("document", document), ("heron", 2), ("harbour", 3)];
            let held = held.map(|(stem, count)| (stem.to_owned(), count)).into();
            Frequencies { memories: 100, held }
        };
        let best = |document| held(document).best(&found).into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(words_of(&best(10)), words_of(&found), "equals stay in order");
        assert_eq!(words_of(&best(11)), ["heron", "stands", "near", "harbour"]);
        let twice = of("Gulls and a heron. The heron sleeps.");
        let none = Frequencies { memories: 100, held: BTreeMap::new() };
        assert_eq!(words_of(&none.best(&twice).into_iter().cloned().collect::<Vec<_>>())[0], "heron");
        let few = |document| Frequencies { memories: 5, held: [("document".to_owned(), document)].into() };
        assert!(few(4).best(&found).iter().any(|one| one.word == "document"));
        assert!(few(5).best(&found).iter().all(|one| one.word != "document"));
    }
}
