//! A sentence as seen by patterns: words, commas, and names in place of their words.

use std::ops::Range;

use crate::entities::find::tokens::Token;
use crate::entities::words::english;
use crate::entities::{Mention, MentionPosition};

/// Verbs that begin a sentence whose implied subject is the speaker.
const IMPLIED: [&str; 17] = [
    "jamming",
    "recording",
    "collaborating",
    "started",
    "got",
    "met",
    "joined",
    "moved",
    "touring",
    "toured",
    "working",
    "worked",
    "performing",
    "performed",
    "adopted",
    "bought",
    "recorded",
];

/// A word or a name in a sentence.
#[derive(Clone, Debug)]
pub(super) enum Item<'t> {
    /// A word, folded, or a comma.
    Word { text: &'t str, genitive: bool, span: Range<usize> },
    /// A mention, as an index into the mentions.
    Who { mention: usize, genitive: bool, speaker: bool, span: Range<usize> },
}

impl Item<'_> {
    pub(super) fn span(&self) -> &Range<usize> {
        match self {
            Self::Word { span, .. } | Self::Who { span, .. } => span,
        }
    }

    pub(super) fn is_comma(&self) -> bool {
        matches!(self, Self::Word { text: ",", .. })
    }

    /// Reports whether it is a word of a class of `words/en.txt`.
    pub(super) fn is(&self, class: &str) -> bool {
        matches!(self, Self::Word { text, .. } if english().is(class, text))
    }
}

/// Splits a text into sentences that state something and contain two names, or one name and a word for the speaker.
pub(super) fn sentences<'t>(text: &str, tokens: &'t [Token], mentions: &[Mention]) -> Vec<Vec<Item<'t>>> {
    let speaker = mentions.iter().position(|mention| mention.position == MentionPosition::Speaker);
    let in_content = |start: usize| {
        mentions.iter().position(|mention| mention.position.span().is_some_and(|span| span.start as usize == start))
    };
    let (mut all, mut items): (Vec<Vec<Item<'t>>>, Vec<Item<'t>>) = (Vec::new(), Vec::new());
    let (mut sentence, mut inside) = (0, 0);
    for token in tokens {
        if token.sentence != sentence {
            all.push(std::mem::take(&mut items));
            sentence = token.sentence;
        }
        let gap = text.get(token.gap.clone()).unwrap_or_default();
        if !items.is_empty() && gap.contains([',', '(', '—', '–']) && token.span.start >= inside {
            items.push(Item::Word { text: ",", genitive: false, span: token.gap.clone() });
        }
        if gap.starts_with(['\'', '’'])
            && let Some(Item::Word { genitive, text, .. }) = items.last_mut()
        {
            // "My parents' house": the genitive of a plural.
            *genitive |= text.ends_with('s');
        }
        if token.span.start < inside {
            if token.genitive
                && let Some(Item::Who { genitive, .. }) = items.last_mut()
            {
                *genitive = true;
            }
            continue;
        }
        let named = in_content(token.span.start);
        let longer = named.and_then(|mention| mentions.get(mention)?.position.span());
        let longer = longer.is_some_and(|span| span.end as usize > token.span.end);
        let implied = speaker.filter(|_| items.is_empty() && !longer && IMPLIED.contains(&token.folded.as_str()));
        if let Some(mention) = implied {
            items.push(Item::Who { mention, genitive: false, speaker: true, span: token.span.start..token.span.start });
        }
        // A verb is no name, though its capital looks like one.
        if let Some(mention) = named.filter(|_| implied.is_none()) {
            let span = mentions.get(mention).and_then(|mention| mention.position.span()).unwrap_or_default();
            inside = span.end as usize;
            let ends = token.span.end >= inside;
            let genitive = token.genitive && ends;
            items.push(Item::Who { mention, genitive, speaker: false, span: span.start as usize..inside });
        } else {
            push_word(&mut items, token, speaker);
        }
    }
    all.push(items);
    let mut all: Vec<Vec<Item<'t>>> = all.into_iter().map(|items| told(text, items)).collect();
    all.retain(|items| items.iter().filter(|item| matches!(item, Item::Who { .. })).count() > 1);
    all
}

/// Adds a word, or the speaker for words such as "I".
fn push_word<'t>(items: &mut Vec<Item<'t>>, token: &'t Token, speaker: Option<usize>) {
    let span = token.span.clone();
    let said = match (speaker, token.folded.as_str()) {
        (Some(mention), "i" | "i'm" | "i've" | "i'd") => Some((mention, false)),
        (Some(mention), "my" | "our") => Some((mention, true)),
        _ => None,
    };
    let Some((mention, genitive)) = said else {
        items.push(Item::Word { text: &token.folded, genitive: token.genitive, span });
        return;
    };
    items.push(Item::Who { mention, genitive, speaker: true, span: span.clone() });
    if let Some(verb) = match token.folded.as_str() {
        "i'm" => Some("am"),
        "i've" => Some("have"),
        "i'd" => Some("would"),
        _ => None,
    } {
        items.push(Item::Word { text: verb, genitive: false, span });
    }
}

/// Keeps the stated part of a sentence: all of it, the part before a question, or nothing for a question or condition.
fn told<'t>(text: &str, mut items: Vec<Item<'t>>) -> Vec<Item<'t>> {
    let end = items.last().map_or(0, |item| item.span().end);
    let ends = text.get(end..).unwrap_or_default().trim_start_matches(['"', '”', ')', '\'', '.', '!']);
    let word = |item: Option<&Item<'t>>| match item {
        Some(Item::Word { text, .. }) => *text,
        _ => "",
    };
    if matches!(word(items.first()), "if" | "unless" | "suppose" | "imagine") {
        return Vec::new();
    }
    if ends.starts_with('?') {
        let asks = |at: usize| {
            let before = at.checked_sub(1).map_or(",", |before| word(items.get(before)));
            let behind = matches!(before, "," | "so" | "and" | "but" | "-");
            behind
                && matches!(
                    word(items.get(at)),
                    "how"
                        | "what"
                        | "which"
                        | "who"
                        | "where"
                        | "when"
                        | "why"
                        | "can"
                        | "could"
                        | "should"
                        | "would"
                        | "will"
                        | "do"
                        | "does"
                        | "did"
                        | "is"
                        | "are"
                        | "was"
                        | "were"
                        | "have"
                        | "has"
                        | "any"
                )
        };
        let asked = (0..items.len()).find(|at| asks(*at)).unwrap_or_default();
        items.truncate(asked);
    }
    items
}
