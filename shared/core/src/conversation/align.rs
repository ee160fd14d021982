//! Finds which messages of a call are stored already, by their position in the conversation.
//!
//! Clients send one message, the last few, or all. Sent messages and stored turns are aligned so that as many as
//! possible match in order. It is surely the same conversation if the matches are many and close together, if ids or
//! times confirm one, or if the whole session comes again. Then a message before the last match that is not stored is
//! past: it was erased or left out, and must not return with the history that a client sends.
//!
//! Fewer matches may be coincidence, such as the thanks that end every exchange. Then a message is past only where
//! turns were erased. If some message before the last match is not past, nothing of what is sent counts as stored.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Said;
use crate::text::subsequence::{Of, common};

/// Fewer messages, or fewer bytes of distinct ones, may match by coincidence.
const MANY: usize = 4;
const MUCH: usize = 160;

/// The position of a message relative to the stored turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// It is the stored turn with this index.
    Stored(usize),
    /// It precedes stored turns, but is not one of them.
    Past,
    /// It follows the stored turns.
    New,
}

/// Returns the position of each message. Turns and messages start with the oldest. `are_all` tells whether `stored` are
/// all existing turns.
pub fn align(stored: &[Said], are_all: bool, messages: &[Said]) -> Vec<Alignment> {
    let pairs = matching(stored, messages, Of::Last);
    let is_sure = is_sure(stored, are_all, messages, &pairs);
    let is_same =
        is_sure || may_be(stored, messages, &pairs) && gaps(&pairs).all(|gap| was_erased(stored, are_all, &gap));
    let mut alignments = if is_same { beside(messages.len(), pairs) } else { vec![Alignment::New; messages.len()] };
    let timed = stored.iter().enumerate().filter_map(|(index, turn)| Some((turn.timed()?, index)));
    let timed: HashMap<_, usize> = timed.collect();
    for (alignment, message) in
        alignments.iter_mut().zip(messages).filter(|(alignment, _)| !matches!(alignment, Alignment::Stored(_)))
    {
        if let Some(turn) = message.timed().and_then(|key| timed.get(&key)) {
            *alignment = Alignment::Stored(*turn);
        }
    }
    alignments
}

/// Does the same, but all messages are new unless it is surely the same conversation. Of equal turns it matches the
/// first ones, because the messages of a stream are counted from there on.
pub fn align_surely(stored: &[Said], are_all: bool, messages: &[Said]) -> Vec<Alignment> {
    let pairs = matching(stored, messages, Of::First);
    if is_sure(stored, are_all, messages, &pairs) {
        beside(messages.len(), pairs)
    } else {
        vec![Alignment::New; messages.len()]
    }
}

/// Returns the positions of messages, from the pairs that match.
fn beside(messages: usize, pairs: Vec<(usize, usize)>) -> Vec<Alignment> {
    let mut alignments = vec![Alignment::New; messages];
    for gap in gaps(&pairs) {
        alignments[gap.messages].fill(Alignment::Past);
    }
    for (turn, message) in pairs {
        alignments[message] = Alignment::Stored(turn);
    }
    alignments
}

/// Messages that are not stored, before one that is.
struct Gap {
    messages: Range<usize>,
    /// The stored turns around them; `behind` is `None` if they are the first messages.
    behind: Option<usize>,
    before: usize,
}

fn gaps(pairs: &[(usize, usize)]) -> impl Iterator<Item = Gap> {
    let behind = [None].into_iter().chain(pairs.iter().copied().map(Some));
    let gap = |(behind, (turn, message)): (Option<(usize, usize)>, &(usize, usize))| Gap {
        messages: behind.map_or(0, |(_, message)| message + 1)..*message,
        behind: behind.map(|(turn, _)| turn),
        before: *turn,
    };
    behind.zip(pairs).map(gap).filter(|gap| !gap.messages.is_empty())
}

/// Reports whether stored turns are missing where these messages stand.
fn was_erased(stored: &[Said], are_all: bool, gap: &Gap) -> bool {
    let begins = gap.behind.is_none() && are_all && stored.first().is_some_and(|first| first.position > 0);
    let around = &stored[gap.behind.unwrap_or(0)..=gap.before];
    begins || around.windows(2).any(|two| two[1].position > two[0].position + 1)
}

/// Reports whether it is surely the same conversation.
fn is_sure(stored: &[Said], are_all: bool, messages: &[Said], pairs: &[(usize, usize)]) -> bool {
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return false };
    let is_surely = pairs.iter().any(|(turn, message)| stored[*turn].is_surely(&messages[*message]));
    let is_whole = are_all
        && *first == (0, 0)
        && last.0 + 1 == stored.len()
        && 2 * texts(messages, pairs).len() > stored.iter().map(|turn| &turn.digest).collect::<HashSet<_>>().len();
    // Between the first and the last match, more than half of the turns or of the messages match.
    let is_dense = 2 * pairs.len() > (last.0 - first.0).min(last.1 - first.1);
    is_surely || is_whole || is_dense && pairs.len() >= MANY && texts(messages, pairs).values().sum::<usize>() >= MUCH
}

/// Reports whether it may be the same conversation.
fn may_be(stored: &[Said], messages: &[Said], pairs: &[(usize, usize)]) -> bool {
    let ends = pairs.last().is_some_and(|(turn, _)| turn + 1 == stored.len());
    ends || pairs.len() >= MANY || bytes(messages, pairs) >= MUCH
}

fn bytes(messages: &[Said], pairs: &[(usize, usize)]) -> usize {
    pairs.iter().map(|(_, message)| messages[*message].bytes).sum()
}

/// Returns the bytes of each distinct text that matches: a hundred times "ok" is no more evidence than once.
fn texts<'a>(messages: &'a [Said], pairs: &[(usize, usize)]) -> HashMap<&'a str, usize> {
    pairs.iter().map(|(_, message)| (messages[*message].digest.as_str(), messages[*message].bytes)).collect()
}

/// Returns the turns and messages that match, as index pairs in order.
fn matching(stored: &[Said], messages: &[Said], of: Of) -> Vec<(usize, usize)> {
    common(stored, messages, Said::is, of)
}

#[cfg(test)]
mod tests {
    use super::Alignment::{New, Past, Stored};
    use super::*;
    use crate::memory::Role;
    use crate::time::Timestamp;

    /// Each word is a turn; those of the user are in upper case.
    fn said(text: &str) -> Vec<Said> {
        let one = |word: &str| Said {
            id: String::new(),
            role: if word.starts_with(char::is_uppercase) { Role::User } else { Role::Assistant },
            digest: word.to_owned(),
            bytes: word.len(),
            at: None,
            position: 0,
        };
        text.split_whitespace().map(one).collect()
    }

    /// `_` stands for an erased turn.
    fn of(stored: &str, messages: &str) -> Vec<Alignment> {
        let numbered = (0..).zip(said(stored)).map(|(position, one)| Said { position, ..one });
        let stored: Vec<Said> = numbered.filter(|one| one.digest != "_").collect();
        align(&stored, true, &said(messages))
    }

    #[test]
    fn a_call_that_is_sent_again_and_one_that_overlaps_store_only_what_is_new() {
        assert_eq!(of("", "A b"), [New, New]);
        assert_eq!(of("A b", "A b"), [Stored(0), Stored(1)], "once more");
        assert_eq!(of("A b", "A b C"), [Stored(0), Stored(1), New], "the whole history");
        assert_eq!(of("A b C d", "C d E"), [Stored(2), Stored(3), New], "a window");
        assert_eq!(of("A b", "C d"), [New, New], "what is new alone");
        assert_eq!(of("Yes", "Yes Yes"), [Stored(0), New], "said twice");
    }

    #[test]
    fn a_few_words_that_were_said_before_are_said_again() {
        assert_eq!(of("Yes ok", "Yes"), [New]);
        assert_eq!(of("Yes ok Hm so Yes", "Yes"), [Stored(4)], "the last one, sent again");
        assert_eq!(of("Yes ok Hm so", "Yes ok"), [New, New]);
        let long = "Once".repeat(50);
        assert_eq!(of(&format!("{long} ok"), &long), [Stored(0)], "too long for chance");
        assert_eq!(of("A b C d E f", "A b C d E x G")[..5], [Stored(0), Stored(1), Stored(2), Stored(3), Stored(4)]);
        assert_eq!(of("A b C d E f", "A b C d E x G")[5..], [New, New], "the last answer was given again");
    }

    #[test]
    fn many_short_answers_do_not_align_conversations() {
        let half =
            |from: usize| (from..from + 100).map(|n| format!("Note{n} ok ok ok ok")).collect::<Vec<_>>().join(" ");
        assert!(of(&half(0), &half(100)).iter().all(|alignment| *alignment == New));
        let between = |from: usize| format!("ok {}", half(from));
        assert!(of(&between(0), &between(100)).iter().all(|alignment| *alignment == New), "begin and end alike");
        assert!(of(&half(0), &half(0)).iter().all(|alignment| matches!(alignment, Stored(_))), "once more");
    }

    #[test]
    fn what_is_likely_only_is_new_where_it_must_be_sure() {
        let surely = |stored, messages| align_surely(&said(stored), true, &said(messages));
        assert_eq!(of("Hi so Ok", "Ok x"), [Stored(2), New]);
        assert_eq!(surely("Hi so Ok", "Ok x"), [New, New]);
        assert_eq!(surely("Hi so Ok", "Hi so Ok x"), [Stored(0), Stored(1), Stored(2), New]);
        let turns = |count: usize| (0..count).map(|n| format!("Note{n} ok ok")).collect::<Vec<_>>().join(" ");
        let alignments = align_surely(&said(&turns(60)), false, &said(&turns(40)));
        assert_eq!(alignments.last(), Some(&Stored(119)), "the first that are the same");
        let alignments = align_surely(&said(&turns(40)), false, &said(&turns(60)));
        assert_eq!((alignments[119], &alignments[120..]), (Stored(119), &[New; 60][..]), "what follows is new");
    }

    #[test]
    fn what_was_erased_does_not_come_back_with_the_history() {
        assert_eq!(of("A _ b C d", "A secret b C d E"), [Stored(0), Past, Stored(1), Stored(2), Stored(3), New]);
        assert_eq!(of("_ b C", "A b C D"), [Past, Stored(0), Stored(1), New]);
        assert_eq!(of("_ _ b C", "A b C D"), [Past, Stored(0), Stored(1), New]);
        assert_eq!(of("A _ x B", "A secret B"), [Stored(0), Past, Stored(2)], "a turn between them is not sent");
        assert_eq!(
            of("A b C E", "A b C d E"),
            [Stored(0), Stored(1), Stored(2), Past, Stored(3)],
            "the last one was erased"
        );
    }

    #[test]
    fn a_history_that_goes_further_back_than_what_is_read_is_not_stored_again() {
        let all: Vec<String> = (0..200).map(|n| format!("A{n}")).collect();
        let turns = (36..).zip(said(&all[36..].join(" "))).map(|(position, one)| Said { position, ..one });
        let alignments = align(&turns.collect::<Vec<_>>(), false, &said(&all.join(" ")));
        assert!(
            alignments[..36].iter().all(|alignment| *alignment == Past) && alignments[36] == Stored(0),
            "{alignments:?}"
        );
    }

    #[test]
    fn what_is_new_is_stored_whatever_was_said_before_it_and_behind_it() {
        assert_eq!(of("Hi so Thanks welcome", "X y Thanks welcome"), [New; 4], "an end like the one before");
        let talk = |from: usize| -> String {
            let one = |n: usize| format!("Q{n} a{n}{}", if n.is_multiple_of(3) { " Ok fine" } else { "" });
            (from..from + 40).map(one).collect::<Vec<_>>().join(" ")
        };
        let alignments = of(&talk(0), &talk(40));
        assert!(alignments.iter().all(|alignment| *alignment == New), "short answers again and again: {alignments:?}");
    }

    #[test]
    fn ids_and_times_tell_messages_apart_and_together() {
        let with = |id: &str, at: Option<i64>, text: &str| {
            let mut one = said(text).remove(0);
            (one.id, one.at) = (id.to_owned(), at.map(Timestamp));
            one
        };
        let id = |id: &str, text| with(id, None, text);
        assert_eq!(align(&[id("1", "Yes"), id("2", "ok")], true, &[id("3", "Yes")]), [New]);
        assert_eq!(align(&[id("1", "Yes"), id("2", "ok")], true, &[id("1", "Yes"), id("3", "Yes")]), [Stored(0), New]);
        let at = |at: i64, text| with("", Some(at), text);
        assert_eq!(align(&[at(1, "Yes"), at(2, "ok")], true, &[at(1, "Yes")]), [Stored(0)]);
        assert_eq!(align(&[at(1, "Yes")], true, &[at(3, "Yes")]), [New]);
    }

    #[test]
    fn a_thousand_messages_are_aligned() {
        let all: Vec<String> = (0..1_000).map(|n| format!("A{n}")).collect();
        let alignments = of(&all[..900].join(" "), &all.join(" "));
        assert_eq!(alignments[899], Stored(899));
        assert!(alignments[900..].iter().all(|alignment| *alignment == New));
    }
}
