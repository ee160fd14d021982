//! Splits a message into prose and other parts: code, logs, tables, quotes. Looks at lines, not words.

use std::ops::Range;

use super::candidate::Why;

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub range: Range<usize>,
    /// Why it is skipped; `None` for prose.
    pub why: Option<Why>,
}

/// Fences of code blocks.
const FENCES: [&str; 2] = ["```", "~~~"];
/// Characters that are rare in prose.
const SYMBOLS: &[u8] = b"{}[]<>=;|\\_#$&@~^`%/";
/// Share of symbols from which a line is not prose, in percent of its bytes.
const MOST_SYMBOLS: usize = 12;
/// Beginnings of lines in logs and stack traces.
const LOGS: [&str; 14] = [
    "Traceback ",
    "at ",
    "File \"",
    "ERROR",
    "WARN",
    "INFO",
    "DEBUG",
    "TRACE",
    "FATAL",
    "npm ",
    "error:",
    "warning:",
    "error[",
    "$ ",
];

/// Splits a message into blocks, in order; adjacent lines of the same kind are one block.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let (mut at, mut inside) = (0, false);
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let bare = line.trim();
        let fence = FENCES.iter().any(|fence| bare.starts_with(fence));
        let why = if fence || inside { Some(Why::Code) } else { noise(line, bare) };
        // A fence that closes on its own line opens no block.
        if fence && !(bare.len() > 6 && FENCES.iter().any(|fence| bare.ends_with(fence))) {
            inside = !inside;
        }
        match found.last_mut() {
            Some(last) if last.why == why => last.range.end = range.end,
            _ => found.push(Block { range, why }),
        }
    }
    found
}

/// Returns why a line is not prose.
fn noise(line: &str, bare: &str) -> Option<Why> {
    if bare.is_empty() {
        return None;
    }
    if bare.starts_with('>') {
        return Some(Why::Quoted);
    }
    let table = bare.starts_with('|') && bare.ends_with('|') && bare.len() > 2;
    if table || LOGS.iter().any(|log| bare.starts_with(log) && !is_sentence(bare)) || stamped(bare) {
        return Some(Why::ToolNoise);
    }
    let symbols = bare.bytes().filter(|byte| SYMBOLS.contains(byte)).count();
    let indented = line.starts_with("    ") || line.starts_with('\t');
    let coded = symbols * 100 >= bare.len() * MOST_SYMBOLS || bare.ends_with(['{', '}', ';']);
    let coded = coded || (indented && !is_sentence(bare) && symbols > 0);
    coded.then_some(Why::Code)
}

/// Reports whether a line reads as a sentence: five words or more and a final mark.
fn is_sentence(bare: &str) -> bool {
    bare.ends_with(['.', '!', '?']) && bare.split(' ').count() >= 5
}

/// Reports whether a line starts with a date or time of day, as in logs.
fn stamped(bare: &str) -> bool {
    let digits = |text: &str| text.len() >= 8 && text.bytes().filter(u8::is_ascii_digit).count() >= 6;
    let mut parts = bare.trim_start_matches('[').splitn(3, [' ', 'T', ']']);
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let date = digits(first) && first.bytes().all(|byte| byte.is_ascii_digit() || b"-/.:".contains(&byte));
    date && second.bytes().filter(|byte| *byte == b':').count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_logs_tables_and_quotes_are_distinguished_from_prose() {
        let text = "I moved.\n```py\nmy_name = 1\n```\n> I like tea\n| a | b |\n2026-05-04 10:11:12 INFO I am up\nlet x = f(y);\nBye.";
        let whys: Vec<Option<Why>> = blocks(text).into_iter().map(|block| block.why).collect();
        assert_eq!(whys, [None, Some(Why::Code), Some(Why::Quoted), Some(Why::ToolNoise), Some(Why::Code), None]);
    }

    #[test]
    fn a_fence_that_nothing_closes_goes_to_the_end() {
        assert_eq!(blocks("a\n```\nI live in Rome.\n").last().map(|block| block.why), Some(Some(Why::Code)));
        assert_eq!(blocks("").len(), 0);
    }
}
