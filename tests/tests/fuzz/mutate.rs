//! Turns a valid request into an invalid or unusual one.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

use crate::fuzz::wire::{Field, Value, parse, write};

/// Texts at the limits of what is allowed, and texts with a special meaning somewhere.
pub(crate) const TEXTS: &[&str] = &[
    "",
    " ",
    "\0",
    "a\nb",
    "\u{202E}abc",
    "\u{1F600}\u{1F600}",
    "'; drop table memories; --",
    "\" OR \"",
    "NEAR(a b)",
    "a*",
    "^a",
    "-",
    "../../../etc/passwd",
    "%s%n%x",
    "${jndi:x}",
    "mem_00000000-0000-7000-8000-000000000000",
    "med_",
    "goal_x",
    "1",
    "-1",
    "NaN",
    "content",
    "metadata.tags",
    "metadata.tags.0",
    "*",
    "\u{FEFF}",
    "e\u{301}",
    "\u{3000}",
    "yesterday",
    "last May",
    "what did Ana say?",
];
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    10,
    63,
    64,
    65,
    100,
    101,
    999,
    1_000,
    1_001,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
    u64::MAX - 1,
    253_402_300_799,
    253_402_300_800,
];
pub(crate) const LENGTHS: &[usize] =
    &[1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 512, 513, 8_192, 8_193, 65_536, 65_537];
const DOUBLES: &[f64] =
    &[0.0, -0.0, 1.0, -1.0, 0.5, 1.000_001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE];

/// Mutates requests, starting from a seed.
pub(crate) struct Mutator {
    pub(crate) dice: StdRng,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: StdRng::seed_from_u64(seed) }
    }

    /// A random element.
    pub(crate) fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        of.choose(&mut self.dice).expect("there is something to choose from")
    }

    /// Mostly a message of the same shape with some fields changed; sometimes bytes that are hardly a message.
    pub(crate) fn mutate(&mut self, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        for _ in 0..self.dice.random_range(1..=3) {
            body = match parse(&body) {
                Some(fields) if self.dice.random_bool(0.9) => write(&self.mutate_fields(fields, 0)),
                _ => self.mutate_bytes(body),
            };
        }
        body
    }

    fn mutate_fields(&mut self, mut fields: Vec<Field>, depth: usize) -> Vec<Field> {
        if fields.is_empty() || self.dice.random_bool(0.05) {
            let value = self.value();
            fields.push(Field { number: self.dice.random_range(1..=16), value });
            return fields;
        }
        let at = self.dice.random_range(0..fields.len());
        match self.dice.random_range(0..20) {
            0 => drop(fields.remove(at)),
            1 => fields.push(fields[at].clone()),
            2 => fields.extend(std::iter::repeat_n(fields[at].clone(), *self.choose(&[15, 16, 63, 64, 100, 1_000]))),
            3 => fields[at].number = self.dice.random_range(1..=20),
            4 => fields[at].value = self.value(),
            5 => fields.swap(0, at),
            _ => fields[at].value = self.mutate_value(fields[at].value.clone(), depth),
        }
        fields
    }

    fn mutate_value(&mut self, value: Value, depth: usize) -> Value {
        match value {
            Value::Varint(number) if self.dice.random_bool(0.3) => {
                Value::Varint(number ^ 1 << self.dice.random_range(0..64))
            }
            Value::Varint(_) => Value::Varint(*self.choose(NUMBERS)),
            Value::Fixed64(_) => Value::Fixed64(self.choose(DOUBLES).to_le_bytes()),
            Value::Fixed32(_) => Value::Fixed32(self.dice.random()),
            Value::Bytes(inner) => match parse(&inner) {
                Some(fields) if !inner.is_empty() && depth < 40 && self.dice.random_bool(0.8) => {
                    Value::Bytes(write(&self.mutate_fields(fields, depth + 1)))
                }
                _ => Value::Bytes(self.text(&inner)),
            },
        }
    }

    fn value(&mut self) -> Value {
        match self.dice.random_range(0..6) {
            0 => Value::Varint(*self.choose(NUMBERS)),
            1 => Value::Fixed64(self.choose(DOUBLES).to_le_bytes()),
            2 => Value::Fixed32(self.dice.random()),
            _ => Value::Bytes(self.text(b"seed")),
        }
    }

    /// A text similar to `old`, a tricky one or a long one; rarely not UTF-8.
    fn text(&mut self, old: &[u8]) -> Vec<u8> {
        match self.dice.random_range(0..12) {
            0..5 => self.choose(TEXTS).as_bytes().to_vec(),
            5 => vec![b'x'; *self.choose(LENGTHS)],
            6 => [old, self.choose(TEXTS).as_bytes()].concat(),
            7 => old.iter().rev().copied().filter(u8::is_ascii).collect(),
            8 => self.nested(),
            9 => self.mutate_bytes(old.to_vec()),
            _ => old.to_vec(),
        }
    }

    /// Deeply nested messages: a deep JSON value, or nonsense.
    fn nested(&mut self) -> Vec<u8> {
        let number = self.dice.random_range(1..=6);
        let mut inner = vec![0x20, 0x01];
        for _ in 0..*self.choose(&[3, 33, 90, 120]) {
            inner = write(&[Field { number, value: Value::Bytes(inner) }]);
        }
        inner
    }

    pub(crate) fn mutate_bytes(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return vec![self.dice.random(); self.dice.random_range(0..20)];
        }
        let at = self.dice.random_range(0..bytes.len());
        match self.dice.random_range(0..4) {
            0 => bytes[at] ^= 1 << self.dice.random_range(0..8),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, self.dice.random()),
            _ => bytes[at] = self.dice.random(),
        }
        bytes
    }
}
