//! No function exceeds 70 lines.

use super::{assert_none, sources};

const MAX_LINES: usize = 70;

/// Name, first line and length of every function, found by indentation: rustfmt aligns start and end.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        match &open {
            None => {
                if let Some(name) = function_name(line.trim_start())
                    && !line.trim_end().ends_with([';', '}'])
                {
                    open = Some((name, index, indent));
                }
            }
            Some((name, start, depth)) if indent == *depth && line.trim_start().starts_with('}') => {
                found.push((name.clone(), *start + 1, index - start + 1));
                open = None;
            }
            // A multi-line declaration in a trait ends without a body.
            Some((_, _, depth)) if indent == *depth && line.trim_end().ends_with(';') => open = None,
            Some(_) => {}
        }
    }
    found
}

/// The name of the function that a trimmed line starts to define.
fn function_name(line: &str) -> Option<String> {
    let (before, after) = line.split_once("fn ")?;
    let allowed = |word: &str| {
        word.starts_with("pub") || word.starts_with("extern") || ["async", "const", "unsafe", "in"].contains(&word)
    };
    let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (before.split_whitespace().all(allowed) && !name.is_empty()).then_some(name)
}

#[test]
fn no_function_is_longer_than_70_lines() {
    let mut problems = Vec::new();
    let mut seen = 0;
    for file in sources() {
        for (name, line, length) in functions(&file.text) {
            seen += 1;
            if length > MAX_LINES {
                problems.push(format!("{}:{line} {name} has {length} lines", file.path));
            }
        }
    }
    assert!(seen > 100, "the scanner found only {seen} functions");
    assert_none("functions that are too long", &problems);
}

#[test]
fn the_scanner_measures_functions() {
    let text = "impl A {\n    pub async fn one(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n\n    fn two() {}\n}\n\nfn three() {\n}\n";
    let expected = vec![("one".to_owned(), 2, 5), ("three".to_owned(), 11, 2)];
    assert_eq!(functions(text), expected);
}
