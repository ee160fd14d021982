//! Full-text expressions, built from quoted text only: nothing a caller writes is ever syntax.

use kimberly_core::ports::{LexicalQuery, LexicalTerm};

/// The expression of a query; `None` if no term of it holds anything that the index could know.
pub(crate) fn expression(query: &LexicalQuery) -> Option<String> {
    let any: Vec<_> = query.any.iter().filter_map(phrase).collect();
    let all: Vec<_> = query.all.iter().filter_map(phrase).collect();
    match (any.is_empty(), all.is_empty()) {
        // Something was asked for that cannot be found.
        (true, _) if !query.any.is_empty() => None,
        (true, true) => None,
        (true, false) => Some(all.join(" AND ")),
        (false, true) => Some(any.join(" OR ")),
        (false, false) => Some(format!("({}) AND {}", any.join(" OR "), all.join(" AND "))),
    }
}

/// Terms that hold anything that the index could know.
pub(crate) fn usable(terms: &[LexicalTerm]) -> Vec<&LexicalTerm> {
    terms.iter().filter(|term| phrase(term).is_some()).collect()
}

/// Words as a phrase; `None` if they hold no letter or digit.
pub(crate) fn phrase(term: &LexicalTerm) -> Option<String> {
    let words = term.words.join(" ");
    if !words.chars().any(char::is_alphanumeric) {
        return None;
    }
    let mut text = quoted(&words);
    if term.prefix {
        text.push('*');
    }
    Some(text)
}

/// Text in quotes, which are doubled inside. A NUL would end the expression: it becomes a space, as for the tokenizer.
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
