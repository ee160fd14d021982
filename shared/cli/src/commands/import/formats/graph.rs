//! The file of MCP's reference memory server: entities and relations between them, one JSON object per line. Each
//! entity becomes the record that the tools of profile `graph` read and write.

use std::collections::BTreeMap;

use kimberly_core::entities::Card;
use kimberly_proto::v1;
use serde_json::Value;

use super::Format;
use super::values::Values;
use crate::commands::import::fields::Fields;
use crate::commands::import::items::Items;
use crate::commands::import::load::Load;
use crate::commands::import::source::Source;
use crate::error::{CliError, CliResult};

/// Whether a file of this format can start with this value.
pub(super) fn is_first(first: &Value) -> bool {
    matches!(first.get("type").and_then(Value::as_str), Some("entity" | "relation"))
}

/// Reads a whole file. Creates the source entity of a relation even if no line defines it.
pub(super) fn survey(file: &Source, user: &str) -> CliResult<Load> {
    let mut cards = BTreeMap::new();
    for (number, value) in (1_u64..).zip(Values::new(file.reader())) {
        let read = value.and_then(|value| read(&mut cards, &value));
        read.map_err(|problem| CliError::usage(format!("value {number} of the file: {problem}")))?;
    }
    let drafts: Vec<v1::MemoryDraft> = cards.values().map(draft).collect();
    let memories = drafts.len() as u64;
    Ok(Load { read_as: Some(Format::Graph.name()), memories, ..Load::new(user, Items::Drafts(drafts.into())) })
}

fn read(cards: &mut BTreeMap<String, Card>, value: &Value) -> Result<(), String> {
    let fields = Fields::new(value.as_object().ok_or("not an object")?);
    match fields.text("type")?.as_str() {
        "entity" => {
            let entity_type = fields.text("entityType")?;
            let card = card(cards, &fields.text("name")?)?;
            if card.entity_type.is_empty() {
                entity_type.clone_into(&mut card.entity_type);
            }
            for observed in fields.get("observations").and_then(Value::as_array).into_iter().flatten() {
                card.observe(observed.as_str().ok_or("an observation is not text")?);
            }
        }
        "relation" => {
            card(cards, &fields.text("from")?)?.tie(&fields.text("relationType")?, &fields.text("to")?)?;
        }
        other => return Err(format!("its type is {other:?}, not \"entity\" or \"relation\"")),
    }
    Ok(())
}

fn card<'c>(cards: &'c mut BTreeMap<String, Card>, name: &str) -> Result<&'c mut Card, String> {
    let new = Card::new(name, "").map_err(|problem| format!("the name {name:?} {problem}"))?;
    Ok(cards.entry(new.name.clone()).or_insert(new))
}

fn draft(card: &Card) -> v1::MemoryDraft {
    v1::MemoryDraft {
        tier: v1::Tier::LongTerm.into(),
        name: Card::record_of(&card.name),
        content: card.text(),
        metadata: Some(v1::Metadata { source: v1::Source::Import.into(), ..v1::Metadata::default() }),
        ..v1::MemoryDraft::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_relations_of_a_file_become_a_record_each() {
        let lines = r#"{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tea","Likes tea"]}
            {"type":"relation","from":"Ana","to":"Acme","relationType":"works_at"}
            {"type":"relation","from":"Ben","to":"Ana","relationType":"knows"}"#;
        let mut cards = BTreeMap::new();
        for value in Values::new(lines.as_bytes()) {
            read(&mut cards, &value.unwrap()).unwrap();
        }
        let told: Vec<_> = cards.values().map(|card| (draft(card).name, card.text())).collect();
        let expected = [
            ("graph/Ana", "Ana (person)\n- Likes tea\n→ Ana works_at [[Acme]]"),
            ("graph/Ben", "Ben\n→ Ben knows [[Ana]]"),
        ];
        assert_eq!(told, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_line_that_says_nothing_of_a_graph_is_named() {
        for (line, wrong) in [
            (r#"{"type":"note"}"#, "\"note\""),
            (r#"{"type":"entity","name":""}"#, "the name \"\""),
            (r#"{"type":"entity","name":"Ana","observations":[1]}"#, "not text"),
            (r#"{"type":"relation","from":"Ana","to":""}"#, "relationType"),
            ("[]", "not an object"),
        ] {
            let said = read(&mut BTreeMap::new(), &serde_json::from_str(line).unwrap()).unwrap_err();
            assert!(said.contains(wrong), "{line}: {said}");
        }
    }
}
