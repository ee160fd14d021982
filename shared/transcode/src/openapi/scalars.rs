//! Schemas of single values.

use prost_reflect::{EnumDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::digits::whole_pattern;

/// A schema under construction.
pub(super) type Schema = Map<String, Value>;

/// Converts an object literal to a schema.
pub(super) fn schema(value: Value) -> Schema {
    match value {
        Value::Object(fields) => fields,
        _ => Schema::new(),
    }
}

/// Creates the schema of a response value.
pub(super) fn output(kind: &Kind) -> Schema {
    schema(match kind {
        Kind::Double => json!({"type": "number", "format": "double"}),
        Kind::Float => json!({"type": "number", "format": "float"}),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({"type": "integer", "format": "int32"}),
        Kind::Uint32 | Kind::Fixed32 => json!({"type": "integer", "format": "uint32", "minimum": 0}),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
            json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]{1,19}$"})
        }
        Kind::Uint64 | Kind::Fixed64 => json!({"type": "string", "format": "uint64", "pattern": "^[0-9]{1,20}$"}),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::String => json!({"type": "string"}),
        Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Kind::Enum(_) | Kind::Message(_) => json!({}),
    })
}

/// Creates the schema of a value in a request body, where numbers may be strings.
pub(super) fn input(kind: &Kind, keywords: &Schema) -> Schema {
    let mut made = parameter(kind, keywords);
    if let Some((first, last)) = whole(kind) {
        let (first, last) = (bound(&made, "minimum", first), bound(&made, "maximum", last));
        made.insert("type".to_owned(), json!(["integer", "string"]));
        made.insert("pattern".to_owned(), whole_pattern(first, last).into());
    } else if matches!(kind, Kind::Double | Kind::Float) {
        made.insert("type".to_owned(), json!(["number", "string"]));
        made.insert("pattern".to_owned(), fraction_pattern(&made).into());
    }
    made
}

/// Creates the schema of a value in a path or query.
pub(super) fn parameter(kind: &Kind, keywords: &Schema) -> Schema {
    let mut made = output(kind);
    if let Some((first, last)) = whole(kind) {
        made.insert("type".to_owned(), "integer".into());
        made.remove("pattern");
        made.insert("minimum".to_owned(), number(first));
        made.insert("maximum".to_owned(), number(last));
    }
    made.extend(keywords.clone());
    made
}

/// Returns the range of an integer kind.
fn whole(kind: &Kind) -> Option<(i128, i128)> {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Some((i32::MIN.into(), i32::MAX.into())),
        Kind::Uint32 | Kind::Fixed32 => Some((0, u32::MAX.into())),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Some((i64::MIN.into(), i64::MAX.into())),
        Kind::Uint64 | Kind::Fixed64 => Some((0, u64::MAX.into())),
        _ => None,
    }
}

fn number(of: i128) -> Value {
    i64::try_from(of).map_or_else(|_| u64::try_from(of).map_or(Value::Null, Value::from), Value::from)
}

fn bound(schema: &Schema, keyword: &str, otherwise: i128) -> i128 {
    schema
        .get(keyword)
        .and_then(|value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)))
        .unwrap_or(otherwise)
}

/// Returns a pattern for fractions sent as strings. It is exact for the bounds used in the contract, and accepts any
/// number for other bounds.
fn fraction_pattern(schema: &Schema) -> &'static str {
    let at = |keyword: &str| schema.get(keyword).and_then(Value::as_f64).map(f64::to_bits);
    let within =
        |least: f64, most: f64| (at("minimum"), at("maximum")) == (Some(least.to_bits()), Some(most.to_bits()));
    if within(0.0, 1.0) {
        "^(0(\\.[0-9]{1,15})?|1(\\.0{1,15})?)$"
    } else if within(-1.0, 1.0) {
        "^-?(0(\\.[0-9]{1,15})?|1(\\.0{1,15})?)$"
    } else if within(0.01, 4.0) {
        "^(0\\.(0[1-9]|[1-9])[0-9]{0,13}|[1-3](\\.[0-9]{1,15})?|4(\\.0{1,15})?)$"
    } else {
        "^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,15})?$"
    }
}

/// Creates the schema of a well-known type.
pub(super) fn well_known(message: &MessageDescriptor) -> Option<Schema> {
    let made = match message.full_name().strip_prefix("google.protobuf.")? {
        "Timestamp" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({"type": "string", "pattern": "^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$"}),
        "FieldMask" => json!({"type": "string"}),
        "Struct" => json!({"type": "object"}),
        "ListValue" => json!({"type": "array"}),
        "Any" => json!({
            "type": "object",
            "description": "A message of the type that `@type` names, with its fields beside it.",
            "properties": {"@type": {"type": "string"}},
            "required": ["@type"],
        }),
        "Empty" => json!({"type": "object", "maxProperties": 0}),
        _ => json!({}),
    };
    Some(schema(made))
}

/// Returns the names of an enum, then its numbers if they are accepted.
pub(super) fn names(of: &EnumDescriptor, numbers: bool, without_default: bool) -> Vec<Value> {
    let values: Vec<_> = of.values().filter(|value| value.number() != 0 || !without_default).collect();
    let named = values.iter().map(|value| Value::from(value.name()));
    let numbered = values.iter().filter(|_| numbers).map(|value| Value::from(value.number()));
    named.chain(numbered).collect()
}
