//! Names and texts within statements.

/// A name in quotes.
pub fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a literal, where `standard_conforming_strings` is on.
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
