//! Differences between two texts, in the format of `diff -u`.

use similar::TextDiff;

/// The changed lines with three lines of context; empty if there are none.
pub fn unified(before: &str, after: &str, names: (&str, &str)) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(names.0, names.1).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown() {
        let shown = unified("a\nb\nc\n", "a\nB\nc\n", ("1", "2"));
        assert_eq!(shown, "--- 1\n+++ 2\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(unified("a", "a", ("1", "2")), "");
        assert!(unified("a", "b", ("1", "2")).contains("\\ No newline at end of file"));
    }
}
