//! Builds full-text expressions from quoted text only: caller text is never syntax.

use kimberly_core::ports::{LexicalQuery, LexicalTerm};

use crate::lexical::{is_usable, usable_terms};

/// Returns the expression of a query; `None` if it has no usable term.
pub(crate) fn expression(query: &LexicalQuery) -> Option<String> {
    let (any, all) = usable_terms(query)?;
    let phrases = |terms: Vec<&LexicalTerm>| terms.into_iter().filter_map(phrase).collect::<Vec<_>>();
    let (any, all) = (phrases(any), phrases(all));
    Some(match (any.is_empty(), all.is_empty()) {
        (true, _) => all.join(" AND "),
        (false, true) => any.join(" OR "),
        (false, false) => format!("({}) AND {}", any.join(" OR "), all.join(" AND ")),
    })
}

/// Quotes words as a phrase; `None` if they contain no letter or digit.
pub(crate) fn phrase(term: &LexicalTerm) -> Option<String> {
    if !is_usable(term) {
        return None;
    }
    let mut text = quoted(&term.words.join(" "));
    if term.prefix {
        text.push('*');
    }
    Some(text)
}

/// Quotes a text, doubling the quotes inside. A NUL would end the expression; it becomes a space, as in the tokenizer.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\"\""),
            '\0' => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(words: &[&str], prefix: bool) -> LexicalTerm {
        LexicalTerm { words: words.iter().map(|w| (*w).to_owned()).collect(), prefix }
    }

    #[test]
    fn terms_are_quoted_joined_and_prefixed() {
        let query = LexicalQuery {
            any: vec![term(&["tea"], false), term(&["green", "tea"], false), term(&["mat"], true)],
            all: vec![term(&["kyoto"], false)],
            ..LexicalQuery::default()
        };
        assert_eq!(expression(&query).unwrap(), r#"("tea" OR "green tea" OR "mat"*) AND "kyoto""#);
    }

    #[test]
    fn operators_quotes_and_nul_are_plain_text() {
        let query = LexicalQuery { any: vec![term(&["a\" OR \"b\0c NEAR(*"], false)], ..LexicalQuery::default() };
        assert_eq!(expression(&query).unwrap(), "\"a\"\" OR \"\"b c NEAR(*\"");
    }

    #[test]
    fn a_query_without_words_finds_nothing() {
        assert_eq!(expression(&LexicalQuery::default()), None);
        let query = LexicalQuery { any: vec![term(&["!?"], false)], ..LexicalQuery::default() };
        assert_eq!(expression(&query), None);
    }
}
