//! JSON Schemas of what tools take and return. `described!` declares structs for serde and for their schemas at once: doc
//! comments become descriptions, serde's attributes say what is required, and `where` states bounds.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Value, json};

use super::protocol::JsonObject;

/// A type with a schema.
pub(super) trait Schema {
    /// Returns the type's schema.
    fn schema(schemas: &mut Schemas) -> Value;
}

/// Returns the schema of a tool's arguments.
pub(super) fn of_input<T: Schema>() -> JsonObject {
    root::<T>(false)
}

/// Returns the schema of a tool's response.
pub(super) fn of_output<T: Schema>() -> JsonObject {
    root::<T>(true)
}

fn root<T: Schema>(written: bool) -> JsonObject {
    let mut schemas = Schemas { written, named: JsonObject::new() };
    let named = T::schema(&mut schemas);
    let name = named["$ref"].as_str().and_then(|path| path.strip_prefix(NAMED)).unwrap_or_default();
    let Some(Value::Object(mut schema)) = schemas.named.remove(name) else { return JsonObject::new() };
    schema.remove("description");
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    if !schemas.named.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(schemas.named));
    }
    schema
}

/// Where a schema has the schemas with names.
const NAMED: &str = "#/$defs/";

/// The named schemas that a schema refers to.
pub(super) struct Schemas {
    /// Whether values are written for callers, rather than read from them.
    written: bool,
    named: JsonObject,
}

impl Schemas {
    /// Adds a schema under its name, and refers to it.
    pub(super) fn named(&mut self, name: &str, schema: Value) -> Value {
        self.named.insert(name.to_owned(), schema);
        json!({"$ref": format!("{NAMED}{name}")})
    }

    /// Starts the schema of a struct.
    pub(super) fn object(&mut self) -> Object<'_> {
        Object {
            schemas: self,
            schema: JsonObject::new(),
            properties: JsonObject::new(),
            required: Vec::new(),
            camel: false,
        }
    }
}

/// Returns the schema of a closed set of names.
pub(super) fn of_names(names: impl IntoIterator<Item = impl Serialize>) -> Value {
    let names: Vec<Value> = names.into_iter().map(|name| json!(name)).collect();
    json!({"type": "string", "enum": names})
}

/// The schema of a struct, while its fields are added.
pub(super) struct Object<'s> {
    schemas: &'s mut Schemas,
    schema: JsonObject,
    properties: JsonObject,
    required: Vec<String>,
    camel: bool,
}

impl Object<'_> {
    /// Describes the struct.
    pub(super) fn about(&mut self, text: &str) {
        self.schema.insert("description".to_owned(), json!(text.trim()));
    }

    /// Allows no other fields.
    pub(super) fn closed(&mut self) {
        self.schema.insert("additionalProperties".to_owned(), json!(false));
    }

    /// Spells names of fields like `entityType`.
    pub(super) const fn camel(&mut self) {
        self.camel = true;
    }

    /// Starts a field. What may be null may be left out where it is read.
    pub(super) fn field<T: Schema>(&mut self) -> Field {
        let schema = T::schema(self.schemas);
        let written = self.schemas.written;
        let nullable = schema["anyOf"].is_array() || schema["type"].is_array();
        Field { schema, written, optional: nullable && !written, skipped: false }
    }

    /// Adds a field.
    pub(super) fn add(&mut self, name: &str, field: Field) {
        if field.skipped {
            return;
        }
        let name = if self.camel { camel(name) } else { name.to_owned() };
        if !field.optional {
            self.required.push(name.clone());
        }
        self.properties.insert(name, field.schema);
    }

    /// Adds the schema under the struct's name, and refers to it.
    pub(super) fn named(mut self, name: &str) -> Value {
        self.schema.insert("type".to_owned(), json!("object"));
        if !self.properties.is_empty() {
            self.schema.insert("properties".to_owned(), Value::Object(self.properties));
        }
        if !self.required.is_empty() {
            self.schema.insert("required".to_owned(), json!(self.required));
        }
        self.schemas.named(name, Value::Object(self.schema))
    }
}

/// Spells a name such as `entity_type` as `entityType`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}

/// The schema of a field.
pub(super) struct Field {
    schema: Value,
    written: bool,
    optional: bool,
    skipped: bool,
}

impl Field {
    /// Describes the field.
    pub(super) fn about(&mut self, text: &str) {
        self.schema["description"] = json!(text.trim());
    }

    /// Leaves the field out of what callers see.
    pub(super) const fn skip(&mut self) {
        self.skipped = true;
    }

    /// Says that the field may be absent where it is written, or where it is read.
    pub(super) const fn optional(&mut self, written: bool) {
        self.optional |= self.written == written;
    }

    /// Says what an absent field stands for.
    pub(super) fn default(&mut self, value: impl Serialize) {
        self.schema["default"] = json!(value);
    }

    /// Bounds a number that is read; like all bounds, it does not hold for what is written, such as older and larger values.
    pub(super) fn range(&mut self, bounds: RangeInclusive<usize>) {
        if self.written {
            return;
        }
        (self.schema["minimum"], self.schema["maximum"]) = (json!(bounds.start()), json!(bounds.end()));
    }

    /// Bounds the length of a text or of a list.
    pub(super) fn length(&mut self, bounds: RangeInclusive<usize>) {
        if !self.written {
            bound(&mut self.schema, &bounds);
        }
    }

    /// Bounds the length of each item.
    pub(super) fn items(&mut self, bounds: RangeInclusive<usize>) {
        if !self.written {
            bound(&mut self.schema["items"], &bounds);
        }
    }
}

fn bound(schema: &mut Value, bounds: &RangeInclusive<usize>) {
    let [min, max] = if schema["items"].is_null() { ["minLength", "maxLength"] } else { ["minItems", "maxItems"] };
    if *bounds.start() > 0 {
        schema[min] = json!(bounds.start());
    }
    schema[max] = json!(bounds.end());
}

macro_rules! plain {
    ($($type:ty: $schema:tt,)*) => {
        $(impl Schema for $type {
            fn schema(_: &mut Schemas) -> Value {
                json!($schema)
            }
        })*
    };
}

plain! {
    String: {"type": "string"},
    bool: {"type": "boolean"},
    i32: {"type": "integer", "format": "int32"},
    i64: {"type": "integer", "format": "int64"},
    usize: {"type": "integer", "format": "uint", "minimum": 0},
    f64: {"type": "number", "format": "double"},
}

impl<T: Schema> Schema for Vec<T> {
    fn schema(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::schema(schemas)})
    }
}

impl<T: Schema> Schema for BTreeMap<&'static str, T> {
    fn schema(schemas: &mut Schemas) -> Value {
        json!({"type": "object", "additionalProperties": T::schema(schemas)})
    }
}

impl<T: Schema> Schema for Option<T> {
    fn schema(schemas: &mut Schemas) -> Value {
        let mut schema = T::schema(schemas);
        match schema.get_mut("type") {
            Some(kind) => *kind = json!([kind, "null"]),
            None => schema = json!({"anyOf": [schema, {"type": "null"}]}),
        }
        schema
    }
}

/// Declares structs and their schemas.
macro_rules! described {
    ($(
        $(#[$($about:tt)*])*
        $access:vis struct $name:ident {
            $($(#[$($attribute:tt)*])* $field_access:vis $field:ident: $type:ty $(where $($rule:ident($($value:tt)*))+)?),*
            $(,)?
        }
    )+) => {$(
        $(#[$($about)*])*
        $access struct $name {
            $($(#[$($attribute)*])* $field_access $field: $type,)*
        }

        impl $crate::mcp::schema::Schema for $name {
            fn schema(schemas: &mut $crate::mcp::schema::Schemas) -> serde_json::Value {
                let mut object = schemas.object();
                $($crate::mcp::schema::described!(@struct object, $($about)*);)*
                $(
                    let mut field = object.field::<$type>();
                    $($crate::mcp::schema::described!(@field field, $type, $($attribute)*);)*
                    $($(field.$rule($($value)*);)+)?
                    object.add(stringify!($field), field);
                )*
                object.named(stringify!($name))
            }
        }
    )+};
    (@struct $object:ident, derive($($trait:ident),*)) => {};
    (@struct $object:ident, doc = $text:literal) => { $object.about($text) };
    (@struct $object:ident, serde(deny_unknown_fields)) => { $object.closed() };
    (@struct $object:ident, serde(rename_all = "camelCase")) => { $object.camel() };
    (@field $field:ident, $type:ty, doc = $text:literal) => { $field.about($text) };
    (@field $field:ident, $type:ty, serde(default)) => {
        $field.optional(false);
        $field.default(<$type>::default());
    };
    (@field $field:ident, $type:ty, serde(default = $function:literal)) => { $field.optional(false) };
    (@field $field:ident, $type:ty, serde(skip_serializing_if = $function:literal)) => { $field.optional(true) };
    (@field $field:ident, $type:ty, serde(skip)) => { $field.skip() };
}
pub(super) use described;

#[cfg(test)]
mod tests;
