//! Parses JSON more leniently than proto3's mapping requires: enums by short name (`long_term` and `long-term` for
//! `TIER_LONG_TERM`), masks in either spelling, and messages from their text forms. It is stricter in one case: it
//! refuses numbers in free data (`google.protobuf.Struct`) that would change as a double.

use std::borrow::Cow;
use std::fmt;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};

use crate::Words;
use crate::fields;
use crate::numbers::{self, Changed};

/// The type expected at a position in the JSON.
#[derive(Clone)]
enum Of {
    Message(MessageDescriptor),
    Choice(EnumDescriptor),
    Mask,
    /// Free data, such as `google.protobuf.Struct`.
    Free,
    Other,
}

impl Of {
    fn kind(kind: &Kind) -> Self {
        match kind {
            Kind::Enum(of) => Self::Choice(of.clone()),
            Kind::Message(of) => Self::message(of),
            _ => Self::Other,
        }
    }

    fn message(of: &MessageDescriptor) -> Self {
        match of.full_name().strip_prefix("google.protobuf.") {
            None => Self::Message(of.clone()),
            Some("Struct" | "ListValue" | "Value") => Self::Free,
            Some("FieldMask") => Self::Mask,
            Some(_) => Self::Other,
        }
    }

    fn field(field: &FieldDescriptor) -> Self {
        if field.is_map() { Self::Other } else { Self::kind(&field.kind()) }
    }

    /// Returns the type of the member with this name.
    fn member(&self, name: &str) -> Self {
        match self {
            Self::Message(of) => fields::named(of, name).as_ref().map_or(Self::Other, Self::field),
            Self::Free => Self::Free,
            _ => Self::Other,
        }
    }
}

/// Rules that apply to the whole body.
#[derive(Clone, Copy)]
struct Rules<'a> {
    words: &'a [Words],
    changed: &'a Changed,
}

/// A serde deserializer, visitor or seed, with the type expected from it.
pub(crate) struct Lenient<'a, T> {
    inner: T,
    of: Of,
    rules: Rules<'a>,
}

impl<'a, T> Lenient<'a, T> {
    /// Wraps the deserializer of a message.
    pub(crate) fn new(inner: T, of: &MessageDescriptor, words: &'a [Words], changed: &'a Changed) -> Self {
        Self { inner, of: Of::message(of), rules: Rules { words, changed } }
    }

    fn with<U>(&self, inner: U) -> Lenient<'a, U> {
        Lenient { inner, of: self.of.clone(), rules: self.rules }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Lenient<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, of, rules } = self;
        inner.deserialize_any(Lenient { inner: visitor, of, rules })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, of, rules } = self;
        inner.deserialize_option(Lenient { inner: visitor, of, rules })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Lenient<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        match self.of {
            Of::Free if value.unsigned_abs() > numbers::MAX_WHOLE => Err(E::custom(numbers::WOULD_CHANGE)),
            _ => self.inner.visit_i64(value),
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        match self.of {
            Of::Free if value > numbers::MAX_WHOLE => Err(E::custom(numbers::WOULD_CHANGE)),
            _ => self.inner.visit_u64(value),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        match self.of {
            Of::Free if self.rules.changed.holds(value) => Err(E::custom(numbers::WOULD_CHANGE)),
            _ => self.inner.visit_f64(value),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        match &self.of {
            Of::Choice(of) => match fields::choice(of, text) {
                Some(value) => self.inner.visit_str(value.name()),
                // Reported here, since a deserializer that skips unknown members would drop the value.
                None => Err(E::custom(format!("unrecognized enum value {text:?}"))),
            },
            Of::Mask => self.inner.visit_str(&fields::camel_case(text)),
            Of::Message(of) => match self.rules.words.iter().find(|words| words.message == of.full_name()) {
                Some(words) => {
                    let value = (words.read)(text).map_err(E::custom)?;
                    value.deserialize_any(self.inner).map_err(E::custom)
                }
                None => self.inner.visit_str(text),
            },
            Of::Free | Of::Other => self.inner.visit_str(text),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.with(value);
        self.inner.visit_some(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<V::Value, A::Error> {
        let values = self.with(values);
        self.inner.visit_seq(values)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        let members = Members { members: self.with(members), next: Of::Other };
        self.inner.visit_map(members)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Lenient<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Lenient<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        let from = self.with(from);
        self.inner.deserialize(from)
    }
}

/// The members of an object, with the type of the next value.
struct Members<'a, A> {
    members: Lenient<'a, A>,
    next: Of,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let Some(name) = self.members.inner.next_key::<Cow<'de, str>>()? else { return Ok(None) };
        self.next = self.members.of.member(&name);
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let of = std::mem::replace(&mut self.next, Of::Other);
        self.members.inner.next_value_seed(Lenient { inner: seed, of, rules: self.members.rules })
    }
}
