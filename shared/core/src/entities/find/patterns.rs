//! Names recognizable by spelling alone: addresses, handles, files, code identifiers.

use std::ops::Range;

use super::Found;
use crate::entities::EntityType;
use crate::entities::words::{Words, folded};

/// Confidence of such a pattern.
const SURE: f64 = 0.95;
/// Confidence that text in backticks is a code identifier.
const CODE: f64 = 0.8;

/// Characters trimmed around a name.
const AROUND: [char; 17] = ['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '“', '”', ',', ';', '!', '?', '*'];
const BEHIND: [char; 3] = ['.', ':', '’'];

/// Finds them in a text, in order and without overlaps. Skips code blocks.
pub(super) fn find(text: &str, words: &Words) -> Vec<Found> {
    let (mut all, mut fenced) = (Vec::new(), false);
    for piece in pieces(text) {
        let raw = text.get(piece.clone()).unwrap_or_default();
        if raw.contains("```") {
            fenced = !fenced;
            continue;
        }
        let marked = raw.contains('`');
        let inner = raw.trim_matches('`').trim_matches(AROUND).trim_end_matches(BEHIND).trim_matches(AROUND);
        let inner = inner.trim_matches('`').trim_end_matches("'s").trim_end_matches('`');
        let start = piece.start + raw.find(inner).unwrap_or_default();
        let inner = with_call(text, start, inner);
        if !fenced && let Some((kind, confidence)) = judge(inner, marked, words) {
            let span = start..start + inner.len();
            all.push(Found { span, kind, confidence, sentence: 0 });
        }
    }
    all
}

/// Extends the name by the parentheses of a call.
fn with_call<'t>(text: &'t str, start: usize, inner: &'t str) -> &'t str {
    let called = text.get(start + inner.len()..).is_some_and(|rest| rest.starts_with("()"));
    if called && !inner.is_empty() { text.get(start..start + inner.len() + 2).unwrap_or(inner) } else { inner }
}

/// Splits at white space.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                all.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    all.extend(start.map(|from| from..text.len()));
    all
}

fn judge(text: &str, marked: bool, words: &Words) -> Option<(EntityType, f64)> {
    if text.len() < 2 || text.len() > 200 || !text.is_ascii() {
        return None;
    }
    if is_url(text, words) {
        return Some((EntityType::Url, SURE));
    }
    if is_email(text) {
        return Some((EntityType::Email, SURE));
    }
    if text.strip_prefix('@').is_some_and(|name| name.len() > 1 && is_name(name, "_.-") && !marked) {
        return Some((EntityType::Handle, SURE));
    }
    if is_file(text, words) {
        return Some((EntityType::File, SURE));
    }
    if is_code(text) {
        return Some((EntityType::Code, SURE));
    }
    let named = marked && is_name(text.trim_end_matches("()"), "_.-:/") && text.len() > 2;
    let plain = text.bytes().all(|b| b.is_ascii_lowercase());
    let sure = if plain { CODE / 2.0 } else { CODE };
    (named && text.bytes().any(|b| b.is_ascii_alphabetic())).then_some((EntityType::Code, sure))
}

fn is_name(text: &str, also: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || also.contains(c))
}

fn is_url(text: &str, words: &Words) -> bool {
    if let Some((scheme, rest)) = text.split_once("://") {
        return !rest.is_empty() && is_name(scheme, "+");
    }
    if text.starts_with("www.") {
        return text.len() > 6;
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((name, end)) = host.rsplit_once('.') else { return false };
    let plain = host == text;
    let known = words.is("domain", end) && !(plain && matches!(end, "me" | "us" | "co" | "info" | "app" | "ai"));
    known && name.len() > 2 && is_name(name, "-.") && name.bytes().any(|b| b.is_ascii_alphabetic())
}

fn is_email(text: &str) -> bool {
    let Some((who, host)) = text.split_once('@') else { return false };
    let Some((name, end)) = host.rsplit_once('.') else { return false };
    !who.is_empty() && is_name(who, "._+-%") && is_name(name, "-.") && end.len() > 1 && is_name(end, "")
}

/// A name with a known file extension, or a path.
fn is_file(text: &str, words: &Words) -> bool {
    let path = text.trim_start_matches("./").trim_start_matches("~/");
    let name = path.rsplit('/').next().unwrap_or_default();
    let ends = name.rsplit_once('.').is_some_and(|(stem, end)| {
        let lower = folded(end);
        let bare = stem.is_empty() && matches!(lower.as_str(), "env" | "gitignore");
        (bare || (stem.len() > 1 && words.is("extension", &lower))) && !is_library(stem, &lower)
    });
    let absolute = text.starts_with('/') && text.get(1..).is_some_and(|rest| rest.contains('/'));
    is_name(path.trim_start_matches('/'), "/._-") && (ends || absolute && path.bytes().any(|b| b.is_ascii_lowercase()))
}

/// `Node.js` is a product, `server.js` a file.
fn is_library(stem: &str, end: &str) -> bool {
    let name = folded(stem);
    end == "js"
        && (stem.starts_with(|c: char| c.is_ascii_uppercase()) || matches!(name.as_str(), "node" | "next" | "vue"))
}

/// `snake_case`, `camelCase`, `a::b`, `call()`, `CONSTANT_NAME`, `--flag`.
fn is_code(text: &str) -> bool {
    let name = text.trim_end_matches("()").trim_start_matches("--");
    let called = text.ends_with("()") && name.len() > 1;
    let flag = text.starts_with("--") && name.len() > 2;
    let snake = name.contains('_') && name.split('_').filter(|part| !part.is_empty()).count() > 1;
    let path = name.split_once("::").is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
    is_name(name, "_:.-") && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && {
        let hump =
            name.bytes().zip(name.bytes().skip(1)).any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
        let camel = hump && name.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(name, "") && name.len() > 5;
        called || flag || snake || path || (camel && !matches!(name, "iPhone" | "iPhones" | "eBooks" | "macOS"))
    }
}
