//! Schemas of messages and enums, each defined once under a name.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Value, json};

use super::Facts;
use super::comments::Comments;
use super::scalars::{self, Schema, schema};
use crate::binding::Binding;
use crate::fields;

/// How a message is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// A request.
    Input,
    /// Part of a request, with fields that a mask selects.
    Patch,
    /// A response.
    Output,
}

/// The components of the document, collected while its operations are described.
pub(super) struct Components<'a> {
    comments: &'a Comments,
    facts: &'a dyn Fn(&str) -> Facts,
    /// Full names of messages in responses.
    going_out: HashSet<String>,
    schemas: BTreeMap<String, Value>,
}

impl<'a> Components<'a> {
    pub(super) fn new<'b>(
        comments: &'a Comments,
        facts: &'a dyn Fn(&str) -> Facts,
        bindings: impl Iterator<Item = &'b Arc<Binding>>,
    ) -> Self {
        let mut going_out = HashSet::new();
        for binding in bindings {
            gather(&binding.rpc.output(), &mut going_out);
        }
        Self { comments, facts, going_out, schemas: BTreeMap::new() }
    }

    pub(super) fn finish(self) -> BTreeMap<String, Value> {
        self.schemas
    }

    /// Returns the facts of a field.
    pub(super) fn facts(&self, field: &FieldDescriptor) -> Facts {
        (self.facts)(field.full_name())
    }

    /// Returns the facts of a field at its path in a request, such as `UpdateGoalRequest.goal.id`. If there are none,
    /// returns those of the field itself.
    pub(super) fn facts_at(&self, input: &MessageDescriptor, path: &[FieldDescriptor]) -> Facts {
        let there = (self.facts)(&format!("{}.{}", input.full_name(), fields::name(path)));
        let known = there.required || there.partial || !there.keywords.is_empty();
        path.last().filter(|_| !known).map_or(there, |field| self.facts(field))
    }

    /// Returns the contract's comment on a field.
    pub(super) fn comment(&self, field: &FieldDescriptor) -> String {
        self.comments.of(field.parent_file().name(), field.path())
    }

    /// Returns a reference to a message's component, and creates the component if needed.
    pub(super) fn reference(&mut self, message: &MessageDescriptor, direction: Direction) -> Value {
        let name = self.name(message.name(), message.full_name(), direction);
        if !self.schemas.contains_key(&name) {
            // Reserves the name before the schema is complete, since a message may contain itself.
            self.schemas.insert(name.clone(), Value::Null);
            let made = self.object(message, direction, &[]);
            self.schemas.insert(name.clone(), made);
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    fn name(&self, name: &str, full_name: &str, direction: Direction) -> String {
        match direction {
            Direction::Patch => format!("{name}Patch"),
            Direction::Input if self.going_out.contains(full_name) => format!("{name}Input"),
            _ => name.to_owned(),
        }
    }

    /// Creates the schema of a message without the given fields.
    pub(super) fn object(
        &mut self,
        message: &MessageDescriptor,
        direction: Direction,
        without: &[FieldDescriptor],
    ) -> Value {
        let mut made = schema(json!({"type": "object", "properties": {}}));
        let comment = self.comments.of(message.parent_file().name(), message.path());
        if !comment.is_empty() {
            made.insert("description".to_owned(), comment.into());
        }
        let mut required = Vec::new();
        for field in message.fields().filter(|field| !without.contains(field)) {
            let (property, always) = self.property(&field, direction);
            if always {
                required.push(field.json_name().to_owned());
            }
            made["properties"][field.json_name()] = property;
        }
        if !required.is_empty() {
            made.insert("required".to_owned(), required.into());
        }
        if direction != Direction::Output {
            made.insert("additionalProperties".to_owned(), false.into());
            let mut rules = self.oneofs(message, direction);
            if direction == Direction::Input {
                rules.extend(
                    Some((self.facts)(message.full_name()).keywords).filter(|k| !k.is_empty()).map(Value::from),
                );
            }
            if !rules.is_empty() {
                made.insert("allOf".to_owned(), rules.into());
            }
        }
        made.into()
    }

    /// Creates the schema of a field. Also returns whether the field is required.
    pub(super) fn property(&mut self, field: &FieldDescriptor, direction: Direction) -> (Value, bool) {
        let facts = self.facts(field);
        let required = match direction {
            Direction::Output => !field.supports_presence(),
            Direction::Input => facts.required,
            Direction::Patch => false,
        };
        let mut made =
            if field.is_map() { self.map(field, direction, &facts) } else { self.values(field, direction, &facts) };
        if direction != Direction::Output && !required {
            made = nullable(made);
        }
        let comment = self.comment(field);
        if !comment.is_empty() {
            made.insert("description".to_owned(), comment.into());
        }
        (made.into(), required)
    }

    fn map(&mut self, field: &FieldDescriptor, direction: Direction, facts: &Facts) -> Schema {
        let entry = field.kind().as_message().map(MessageDescriptor::map_entry_value_field);
        let values = entry.map(|values| self.values(&values, direction, &Facts::default()));
        let mut made = schema(json!({"type": "object", "additionalProperties": values}));
        if direction != Direction::Output {
            made.extend(facts.keywords.clone());
        }
        made
    }

    fn values(&mut self, field: &FieldDescriptor, direction: Direction, facts: &Facts) -> Schema {
        if !field.is_list() {
            return self.value(&field.kind(), direction, facts);
        }
        let mut keywords = if direction == Direction::Output { Schema::new() } else { facts.keywords.clone() };
        let each = keywords.remove("items").map(schema).unwrap_or_default();
        let each = Facts { keywords: each, required: true, ..facts.clone() };
        let mut made = schema(json!({"type": "array", "items": self.value(&field.kind(), direction, &each)}));
        made.extend(keywords);
        made
    }

    fn value(&mut self, kind: &Kind, direction: Direction, facts: &Facts) -> Schema {
        match kind {
            Kind::Message(message) => match scalars::well_known(message) {
                Some(mut made) => {
                    if direction != Direction::Output {
                        made.extend(facts.keywords.clone());
                    }
                    made
                }
                None => schema(match direction {
                    Direction::Input if facts.partial => self.reference(message, Direction::Patch),
                    Direction::Patch => self.reference(message, Direction::Input),
                    direction => self.reference(message, direction),
                }),
            },
            Kind::Enum(of) => self.choice(of, direction, facts.required),
            scalar if direction == Direction::Output => scalars::output(scalar),
            scalar => scalars::input(scalar, &facts.keywords),
        }
    }

    /// Creates the schema of an enum: names in responses, names or numbers in requests.
    fn choice(&mut self, of: &EnumDescriptor, direction: Direction, without_default: bool) -> Schema {
        if direction != Direction::Output {
            let comment = self.enum_comment(of);
            let names = scalars::names(of, true, without_default);
            return schema(json!({"type": ["string", "integer"], "enum": names, "description": comment}));
        }
        let name = of.name().to_owned();
        let made = json!({
            "type": "string",
            "enum": scalars::names(of, false, false),
            "description": self.enum_comment(of),
        });
        self.schemas.insert(name.clone(), made);
        schema(json!({"$ref": format!("#/components/schemas/{name}")}))
    }

    /// Returns the comment of an enum followed by those of its values.
    pub(super) fn enum_comment(&self, of: &EnumDescriptor) -> String {
        let file = of.parent_file();
        let meanings = of.values().map(|value| {
            format!("\n- `{}` ({}): {}", value.name(), value.number(), self.comments.of(file.name(), value.path()))
        });
        self.comments.of(file.name(), of.path()) + &meanings.collect::<String>()
    }

    /// Creates rules that at most one field of each `oneof` is set, or exactly one if it is required.
    fn oneofs(&self, message: &MessageDescriptor, direction: Direction) -> Vec<Value> {
        let set = |field: &FieldDescriptor| {
            let name = field.json_name();
            json!({"required": [name], "properties": {name: {"not": {"type": "null"}}}})
        };
        let mut rules = Vec::new();
        for oneof in message.oneofs().filter(|oneof| oneof.fields().len() > 1) {
            let fields: Vec<Value> = oneof.fields().map(|field| set(&field)).collect();
            if direction == Direction::Input && (self.facts)(oneof.full_name()).required {
                rules.push(json!({"oneOf": fields}));
                continue;
            }
            for (index, one) in fields.iter().enumerate() {
                rules.extend(fields[index + 1..].iter().map(|other| json!({"not": {"allOf": [one, other]}})));
            }
        }
        rules
    }
}

/// Extends a schema to accept null.
fn nullable(mut made: Schema) -> Schema {
    if made.contains_key("$ref") {
        return schema(json!({"anyOf": [made, {"type": "null"}]}));
    }
    match made.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(one) => *one = json!([one.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = made.get_mut("enum") {
        values.push(Value::Null);
    }
    made
}

/// Collects the full names of a message and of all messages within it.
fn gather(message: &MessageDescriptor, names: &mut HashSet<String>) {
    if names.insert(message.full_name().to_owned()) {
        for field in message.fields() {
            if let Kind::Message(inner) = field.kind() {
                gather(&inner, names);
            }
        }
    }
}
