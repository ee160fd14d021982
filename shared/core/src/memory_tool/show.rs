//! The tool's answer texts, as its clients expect them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::memory::{Edited, Refused};

/// Most lines of a file.
const MAX_LINES: usize = 999_999;
/// Width of a line number, in columns.
const WIDTH: usize = 6;
/// Lines shown before and after a change.
const AROUND: usize = 2;

/// Shows a file with line numbers, in full or for a range: first line from 1, last line, with -1 for the end.
pub fn file(path: &str, content: &str, range: Option<&[i64]>) -> Result<String, String> {
    let lines: Vec<&str> = content.split('\n').collect();
    if lines.len() > MAX_LINES {
        return Err(format!("File {path} exceeds maximum line limit of 999,999 lines."));
    }
    let (first, last) = match range {
        Some(&[first, last]) => (first.max(1), if last == -1 { i64::MAX } else { last.max(0) }),
        _ => (1, i64::MAX),
    };
    let (first, last) = (usize::try_from(first).unwrap_or(usize::MAX), usize::try_from(last).unwrap_or(usize::MAX));
    let shown = numbered(&lines, first, last.min(lines.len()));
    Ok(format!("Here's the content of {path} with line numbers:\n{shown}"))
}

/// The lines in a range with their numbers, from 1.
fn numbered(lines: &[&str], first: usize, last: usize) -> String {
    let lines = lines.iter().enumerate().map(|(index, line)| (index + 1, line));
    let shown = lines.filter(|(number, _)| (first..=last).contains(number));
    shown.map(|(number, line)| format!("{number:>WIDTH$}\t{line}")).collect::<Vec<_>>().join("\n")
}

/// Lists a directory two levels deep: `files` are the paths below it with their sizes in bytes, in any order.
pub fn directory<'a>(path: &str, files: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    let path = path.trim_end_matches('/');
    let (mut items, mut all) = (BTreeMap::<Vec<&str>, (u64, bool)>::new(), 0);
    for (file, bytes) in files {
        all += bytes;
        let segments: Vec<&str> = file.split('/').collect();
        if segments.iter().take(2).any(|segment| hidden(segment)) {
            continue;
        }
        for depth in 1..=segments.len().min(2) {
            let is_directory = depth < segments.len();
            let item = items.entry(segments[..depth].to_vec()).or_default();
            *item = (item.0 + bytes, item.1 || is_directory);
        }
    }
    let mut text =
        format!("Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n");
    let _ = write!(text, "{}\t{path}", size(all));
    for (segments, (bytes, is_directory)) in items {
        let end = if is_directory { "/" } else { "" };
        let _ = write!(text, "\n{}\t{path}/{}{end}", size(bytes), segments.join("/"));
    }
    text
}

/// Reports whether listings omit a file or directory of this name.
pub fn hidden(name: &str) -> bool {
    name.starts_with('.')
}

#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
fn size(bytes: u64) -> String {
    let unit = (bytes.checked_ilog2().unwrap_or(0) / 10).min(3);
    let (whole, of) = (bytes >> (10 * unit), 1_u64 << (10 * unit));
    let name = ["B", "K", "M", "G"][unit as usize];
    if bytes.is_multiple_of(of) { format!("{whole}{name}") } else { format!("{:.1}{name}", bytes as f64 / of as f64) }
}

/// Shows the lines around a change.
pub fn edited(edited: &Edited) -> String {
    let lines: Vec<&str> = edited.content.split('\n').collect();
    let shown = numbered(&lines, edited.line.saturating_sub(AROUND), edited.line + AROUND);
    format!("The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}")
}

/// Explains why an edit failed; `old` is the text to replace, `line` the line to insert after.
pub fn refused(why: &Refused, path: &str, (old, line): (&str, i64)) -> String {
    match why {
        Refused::Nothing => "No replacement was performed, old_str must not be empty.".to_owned(),
        Refused::Absent => {
            format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        }
        Refused::Several(lines) => {
            let lines = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it \
                 is unique"
            )
        }
        Refused::NoSuchLine(lines) => {
            format!("Invalid `insert_line` parameter: {line}. It should be within the range [0, {lines}].")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_with_line_numbers_within_a_range() {
        let shown = |range: Option<&[i64]>| file("/memories/a", "one\ntwo\n", range).unwrap();
        let head = "Here's the content of /memories/a with line numbers:\n";
        assert_eq!(shown(None), format!("{head}     1\tone\n     2\ttwo\n     3\t"));
        assert_eq!(shown(Some(&[2, 2])), format!("{head}     2\ttwo"));
        assert_eq!(shown(Some(&[2, -1])), format!("{head}     2\ttwo\n     3\t"));
        assert_eq!(shown(Some(&[-5, 1])), format!("{head}     1\tone"));
        for empty in [[9, -1], [2, 1], [1, -7], [i64::MAX, i64::MIN]] {
            assert_eq!(shown(Some(&empty)), head, "{empty:?}");
        }
        assert!(file("/memories/a", &"\n".repeat(MAX_LINES), None).is_err());
    }

    #[test]
    fn a_directory_is_shown_two_levels_deep_without_what_is_hidden() {
        let files = [("b.md", 1_024), ("a/x.md", 100), ("a/y/z.md", 1_500), (".git/c", 7), ("a/.d", 1), ("empty", 0)];
        assert_eq!(
            directory("/memories/", files),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n\
             2.6K\t/memories\n1.6K\t/memories/a/\n100B\t/memories/a/x.md\n1.5K\t/memories/a/y/\n1K\t/memories/b.md\n\
             0B\t/memories/empty"
        );
    }

    #[test]
    fn a_change_is_shown_with_two_lines_around_it() {
        let content = "1\n2\n3\n4\n5\n6\n7".to_owned();
        let shown = edited(&Edited { content, line: 4 });
        assert!(shown.ends_with("numbers):\n     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6"), "{shown}");
        let first = edited(&Edited { content: "x".to_owned(), line: 1 });
        assert!(first.ends_with("\n     1\tx"), "{first}");
    }
}
