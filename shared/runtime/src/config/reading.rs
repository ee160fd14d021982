//! Reads values with serde. Errors say at which key, what was found there and what is allowed.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer as _, Unexpected, Visitor};
use toml::Value;

/// A value that cannot be read.
#[derive(Debug)]
pub(super) struct Error {
    /// The parts of its key, last one first.
    path: Vec<String>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    UnknownKey(String, &'static [&'static str]),
    Unfit { found: String, expected: String },
    Other(String),
}

impl Error {
    /// The parts of the key, first one first.
    pub(super) fn path(&self) -> impl Iterator<Item = &String> {
        self.path.iter().rev()
    }

    /// The error as a sentence, with the source of the value.
    pub(super) fn sentence(&self, source: &str) -> String {
        let key = self.path().map(String::as_str).collect::<Vec<_>>().join(".");
        match &self.kind {
            Kind::UnknownKey(name, allowed) => {
                let parent = key.strip_suffix(name.as_str()).unwrap_or_default().trim_end_matches('.');
                let within = if parent.is_empty() { "at the top level".to_owned() } else { format!("in [{parent}]") };
                let hint = underscore_hint(name, allowed);
                format!("there is no key {name:?} {within}{source}; the keys there are {}{hint}", allowed.join(", "))
            }
            Kind::Unfit { found, expected } => format!("{key} is {found}{source}; it must be {expected}"),
            Kind::Other(problem) if key.is_empty() => format!("{problem}{source}"),
            Kind::Other(problem) => format!("{key}: {problem}{source}"),
        }
    }

    fn below(mut self, part: impl Into<String>) -> Self {
        self.path.push(part.into());
        self
    }

    fn unfit(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Kind::Unfit { found: found.to_string(), expected: expected.to_string() }.into()
    }
}

/// A hint if `KIMBERLY_API_LISTEN` should be `KIMBERLY_API__LISTEN`.
fn underscore_hint(name: &str, allowed: &[&str]) -> String {
    let section = |key: &&&str| name.strip_prefix(**key).is_some_and(|rest| rest.starts_with('_'));
    allowed.iter().find(section).map_or_else(String::new, |section| {
        let rest = &name[section.len() + 1..];
        format!("; did you mean {section}.{rest}, or KIMBERLY_{}__{}?", section.to_uppercase(), rest.to_uppercase())
    })
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self { path: Vec::new(), kind }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(""))
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Kind::Other(problem.to_string()).into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::unfit(found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::unfit(found, expected)
    }

    fn unknown_field(name: &str, allowed: &'static [&'static str]) -> Self {
        Kind::UnknownKey(name.to_owned(), allowed).into()
    }
}

/// A value to read.
pub(super) struct Node<'a>(pub(super) &'a Value);

impl<'de> de::Deserializer<'de> for Node<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Datetime(time) => visitor.visit_string(time.to_string()),
            Value::Array(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Value::Table(section) => visitor.visit_map(Section { keys: section.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.as_str().into_deserializer()),
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Section<'a> {
    keys: toml::map::Iter<'a>,
    /// The entry whose key was read, but not its value.
    value: Option<(&'a String, &'a Value)>,
}

impl<'de> de::MapAccess<'de> for Section<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.value = self.keys.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let name: StrDeserializer<'_, Error> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.below(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) =
            self.value.take().ok_or_else(|| Kind::Other("a value was read before its key".to_owned()))?;
        seed.deserialize(Node(value)).map_err(|error: Error| error.below(key))
    }
}

struct Items<'a>(std::iter::Enumerate<std::slice::Iter<'a, Value>>);

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Node(item)).map(Some).map_err(|error| error.below(index.to_string()))
    }
}
