//! Finds secrets that a text names: "password: …", "my PIN is …", `API_KEY=…`.

use std::ops::Range;

use super::{Lists, MASK, pieces};

/// Names up to this length must match the whole word.
const SHORT_NAME: usize = 4;
/// Fewest characters of a named secret, and fewest digits of a named number.
const SHORTEST: usize = 4;
const SHORTEST_NUMBER: usize = 3;
/// Fewest characters of a secret that consists of letters only.
const SHORTEST_PLAIN: usize = 6;
/// Characters around a secret that do not belong to it.
const AROUND: [char; 12] = ['"', '\'', '`', '“', '”', '„', ',', ';', ')', '(', '*', '.'];
/// Parts of placeholders and code expressions.
const NO_SECRET: [&str; 12] = ["your", "xxx", "***", "...", "example", "(", "[", "{", "<", "env.", "…", "placeholder"];

/// How a value is bound to its name.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// By "=" or ":".
    Assigned,
    /// By a word, or by nothing.
    Said,
}

pub(super) fn find(lists: &Lists, text: &str, found: &mut Vec<Range<usize>>) {
    let all: Vec<(usize, &str)> = pieces(text).collect();
    for index in 0..all.len() {
        let (at, piece) = all[index];
        let cut = piece.find(['=', ':']).unwrap_or(piece.len());
        let Some(is_number) = named(lists, &all[..index], &piece[..cut]) else { continue };
        let rest = piece[cut..].trim_start_matches(['=', ':', ' ']);
        let value = if rest.trim_matches(AROUND).is_empty() {
            let bound = if cut < piece.len() { Bound::Assigned } else { Bound::Said };
            behind(lists, &all[index + 1..], bound)
        } else {
            Some((at + piece.len() - rest.len(), rest, Bound::Assigned, true))
        };
        if let Some((at, value, bound, last)) = value {
            found.extend(secret(lists, at, value, bound, last, is_number));
        }
    }
}

/// Reports whether a word, together with those before it, names a secret, and whether that secret is a number.
fn named(lists: &Lists, before: &[(usize, &str)], word: &str) -> Option<bool> {
    if !may_name(lists, word) {
        return None;
    }
    let own = plain(word);
    let joined = |count: usize| -> String {
        let words = before[before.len().saturating_sub(count)..].iter().map(|(_, word)| plain(word));
        words.chain([own.clone()]).collect()
    };
    let texts = [own.clone(), joined(1), joined(2)];
    let is = |name: &str| {
        if name.len() <= SHORT_NAME { own == name } else { texts.iter().any(|text| text.ends_with(name)) }
    };
    // A name ends with its last word, which must be part of it.
    if lists.numbers.iter().any(|name| is(name)) {
        Some(true)
    } else {
        lists.names.iter().any(|name| is(name)).then_some(false)
    }
}

/// Compares a word's last two letters with those of all names: a quick filter.
fn may_name(lists: &Lists, word: &str) -> bool {
    let mut last = word.chars().rev().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase());
    let (Some(end), Some(before)) = (last.next(), last.next()) else { return false };
    lists.endings.contains(&(before, end)) || !before.is_ascii() || !end.is_ascii()
}

/// Normalizes a word: lower case, only letters and digits.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The value after a name: its offset, text and binding, and whether the sentence ends with it.
fn behind<'t>(lists: &Lists, next: &[(usize, &'t str)], mut bound: Bound) -> Option<(usize, &'t str, Bound, bool)> {
    let mut linked = bound == Bound::Assigned;
    for (index, (at, word)) in next.iter().take(3).enumerate() {
        if matches!(*word, "=" | ":" | ":=" | "=>") {
            bound = Bound::Assigned;
            linked = true;
        } else if lists.links.contains(&plain(word).as_str()) {
            linked = true;
        } else {
            let last = word.ends_with(['.', '!', ',', ';']) || index + 1 == next.len();
            return linked.then_some((*at, *word, bound, last));
        }
    }
    None
}

/// The byte range of the secret, if the value is one.
fn secret(lists: &Lists, at: usize, value: &str, bound: Bound, last: bool, is_number: bool) -> Option<Range<usize>> {
    let quoted = value.starts_with(['"', '\'', '`', '“', '„']);
    let inner = value.trim_matches(AROUND);
    let start = at + value.find(inner)?;
    let lower = inner.to_lowercase();
    let length = inner.chars().count();
    if inner == MASK.trim_matches(AROUND) || NO_SECRET.iter().any(|no| lower.contains(no)) {
        return None;
    }
    let digits = inner.chars().filter(char::is_ascii_digit).count();
    let is_secret = if is_number {
        digits >= SHORTEST_NUMBER
    } else if digits > 0 || inner.chars().any(|c| c.is_ascii_punctuation() && c != '-' && c != '_' && c != '\'') {
        length >= SHORTEST
    } else {
        let told = bound == Bound::Assigned || last;
        told && length >= if quoted { SHORTEST } else { SHORTEST_PLAIN } && !lists.plain.contains(&lower.as_str())
    };
    is_secret.then_some(start..start + inner.len())
}
