//! Patterns for `LIKE` with backslash as escape character.

/// Returns a pattern that matches anything containing `text`.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_would_take_as_its_own_is_escaped() {
        assert_eq!(containing("50%_\\x"), "%50\\%\\_\\\\x%");
    }
}
