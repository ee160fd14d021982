//! Parses the data file of a language; every invalid line is an error with its number.

use super::known::Known;
use super::pattern::{MatchStart, OneOf, Step};
use super::{Classes, Language, Pattern, SlotRule};
use crate::extraction::time_word::{TimeWord, Unit};
use crate::extraction::tokens::fold_into;

/// An invalid line of a data file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Invalid {
    /// Number of the line, from 1; 0 for the whole file.
    pub line: usize,
    /// The problem with the line.
    pub problem: String,
}

/// The section that indented lines belong to.
enum Section {
    None,
    Words(Classes),
    Contractions,
    Forms,
    Times,
    Remember,
    Slot,
}

/// Most classes of a language: the bits of [`Classes`].
const MOST_CLASSES: usize = 128;

pub(super) fn parse(text: &str) -> Result<Language, Invalid> {
    let mut language = Language::empty();
    let mut section = Section::None;
    for (index, line) in text.lines().enumerate() {
        let invalid = |problem: String| Invalid { line: index + 1, problem };
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            language.entry(&section, line).map_err(invalid)?;
        } else {
            section = language.section(line).map_err(invalid)?;
        }
    }
    language.known = Known::of(&language.classes)
        .map_err(|name| Invalid { line: 0, problem: format!("the class {name} is missing") })?;
    if language.tag.is_empty() || language.unnamed.is_empty() || language.assistant.is_empty() {
        return Err(Invalid { line: 0, problem: "`language`, `unnamed` or `assistant` is missing".to_owned() });
    }
    if let Some(slot) = language.slots.iter().find(|slot| slot.patterns.is_empty()) {
        return Err(Invalid { line: 0, problem: format!("the slot {} has no pattern", slot.key) });
    }
    Ok(language)
}

impl Language {
    fn section(&mut self, line: &str) -> Result<Section, String> {
        let mut words = line.split_whitespace();
        let head = words.next().unwrap_or_default();
        match head {
            "language" => line.clone_into_rest(&mut self.tag),
            "unnamed" => line.clone_into_rest(&mut self.unnamed),
            "assistant" => line.clone_into_rest(&mut self.assistant),
            "genitive" => line.clone_into_rest(&mut self.genitive),
            "their" => line.clone_into_rest(&mut self.their),
            "them" => line.clone_into_rest(&mut self.them),
            "inverts" => self.inverts = true,
            "times" => return Ok(Section::Times),
            "contractions" => return Ok(Section::Contractions),
            "forms" => return Ok(Section::Forms),
            "class" => {
                let mut classes = 0;
                for name in words {
                    classes |= self.class(name)?;
                }
                return if classes == 0 { Err("names no class".to_owned()) } else { Ok(Section::Words(classes)) };
            }
            "remember" => return Ok(Section::Remember),
            "slot" => {
                self.slots.push(SlotRule::parse(words)?);
                return Ok(Section::Slot);
            }
            _ => return Err(format!("{head} is not a section")),
        }
        Ok(Section::None)
    }

    fn entry(&mut self, section: &Section, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        match section {
            Section::None => return Err("belongs to no section".to_owned()),
            Section::Words(classes) => {
                for word in words {
                    match word.strip_prefix('*') {
                        Some(ending) => self.endings.push((folded(ending), *classes)),
                        None => self.intern(word).1 |= classes,
                    }
                }
            }
            Section::Contractions => {
                let (Some(word), Some(first), Some(second), Some(behind)) =
                    (words.next(), words.next(), words.next(), words.next().and_then(|word| word.parse().ok()))
                else {
                    return Err("is not `word first second characters`".to_owned());
                };
                let parts = (*self.intern(first), *self.intern(second), behind);
                self.contractions.insert(folded(word), parts);
            }
            Section::Forms => {
                while let Some(first) = words.next() {
                    let third = words.next().ok_or("is not `first third`, in pairs")?;
                    let word = self.intern(first).0;
                    self.forms.insert(word, third.to_owned());
                }
            }
            Section::Times => {
                let meaning = words.next().and_then(time_word).ok_or("does not begin with a meaning of times")?;
                for word in words {
                    let word = self.intern(word).0;
                    self.times.insert(word, meaning);
                }
            }
            Section::Remember => {
                let pattern = self.pattern(line)?;
                self.remember.push(pattern);
            }
            Section::Slot => {
                let pattern = self.pattern(line)?;
                let Some(slot) = self.slots.last_mut() else { return Err("belongs to no slot".to_owned()) };
                slot.patterns.push(pattern);
            }
        }
        Ok(())
    }

    /// The bit of a class, assigned when a line first names it.
    fn class(&mut self, name: &str) -> Result<Classes, String> {
        let next = self.classes.len();
        if next >= MOST_CLASSES && !self.classes.contains_key(name) {
            return Err(format!("there are more than {MOST_CLASSES} classes"));
        }
        Ok(*self.classes.entry(name.to_owned()).or_insert(1 << next))
    }

    fn intern(&mut self, word: &str) -> &mut (u32, Classes) {
        let next = u32::try_from(self.words.len() + 1).unwrap_or(u32::MAX);
        self.words.entry(folded(word)).or_insert((next, 0))
    }

    fn pattern(&mut self, line: &str) -> Result<Pattern, String> {
        let mut steps = Vec::new();
        let mut match_start = MatchStart::Clause;
        for (index, word) in line.split_whitespace().enumerate() {
            match word {
                "<" if index == 0 => match_start = MatchStart::Anywhere,
                "^" if index == 0 => match_start = MatchStart::Sentence,
                "," => steps.push(Step::Pause),
                "!," => steps.push(Step::Joined),
                "$" => steps.push(Step::End),
                _ => steps.push(self.step(word)?),
            }
        }
        if matches!(steps.first(), None | Some(Step::Gap(_) | Step::Pause | Step::Joined | Step::End)) {
            return Err("a pattern starts with a word".to_owned());
        }
        Ok(Pattern::new(steps, match_start))
    }

    fn step(&mut self, word: &str) -> Result<Step, String> {
        if let Some(most) = word.strip_prefix("..") {
            return most.parse().map(Step::Gap).map_err(|_| format!("{word} is not a gap, such as ..3"));
        }
        if let Some(word) = word.strip_prefix('!') {
            return self.one_of(word).map(Step::Not);
        }
        match word.strip_suffix('?') {
            Some(word) => self.one_of(word).map(Step::Maybe),
            None => self.one_of(word).map(Step::One),
        }
    }

    fn one_of(&mut self, alternatives: &str) -> Result<OneOf, String> {
        let mut one = OneOf::default();
        for word in alternatives.split('|') {
            match word {
                "" => return Err(format!("{alternatives} has an empty alternative")),
                "Capital" => one.capital = true,
                "Name" => one.name = true,
                "Number" => one.number = true,
                "Any" => one.any = true,
                _ => match word.strip_prefix('@') {
                    Some(name) => {
                        one.classes |=
                            *self.classes.get(name).ok_or_else(|| format!("there is no class {name} yet"))?;
                    }
                    None => one.words.push(self.intern(word).0),
                },
            }
        }
        Ok(one)
    }
}

/// Reads the text after the first word of a line.
trait Rest {
    fn clone_into_rest(&self, to: &mut String);
}

impl Rest for str {
    fn clone_into_rest(&self, to: &mut String) {
        to.clear();
        to.push_str(self.split_once(' ').map_or("", |(_, rest)| rest.trim()));
    }
}

fn folded(word: &str) -> String {
    let mut folded = String::new();
    fold_into(word, &mut folded);
    folded
}

/// Parses the meaning of a time word, such as `day=-1` or `since`.
fn time_word(text: &str) -> Option<TimeWord> {
    let (kind, value) = text.split_once('=').unwrap_or((text, ""));
    Some(match kind {
        "day" => TimeWord::Day(value.parse().ok()?),
        "month" => TimeWord::Month(value.parse().ok().filter(|month| (1..=12).contains(month))?),
        "weekday" => TimeWord::Weekday(value.parse().ok().filter(|day| (1..=7).contains(day))?),
        "shift" => TimeWord::Shift(value.parse().ok().filter(|shift| (-2..=2).contains(shift))?),
        "number" => TimeWord::Number(value.parse().ok()?),
        "unit" => TimeWord::Unit(match value {
            "day" => Unit::Day,
            "week" => Unit::Week,
            "month" => Unit::Month,
            "year" => Unit::Year,
            "weekend" => Unit::Weekend,
            _ => return None,
        }),
        "ago" => TimeWord::Ago,
        "before" => TimeWord::Before,
        "in" => TimeWord::In,
        "since" => TimeWord::Since,
        "until" => TimeWord::Until,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        for (text, line) in [
            ("nonsense", 1),
            (" word", 1),
            ("slot", 1),
            ("slot name often", 1),
            ("\nclass", 2),
            ("slot name\n @missing", 2),
            ("slot name\n ..2 x", 2),
            ("contractions\n i'm i", 2),
            ("language xx\nunnamed x", 0),
        ] {
            assert_eq!(parse(text).map(|_| ()).unwrap_err().line, line, "{text:?}");
        }
    }
}
