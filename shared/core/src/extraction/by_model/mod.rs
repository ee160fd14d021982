//! Extraction by a language model in addition to the judge. A model only proposes: an item is accepted if it quotes the
//! message word for word, and the names, numbers and most words of its statement occur in the conversation.

mod check;
pub(crate) mod grounds;
mod proposal;
mod task;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::candidate::Extraction;
use super::mask;
use super::said::{Options, Said};
use crate::bounds::MAX_EXTRACTED;
use crate::memory::Role;
use proposal::proposals;

pub(crate) use proposal::object;
pub(crate) use task::task;

/// The beginning of a text as shown to a model, at most `most` bytes, with secrets masked.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let text = mask(text);
    text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned()
}

/// Reports whether a model is asked about a message: it is from a person, not sensitive and long enough.
pub(crate) fn is_worth_asking(said: &Said<'_>, options: Options) -> bool {
    said.role == Role::User && !options.sensitive && said.content.split_whitespace().count() >= FEWEST_WORDS
}

/// Minimum words of a message that the model is asked about.
const FEWEST_WORDS: usize = 4;

/// Adds a model's accepted proposals where the judge kept nothing. Returns whether the answer was readable.
pub(crate) fn add(answer: &str, said: &Said<'_>, before: &[Said<'_>], found: &mut Extraction) -> bool {
    let Some(proposals) = proposals(answer) else { return false };
    let spoken = check::spoken(said, before);
    for candidate in proposals.iter().filter_map(|proposal| check::candidate(proposal, said, &spoken)) {
        if is_known(found, &candidate.span) || found.candidates.len() >= MAX_EXTRACTED {
            continue;
        }
        found.left_out.retain(|left| !overlap(&left.span, &candidate.span));
        found.candidates.push(candidate);
    }
    found.candidates.sort_by_key(|candidate| candidate.span.start);
    true
}

/// Reports whether something was already found in these bytes.
fn is_known(found: &Extraction, span: &Range<usize>) -> bool {
    found.candidates.iter().any(|known| overlap(&known.span, span))
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
