//! Differences between two texts, in the format of `diff -u`.

use std::fmt::Write as _;
use std::ops::Range;

use crate::text::subsequence::{Of, common};

/// Unchanged lines around changed ones.
const CONTEXT: usize = 3;
/// Pairs of lines to compare at most. Where more are changed, all lines from the first to the last change are shown as
/// changed.
const MAX_PAIRS: usize = 1 << 22;

/// Lines that are replaced by others.
struct Change {
    before: Range<usize>,
    after: Range<usize>,
}

/// The changed lines with three lines of context; empty if there are none.
pub fn unified(before: &str, after: &str, names: (&str, &str)) -> String {
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let changes = changes(&before, &after);
    if changes.is_empty() {
        return String::new();
    }
    let mut shown = format!("--- {}\n+++ {}\n", names.0, names.1);
    for near in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT) {
        show(&before, &after, near, &mut shown);
    }
    shown
}

/// All changes, in order.
fn changes(before: &[&str], after: &[&str]) -> Vec<Change> {
    let same = |one: &mut dyn Iterator<Item = (&&str, &&str)>| one.take_while(|(one, two)| one == two).count();
    let head = same(&mut before.iter().zip(after));
    let (old, new) = (&before[head..], &after[head..]);
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()));
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let is_bounded = old.len().saturating_mul(new.len()) <= MAX_PAIRS;
    let pairs = if is_bounded { common(old, new, |one, two| one == two, Of::First) } else { Vec::new() };
    let (mut changes, mut at) = (Vec::new(), (0, 0));
    for (old, new) in pairs.into_iter().chain([(old.len(), new.len())]) {
        if (old, new) != at {
            changes.push(Change { before: head + at.0..head + old, after: head + at.1..head + new });
        }
        at = (old + 1, new + 1);
    }
    changes
}

/// Shows changes that are near each other, below one header.
fn show(before: &[&str], after: &[&str], changes: &[Change], shown: &mut String) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let lead = first.before.start.min(CONTEXT);
    let trail = (before.len() - last.before.end).min(CONTEXT);
    let (start, end) = (first.before.start - lead, last.before.end + trail);
    let of_after = first.after.start - lead..last.after.end + trail;
    let _ = writeln!(shown, "@@ -{} +{} @@", range(&(start..end)), range(&of_after));
    let mut add = |sign: char, lines: &[&str]| {
        for line in lines {
            shown.push(sign);
            shown.push_str(line);
            if !line.ends_with('\n') {
                shown.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    let mut at = start;
    for change in changes {
        add(' ', &before[at..change.before.start]);
        add('-', &before[change.before.clone()]);
        add('+', &after[change.after.clone()]);
        at = change.before.end;
    }
    add(' ', &before[at..end]);
}

/// The first line and the number of lines, unless it is 1. An empty range begins at the line before it.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
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

    #[test]
    fn changes_share_a_header_if_six_lines_or_fewer_are_between_them() {
        let lines = |changed: &[usize]| -> String {
            let line = |n: usize| if changed.contains(&n) { format!("changed {n}\n") } else { format!("line {n}\n") };
            (1..=20).map(line).collect()
        };
        let headers = |changed: &[usize]| -> Vec<String> {
            let shown = unified(&lines(&[]), &lines(changed), ("1", "2"));
            shown.lines().filter(|line| line.starts_with("@@")).map(str::to_owned).collect()
        };
        assert_eq!(headers(&[5, 12]), ["@@ -2,14 +2,14 @@"]);
        assert_eq!(headers(&[5, 13]), ["@@ -2,7 +2,7 @@", "@@ -10,7 +10,7 @@"]);
        assert_eq!(headers(&[1, 20]), ["@@ -1,4 +1,4 @@", "@@ -17,4 +17,4 @@"]);
    }

    #[test]
    fn texts_that_begin_or_end_empty_are_shown() {
        assert_eq!(unified("", "a\n", ("1", "2")), "--- 1\n+++ 2\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("a\nb\n", "", ("1", "2")), "--- 1\n+++ 2\n@@ -1,2 +0,0 @@\n-a\n-b\n");
    }

    #[test]
    fn a_line_that_moved_is_a_removal_and_an_addition() {
        let shown = unified("a\nb\nc\n", "b\nc\na\n", ("1", "2"));
        assert_eq!(shown, "--- 1\n+++ 2\n@@ -1,3 +1,3 @@\n-a\n b\n c\n+a\n");
    }

    #[test]
    fn texts_of_many_lines_are_compared_in_bounded_time() {
        let lines = |of: &str| format!("same\n{}same\n", format!("{of}\n").repeat(100_000));
        let shown = unified(&lines("a"), &lines("b"), ("1", "2"));
        assert!(shown.starts_with("--- 1\n+++ 2\n@@ -1,100002 +1,100002 @@\n same\n-a\n"));
        assert!(shown.ends_with("+b\n same\n"));
    }
}
