//! Additional names that some paths accept and return: another API's names for the same calls. The caller of this crate
//! defines them in a table; this module applies the table.
//!
//! In requests, a value under such a name moves to the contract's field. The request is refused if that field is set
//! already. In responses, fields are repeated in that API's form: names with underscores, short enum names with
//! hyphens, 64-bit integers as numbers.

use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor, ReflectMessage as _, Value as Field};
use serde_json::{Map, Value, json};

use crate::{Refusal, fields};

/// The dialect of one path.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The HTTP method, in capitals.
    pub method: &'static str,
    /// The path template of the annotation.
    pub path: &'static str,
    /// Names in the body or query, and the fields that they stand for. A name may be that of a member (`filters.type`),
    /// and is then listed before its object.
    pub takes: &'static [(&'static str, &'static str)],
    /// Additional fields of the response.
    pub answers: &'static [Beside],
    /// Lists in the body whose elements may have other forms.
    pub elements: &'static [Elements],
}

/// A list of messages whose elements may have other forms, and of which one at least must be right.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// The list.
    pub list: &'static str,
    /// Converts an element to the contract's JSON.
    pub read: fn(Value) -> Value,
    /// The schemas of members that take more than the contract's.
    pub members: fn() -> Value,
}

/// Fields of a message in the response that are repeated next to it.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// The list in the response whose elements hold the message. Empty if the response itself holds it.
    pub list: &'static str,
    /// The field that holds the message.
    pub message: &'static str,
    /// The names to write, and the message's fields that they stand for.
    pub names: &'static [(&'static str, &'static str)],
}

/// A message that also has a text form in JSON.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Its full name.
    pub message: &'static str,
    /// Parses the text into the message's JSON; the error lists the valid texts.
    pub read: fn(&str) -> Result<Value, String>,
    /// Formats the message's JSON, with the names of the contract, as text.
    pub write: fn(&Value) -> Option<String>,
}

/// A dialect resolved against its request message.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) takes: Vec<(&'static str, Vec<FieldDescriptor>)>,
    pub(crate) answers: &'static [Beside],
    pub(crate) elements: &'static [Elements],
}

impl Spoken {
    /// Resolves the fields of a dialect; the error names those that do not exist.
    pub(crate) fn new(dialect: &Dialect, input: &MessageDescriptor) -> Result<Self, String> {
        let takes = dialect.takes.iter().map(|(name, path)| {
            let found = walk(input, path).ok_or_else(|| format!("{path} is not a field of the request"))?;
            Ok((*name, found))
        });
        if let Some(Elements { list, .. }) =
            dialect.elements.iter().find(|one| input.get_field_by_name(one.list).is_none())
        {
            return Err(format!("{list} is not a field of the request"));
        }
        let takes = takes.collect::<Result<_, String>>()?;
        Ok(Self { takes, answers: dialect.answers, elements: dialect.elements })
    }

    /// Returns the field that a query parameter stands for.
    pub(crate) fn parameter(&self, name: &str) -> Option<&[FieldDescriptor]> {
        self.takes.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_slice())
    }

    /// Reports whether a body uses a name or a list of the dialect.
    pub(crate) fn is_spoken(&self, body: &Map<String, Value>) -> bool {
        let mut names = self.takes.iter().map(|(name, _)| name).chain(self.elements.iter().map(|one| &one.list));
        names.any(|name| body.contains_key(*name))
    }

    /// Renames the members of a body to the contract's names, and converts the elements of its lists.
    pub(crate) fn translated(&self, mut body: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        for (name, path) in &self.takes {
            if let Some(value) = take(&mut body, name).filter(|value| !value.is_null()) {
                let list = path.last().is_some_and(FieldDescriptor::is_list);
                let value = if list && !value.is_array() { json!([value]) } else { value };
                put(&mut body, path, value).map_err(|there| {
                    Refusal::field(
                        *name,
                        format!("is another name for {there}, which is also set; send only one of them"),
                    )
                })?;
            }
        }
        for Elements { list, read, .. } in self.elements {
            if let Some(Value::Array(list)) = body.get_mut(*list) {
                for element in list {
                    *element = read(element.take());
                }
            }
        }
        Ok(body)
    }

    /// Adds the dialect's fields to a response.
    pub(crate) fn answered(&self, message: &DynamicMessage, answer: &mut Value, words: &[Words]) {
        for beside in self.answers {
            if beside.list.is_empty() {
                write_beside(beside, message, answer, words);
                continue;
            }
            let list = message.get_field_by_name(beside.list);
            let messages = list.as_deref().and_then(Field::as_list).unwrap_or_default();
            let written = answer.get_mut(beside.list).and_then(Value::as_array_mut).map(Vec::as_mut_slice);
            for (message, answer) in messages.iter().filter_map(Field::as_message).zip(written.unwrap_or_default()) {
                write_beside(beside, message, answer, words);
            }
        }
    }
}

/// Resolves a dotted path to fields of any kind.
pub(crate) fn walk(message: &MessageDescriptor, path: &str) -> Option<Vec<FieldDescriptor>> {
    let (mut at, mut found) = (Some(message.clone()), Vec::new());
    for name in path.split('.') {
        let field = at?.get_field_by_name(name)?;
        at = field.kind().as_message().cloned();
        found.push(field);
    }
    Some(found)
}

fn take(body: &mut Map<String, Value>, name: &str) -> Option<Value> {
    match name.split_once('.') {
        None => body.remove(name),
        Some((object, member)) => take(body.get_mut(object)?.as_object_mut()?, member),
    }
}

/// Stores a value at a path. Fails with the path if it is occupied.
fn put(body: &mut Map<String, Value>, path: &[FieldDescriptor], value: Value) -> Result<(), String> {
    let Some((field, rest)) = path.split_first() else { return Ok(()) };
    let key = if body.contains_key(field.name()) { field.name() } else { field.json_name() };
    if rest.is_empty() {
        if body.get(key).is_none_or(Value::is_null) {
            body.insert(key.to_owned(), value);
            return Ok(());
        }
        return match (body.get_mut(key), value) {
            (Some(Value::Object(there)), Value::Object(more)) if !more.keys().any(|name| there.contains_key(name)) => {
                there.extend(more);
                Ok(())
            }
            _ => Err(field.name().to_owned()),
        };
    }
    let inner = body.entry(key).or_insert_with(|| json!({}));
    if inner.is_null() {
        *inner = json!({});
    }
    let inner = inner.as_object_mut().ok_or_else(|| field.name().to_owned())?;
    put(inner, rest, value).map_err(|there| format!("{}.{there}", field.name()))
}

fn write_beside(beside: &Beside, message: &DynamicMessage, answer: &mut Value, words: &[Words]) {
    let Some(inner) = message.get_field_by_name(beside.message) else { return };
    let (Some(inner), Some(answer)) = (inner.as_message(), answer.as_object_mut()) else { return };
    for (name, field) in beside.names {
        if let Some(field) = inner.descriptor().get_field_by_name(field) {
            let unset = field.supports_presence() && !inner.has_field(&field);
            let value = if unset { Value::Null } else { plain(&inner.get_field(&field), &field, words) };
            answer.insert((*name).to_owned(), value);
        }
    }
}

/// Writes a value in the form of the other API.
fn plain(value: &Field, field: &FieldDescriptor, words: &[Words]) -> Value {
    match value {
        Field::Bool(value) => json!(value),
        Field::I32(value) => json!(value),
        Field::I64(value) => json!(value),
        Field::U32(value) => json!(value),
        Field::U64(value) => json!(value),
        Field::F32(value) => json!(value),
        Field::F64(value) => json!(value),
        Field::String(value) => json!(value),
        Field::EnumNumber(number) => field.kind().as_enum().map_or(Value::Null, |of| {
            of.get_value(*number).map_or(json!(number), |value| json!(fields::short_name(&value).replace('_', "-")))
        }),
        Field::List(values) => values.iter().map(|value| plain(value, field, words)).collect(),
        Field::Message(message) => plain_message(message, words),
        Field::Bytes(_) | Field::Map(_) => Value::Null,
    }
}

fn plain_message(message: &DynamicMessage, words: &[Words]) -> Value {
    let of = message.descriptor();
    if of.full_name().starts_with("google.protobuf.") {
        return serde_json::to_value(message).unwrap_or_default();
    }
    let set = of.fields().filter(|field| !field.supports_presence() || message.has_field(field));
    let object: Value =
        set.map(|field| (field.name().to_owned(), plain(&message.get_field(&field), &field, words))).collect();
    let words = words.iter().find(|words| words.message == of.full_name());
    words.and_then(|words| (words.write)(&object)).map_or(object, Value::from)
}
