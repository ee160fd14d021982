//! An entity written by a client, as in the knowledge graph of MCP's reference memory server. It is stored as a
//! record with a name that lists observations and relations, one per line, so that recall, versions and erasure apply
//! to it.

use crate::memory::name_problem;

/// Prefix of the names of such records.
pub const CARDS: &str = "graph/";

const OBSERVED: &str = "- ";
const RELATED: &str = "→ ";

/// A relation of one entity to another, in the client's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tied {
    /// The relation, such as `works_at`.
    pub relation: String,
    /// Name of the other entity.
    pub to: String,
}

/// An entity as a client wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Name of the entity.
    pub name: String,
    /// Type of the entity, such as `person`; may be empty.
    pub entity_type: String,
    /// Observations, in order.
    pub observations: Vec<String>,
    /// Relations to other entities, in order.
    pub ties: Vec<Tied>,
}

impl Card {
    /// Returns an entity without observations. Errors say what is wrong with the name.
    pub fn new(name: &str, entity_type: &str) -> Result<Self, String> {
        let (name, entity_type) = (line(name), line(entity_type));
        match name_problem(&Self::record_of(&name)).or_else(|| brackets(&name)) {
            Some(problem) => Err(problem),
            None => Ok(Self { name, entity_type, ..Self::default() }),
        }
    }

    /// Returns the name of an entity's record.
    pub fn record_of(name: &str) -> String {
        format!("{CARDS}{}", line(name))
    }

    /// Parses the entity in a record; `None` if the record's name is not that of an entity.
    pub fn read(record: &str, content: &str) -> Option<Self> {
        let name = record.strip_prefix(CARDS)?;
        let mut card = Self { name: name.to_owned(), ..Self::default() };
        for text in content.lines().map(str::trim_end).filter(|text| !text.is_empty()) {
            if let Some(observed) = text.strip_prefix(OBSERVED) {
                card.observations.push(observed.to_owned());
            } else if let Some(tied) = text.strip_prefix(RELATED).and_then(|text| tied(name, text)) {
                card.ties.push(tied);
            } else if let Some(entity_type) = text.strip_prefix(name).and_then(in_brackets) {
                entity_type.clone_into(&mut card.entity_type);
            } else if text != name {
                // A line that a person added by editing the record as text.
                card.observations.push(text.to_owned());
            }
        }
        Some(card)
    }

    /// Returns the content of its record.
    pub fn text(&self) -> String {
        let name = &self.name;
        let head = if self.entity_type.is_empty() { name.clone() } else { format!("{name} ({})", self.entity_type) };
        let observed = self.observations.iter().map(|text| format!("{OBSERVED}{text}"));
        let tied = self.ties.iter().map(|Tied { relation, to }| format!("{RELATED}{name} {relation} [[{to}]]"));
        let lines: Vec<String> = [head].into_iter().chain(observed).chain(tied).collect();
        lines.join("\n")
    }

    /// Adds an observation unless it exists; returns what was added.
    pub fn observe(&mut self, text: &str) -> Option<String> {
        let text = line(text);
        let is_new = !text.is_empty() && !self.observations.contains(&text);
        is_new.then(|| {
            self.observations.push(text.clone());
            text
        })
    }

    /// Adds what another card of the entity says; reports whether anything was new. A known type stays.
    pub fn join(&mut self, other: &Self) -> bool {
        let before = self.clone();
        if self.entity_type.is_empty() {
            other.entity_type.clone_into(&mut self.entity_type);
        }
        for text in &other.observations {
            self.observe(text);
        }
        for tied in &other.ties {
            if !self.ties.contains(tied) {
                self.ties.push(tied.clone());
            }
        }
        *self != before
    }

    /// Removes an observation; reports whether it existed.
    pub fn unobserve(&mut self, text: &str) -> bool {
        let (text, before) = (line(text), self.observations.len());
        self.observations.retain(|known| *known != text);
        self.observations.len() < before
    }

    /// Adds a relation unless it exists; reports whether it was added. Errors say what is wrong.
    pub fn tie(&mut self, relation: &str, to: &str) -> Result<bool, String> {
        let tied = Tied { relation: line(relation), to: line(to) };
        for (field, text) in [("relationType", &tied.relation), ("to", &tied.to)] {
            let empty = text.is_empty().then(|| "is empty; give a few words".to_owned());
            if let Some(problem) = empty.or_else(|| brackets(text)) {
                return Err(format!("{field} {problem}"));
            }
        }
        let is_new = !self.ties.contains(&tied);
        if is_new {
            self.ties.push(tied);
        }
        Ok(is_new)
    }

    /// Removes a relation; reports whether it existed.
    pub fn untie(&mut self, relation: &str, to: &str) -> bool {
        let (tied, before) = (Tied { relation: line(relation), to: line(to) }, self.ties.len());
        self.ties.retain(|known| *known != tied);
        self.ties.len() < before
    }

    /// Removes all relations to an entity; reports whether there were any.
    pub fn untie_all(&mut self, to: &str) -> bool {
        let (to, before) = (line(to), self.ties.len());
        self.ties.retain(|known| known.to != to);
        self.ties.len() < before
    }
}

fn brackets(text: &str) -> Option<String> {
    let has = text.contains("[[") || text.contains("]]");
    has.then(|| format!("{text:?} has [[ or ]], which mark names of entities; remove them"))
}

/// Joins a text into one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn in_brackets(text: &str) -> Option<&str> {
    text.strip_prefix(" (")?.strip_suffix(')')
}

fn tied(name: &str, text: &str) -> Option<Tied> {
    let (relation, to) = text.strip_prefix(name)?.trim_start().split_once(" [[")?;
    Some(Tied { relation: relation.to_owned(), to: to.strip_suffix("]]")?.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> Card {
        let mut card = Card::new(" Ana  Lima ", "person").unwrap();
        for text in ["Likes tea\nwithout sugar", "Ana Lima (nurse)", "- a dash"] {
            assert!(card.observe(text).is_some());
        }
        assert!(card.tie("works at", "St. Mary's").unwrap() && card.tie("knows", "Ben [x]").unwrap());
        card
    }

    #[test]
    fn an_entity_comes_back_from_the_text_of_its_record() {
        let card = ana();
        let text = "Ana Lima (person)\n- Likes tea without sugar\n- Ana Lima (nurse)\n- - a dash\n\
                    → Ana Lima works at [[St. Mary's]]\n→ Ana Lima knows [[Ben [x]]]";
        assert_eq!(card.text(), text);
        assert_eq!(Card::read("graph/Ana Lima", text), Some(card));
        assert_eq!(Card::read("notes/Ana Lima", text), None);
        let bare = Card::new("Ana", "").unwrap();
        assert_eq!(Card::read("graph/Ana", &bare.text()), Some(bare));
    }

    #[test]
    fn what_people_wrote_into_the_record_is_an_observation() {
        let card = Card::read("graph/Ana", "Ana (person)\n\nShe moved.\n→ Ana nowhere").unwrap();
        assert_eq!((card.entity_type.as_str(), card.observations.len()), ("person", 2));
    }

    #[test]
    fn nothing_is_said_twice_and_all_can_be_taken_back() {
        let mut card = ana();
        assert!(card.observe("Likes tea without  sugar").is_none() && card.observe("  ").is_none());
        assert!(!card.tie("knows", "Ben [x]").unwrap());
        assert!(card.unobserve("- a dash") && !card.unobserve("- a dash"));
        assert!(card.untie("knows", "Ben [x]") && !card.untie("knows", "Ben [x]"));
        assert!(card.untie_all("St. Mary's") && card.ties.is_empty());
        assert_eq!(card.observations.len(), 2);
    }

    #[test]
    fn a_later_export_adds_what_is_new() {
        let (mut card, mut later) = (ana(), ana());
        assert!(!card.join(&later));
        later.observe("Lives in Oslo");
        later.tie("knows", "Cleo").unwrap();
        assert!(card.join(&later) && card == later && !card.join(&ana()));
    }

    #[test]
    fn names_and_relations_that_cannot_be_written_are_refused() {
        assert!(Card::new("", "person").unwrap_err().contains("segment"));
        assert!(Card::new("a/../b", "person").is_err() && Card::new(&"n".repeat(1_024), "").is_err());
        assert!(Card::new("Ben [[x]]", "").unwrap_err().contains("remove them"));
        assert!(ana().tie("is [[", "Ben").unwrap_err().contains("relationType"));
        assert!(ana().tie("is", "]]").is_err() && ana().tie("", "Ben").is_err());
    }
}
