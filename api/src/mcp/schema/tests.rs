//! Schemas as `described!` makes them.

use serde::Deserialize;

use super::*;

described! {
    #[derive(Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    #[serde(rename_all = "camelCase")]
    struct Outer {
        /// A text.
        some_text: Option<String> where length(1..=9),
        #[serde(default)]
        all: Vec<Inner> where length(0..=3),
    }

    /// In it.
    #[derive(Deserialize, Serialize)]
    struct Inner {
        n: usize where range(1..=7),
    }
}

#[test]
fn bounds_hold_for_what_is_read_and_all_that_is_written_is_required() {
    let inner = json!({
        "description": "In it.",
        "type": "object",
        "properties": {"n": {"type": "integer", "format": "uint", "minimum": 1, "maximum": 7}},
        "required": ["n"],
    });
    let all = json!({"type": "array", "items": {"$ref": "#/$defs/Inner"}, "maxItems": 3, "default": []});
    let text = json!({"type": ["string", "null"], "description": "A text.", "minLength": 1, "maxLength": 9});
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"someText": text, "all": all},
        "additionalProperties": false,
        "$defs": {"Inner": inner},
    });
    assert_eq!(Value::Object(of_input::<Outer>()), schema);
    schema["required"] = json!(["someText", "all"]);
    // Values that are written may be older than the bounds.
    schema["$defs"]["Inner"]["properties"]["n"] = json!({"type": "integer", "format": "uint", "minimum": 0});
    schema["properties"]["all"].as_object_mut().unwrap().remove("maxItems");
    schema["properties"]["someText"] = json!({"type": ["string", "null"], "description": "A text."});
    assert_eq!(Value::Object(of_output::<Outer>()), schema);
}
