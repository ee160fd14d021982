//! What a language model finds in a message beside what rules find. A model only proposes: an item counts when it quotes the
//! message word for word, and names, numbers and most words of its statement stand in the conversation.

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

/// The beginning of a text as a model sees it, in at most so many bytes: secrets are masked.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let text = mask(text);
    text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned()
}

/// Whether a model is asked about a message: one of a person, not sensitive, long enough to tell something.
pub(crate) fn is_worth_asking(said: &Said<'_>, options: Options) -> bool {
    said.role == Role::User && !options.sensitive && said.content.split_whitespace().count() >= FEWEST_WORDS
}

/// Fewest words of a message that a model is asked about.
const FEWEST_WORDS: usize = 4;

/// Adds what a model's answer proposes to what rules found: what stands the check and lies where rules found nothing. Returns
/// whether the answer was one.
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

/// Whether something was found in these bytes.
fn is_known(found: &Extraction, span: &Range<usize>) -> bool {
    found.candidates.iter().any(|known| overlap(&known.span, span))
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
