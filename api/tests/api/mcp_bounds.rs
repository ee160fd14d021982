//! Every bound in the schema of a tool of MCP is the enforced one: it is taken, and what is beyond it is refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use crate::common::Served;
use crate::mcp::{call, listed};
use serde_json::{Value, json};

/// Arguments that must have a form besides their length: texts as long as the bound are refused for that.
const FORMED: [&str; 7] =
    ["id", "page_token", "occurred_at", "occurred_after", "occurred_before", "entityName", "from"];
/// Parts of messages that may have any length or form.
const FREE: [&str; 3] = ["role", "content", "time"];

/// Arguments with which a tool does something.
fn usual(tool: &str, id: &str) -> Value {
    let relation = json!({"from": "Ana", "to": "Ben", "relationType": "knows"});
    match tool {
        "remember" => json!({"content": "Ana drinks tea"}),
        "recall" | "search" | "search_nodes" => json!({"query": "tea"}),
        "fetch" | "forget" => json!({"id": id}),
        "correct" => json!({"id": id, "content": "Ana drinks mate"}),
        "update_memory" => json!({"id": id, "content": "Ana drinks coffee"}),
        "observe" => json!({"session_id": "s", "messages": [{"role": "user", "content": "I live in Ghent"}]}),
        "core_memory" => json!({"label": "persona", "content": "You are calm."}),
        "create_entities" => {
            json!({"entities": [{"name": "Ana", "entityType": "person", "observations": ["likes tea"]}]})
        }
        "create_relations" | "delete_relations" => json!({"relations": [relation]}),
        "add_observations" => json!({"observations": [{"entityName": "Ana", "contents": ["likes tea"]}]}),
        "delete_observations" => json!({"deletions": [{"entityName": "Ana", "observations": ["likes rum"]}]}),
        "delete_entities" => json!({"entityNames": ["Ben"]}),
        "open_nodes" => json!({"names": ["Ana"]}),
        _ => json!({}),
    }
}

/// A bound of an argument.
struct Bound {
    /// The path to the argument, and its name.
    path: Vec<String>,
    /// The last value that is taken, and the next beyond it.
    last: i64,
    beyond: i64,
    schema: Value,
}

impl Bound {
    fn name(&self) -> &str {
        self.path.iter().rev().find(|part| part.parse::<usize>().is_err()).map_or("", String::as_str)
    }

    /// The arguments with this value, or as many bytes or entries.
    fn with(&self, usual: &Value, value: i64) -> Value {
        let mut arguments = usual.clone();
        let mut at = &mut arguments;
        for part in &self.path {
            at = if let Ok(index) = part.parse::<usize>() {
                let items = at.as_array_mut().unwrap();
                if items.is_empty() {
                    items.push(Value::Null);
                }
                &mut items[index]
            } else {
                let is_list = part != "messages" && at.get(part).is_none() && self.path.last() == Some(&"0".to_owned());
                let fields = at.as_object_mut().unwrap();
                fields.entry(part).or_insert_with(|| if is_list { json!([]) } else { Value::Null })
            };
        }
        let times = usize::try_from(value).unwrap_or_default();
        *at = match kind(&self.schema) {
            "string" => json!("x".repeat(times)),
            "integer" => json!(value),
            _ => {
                let names = &self.schema["items"]["enum"];
                let item =
                    at.get(0).cloned().unwrap_or_else(|| if names.is_array() { names[0].clone() } else { json!("x") });
                json!(vec![item; times])
            }
        };
        arguments
    }
}

fn kind(schema: &Value) -> &str {
    schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default()
}

fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let only = schema["anyOf"].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null"));
    let schema = only.unwrap_or(schema);
    schema["$ref"].as_str().map_or(schema, |path| root.pointer(path.trim_start_matches('#')).unwrap())
}

/// The bounds of an argument and of what is in it.
fn bounds(root: &Value, schema: &Value, path: &[String]) -> Vec<Bound> {
    let schema = resolved(root, schema);
    let (least, most) = match kind(schema) {
        "string" if schema["enum"].is_array() => return Vec::new(),
        "string" => ("minLength", "maxLength"),
        "array" => ("minItems", "maxItems"),
        "integer" => ("minimum", "maximum"),
        _ => ("", ""),
    };
    let is_free =
        path.iter().any(|part| part == "messages") && path.last().is_some_and(|last| FREE.contains(&last.as_str()));
    assert!(least.is_empty() || is_free || schema[most].is_i64(), "{path:?} has no bound");
    let found = [(least, -1), (most, 1)].map(|(name, step)| {
        let bound = schema[name].as_i64().filter(|bound| step > 0 || *bound > 0)?;
        let mut schema = schema.clone();
        if schema["items"].is_object() {
            schema["items"] = resolved(root, &schema["items"]).clone();
        }
        Some(Bound { path: path.to_vec(), last: bound, beyond: bound + step, schema })
    });
    let mut all: Vec<Bound> = found.into_iter().flatten().collect();
    let inside = |part: &str| [path, &[part.to_owned()]].concat();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        all.extend(bounds(root, property, &inside(name)));
    }
    if schema["items"].is_object() && !is_free {
        all.extend(bounds(root, &schema["items"], &inside("0")));
    }
    all
}

#[tokio::test]
async fn bounds_in_the_schemas_of_tools_are_those_that_are_enforced() {
    let served = Served::start().await;
    let mut checked = 0;
    call(&served, None, "create_entities", &usual("create_entities", "")).await;
    for tool in listed(&served).await {
        let (name, root) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        for bound in bounds(root, root, &[]) {
            // Each has a memory of its own, as a corrected one is not corrected again.
            let id = served.remember(&format!("Ana drinks tea, says {name} the {checked}th time")).await.id;
            let usual = usual(name, &id);
            let arguments = bound.with(&usual, bound.last);
            let (failed, text, _) = call(&served, None, name, &arguments).await;
            let is_formed = FORMED.contains(&bound.name());
            assert!(!failed || (is_formed && !text.contains("allowed")), "{name} {:?}: {text}", bound.path);
            let (failed, text, _) = call(&served, None, name, &bound.with(&usual, bound.beyond)).await;
            let says =
                text.contains(bound.name()) && (text.contains(&bound.last.to_string()) || text.contains("empty"));
            assert!(failed && says, "{name} {:?} beyond {}: {text}", bound.path, bound.last);
            checked += 1;
        }
    }
    assert!(checked > 70, "{checked}");
}
