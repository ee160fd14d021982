//! Looks up fields by name, and parses values from paths and queries.

use prost_reflect::{
    DynamicMessage, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value,
};
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

/// The path to a field, which may be nested.
pub(crate) type FieldPath = Vec<FieldDescriptor>;

/// Reports whether the JSON form of this message is a string.
pub(crate) fn is_text(message: &MessageDescriptor) -> bool {
    let wrapper = |name: &str| name.ends_with("Value") && !["Value", "ListValue"].contains(&name);
    message
        .full_name()
        .strip_prefix("google.protobuf.")
        .is_some_and(|name| ["Timestamp", "Duration", "FieldMask"].contains(&name) || wrapper(name))
}

/// Reports whether text can express a field's value, given once or repeatedly.
pub(crate) fn is_plain(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Bytes => false,
        Kind::Message(message) => !field.is_map() && is_text(&message),
        _ => true,
    }
}

/// Finds a field by its name, in either spelling.
pub(crate) fn named(message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    message.get_field_by_name(name).or_else(|| message.get_field_by_json_name(name))
}

/// Resolves a dotted path to a field. The error continues a sentence that starts with the path.
pub(crate) fn resolve(message: &MessageDescriptor, path: &str) -> Result<FieldPath, String> {
    let mut at = Some(message.clone());
    let mut fields = FieldPath::new();
    for name in path.split('.') {
        let field = at.take().and_then(|message| named(&message, name)).ok_or("is not a field of this request")?;
        at = match field.kind() {
            Kind::Message(inner) if !field.is_list() && !field.is_map() && !is_text(&inner) => Some(inner),
            _ => None,
        };
        fields.push(field);
    }
    match fields.last() {
        Some(last) if is_plain(last) => Ok(fields),
        _ => Err("has more than one value; send it in the body".to_owned()),
    }
}

/// Returns the path in the contract's names, such as `filter.tags_any`.
pub(crate) fn name(path: &[FieldDescriptor]) -> String {
    path.iter().map(FieldDescriptor::name).collect::<Vec<_>>().join(".")
}

/// Returns the value at a path of a message, if it is set.
pub(crate) fn get(message: &DynamicMessage, path: &[FieldDescriptor]) -> Option<Value> {
    let (field, rest) = path.split_first()?;
    if !message.has_field(field) {
        return None;
    }
    let value = message.get_field(field);
    if rest.is_empty() { Some(value.into_owned()) } else { get(value.as_message()?, rest) }
}

/// Sets a field, creating the messages on its path.
pub(crate) fn set(message: &mut DynamicMessage, path: &[FieldDescriptor], value: Value) {
    match path.split_first() {
        None => {}
        Some((field, [])) => message.set_field(field, value),
        Some((field, rest)) => {
            if let Some(inner) = message.get_field_mut(field).as_message_mut() {
                set(inner, rest, value);
            }
        }
    }
}

/// Parses a value of a kind. The error continues a sentence that starts with the field.
pub(crate) fn value(kind: &Kind, text: &str) -> Result<Value, String> {
    let wrong = |what: &str| format!("is not {what}");
    match kind {
        Kind::Bool => text.parse().map(Value::Bool).map_err(|_| wrong("true or false")),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
            text.parse().map(Value::I32).map_err(|_| wrong("a whole number of 32 bits"))
        }
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
            text.parse().map(Value::I64).map_err(|_| wrong("a whole number of 64 bits"))
        }
        Kind::Uint32 | Kind::Fixed32 => {
            text.parse().map(Value::U32).map_err(|_| wrong("a whole number of 32 bits, 0 or above"))
        }
        Kind::Uint64 | Kind::Fixed64 => {
            text.parse().map(Value::U64).map_err(|_| wrong("a whole number of 64 bits, 0 or above"))
        }
        Kind::Double => text.parse().map(Value::F64).map_err(|_| wrong("a number")),
        Kind::Float => text.parse().map(Value::F32).map_err(|_| wrong("a number")),
        Kind::String => Ok(Value::String(text.to_owned())),
        Kind::Bytes => Err("has bytes; send it in the body".to_owned()),
        Kind::Enum(of) => {
            let number = choice(of, text).map(|value| value.number()).or_else(|| text.parse().ok());
            number.map(Value::EnumNumber).ok_or_else(|| {
                let names: Vec<_> = of.values().map(|value| value.name().to_owned()).collect();
                format!("is not one of {}", names.join(", "))
            })
        }
        Kind::Message(message) => well_known(message, text).map(Value::Message),
    }
}

/// Finds an enum value by its full or short name: `long_term` or `long-term` for `TIER_LONG_TERM`. The unspecified
/// value has no short name: callers omit the field instead.
pub(crate) fn choice(of: &EnumDescriptor, text: &str) -> Option<EnumValueDescriptor> {
    of.get_value_by_name(text).or_else(|| {
        let wanted = text.replace('-', "_");
        of.values().find(|value| value.number() != 0 && short_name(value) == wanted)
    })
}

/// Returns the name of an enum value in lower case, without the enum's prefix.
pub(crate) fn short_name(value: &EnumValueDescriptor) -> String {
    let of = value.parent_enum();
    let zero = of.default_value();
    let prefix = zero.name().strip_suffix("UNSPECIFIED").unwrap_or_default();
    value.name().strip_prefix(prefix).unwrap_or(value.name()).to_ascii_lowercase()
}

/// Parses timestamps, durations, masks and wrappers from their JSON text. Masks may use either spelling.
fn well_known(message: &MessageDescriptor, text: &str) -> Result<DynamicMessage, String> {
    let mask = message.full_name() == "google.protobuf.FieldMask";
    let text = if mask { camel_case(text) } else { text.to_owned() };
    let from: StrDeserializer<'_, serde_json::Error> = text.as_str().into_deserializer();
    DynamicMessage::deserialize(message.clone(), from).map_err(|error| format!("is wrong: {error}"))
}

/// Converts a mask to camelCase.
pub(crate) fn camel_case(mask: &str) -> String {
    let mut text = String::with_capacity(mask.len());
    let mut upper = false;
    for c in mask.chars() {
        if c == '_' && !upper {
            upper = true;
        } else {
            text.push(if std::mem::take(&mut upper) { c.to_ascii_uppercase() } else { c });
        }
    }
    text
}
