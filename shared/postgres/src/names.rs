//! Quoting in statements.

/// Quotes an identifier.
pub fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a string literal, for `standard_conforming_strings` on.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled_and_nothing_else_is_special() {
        assert_eq!(quoted("o'neil\\'; DROP TABLE vaults"), "'o''neil\\''; DROP TABLE vaults'");
        assert_eq!(name("a\"b'c"), "\"a\"\"b'c\"");
    }
}
