//! Entities.

use kimberly_proto::v1;

use super::{Short, decimal, right, table};
use crate::{names, text, time};

/// Maximum length of the aliases in a row, in characters.
const SHOWN: usize = 80;
/// Maximum length of a profile, in characters.
const PROFILE: usize = 1_000;

/// Entities, one per row.
pub(crate) fn entities(list: &[v1::Entity]) -> String {
    let short = Short::of(list.iter().map(|entity| entity.id.as_str()));
    let mut rows = table(&["id", "type", "name", "also", "salience", "memories"]);
    for entity in list {
        rows.add_row([
            short.id(&entity.id).into(),
            names::entity_type(entity.r#type).into(),
            text::line(&entity.name, SHOWN).into(),
            text::line(&entity.aliases.join(", "), SHOWN).into(),
            decimal(entity.salience),
            right(entity.memories),
        ]);
    }
    rows.trim_fmt()
}

/// One entity with its mentions.
pub(crate) fn entity(answer: &v1::GetEntityResponse) -> String {
    let Some(entity) = &answer.entity else { return String::new() };
    let aliases = if entity.aliases.is_empty() {
        String::new()
    } else {
        format!(", also {}", text::line(&entity.aliases.join(", "), SHOWN))
    };
    let kind = names::entity_type(entity.r#type);
    let head = format!("{} ({kind}){aliases}\n{}", text::line(&entity.name, SHOWN), entity.id);
    let told = answer.profile.as_ref().map(|profile| format!("\n\n{}", text::line(&profile.content, PROFILE)));
    let head = format!("{head}{}", told.unwrap_or_default());
    let short = Short::of(answer.mentions.iter().map(|mention| mention.memory_id.as_str()));
    let mut rows = table(&["at", "memory", "as", "where"]);
    for mention in &answer.mentions {
        let place = match mention.place() {
            v1::MentionPlace::Unspecified => format!("{}-{}", mention.start_byte, mention.end_byte),
            v1::MentionPlace::Speaker => "speaker".to_owned(),
            v1::MentionPlace::Subject => "subject".to_owned(),
        };
        rows.add_row([
            time::minute(mention.at.as_ref()),
            short.id(&mention.memory_id).to_owned(),
            text::line(&mention.text, SHOWN),
            place,
        ]);
    }
    let more = if answer.truncated { "\nand more" } else { "" };
    let edges = if answer.edges.is_empty() { String::new() } else { format!("\n\n{}", edges(&answer.edges)) };
    format!("{head}\n\n{}{more}{edges}", rows.trim_fmt())
}

/// Relations between entities, one per row.
pub(crate) fn edges(list: &[v1::EntityEdge]) -> String {
    if list.is_empty() {
        return "no known relations".to_owned();
    }
    let mut rows = table(&["from", "relation", "to", "weight", "confidence", "memories", "said in"]);
    let said = |edge: &v1::EntityEdge| edge.evidence.first().map_or_else(String::new, |one| one.memory_id.clone());
    let ids: Vec<String> = list.iter().map(said).collect();
    let short = Short::of(ids.iter().map(String::as_str).filter(|id| !id.is_empty()));
    for (edge, id) in list.iter().zip(&ids) {
        rows.add_row([
            text::line(&edge.from_name, SHOWN).into(),
            names::entity_relation(edge.relation).into(),
            text::line(&edge.to_name, SHOWN).into(),
            decimal(edge.weight),
            decimal(edge.confidence),
            right(edge.memories),
            short.id(id).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Related memories, one per row.
pub(crate) fn related(list: &[v1::RelatedMemory]) -> String {
    let id = |one: &v1::RelatedMemory| one.memory.as_ref().map_or_else(String::new, |memory| memory.id.clone());
    let ids: Vec<String> = list.iter().map(id).collect();
    let short = Short::of(ids.iter().map(String::as_str));
    let mut rows = table(&["id", "weight", "both", "memory"]);
    for (one, id) in list.iter().zip(&ids) {
        let both: Vec<&str> = one.entities.iter().chain(&one.tags).map(String::as_str).collect();
        let content = one.memory.as_ref().map_or("", |memory| memory.content.as_str());
        rows.add_row([
            short.id(id).into(),
            decimal(one.weight),
            text::line(&both.join(", "), SHOWN).into(),
            text::line(content, SHOWN).into(),
        ]);
    }
    rows.trim_fmt()
}
