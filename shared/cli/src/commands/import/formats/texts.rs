//! Texts, or objects with a `text` and any other fields of an exported memory, in a list or on lines.

use serde_json::Value;

use super::Drafted;
use crate::commands::import::fields::Fields;
use crate::commands::import::lines;

/// The memory of a text.
pub(super) fn value(value: &Value, _: &str, _: u64) -> Result<Vec<Drafted>, String> {
    let mut members = match value {
        Value::String(text) => serde_json::Map::from_iter([("content".to_owned(), text.clone().into())]),
        Value::Object(members) => members.clone(),
        _ => return Err("neither a text nor an object with a text".to_owned()),
    };
    if !members.contains_key("content")
        && let Some(text) = members.remove("text")
    {
        members.insert("content".to_owned(), text);
    }
    if Fields::new(&members).text("content")?.trim().is_empty() {
        return Ok(vec![Drafted::LeftOut]);
    }
    let mut draft = lines::draft(&Value::Object(members))?;
    draft.metadata.get_or_insert_default().source = kimberly_proto::v1::Source::Import.into();
    Ok(vec![Drafted::draft(draft)])
}
