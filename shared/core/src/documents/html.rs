//! The visible text of HTML, with each block element on its own lines.

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::DocumentText;

/// Elements whose content is not visible.
const HIDDEN: [&[u8]; 7] = [b"script", b"style", b"template", b"noscript", b"svg", b"iframe", b"object"];
/// Elements that begin and end a line.
const LINES: [&[u8]; 9] = [b"br", b"li", b"tr", b"dt", b"dd", b"option", b"figcaption", b"caption", b"summary"];
/// Elements that begin and end a paragraph.
const PARAGRAPHS: [&[u8]; 25] = [
    b"p",
    b"div",
    b"section",
    b"article",
    b"header",
    b"footer",
    b"main",
    b"nav",
    b"aside",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"ul",
    b"ol",
    b"dl",
    b"table",
    b"blockquote",
    b"pre",
    b"form",
    b"figure",
    b"hr",
    b"address",
];
/// Elements that act as white space.
const CELLS: [&[u8]; 2] = [b"td", b"th"];

/// Reads a page. Takes linear time, even with deeply nested or unclosed elements.
pub(super) fn read(page: &str) -> DocumentText {
    let mut reading = Reading::default();
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => reading.starts(&tag.name, tag.self_closing),
            Token::EndTag(tag) => reading.ends(&tag.name),
            Token::String(text) => reading.says(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    DocumentText { title: collapsed(&reading.title), body: reading.body.trim().to_owned() }
}

#[derive(Default)]
struct Reading {
    title: String,
    body: String,
    in_title: bool,
    in_pre: usize,
    /// The element that hides its content, and how many of its kind are open.
    hidden: Option<(Vec<u8>, usize)>,
    /// Line feeds to write before the next word.
    breaks: usize,
    /// Whether white space precedes the next word.
    gap: bool,
}

impl Reading {
    fn starts(&mut self, name: &[u8], closed: bool) {
        match &mut self.hidden {
            Some((hiding, open)) if hiding == name => *open += usize::from(!closed),
            Some(_) => {}
            // A self-closing slash is only valid in SVG.
            None if HIDDEN.contains(&name) => {
                if name != b"svg" || !closed {
                    self.hidden = Some((name.to_vec(), 1));
                }
            }
            None if name == b"title" => self.in_title = self.title.is_empty(),
            None => {
                self.in_pre += usize::from(name == b"pre");
                self.parts(name);
            }
        }
    }

    fn ends(&mut self, name: &[u8]) {
        match &mut self.hidden {
            Some((hiding, open)) if hiding == name => {
                *open -= 1;
                if *open == 0 {
                    self.hidden = None;
                }
            }
            Some(_) => {}
            None if name == b"title" => self.in_title = false,
            None => {
                self.in_pre = self.in_pre.saturating_sub(usize::from(name == b"pre"));
                self.parts(name);
            }
        }
    }

    /// Notes the separation that an element causes.
    fn parts(&mut self, name: &[u8]) {
        if PARAGRAPHS.contains(&name) {
            self.breaks = 2;
        } else if LINES.contains(&name) {
            self.breaks = self.breaks.max(1);
        } else if CELLS.contains(&name) {
            self.gap = true;
        }
    }

    fn says(&mut self, text: &str) {
        if self.hidden.is_some() {
        } else if self.in_title {
            self.title.push_str(text);
        } else if self.in_pre > 0 {
            self.word(text);
        } else {
            self.gap |= text.starts_with(char::is_whitespace);
            for word in text.split_whitespace() {
                self.word(word);
                self.gap = true;
            }
            self.gap = text.ends_with(char::is_whitespace);
        }
    }

    fn word(&mut self, word: &str) {
        if !self.body.is_empty() && self.breaks > 0 {
            self.body.extend(std::iter::repeat_n('\n', self.breaks));
        } else if !self.body.is_empty() && self.gap {
            self.body.push(' ');
        }
        (self.breaks, self.gap) = (0, false);
        self.body.push_str(word);
    }
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
