//! Holds arguments to the bounds that a tool's schema states, so that the two cannot differ. Lengths of texts are in bytes.

use kimberly_core::bounds::ABSOLUTE_MAX_CONTENT_BYTES;
use serde_json::Value;

use super::arguments::resolved;
use crate::mcp::protocol::JsonObject;

/// Returns the first argument beyond a bound, and what is wrong with it. Leaves out the items of `leaves_out`, an
/// argument whose items are judged one by one.
pub(super) fn beyond(schema: &JsonObject, arguments: &JsonObject, leaves_out: &str) -> Option<(String, String)> {
    let root = Value::Object(schema.clone());
    let of = |(name, value): (&String, &Value)| {
        let items = name != leaves_out;
        within(&root, &root["properties"][name], (name.as_str(), items), value)
    };
    arguments.iter().find_map(of)
}

fn within(root: &Value, schema: &Value, (at, items): (&str, bool), value: &Value) -> Option<(String, String)> {
    let schema = resolved(root, schema)?;
    let bound = |name: &str| schema[name].as_i64();
    let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let wrong = match value {
        Value::String(text) => {
            // The operator's limit is lower, and is checked where it is known.
            let most = bound("maxLength").filter(|most| *most != length(ABSOLUTE_MAX_CONTENT_BYTES));
            outside(length(text.len()), (bound("minLength"), most), ("has", " bytes"))
        }
        Value::Array(all) => outside(length(all.len()), (bound("minItems"), bound("maxItems")), ("has", " entries")),
        Value::Number(number) => {
            number.as_i64().and_then(|number| outside(number, (bound("minimum"), bound("maximum")), ("is", "")))
        }
        _ => None,
    };
    let inner = |at: String, schema: &Value, value: &Value| within(root, schema, (at.as_str(), items), value);
    wrong.map(|problem| (at.to_owned(), problem)).or_else(|| match value {
        Value::Array(all) if items => {
            all.iter().enumerate().find_map(|(index, item)| inner(format!("{at}[{index}]"), &schema["items"], item))
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| inner(format!("{at}.{name}"), &schema["properties"][name], value))
        }
        _ => None,
    })
}

fn outside(value: i64, (least, most): (Option<i64>, Option<i64>), (verb, unit): (&str, &str)) -> Option<String> {
    let allowed = match (least, most) {
        (Some(least), _) if value < least && value == 0 && verb == "has" => return Some("is empty".to_owned()),
        (Some(least), Some(most)) if value < least || value > most => format!("{least} to {most}"),
        (_, Some(most)) if value > most => format!("at most {most}"),
        (Some(least), None) if value < least => format!("at least {least}"),
        _ => return None,
    };
    Some(format!("{verb} {value}{unit}; {allowed} are allowed"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(arguments: Value) -> Option<(String, String)> {
        let schema = json!({
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 4},
                "label": {"type": ["string", "null"], "maxLength": 4},
                "top_k": {"type": "integer", "minimum": 1, "maximum": 9},
                "nodes": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/Node"}},
                "content": {"type": "string", "maxLength": ABSOLUTE_MAX_CONTENT_BYTES},
            },
            "$defs": {"Node": {"properties": {"name": {"type": "string", "maxLength": 2}}}},
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else { panic!("objects") };
        beyond(&schema, &arguments, "")
    }

    #[test]
    fn each_bound_is_held_and_the_error_names_argument_and_bound() {
        for (arguments, at, problem) in [
            (json!({"query": "ééé"}), "query", "has 6 bytes; 1 to 4 are allowed"),
            (json!({"query": ""}), "query", "is empty"),
            (json!({"label": "abcde"}), "label", "has 5 bytes; at most 4 are allowed"),
            (json!({"top_k": 0}), "top_k", "is 0; 1 to 9 are allowed"),
            (json!({"top_k": 10}), "top_k", "is 10; 1 to 9 are allowed"),
            (json!({"nodes": []}), "nodes", "is empty"),
            (json!({"nodes": [1, 2, 3]}), "nodes", "has 3 entries; 1 to 2 are allowed"),
            (json!({"nodes": [{}, {"name": "abc"}]}), "nodes[1].name", "has 3 bytes; at most 2 are allowed"),
        ] {
            assert_eq!(wrong(arguments), Some((at.to_owned(), problem.to_owned())));
        }
        let good = json!({"query": "abcd", "top_k": 9, "nodes": [{"name": "ab"}], "content": "x".repeat(1_000_001)});
        assert_eq!(wrong(good), None);
    }
}
