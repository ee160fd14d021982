//! ChatGPT's export: `conversations.json`, a list of conversations, each a tree of messages of which one branch is shown.

use serde_json::{Map, Value, json};

use super::messages::text_of;
use super::{Drafted, said, time};
use crate::commands::import::fields::Fields;
use crate::json::free;

/// The messages of a conversation, from the start to the message shown last. Skips instructions, tools, empty messages
/// and other branches.
pub(super) fn conversation(value: &Value, session: &str, number: u64) -> Result<Vec<Drafted>, String> {
    let fields = Fields::new(value.as_object().ok_or("not a conversation but another value")?);
    let Some(mapping) = fields.get("mapping").and_then(Value::as_object) else {
        return Err("a conversation without `mapping`".to_owned());
    };
    let own = [fields.text("conversation_id")?, fields.text("id")?].into_iter().find(|id| !id.is_empty());
    let session = own.unwrap_or_else(|| format!("{session}-{number}"));
    let title = fields.text("title")?;
    let shown = branch(mapping, &fields.text("current_node")?)?;
    let mut drafts = Vec::new();
    for node in &shown {
        let Some(message) = node.get("message").and_then(Value::as_object) else { continue };
        drafts.push(drafted(&Fields::new(message), &session, &title)?);
    }
    let messages = mapping.values().filter(|node| node.get("message").is_some_and(Value::is_object)).count();
    drafts.extend((drafts.len()..messages).map(|_| Drafted::LeftOut));
    Ok(drafts)
}

/// The nodes from the root to the named one, or to the last leaf.
fn branch<'v>(mapping: &'v Map<String, Value>, last: &str) -> Result<Vec<&'v Value>, String> {
    let parent = |node: &'v Value| node.get("parent").and_then(Value::as_str);
    let leaf = || {
        let is_leaf = |node: &Value| node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
        mapping.values().rfind(|node| is_leaf(node))
    };
    let mut at = if last.is_empty() { leaf() } else { mapping.get(last) };
    let mut shown = Vec::new();
    while let Some(node) = at {
        if shown.len() > mapping.len() {
            return Err("its messages form a cycle".to_owned());
        }
        shown.push(node);
        at = parent(node).and_then(|id| mapping.get(id));
    }
    shown.reverse();
    Ok(shown)
}

fn drafted(message: &Fields<'_>, session: &str, title: &str) -> Result<Drafted, String> {
    let role = match message.object("author")? {
        Some(author) => author.text("role")?,
        None => String::new(),
    };
    let hidden = match message.object("metadata")? {
        Some(metadata) => metadata.get("is_visually_hidden_from_conversation").is_some_and(|flag| flag == &json!(true)),
        None => false,
    };
    let content = match message.object("content")? {
        Some(content) => content.get("parts").map(text_of).unwrap_or_default(),
        None => String::new(),
    };
    if hidden || content.is_empty() || !matches!(role.as_str(), "user" | "assistant") {
        return Ok(Drafted::LeftOut);
    }
    let mut draft = said(content, session, &role);
    draft.occurred_at = time(message, "create_time")?;
    draft.attributes = free(&json!({"conversation": title})).ok().filter(|_| !title.is_empty());
    Ok(Drafted::draft(draft))
}
