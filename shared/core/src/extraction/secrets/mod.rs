//! Finds keys, tokens, passwords and numbers of cards and accounts in a text, so that none is extracted and turns can
//! be stored without them. Each stage runs in linear time. When in doubt, it masks too much.

mod keys;
mod named;
mod numbers;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Replaces a secret in a text.
pub const MASK: &str = "[masked]";

/// Names of secrets, prefixes of keys and harmless words, from `words/secrets.txt`.
#[derive(Debug, Default)]
struct Lists {
    /// Prefixes of keys and the fewest characters after them.
    prefixes: Vec<(&'static str, usize)>,
    /// Names of secrets, without separators.
    names: Vec<&'static str>,
    /// Names of secret numbers.
    numbers: Vec<&'static str>,
    /// The last two letters of all these names.
    endings: Vec<(char, char)>,
    /// Words between a name and its secret.
    links: Vec<&'static str>,
    /// Words after such a name that are no secret.
    plain: Vec<&'static str>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::parse(include_str!("../words/secrets.txt")));

impl Lists {
    /// Parses lines whose first word names a list; others are skipped.
    fn parse(text: &'static str) -> Self {
        let mut lists = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((head, rest)) = line.split_once(' ') else { continue };
            let words = rest.split_whitespace();
            match head {
                "prefixes" => lists.prefixes.extend(words.filter_map(|word| {
                    let (prefix, length) = word.rsplit_once(':')?;
                    Some((prefix, length.parse().ok()?))
                })),
                "names" => lists.names.extend(words),
                "numbers" => lists.numbers.extend(words),
                "links" => lists.links.extend(words),
                "plain" => lists.plain.extend(words),
                _ => {}
            }
        }
        let mut endings: Vec<(char, char)> = lists
            .names
            .iter()
            .chain(&lists.numbers)
            .filter_map(|name| {
                let mut last = name.chars().rev();
                let (end, before) = (last.next()?, last.next()?);
                Some((before, end))
            })
            .collect();
        endings.sort_unstable();
        endings.dedup();
        lists.endings = endings;
        lists
    }
}

/// Byte ranges of the secrets in a text: ordered, disjoint and at character boundaries.
pub fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    keys::find(&LISTS, text, &mut found);
    named::find(&LISTS, text, &mut found);
    numbers::find(text, &mut found);
    found.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Replaces each secret by [`MASK`]. Idempotent.
pub fn mask(text: &str) -> Cow<'_, str> {
    let found = secrets(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut masked, mut at) = (String::with_capacity(text.len()), 0);
    for range in found {
        masked.push_str(text.get(at..range.start).unwrap_or_default());
        masked.push_str(MASK);
        at = range.end;
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(masked)
}

/// The words of a text between white space, with their byte offsets.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace().map(move |piece| (piece.as_ptr() as usize - base, piece))
}

#[cfg(test)]
mod tests;
