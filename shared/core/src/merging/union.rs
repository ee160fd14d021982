//! Joins texts that say the same into one: the most complete text first, then each sentence that adds something.

use std::collections::BTreeSet;

use super::pair::can_both_be_meant;
use super::tokens::Text;
use crate::text::sentences;

/// Longest sentence, in bytes; longer ones are cut.
const SENTENCE: usize = 2_048;

/// A sentence of the union.
struct Picked<'t> {
    text: &'t str,
    says: Text,
}

/// Returns the texts as one.
pub(super) fn union(texts: &[&str]) -> String {
    let mut order: Vec<(usize, &str)> = texts.iter().map(|text| (Text::of(text).content.len(), *text)).collect();
    // Of two texts that say equally much, the later one comes first.
    order.reverse();
    order.sort_by_key(|(said, _)| std::cmp::Reverse(*said));
    let mut picked: Vec<Picked<'_>> = Vec::new();
    for (_, text) in &order {
        for range in sentences::of(text, SENTENCE) {
            let Some(sentence) = text.get(range) else { continue };
            add(&mut picked, sentence);
        }
    }
    join(picked.iter().map(|picked| picked.text))
}

/// Adds a sentence, unless a picked one covers it. If it covers a picked one, it replaces that.
fn add<'t>(picked: &mut Vec<Picked<'t>>, text: &'t str) {
    let says = Text::of(text);
    if picked.iter().any(|one| one.text == text || covers(&one.says, &says)) {
        return;
    }
    match picked.iter().position(|one| covers(&says, &one.says)) {
        Some(at) => {
            if let Some(slot) = picked.get_mut(at) {
                *slot = Picked { text, says };
            }
        }
        None => picked.push(Picked { text, says }),
    }
}

/// Reports whether one text says everything that another one says, including the persons it mentions: "we deploy it"
/// says who does it, "it is deployed" does not.
fn covers(more: &Text, less: &Text) -> bool {
    let persons = |text: &Text| text.persons.iter().map(|(_, person)| *person).collect::<BTreeSet<_>>();
    !less.content.is_empty()
        && persons(less).is_subset(&persons(more))
        && less.tokens.iter().all(|token| more.tokens.iter().any(|one| one.word == token.word))
        && can_both_be_meant(more, less)
}

/// Joins sentences on one line, each with an ending.
fn join<'t>(sentences: impl Iterator<Item = &'t str>) -> String {
    let mut all = String::new();
    for sentence in sentences {
        if !all.is_empty() {
            if !all.ends_with(['.', '!', '?', '…', ':', ';', '"', '”', ')', '。']) {
                all.push('.');
            }
            all.push(' ');
        }
        all.push_str(sentence);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_says_all_stands_alone() {
        let texts =
            ["Clara moved to Lisbon", "Clara moved to Lisbon in March 2023 for her job", "In March 2023 Clara moved"];
        assert_eq!(union(&texts), "Clara moved to Lisbon in March 2023 for her job");
    }

    #[test]
    fn what_only_one_says_is_added_behind_the_most_complete() {
        let texts =
            ["Ana is a nurse at São João and works nights", "Ana works as a nurse at São João in Porto. She sings."];
        assert_eq!(
            union(&texts),
            "Ana works as a nurse at São João in Porto. She sings. Ana is a nurse at São João and works nights"
        );
        assert_eq!(union(&["Tea is good", "Tea is not good"]), "Tea is not good. Tea is good");
    }

    #[test]
    fn who_does_something_is_no_less_than_what_is_done() {
        let texts = ["We water the plants every Monday", "The plants are watered every Monday by Tom"];
        assert_eq!(union(&texts), "The plants are watered every Monday by Tom. We water the plants every Monday");
        let texts = ["I paint boats in Porto", "I paint boats in Porto for my sister"];
        assert_eq!(union(&texts), texts[1]);
    }

    #[test]
    fn a_more_complete_sentence_replaces_the_one_it_covers() {
        let texts = ["Rex is our dog. He fears thunder, loud music and cars", "Rex is our dog since 2021"];
        assert_eq!(union(&texts), "Rex is our dog since 2021. He fears thunder, loud music and cars");
    }
}
