//! Stored form of a memory's tokens.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{LAST_POSITION, MOST_POSITIONS, lexeme, push_quoted};

/// Maximum size of a `tsvector` in bytes; Postgres accepts up to 1,048,575.
const MOST_BYTES: usize = 1_040_000;

/// Returns the text of a `tsvector` with these tokens at their positions, and the number of tokens.
pub(crate) fn index_values(tokens: &[String]) -> (String, i64) {
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, token) in (1..).zip(tokens) {
        positions.entry(lexeme(token)).or_default().push(position);
    }
    // Positions of a lexeme start at an even byte, preceded by their count.
    let bytes_of =
        |(lexeme, positions): (&&str, &Vec<usize>)| lexeme.len() + 3 + 2 * positions.len().min(MOST_POSITIONS);
    let with_positions = positions.iter().map(bytes_of).sum::<usize>() <= MOST_BYTES;
    let (mut text, mut left) = (String::new(), MOST_BYTES);
    for (lexeme, positions) in &positions {
        if !with_positions {
            // Only a text of a megabyte whose letters grow when folded gets here; the rest of it is not searchable.
            let Some(rest) = left.checked_sub(lexeme.len()) else { break };
            left = rest;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        push_quoted(&mut text, lexeme);
        if with_positions {
            push_positions(&mut text, positions);
        }
    }
    (text, i64::try_from(tokens.len()).unwrap_or(i64::MAX))
}

fn push_positions(text: &mut String, positions: &[usize]) {
    let mut separator = ':';
    for position in positions.iter().take(MOST_POSITIONS) {
        let _ = write!(text, "{separator}{}", position.min(&(LAST_POSITION + 1)));
        separator = ',';
        if *position > LAST_POSITION {
            // A position at the limit signals that there may be more.
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn tokens_are_quoted_with_their_positions() {
        let (text, count) = index_values(&tokens(&["tea", "o'neil", "tea", "a\\b"]));
        assert_eq!((text.as_str(), count), ("'a\\\\b':4 'o''neil':2 'tea':1,3", 4));
        assert_eq!(index_values(&[]), (String::new(), 0));
    }

    #[test]
    fn what_postgres_cannot_store_is_cut() {
        let long = "ä".repeat(2_000);
        let (text, _) = index_values(std::slice::from_ref(&long));
        assert_eq!(text, format!("'{}':1", "ä".repeat(1_023)));
        let (text, count) = index_values(&vec!["a".to_owned(); 300]);
        assert_eq!((text.split(',').count(), count), (255, 300));
        let mut far: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
        far[0] = "w19999".to_owned();
        let (text, _) = index_values(&far);
        assert!(
            text.contains("'w16381':16382 ") && text.contains("'w16382':16383 ") && text.contains("'w19998':16383")
        );
        assert!(text.contains("'w19999':1,16383"));
    }

    #[test]
    fn texts_of_a_megabyte_fit() {
        let many: Vec<String> = (0..250_000).map(|n| format!("{n:x}")).collect();
        let (text, _) = index_values(&many);
        assert!(!text.contains(':') && text.contains("'3d08f'"));
        let grown: Vec<String> = (0..1_000).map(|n| format!("{n:04}{}", "x".repeat(2_000))).collect();
        let (text, count) = index_values(&grown);
        assert!(text.len() < 1_048_576 && count == 1_000);
    }
}
