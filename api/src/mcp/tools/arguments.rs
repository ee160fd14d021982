//! Fits arguments to a tool's schema, as models write them: `null` for what they leave out, lists and numbers as texts,
//! whole numbers with a fraction, one value for a list of one. What does not fit stays as it is, and is refused.

use serde_json::{Value, json};

use crate::mcp::protocol::{JsonObject, whole};

/// Fits the arguments of a call.
pub(super) fn fitted(schema: &JsonObject, arguments: JsonObject) -> JsonObject {
    let schema = Value::Object(schema.clone());
    match fit(&schema, &schema, Value::Object(arguments)) {
        Value::Object(arguments) => arguments,
        _ => JsonObject::new(),
    }
}

fn fit(root: &Value, schema: &Value, value: Value) -> Value {
    let Some(schema) = resolved(root, schema) else { return value };
    let kinds = kinds(schema);
    let has = |kind: &str| kinds.contains(&kind);
    let value = match value {
        value if kinds.is_empty() || value.is_null() => value,
        Value::String(text) if !has("string") => of_text(&kinds, text),
        value if has("array") && !value.is_array() => json!([value]),
        value => value,
    };
    match value {
        Value::Object(mut fields) if has("object") => {
            let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
            fields.retain(|name, value| !value.is_null() || required(name));
            let fitted = fields.into_iter().map(|(name, value)| {
                let value = fit(root, &schema["properties"][&name], value);
                (name, value)
            });
            Value::Object(fitted.collect())
        }
        Value::Array(values) if has("array") => {
            let values = values.into_iter().filter(|value| !value.is_null());
            values.map(|value| fit(root, &schema["items"], value)).collect()
        }
        Value::Number(number) if has("integer") && !has("number") => whole(number),
        Value::Number(number) if has("string") && !has("number") => Value::String(number.to_string()),
        other => other,
    }
}

/// Reads a text where the schema has another type.
fn of_text(kinds: &[&str], text: String) -> Value {
    let read = serde_json::from_str::<Value>(text.trim()).ok();
    let fits = |value: &Value| match value {
        Value::Array(_) => kinds.contains(&"array"),
        Value::Object(_) => kinds.contains(&"object"),
        Value::Number(_) => kinds.contains(&"integer") || kinds.contains(&"number"),
        Value::Bool(_) => kinds.contains(&"boolean"),
        Value::Null | Value::String(_) => false,
    };
    match read.filter(fits) {
        Some(value) => value,
        None if kinds.contains(&"boolean") => match text.to_lowercase().as_str() {
            "true" => json!(true),
            "false" => json!(false),
            _ => Value::String(text),
        },
        None if kinds.contains(&"array") && text.trim().is_empty() => json!([]),
        None if kinds.contains(&"array") => json!([text]),
        None => Value::String(text),
    }
}

/// The schema that a reference, or the only alternative to `null`, stands for.
pub(super) fn resolved<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Value> {
    if let Some(path) = schema["$ref"].as_str() {
        return root.pointer(path.strip_prefix('#')?);
    }
    let Some(alternatives) = schema["anyOf"].as_array() else { return Some(schema) };
    let mut others = alternatives.iter().filter(|one| one["type"] != "null");
    let only = others.next()?;
    if others.next().is_some() { None } else { resolved(root, only) }
}

/// The types that a schema names.
fn kinds(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(arguments: Value) -> Value {
        let schema = json!({
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "top_k": {"type": "integer"},
                "share": {"type": "number"},
                "sensitive": {"type": "boolean"},
                "tier": {"anyOf": [{"$ref": "#/$defs/Tier"}, {"type": "null"}]},
                "label": {"type": ["string", "null"]},
                "messages": {"type": "array", "items": {"$ref": "#/$defs/Message"}},
            },
            "$defs": {
                "Tier": {"type": "string"},
                "Message": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else { panic!("objects") };
        Value::Object(fitted(&schema, arguments))
    }

    #[test]
    fn what_models_write_fits_the_schema() {
        for (written, read) in [
            (json!({"tags": null, "top_k": null, "tier": null, "label": null}), json!({})),
            (json!({"tags": "[\"a\", \"b,c\"]"}), json!({"tags": ["a", "b,c"]})),
            (json!({"tags": "a,b"}), json!({"tags": ["a,b"]})),
            (json!({"tags": ""}), json!({"tags": []})),
            (json!({"tags": ["a", null, 5]}), json!({"tags": ["a", "5"]})),
            (json!({"top_k": "5"}), json!({"top_k": 5})),
            (json!({"top_k": 5.0}), json!({"top_k": 5})),
            (json!({"top_k": "5.0"}), json!({"top_k": 5})),
            (json!({"share": "0.5"}), json!({"share": 0.5})),
            (json!({"sensitive": "True"}), json!({"sensitive": true})),
            (json!({"content": 5, "label": 7}), json!({"content": "5", "label": "7"})),
            (json!({"messages": "[{\"n\": \"1\"}]"}), json!({"messages": [{"n": 1}]})),
            (json!({"messages": {"n": 2.0, "m": null}}), json!({"messages": [{"n": 2}]})),
        ] {
            assert_eq!(taken(written.clone()), read, "{written}");
        }
    }

    #[test]
    fn what_does_not_fit_stays_to_be_refused() {
        for written in [
            json!({"content": null}),
            json!({"content": ["a"]}),
            json!({"top_k": "many"}),
            json!({"top_k": 5.5}),
            json!({"sensitive": "maybe"}),
            json!({"content": "[1]", "unknown": "5"}),
        ] {
            assert_eq!(taken(written.clone()), written);
        }
    }
}
