//! Edits of a text in place, and why they fail. Pure; the use cases decide who may edit what, and which versions are kept.

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Edit {
    /// Replaces a text that occurs exactly once.
    Replace {
        /// The text to replace, not empty.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Inserts lines.
    Insert {
        /// The line to insert after; 0 is the beginning.
        line: i64,
        /// The text; trailing line feeds are dropped.
        text: String,
    },
    /// Appends a text on its own line.
    Append(String),
    /// Replaces the whole text.
    Whole(String),
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub content: String,
    /// The line where it changed, from 1.
    pub line: usize,
}

/// Why an edit failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The text to replace is empty.
    Nothing,
    /// The text to replace does not occur.
    Absent,
    /// The text occurs more than once: in these lines, from 1.
    Several(Vec<usize>),
    /// The text has only this many lines.
    NoSuchLine(usize),
}

impl Edit {
    /// Applies the edit to a text.
    pub fn apply(&self, content: &str) -> Result<Edited, Refused> {
        match self {
            Self::Replace { old, new } => replaced(content, old, new),
            Self::Insert { line, text } => inserted(content, *line, text),
            Self::Append(text) => {
                let apart = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
                let before = format!("{content}{apart}");
                Ok(Edited { line: line_at(&before, before.len()), content: before + text })
            }
            Self::Whole(text) => Ok(Edited { content: text.clone(), line: 1 }),
        }
    }
}

fn replaced(content: &str, old: &str, new: &str) -> Result<Edited, Refused> {
    if old.is_empty() {
        return Err(Refused::Nothing);
    }
    match positions(content, old).as_slice() {
        [] => Err(Refused::Absent),
        [at] => {
            let (before, after) = (&content[..*at], &content[*at + old.len()..]);
            Ok(Edited { line: line_at(content, *at), content: [before, new, after].concat() })
        }
        several => Err(Refused::Several(several.iter().map(|at| line_at(content, *at)).collect())),
    }
}

/// All offsets of a text, overlapping ones included.
fn positions(content: &str, text: &str) -> Vec<usize> {
    let step = text.chars().next().map_or(1, char::len_utf8);
    let mut positions = Vec::new();
    let mut from = 0;
    while let Some(at) = content.get(from..).and_then(|rest| rest.find(text)) {
        positions.push(from + at);
        from += at + step;
    }
    positions
}

fn line_at(content: &str, at: usize) -> usize {
    content[..at].matches('\n').count() + 1
}

/// A line feed at the end of the text does not begin another line.
fn inserted(content: &str, line: i64, text: &str) -> Result<Edited, Refused> {
    let mut lines: Vec<&str> = content.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let at = usize::try_from(line).ok().filter(|at| *at <= lines.len()).ok_or(Refused::NoSuchLine(lines.len()))?;
    lines.insert(at, text.trim_end_matches('\n'));
    Ok(Edited { content: lines.join("\n") + "\n", line: at + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(content: &str, old: &str, new: &str) -> Result<(String, usize), Refused> {
        let edit = Edit::Replace { old: old.to_owned(), new: new.to_owned() };
        edit.apply(content).map(|edited| (edited.content, edited.line))
    }

    fn insert(content: &str, line: i64, text: &str) -> Result<String, Refused> {
        Edit::Insert { line, text: text.to_owned() }.apply(content).map(|edited| edited.content)
    }

    #[test]
    fn a_text_is_replaced_where_it_stands_once() {
        assert_eq!(replace("a\nbé\nc", "bé", "B"), Ok(("a\nB\nc".to_owned(), 2)));
        assert_eq!(replace("a", "a", ""), Ok((String::new(), 1)));
        assert_eq!(replace("a", "b", "c"), Err(Refused::Absent));
        assert_eq!(replace("", "b", "c"), Err(Refused::Absent));
        assert_eq!(replace("a\nb\na", "a", "c"), Err(Refused::Several(vec![1, 3])));
        assert_eq!(replace("ééé", "éé", "c"), Err(Refused::Several(vec![1, 1])), "places that overlap are two");
        assert_eq!(replace("a", "", "c"), Err(Refused::Nothing));
    }

    #[test]
    fn a_text_is_inserted_behind_any_line_and_no_other() {
        assert_eq!(insert("a\nb\n", 0, "x").as_deref(), Ok("x\na\nb\n"));
        assert_eq!(insert("a\nb", 1, "x\n").as_deref(), Ok("a\nx\nb\n"));
        assert_eq!(insert("a\nb\n", 2, "x\ny").as_deref(), Ok("a\nb\nx\ny\n"));
        assert_eq!(insert("", 0, "x").as_deref(), Ok("x\n"));
        for (content, line) in [("a\nb\n", 3), ("a\nb", -1), ("a", i64::MIN)] {
            assert_eq!(insert(content, line, "x"), Err(Refused::NoSuchLine(content.matches(['a', 'b']).count())));
        }
        assert_eq!(insert("", 1, "x"), Err(Refused::NoSuchLine(0)));
    }

    #[test]
    fn a_text_is_appended_on_a_line_of_its_own_or_replaces_all() {
        for (content, expected, line) in [("", "x", 1), ("a", "a\nx", 2), ("a\n", "a\nx", 2)] {
            let edited = Edit::Append("x".to_owned()).apply(content).unwrap();
            assert_eq!((edited.content.as_str(), edited.line), (expected, line));
        }
        assert_eq!(Edit::Whole("x".to_owned()).apply("a\nb").unwrap().content, "x");
    }
}
