//! Files of labelled conversations, as `corpus/GUIDE.md` describes them.

use std::ops::Range;
use std::path::Path;

use kimberly_language::judge::{Message, Role};

use crate::label::{Label, LabelError};

const STYLES: [&str; 10] = ["chat", "group", "voice", "mail", "note", "list", "form", "story", "code", "agent"];
const LANGUAGES: [&str; 6] = ["en", "de", "es", "fr", "it", "pt"];

/// A conversation.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The name of its file.
    pub file: String,
    /// How people write in it.
    pub style: &'static str,
    /// Its language.
    pub language: &'static str,
    /// Its title.
    pub title: String,
    /// Its turns.
    pub turns: Vec<Turn>,
}

/// What one says at a time.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// The name of who speaks, where it is given.
    pub name: Option<String>,
    /// The whole text, as it was sent.
    pub text: String,
    /// Its sentences.
    pub sentences: Vec<Sentence>,
}

impl Turn {
    /// The turn as a message.
    pub fn message(&self) -> Message<'_> {
        Message { role: self.role, speaker: self.name.as_deref(), text: &self.text }
    }
}

/// A labelled sentence or clause.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Where it stands in the text.
    pub span: Range<usize>,
    /// What is said about it.
    pub label: Label,
    /// Its line in the file.
    pub line: usize,
}

/// Where a file is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct CorpusError {
    /// The name of the file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A line of none of the three sorts.
    #[error("a sentence needs a label, a tab and a text; a conversation starts with `#`, a turn with `@`")]
    NoTab,
    /// A head without style and language.
    #[error("a conversation starts with `#STYLE LANGUAGE TITLE`; styles: {}; languages: {}", STYLES.join(" "), LANGUAGES.join(" "))]
    Head,
    /// A turn of nobody.
    #[error("a turn is of user, assistant, tool or document")]
    Role,
    /// A turn or a sentence that stands outside.
    #[error("a turn stands in a conversation, a sentence in a turn")]
    Outside,
    /// A sentence without text.
    #[error("the text is empty")]
    Empty,
    /// An assistant's sentence that is kept.
    #[error("what an assistant says is never kept")]
    Assistant,
    /// The label is wrong.
    #[error("{0}")]
    Label(#[from] LabelError),
}

/// The names and texts of the files of a folder, in order of names.
pub fn read(folder: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| Ok((name(path), std::fs::read_to_string(path)?))).collect()
}

/// Reads a file.
pub fn parse(file: &str, text: &str) -> Result<Vec<Conversation>, CorpusError> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fail = |problem| CorpusError { file: file.to_owned(), line: index + 1, problem };
        if line.trim().is_empty() {
            continue;
        }
        if let Some((label, sentence)) = line.split_once('\t') {
            let turn = all.last_mut().and_then(|last: &mut Conversation| last.turns.last_mut());
            add(turn.ok_or_else(|| fail(Problem::Outside))?, label, sentence, index + 1).map_err(fail)?;
        } else if let Some(head) = line.strip_prefix('#') {
            all.push(conversation(file, head).ok_or_else(|| fail(Problem::Head))?);
        } else if let Some(role) = line.strip_prefix('@') {
            let turn = turn(role).ok_or_else(|| fail(Problem::Role))?;
            all.last_mut().ok_or_else(|| fail(Problem::Outside))?.turns.push(turn);
        } else {
            return Err(fail(Problem::NoTab));
        }
    }
    Ok(all)
}

fn conversation(file: &str, head: &str) -> Option<Conversation> {
    let mut words = head.split_whitespace();
    let style = words.next().and_then(|word| STYLES.into_iter().find(|style| *style == word))?;
    let language = words.next().and_then(|word| LANGUAGES.into_iter().find(|language| *language == word))?;
    let title = words.collect::<Vec<_>>().join(" ");
    Some(Conversation { file: file.to_owned(), style, language, title, turns: Vec::new() })
}

fn turn(line: &str) -> Option<Turn> {
    let (role, name) = line.trim().split_once(' ').map_or((line.trim(), None), |(role, name)| (role, Some(name)));
    let role = Role::ALL.into_iter().find(|one| one.name() == role)?;
    let name = name.map(|name| name.trim().to_owned());
    Some(Turn { role, name, text: String::new(), sentences: Vec::new() })
}

/// Adds a sentence to the text of a turn.
fn add(turn: &mut Turn, label: &str, text: &str, line: usize) -> Result<(), Problem> {
    let label = label.trim();
    let label = Label::parse(label.strip_prefix('+').unwrap_or(label))?;
    if label.kept() && turn.role == Role::Assistant {
        return Err(Problem::Assistant);
    }
    let (gap, text) = match (text.strip_prefix('¶'), text.strip_prefix('↵')) {
        (Some(text), _) => ("\n\n", text),
        (_, Some(text)) => ("\n", text),
        _ => (" ", text),
    };
    let text = text.trim().replace("\\n", "\n").replace('¶', "\n\n").replace('↵', "\n");
    if text.trim().is_empty() {
        return Err(Problem::Empty);
    }
    if !turn.text.is_empty() {
        turn.text.push_str(gap);
    }
    let begin = turn.text.len();
    turn.text.push_str(&text);
    turn.sentences.push(Sentence { span: begin..turn.text.len(), label, line });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> (usize, Problem) {
        let error = parse("x.txt", text).unwrap_err();
        (error.line, error.problem)
    }

    #[test]
    fn texts_are_put_together() {
        let text =
            "#chat en A title\n@user Ana\n- greet\tHi!\nk fact\t¶I ski,\n+k fact other\tshe swims.\n-\t↵- a\\nb\n";
        let read = parse("x.txt", text).unwrap();
        let turn = &read[0].turns[0];
        assert_eq!(turn.text, "Hi!\n\nI ski, she swims.\n- a\nb");
        let spans: Vec<&str> = turn.sentences.iter().map(|one| &turn.text[one.span.clone()]).collect();
        assert_eq!(spans, ["Hi!", "I ski,", "she swims.", "- a\nb"]);
        assert_eq!((turn.name.as_deref(), read[0].title.as_str()), (Some("Ana"), "A title"));
    }

    #[test]
    fn errors_name_the_line_and_what_is_wrong() {
        assert_eq!(problem("#chat xx T"), (1, Problem::Head));
        assert_eq!(problem("-\tHi"), (1, Problem::Outside));
        assert_eq!(problem("#chat en T\n@robot"), (2, Problem::Role));
        assert_eq!(problem("#chat en T\n@user\n\nk fact no tab"), (4, Problem::NoTab));
        assert_eq!(problem("#chat en T\n@assistant\nk fact\tI ski."), (3, Problem::Assistant));
        assert_eq!(problem("#chat en T\n@user\nk fact\t ¶"), (3, Problem::Empty));
        let error = parse("x.txt", "#chat en T\n@user\nk\tI ski.").unwrap_err().to_string();
        assert_eq!(error, "x.txt:3: `k` needs a kind: fact pref wish rule plan event know");
    }
}
