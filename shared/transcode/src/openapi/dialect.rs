//! Schemas of dialects.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::components::{Components, Direction};
use super::scalars;
use crate::binding::Binding;
use crate::dialect::{Beside, walk};
use crate::fields;

/// Creates the schema of a body, in the contract's names or in the dialect's.
pub(super) fn taken(binding: &Binding, mut contract: Value, components: &mut Components<'_>) -> Value {
    for one in binding.spoken.as_ref().map(|spoken| spoken.elements).unwrap_or_default() {
        let field = binding.rpc.input().get_field_by_name(one.list);
        let Some(message) = field.as_ref().and_then(|field| field.kind().as_message().cloned()) else { continue };
        let mut element = components.object(&message, Direction::Input, &[]);
        element["additionalProperties"] = true.into();
        for (name, schema) in (one.members)().as_object().into_iter().flatten() {
            set(&mut element["properties"], name, schema.clone());
        }
        let list = &mut contract["properties"][one.list];
        // Elements that are wrong do not matter beside one that is right.
        list["items"] = json!({});
        list["contains"] = element;
    }
    let Some(spoken) = binding.spoken.as_ref().filter(|spoken| !spoken.takes.is_empty()) else { return contract };
    let heads: Vec<FieldDescriptor> = spoken.takes.iter().filter_map(|(_, path)| path.first().cloned()).collect();
    let mut other = components.object(&binding.rpc.input(), Direction::Input, &heads);
    for (name, path) in &spoken.takes {
        let Some(field) = path.last() else { continue };
        let (mut property, required) = components.property(field, Direction::Input);
        if let Kind::Enum(_) = field.kind() {
            // In addition to what the contract accepts: names, numbers, and null for an optional field.
            let target = if field.is_list() { &mut property["items"] } else { &mut property };
            *target = json!({"anyOf": [words(&field.kind()), target.take()]});
            if !field.is_list() && !required {
                property = json!({"anyOf": [property, {"type": "null"}]});
            }
        }
        if field.is_list() {
            // A single value may stand for a list of one.
            property = json!({"anyOf": [property["items"].clone(), property]});
        }
        match name.split_once('.') {
            None if required => push(&mut other["required"], name),
            None => {}
            Some((object, member)) => {
                let members = &mut other["properties"][object]["properties"];
                set(members, member, property);
                continue;
            }
        }
        let members = other["properties"][*name]["properties"].take();
        if let (Some(more), Kind::Message(message)) = (members.as_object(), field.kind()) {
            let mut object = components.object(&message, Direction::Input, &[]);
            for (member, schema) in more {
                set(&mut object["properties"], member, schema.clone());
            }
            property = json!({"anyOf": [object, {"type": "null"}]});
        }
        set(&mut other["properties"], name, property);
    }
    json!({"anyOf": [contract, other]})
}

/// Adds the dialect's fields to the schema of a response.
pub(super) fn answered(binding: &Binding, contract: Value) -> Value {
    let beside = binding.spoken.as_ref().map(|spoken| spoken.answers).unwrap_or_default();
    let more = beside.iter().map(|one| {
        let properties = written(one, &binding.rpc.output());
        match one.list {
            "" => json!({"type": "object", "properties": properties}),
            list => json!({"type": "object", "properties": {list: {"items": {"properties": properties}}}}),
        }
    });
    let all: Vec<Value> = [contract.clone()].into_iter().chain(more).collect();
    if all.len() > 1 { json!({"allOf": all}) } else { contract }
}

fn written(beside: &Beside, output: &MessageDescriptor) -> Map<String, Value> {
    let path =
        if beside.list.is_empty() { beside.message.to_owned() } else { format!("{}.{}", beside.list, beside.message) };
    let fields = beside.names.iter().filter_map(|(name, field)| {
        let path = format!("{path}.{field}");
        let found = walk(output, &path)?;
        let mut made = plain(&found.last()?.kind());
        made["description"] = format!("As `{path}`, in the words of the document that this path comes from.").into();
        Some(((*name).to_owned(), made))
    });
    fields.collect()
}

/// Creates the schema of a value as [`crate::dialect`] writes it.
fn plain(kind: &Kind) -> Value {
    match kind {
        Kind::Enum(_) => words(kind),
        Kind::Message(message) => scalars::well_known(message).map_or_else(|| json!({"type": "object"}), Value::from),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => json!({"type": "integer"}),
        other => scalars::output(other).into(),
    }
}

/// Lists the short names of an enum.
fn words(kind: &Kind) -> Value {
    let set =
        kind.as_enum().into_iter().flat_map(prost_reflect::EnumDescriptor::values).filter(|value| value.number() != 0);
    json!({"type": "string", "enum": set.map(|value| fields::short_name(&value).replace('_', "-")).collect::<Vec<_>>()})
}

fn push(list: &mut Value, name: &str) {
    match list {
        Value::Array(names) => names.push(name.into()),
        none => *none = json!([name]),
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if object.is_null() {
        *object = json!({});
    }
    object[name] = value;
}
