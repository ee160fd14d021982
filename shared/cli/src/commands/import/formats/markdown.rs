//! Markdown or plain text: a memory per paragraph, code block and list item, with the heading above it.

use std::io::{BufRead, Read as _};

use serde_json::json;

use super::{Drafted, said};
use crate::commands::import::source;
use crate::error::{CliError, CliResult};
use crate::json::free;

/// Maximum size of a paragraph in bytes: the largest memory under any configuration.
const MAX_BLOCK: usize = 1_000_000;

/// The memories of a text, in order.
pub(super) fn blocks(reader: impl BufRead + Send + 'static) -> impl Iterator<Item = CliResult<Drafted>> + Send {
    Blocks { reader, number: 0, headings: Vec::new(), block: String::new(), fence: None, over: false }
}

struct Blocks<R> {
    reader: R,
    /// Lines read so far.
    number: usize,
    /// The headings above, with their levels.
    headings: Vec<(usize, String)>,
    /// The block read so far.
    block: String,
    /// The code block or front matter that the line is in, if any.
    fence: Option<Fence>,
    over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    Code(&'static str),
    /// Front matter: settings before the text, between two lines of `---`.
    Front,
}

impl<R: BufRead> Blocks<R> {
    fn line(&mut self) -> CliResult<Option<String>> {
        let mut line = String::new();
        self.number += 1;
        let read = self.reader.by_ref().take(MAX_BLOCK as u64 + 1).read_line(&mut line).map_err(source::unreadable)?;
        if read + self.block.len() > MAX_BLOCK {
            let number = self.number;
            return Err(CliError::usage(format!("line {number}: a paragraph has more than {MAX_BLOCK} bytes")));
        }
        Ok((read > 0).then(|| line.trim_start_matches('\u{feff}').trim_end().to_owned()))
    }

    /// Takes the complete block, if it is not empty.
    fn complete(&mut self) -> Option<Drafted> {
        let text = std::mem::take(&mut self.block);
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let heading = self.headings.last().map(|(_, heading)| heading.as_str());
        let content = heading.map_or_else(|| text.to_owned(), |heading| format!("{heading}: {text}"));
        let path: Vec<&str> = self.headings.iter().map(|(_, heading)| heading.as_str()).collect();
        let mut draft = said(content, "", "");
        draft.attributes = free(&json!({"heading": path.join(" / ")})).ok().filter(|_| !path.is_empty());
        Some(Drafted::draft(draft))
    }

    fn push(&mut self, line: &str) {
        self.block.push_str(line);
        self.block.push('\n');
    }

    /// Processes a line; returns the block that it ends.
    fn take(&mut self, line: &str) -> Option<Drafted> {
        let text = line.trim_start();
        match self.fence {
            Some(Fence::Front) => {
                self.fence = Some(Fence::Front).filter(|_| line != "---");
                return None;
            }
            Some(Fence::Code(delimiter)) => {
                self.fence = self.fence.filter(|_| !text.starts_with(delimiter));
                self.push(line);
                return None;
            }
            None => {}
        }
        if line == "---" && self.number == 1 {
            self.fence = Some(Fence::Front);
            return None;
        }
        if let Some(delimiter) = ["```", "~~~"].into_iter().find(|delimiter| text.starts_with(delimiter)) {
            self.fence = Some(Fence::Code(delimiter));
            self.push(line);
            return None;
        }
        if text.is_empty() || is_rule(text) {
            return self.complete();
        }
        if let Some((level, heading)) = heading(line) {
            let ended = self.complete();
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, heading.to_owned()));
            return ended;
        }
        let ended = item(line).is_some().then(|| self.complete()).flatten();
        self.push(item(line).unwrap_or(line));
        ended
    }
}

impl<R: BufRead> Iterator for Blocks<R> {
    type Item = CliResult<Drafted>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            let ended = match self.line() {
                Ok(Some(line)) => self.take(&line),
                Ok(None) => {
                    self.over = true;
                    self.complete()
                }
                Err(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
            };
            if let Some(ended) = ended {
                return Some(Ok(ended));
            }
        }
        None
    }
}

/// A heading's level and text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let heading = text.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !heading.is_empty()).then_some((level, heading))
}

/// The text of a top-level list item.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = || line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "));
    let marked = ["- ", "* ", "+ "].into_iter().find_map(|delimiter| line.strip_prefix(delimiter));
    marked.or_else(|| (1..=9).contains(&digits).then(numbered).flatten())
}

/// Whether a line is a horizontal rule or underlines a heading.
fn is_rule(text: &str) -> bool {
    let delimiter = text.chars().next().filter(|delimiter| matches!(delimiter, '-' | '*' | '_' | '='));
    delimiter.is_some_and(|delimiter| text.len() >= 3 && text.chars().all(|c| c == delimiter || c == ' '))
}
