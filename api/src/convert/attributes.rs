//! Converts attributes: `google.protobuf.Struct` in the contract, compact JSON text with sorted keys in the domain.
//! Equal attributes always give the same text. Numbers that JSON cannot represent are refused.

use std::fmt::Write as _;

use kimberly_core::bounds::{MAX_ATTRIBUTES_BYTES, MAX_ATTRIBUTES_DEPTH};
use kimberly_core::error::StorageFailure;
use kimberly_core::{Error, FieldViolation, Result};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

/// 2^53: whole numbers up to here are exact as doubles, and are written without a fraction.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
/// Maximum bytes of a key that an error quotes.
const SHOWN_KEY_BYTES: usize = 32;

/// Writes attributes as JSON text. `path` is the field's path in the request.
pub fn to_json(path: &str, attributes: &Struct) -> Result<String> {
    let mut writer = Writer { json: String::new(), path: path.to_owned(), depth: 0 };
    let written = writer.object(attributes).and_then(|()| writer.fits());
    written.map(|()| writer.json).map_err(|problem| Error::Invalid(vec![problem]))
}

/// Parses attributes from JSON text that [`to_json`] wrote.
pub fn from_json(json: &str) -> Result<Struct> {
    let damaged = || Error::storage(StorageFailure::Defect, "stored attributes are not a JSON object");
    let value: serde_json::Value = serde_json::from_str(json).map_err(|_| damaged())?;
    match value {
        serde_json::Value::Object(fields) => Ok(wire_struct(fields)),
        _ => Err(damaged()),
    }
}

struct Writer {
    json: String,
    path: String,
    depth: usize,
}

type Written = Result<(), FieldViolation>;

impl Writer {
    fn object(&mut self, object: &Struct) -> Written {
        self.nested(|writer| {
            writer.json.push('{');
            for (index, (key, value)) in object.fields.iter().enumerate() {
                writer.comma(index);
                writer.string(key)?;
                writer.json.push(':');
                let parent = writer.path.len();
                let _ = write!(writer.path, ".{}", shown(key));
                writer.value(value)?;
                writer.path.truncate(parent);
            }
            writer.json.push('}');
            Ok(())
        })
    }

    fn list(&mut self, list: &ListValue) -> Written {
        self.nested(|writer| {
            writer.json.push('[');
            for (index, value) in list.values.iter().enumerate() {
                writer.comma(index);
                let parent = writer.path.len();
                let _ = write!(writer.path, "[{index}]");
                writer.value(value)?;
                writer.path.truncate(parent);
            }
            writer.json.push(']');
            Ok(())
        })
    }

    fn value(&mut self, value: &Value) -> Written {
        match &value.kind {
            None => return Err(self.wrong("has no kind; set null, a number, a text, a boolean, an object or a list")),
            Some(Kind::NullValue(_)) => self.json.push_str("null"),
            Some(Kind::BoolValue(yes)) => self.json.push_str(if *yes { "true" } else { "false" }),
            Some(Kind::NumberValue(number)) => self.number(*number)?,
            Some(Kind::StringValue(text)) => self.string(text)?,
            Some(Kind::StructValue(object)) => self.object(object)?,
            Some(Kind::ListValue(list)) => self.list(list)?,
        }
        self.fits()
    }

    fn fits(&self) -> Written {
        if self.json.len() > MAX_ATTRIBUTES_BYTES { Err(self.too_long()) } else { Ok(()) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53 fit")]
    fn number(&mut self, number: f64) -> Written {
        if !number.is_finite() {
            return Err(self.wrong("is not a finite number; JSON holds no NaN and no infinity"));
        }
        let whole = number.fract() == 0.0 && number.abs() <= MAX_EXACT && (number != 0.0 || number.is_sign_positive());
        let text = if whole { Ok((number as i64).to_string()) } else { serde_json::to_string(&number) };
        self.json.push_str(&text.map_err(|_| self.wrong("cannot be written as JSON"))?);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Written {
        if self.json.len() + text.len() > MAX_ATTRIBUTES_BYTES {
            return Err(self.too_long());
        }
        let text = serde_json::to_string(text).map_err(|_| self.wrong("cannot be written as JSON"))?;
        self.json.push_str(&text);
        Ok(())
    }

    fn nested(&mut self, inside: impl FnOnce(&mut Self) -> Written) -> Written {
        self.depth += 1;
        if self.depth > MAX_ATTRIBUTES_DEPTH {
            return Err(self.wrong(&format!("is nested deeper than {MAX_ATTRIBUTES_DEPTH} levels; flatten it")));
        }
        inside(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.json.push(',');
        }
    }

    fn wrong(&self, problem: &str) -> FieldViolation {
        FieldViolation::new(self.path.clone(), problem)
    }

    fn too_long(&self) -> FieldViolation {
        let root = self.path.find("attributes").map_or(self.path.len(), |at| at + "attributes".len());
        let problem =
            format!("has more than {MAX_ATTRIBUTES_BYTES} bytes as JSON; store it elsewhere and keep a reference");
        FieldViolation::new(&self.path[..root], problem)
    }
}

/// Returns the start of a key, for paths in errors.
fn shown(key: &str) -> &str {
    let mut end = key.len().min(SHOWN_KEY_BYTES);
    while !key.is_char_boundary(end) {
        end -= 1;
    }
    &key[..end]
}

fn wire_struct(fields: serde_json::Map<String, serde_json::Value>) -> Struct {
    Struct { fields: fields.into_iter().map(|(key, value)| (key, wire_value(value))).collect() }
}

fn wire_value(value: serde_json::Value) -> Value {
    let kind = match value {
        serde_json::Value::Null => Kind::NullValue(0),
        serde_json::Value::Bool(yes) => Kind::BoolValue(yes),
        serde_json::Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or(0.0)),
        serde_json::Value::String(text) => Kind::StringValue(text),
        serde_json::Value::Array(values) => {
            Kind::ListValue(ListValue { values: values.into_iter().map(wire_value).collect() })
        }
        serde_json::Value::Object(fields) => Kind::StructValue(wire_struct(fields)),
    };
    Value { kind: Some(kind) }
}

#[cfg(test)]
mod tests;
