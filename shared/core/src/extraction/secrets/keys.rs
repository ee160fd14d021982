//! Finds keys and tokens by their form: known prefixes, private keys, passwords in URLs, long random text.

use std::ops::Range;

use super::{Lists, pieces};

const PEM: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
/// Shortest text that counts as a random key.
const SHORTEST_RANDOM: usize = 32;
/// Fewest upper-case letters, lower-case letters and digits each in random text.
const FEWEST_OF_KIND: usize = 3;

pub(super) fn find(lists: &Lists, text: &str, found: &mut Vec<Range<usize>>) {
    private_keys(text, found);
    for (at, piece) in pieces(text).filter(|(_, piece)| piece.len() >= 8) {
        let inner = |range: Range<usize>| at + range.start..at + range.end;
        if let Some(range) = in_address(piece) {
            found.push(inner(range));
        }
        for range in runs(piece) {
            let run = &piece[range.clone()];
            let is_key = lists.prefixes.iter().any(|(prefix, least)| has_prefix(run, prefix, *least));
            if is_key || is_random(run) {
                found.push(inner(range));
            }
        }
    }
}

/// Runs of the characters that keys consist of.
fn runs(piece: &str) -> impl Iterator<Item = Range<usize>> {
    let in_key = |c: char| c.is_ascii_alphanumeric() || "_-.+/=".contains(c);
    let mut at = 0;
    piece.split(move |c| !in_key(c)).filter_map(move |run| {
        let start = at + piece[at..].find(run).unwrap_or(0);
        at = start + run.len();
        let trimmed = run.trim_matches(['.', '/', '-', '=']);
        let start = start + run.find(trimmed).unwrap_or(0);
        // Take only the value after `name=`.
        let behind = trimmed.find('=').map_or(0, |equals| equals + 1);
        let (start, trimmed) = (start + behind, trimmed.get(behind..).unwrap_or_default());
        (trimmed.len() >= 8).then_some(start..start + trimmed.len())
    })
}

fn has_prefix(run: &str, prefix: &str, least: usize) -> bool {
    // Also after `name=` or a path.
    let start = run.rfind(['=', '/']).map_or(0, |at| at + 1);
    [run, &run[start..]].iter().any(|run| {
        run.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= least && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        })
    })
}

/// Long text with letters of both cases and digits, unlike human writing.
fn is_random(run: &str) -> bool {
    let of = |kind: fn(&u8) -> bool| run.bytes().filter(kind).count() >= FEWEST_OF_KIND;
    run.len() >= SHORTEST_RANDOM
        && !run.contains("//")
        && run.bytes().filter(|byte| b"/.-_".contains(byte)).count() <= run.len() / 12
        && of(u8::is_ascii_uppercase)
        && of(u8::is_ascii_lowercase)
        && of(u8::is_ascii_digit)
}

/// The password in `scheme://user:password@host`.
fn in_address(piece: &str) -> Option<Range<usize>> {
    let start = piece.find("://")? + 3;
    let host = start + piece[start..].find('@')?;
    let colon = start + piece[start..host].find(':')?;
    (colon + 1 < host && !piece[start..host].contains('/')).then_some(colon + 1..host)
}

fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(start) = text[at..].find(PEM).map(|start| at + start) {
        let end = text[start..].find(PEM_END).map_or(text.len(), |end| {
            let behind = start + end + PEM_END.len();
            text[behind..].find("-----").map_or(text.len(), |dashes| behind + dashes + 5)
        });
        let header = &text[start..(start + 64).min(text.floor_char_boundary(start + 64)).min(text.len())];
        if header.contains("PRIVATE") {
            found.push(start..end);
        }
        at = end;
    }
}
