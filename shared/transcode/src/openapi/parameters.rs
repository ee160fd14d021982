//! Path and query parameters.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Value, json};

use super::components::Components;
use super::scalars::{self, Schema, schema};
use crate::binding::{Binding, BodyField};
use crate::fields::{self, FieldPath};

/// Describes all parameters of a binding.
pub(super) fn of(binding: &Binding, components: &Components<'_>) -> Vec<Value> {
    let input = binding.rpc.input();
    let mut made: Vec<Value> =
        binding.variables.iter().map(|path| one(binding, path, Location::Path, components)).collect();
    let mut paths = Vec::new();
    match &binding.body {
        BodyField::None => flatten(&input, &FieldPath::new(), &mut paths),
        BodyField::Field(body) => {
            flatten(&input, &FieldPath::new(), &mut paths);
            paths.retain(|path| path.first() != Some(body));
        }
        // The query may set any field, but only the boolean switches of the call are listed.
        BodyField::Whole => {
            paths.extend(input.fields().filter(is_switch).map(|field| vec![field]));
        }
    }
    let open = paths.iter().filter(|path| !binding.variables.contains(path));
    made.extend(open.map(|path| one(binding, path, Location::Query, components)));
    let spoken = binding.spoken.iter().filter(|_| binding.body == BodyField::None).flat_map(|spoken| &spoken.takes);
    made.extend(spoken.map(|(name, path)| {
        let mut parameter = one(binding, path, Location::Query, components);
        parameter["name"] = (*name).into();
        parameter
    }));
    made
}

fn is_switch(field: &FieldDescriptor) -> bool {
    field.kind() == Kind::Bool && !field.is_list()
}

/// Names a path variable after the last name of its field, unless that is ambiguous. Paths of one resource are thus
/// spelled alike, and names have no dots, which many OpenAPI tools mishandle.
pub(super) fn variable(path: &[FieldDescriptor], binding: &Binding) -> String {
    let last = |path: &[FieldDescriptor]| path.last().map(|field| field.name().to_owned()).unwrap_or_default();
    let alike = binding.variables.iter().filter(|other| last(other) == last(path)).count();
    if alike > 1 { fields::name(path).replace('.', "_") } else { last(path) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    Path,
    Query,
}

/// Collects the paths of all fields that a query can set.
fn flatten(message: &MessageDescriptor, above: &FieldPath, paths: &mut Vec<FieldPath>) {
    for field in message.fields() {
        let path: FieldPath = above.iter().cloned().chain([field.clone()]).collect();
        match field.kind() {
            _ if fields::is_plain(&field) => paths.push(path),
            Kind::Message(inner)
                if !field.is_list() && !field.is_map() && scalars::well_known(&inner).is_none() && above.len() < 3 =>
            {
                flatten(&inner, &path, paths);
            }
            _ => {}
        }
    }
}

fn one(binding: &Binding, path: &FieldPath, location: Location, components: &Components<'_>) -> Value {
    let Some(field) = path.last() else { return Value::Null };
    let facts = components.facts_at(&binding.rpc.input(), path);
    let mut keywords = facts.keywords.clone();
    let required = location == Location::Path || facts.required;
    let made = if field.is_list() {
        let each = keywords.remove("items").map(schema).unwrap_or_default();
        let mut list = schema(json!({"type": "array", "items": value(&field.kind(), &each, true, components)}));
        list.extend(keywords);
        list
    } else {
        value(&field.kind(), &keywords, required, components)
    };
    let name = if location == Location::Path { variable(path, binding) } else { fields::name(path) };
    json!({
        "name": name,
        "in": if location == Location::Path { "path" } else { "query" },
        "required": required,
        "description": components.comment(field),
        "schema": made,
    })
}

fn value(kind: &Kind, keywords: &Schema, without_default: bool, components: &Components<'_>) -> Schema {
    match kind {
        Kind::Message(message) => {
            let mut made = scalars::well_known(message).unwrap_or_default();
            made.extend(keywords.clone());
            made
        }
        Kind::Enum(of) => schema(json!({
            "enum": scalars::names(of, true, without_default),
            "description": components.enum_comment(of),
        })),
        scalar => scalars::parameter(scalar, keywords),
    }
}
