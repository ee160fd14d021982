//! The full text of a whole vault in memory: for each stem its posting list, the memories that contain it with
//! positions. Answers the same questions about matching memories as the database's vectors, without a statement.

mod newer;
mod positions;

use std::collections::BTreeSet;
use std::ops::Range;

use super::lexeme;
use super::query::Wanted;
use crate::cache::{CacheEntry, Stamp};
use newer::Indexed;
use positions::{CUT, Positions};

pub(crate) use newer::Newer;

/// The posting lists of all memories in the full-text index, as of a stamp. Immutable: updates create a new value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Postings {
    stamp: Stamp,
    /// In order of the memories' numbers.
    memories: Vec<Indexed>,
    /// In byte order of the stems.
    stems: Vec<Stem>,
    /// The stems, concatenated.
    letters: String,
    /// The posting lists, concatenated in order of the stems.
    positions: Positions,
}

/// A stem: the ends of its letters and of its posting list, and the number of memories that contain it. Both start
/// where those of the previous stem end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stem {
    letters: u32,
    positions: u32,
    held_by: u32,
}

/// A memory that may contain a wanted phrase.
#[derive(Debug, PartialEq)]
pub(crate) struct Holding {
    /// The memory's number.
    pub(crate) seq: i64,
    /// Number of its tokens.
    pub(crate) tokens: u64,
    /// Occurrences of each phrase; `None` if only the content can tell.
    pub(crate) times: Option<Vec<u32>>,
}

impl CacheEntry for Postings {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.memories) + size_of_val(&*self.stems) + self.letters.len() + self.positions.bytes()
    }
}

impl Postings {
    /// Merges newer memories into `before`, if given; `None` if the result is too large for the index types.
    pub(crate) fn new(stamp: Stamp, before: Option<&Self>, newer: Newer) -> Option<Self> {
        let nothing = Self::default();
        let before = before.unwrap_or(&nothing);
        let mut added: Vec<_> = newer.stems.into_iter().collect();
        added.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut whole = Self { stamp, ..Self::default() };
        whole.memories = before.memories.iter().chain(&newer.memories).copied().collect();
        let mut index = 0;
        for (letters, (positions, held_by)) in &added {
            let held = before.first_from(letters);
            whole.copy(before, index..held)?;
            index = held;
            let mut total = *held_by;
            if before.letters_of(held) == Some(letters) {
                whole.positions.extend(&before.positions, before.positions_of(held));
                total += before.held_by(held);
                index += 1;
            }
            whole.positions.extend(positions, 0..positions.len());
            whole.push(letters, total)?;
        }
        whole.copy(before, index..before.stems.len())?;
        // `bytes` does not count spare capacity.
        whole.letters.shrink_to_fit();
        whole.stems.shrink_to_fit();
        whole.positions.shrink_to_fit();
        Some(whole)
    }

    /// Appends a range of stems from other postings.
    fn copy(&mut self, from: &Self, indices: Range<usize>) -> Option<()> {
        for index in indices {
            self.positions.extend(&from.positions, from.positions_of(index));
            self.push(from.letters_of(index)?, from.held_by(index))?;
        }
        Some(())
    }

    /// Appends a stem whose positions were added already.
    fn push(&mut self, letters: &str, held_by: u32) -> Option<()> {
        self.letters.push_str(letters);
        let (letters, positions) = (u32::try_from(self.letters.len()).ok()?, u32::try_from(self.positions.len()).ok()?);
        self.stems.push(Stem { letters, positions, held_by });
        Some(())
    }

    /// Returns the number of memories created at the stamp: newer ones have higher numbers.
    pub(crate) fn created(&self) -> i64 {
        self.stamp.created
    }

    /// Reports whether any memory contains a stem.
    pub(crate) fn holds(&self, stem: &str) -> bool {
        self.letters_of(self.first_from(stem)) == Some(stem)
    }

    /// Returns stems that begin with one of `letters` and have a length in range, in characters, with the number of
    /// memories that contain each.
    pub(crate) fn like(&self, letters: &[char], (shortest, longest): (usize, usize)) -> Vec<(String, u64)> {
        let fits = |stem: &str| (shortest..=longest).contains(&stem.chars().count());
        let mut found = Vec::new();
        for letter in letters.iter().collect::<BTreeSet<_>>() {
            let indices = self.standing_for(letter.encode_utf8(&mut [0; 4]), true);
            let stems = indices.filter_map(|index| Some((self.letters_of(index)?, self.held_by(index))));
            found.extend(stems.filter(|(stem, _)| fits(stem)).map(|(stem, by)| (stem.to_owned(), u64::from(by))));
        }
        found
    }

    /// Returns the memories that contain all words of a wanted phrase, at any position, in order of number.
    pub(crate) fn holding(&self, wanted: &Wanted) -> Vec<Holding> {
        // Memory, word, token position.
        let mut found: Vec<(u32, usize, u16)> = Vec::new();
        for (word, (token, goes_on)) in wanted.words().enumerate() {
            for index in self.standing_for(lexeme(token), goes_on) {
                found.extend(self.positions.all(self.positions_of(index)).map(|(memory, token)| (memory, word, token)));
            }
        }
        found.sort_unstable();
        let mut positions = vec![Vec::new(); wanted.words().count()];
        let of_one = found.chunk_by(|(memory, ..), (next, ..)| memory == next);
        of_one.filter_map(|held| self.counted(wanted, held, &mut positions)).collect()
    }

    /// Returns what one memory contains, if that is all words of a phrase. `positions` is a reusable buffer.
    fn counted(&self, wanted: &Wanted, held: &[(u32, usize, u16)], positions: &mut [Vec<usize>]) -> Option<Holding> {
        positions.iter_mut().for_each(Vec::clear);
        for (_, word, token) in held {
            positions.get_mut(*word)?.push(usize::from(*token));
        }
        if !wanted.may_stand(positions) {
            return None;
        }
        let Indexed { seq, tokens } = *self.memories.get(held.first()?.0 as usize)?;
        let is_cut = held.iter().any(|(.., token)| *token == CUT);
        Some(Holding { seq, tokens, times: (!is_cut).then(|| wanted.count(positions)) })
    }

    /// Returns the indices of a stem, or of all stems with this prefix if `goes_on` is set.
    fn standing_for(&self, stem: &str, goes_on: bool) -> Range<usize> {
        let from = self.first_from(stem);
        let fits = |held: &str| if goes_on { held.starts_with(stem) } else { held == stem };
        let behind = (from..).take_while(|index| self.letters_of(*index).is_some_and(fits));
        from..from + behind.count()
    }

    /// Returns the index of the first stem that is not less than `stem`.
    fn first_from(&self, stem: &str) -> usize {
        let (mut from, mut to) = (0, self.stems.len());
        while from < to {
            let middle = from.midpoint(to);
            if self.letters_of(middle).is_some_and(|held| held < stem) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    fn letters_of(&self, index: usize) -> Option<&str> {
        let start = self.before(index).map_or(0, |stem| stem.letters);
        self.letters.get(start as usize..self.stems.get(index)?.letters as usize)
    }

    fn positions_of(&self, index: usize) -> Range<usize> {
        let start = self.before(index).map_or(0, |stem| stem.positions);
        let end = self.stems.get(index).map_or(start, |stem| stem.positions);
        start as usize..end as usize
    }

    fn held_by(&self, index: usize) -> u32 {
        self.stems.get(index).map_or(0, |stem| stem.held_by)
    }

    fn before(&self, index: usize) -> Option<&Stem> {
        self.stems.get(index.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::vector::sent;
    use super::*;
    use crate::sealed::Tokens;

    fn tokens(text: &str) -> Tokens {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn stamp(created: usize) -> Stamp {
        Stamp { created: i64::try_from(created).unwrap(), ..Stamp::default() }
    }

    /// Memories with every third number from `from` on.
    fn newer(before: Option<&Postings>, from: usize, texts: &[Tokens]) -> Newer {
        let mut newer = Newer::behind(before);
        for (position, tokens) in (from..).zip(texts) {
            newer.add(i64::try_from(3 * position).unwrap(), tokens.len() as u64, &sent(tokens)).unwrap();
        }
        newer
    }

    fn postings(texts: &[&str]) -> Postings {
        let texts: Vec<Tokens> = texts.iter().map(|text| tokens(text)).collect();
        Postings::new(stamp(texts.len()), None, newer(None, 0, &texts)).unwrap()
    }

    #[test]
    fn stems_are_found_and_counted_by_letters_and_length() {
        let postings = postings(&["tea at ten", "tea tea teapot", "", "ähre at"]);
        assert!(postings.holds("tea") && postings.holds("ähre") && !postings.holds("te") && !postings.holds("teas"));
        let like = |letters: &[char], lengths| postings.like(letters, lengths);
        assert_eq!(like(&['t'], (3, 3)), [("tea".to_owned(), 2), ("ten".to_owned(), 1)]);
        assert_eq!(like(&['ä', 'a', 'ä', 'z'], (2, 4)), [("at".to_owned(), 2), ("ähre".to_owned(), 1)]);
        assert!(Postings::default().like(&['a'], (0, 9)).is_empty() && !Postings::default().holds(""));
    }

    #[test]
    fn what_holds_a_word_more_often_than_is_known_is_left_to_its_content() {
        let often = "a ".repeat(300) + "b";
        let postings = postings(&["a b", &often]);
        let holding = |word: &str| postings.holding(&Wanted::new(&[(tokens(word), false)], &[]));
        let times = |held: &[Holding]| held.iter().map(|held| (held.seq, held.times.clone())).collect::<Vec<_>>();
        assert_eq!(times(&holding("a")), [(0, Some(vec![1])), (3, None)]);
        assert_eq!(times(&holding("b")), [(0, Some(vec![1])), (3, Some(vec![1]))]);
        assert_eq!(holding("b")[1].tokens, 301);
        assert_eq!(times(&holding("a c")), [], "nothing is left to a content that lacks a word");
        assert_eq!(times(&holding("b a")), [(0, Some(vec![0])), (3, None)]);
    }

    fn any_tokens() -> impl Strategy<Value = Tokens> {
        prop::collection::vec("[ab]{1,3}", 0..12)
    }

    fn any_terms() -> impl Strategy<Value = Vec<(Tokens, bool)>> {
        prop::collection::vec((prop::collection::vec("[ab]{1,3}", 0..3), any::<bool>()), 0..4)
    }

    proptest! {
        #[test]
        fn they_tell_of_all_memories_what_each_vector_tells_of_one(
            texts in prop::collection::vec(any_tokens(), 0..20),
            cuts in prop::array::uniform2(0_usize..20),
            (any, all) in (any_terms(), any_terms()),
        ) {
            let at_once = Postings::new(stamp(texts.len()), None, newer(None, 0, &texts)).unwrap();
            let mut cuts = cuts.map(|cut| cut.min(texts.len()));
            cuts.sort_unstable();
            let mut grown: Option<Postings> = None;
            for range in [0..cuts[0], cuts[0]..cuts[1], cuts[1]..texts.len()] {
                let newer = newer(grown.as_ref(), range.start, &texts[range.clone()]);
                grown = Postings::new(stamp(range.end), grown.as_ref(), newer);
            }
            prop_assert_eq!(grown.as_ref(), Some(&at_once));
            let wanted = Wanted::new(&any, &all);
            let held = at_once.holding(&wanted);
            for (position, tokens) in texts.iter().enumerate() {
                let seq = i64::try_from(3 * position).unwrap();
                let times = wanted.times(&sent(tokens)).unwrap().unwrap();
                let held = held.iter().find(|held| held.seq == seq);
                let found = held.map_or_else(|| vec![0; wanted.len()], |held| held.times.clone().unwrap());
                prop_assert_eq!(found, times);
            }
            prop_assert!(held.is_sorted_by_key(|held| held.seq));
        }
    }
}
