//! Reads fields of JSON objects that somebody else wrote: missing is fine, another type is an error that names it.

use prost_types::Timestamp;
use serde_json::{Map, Value};

/// The members of an object, and where it stands in the file.
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(members: &'a Map<String, Value>) -> Self {
        Self { members }
    }

    /// A member that is there and not null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    fn read<T>(&self, key: &str, what: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Result<Option<T>, String> {
        let found = self.get(key).map(|value| read(value).ok_or_else(|| format!("{key} is not {what}")));
        found.transpose()
    }

    /// Text; empty if missing.
    pub(super) fn text(&self, key: &str) -> Result<String, String> {
        Ok(self.read(key, "text", |value| value.as_str().map(str::to_owned))?.unwrap_or_default())
    }

    /// True or false; false if missing.
    pub(super) fn flag(&self, key: &str) -> Result<bool, String> {
        Ok(self.switch(key)?.unwrap_or_default())
    }

    /// True or false.
    pub(super) fn switch(&self, key: &str) -> Result<Option<bool>, String> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// A number.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, String> {
        self.read(key, "a number", Value::as_f64)
    }

    /// A whole number.
    pub(super) fn integer(&self, key: &str) -> Result<Option<i64>, String> {
        self.read(key, "a whole number", Value::as_i64)
    }

    /// A list of texts; empty if missing.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        let list = |value: &Value| value.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect();
        Ok(self.read(key, "a list of texts", list)?.unwrap_or_default())
    }

    /// A time in RFC 3339.
    pub(super) fn time(&self, key: &str) -> Result<Option<Timestamp>, String> {
        self.read(key, "a time such as 2023-05-08T13:56:00Z", |value| value.as_str()?.parse().ok())
    }

    /// A span such as `86400s`.
    pub(super) fn span(&self, key: &str) -> Result<Option<prost_types::Duration>, String> {
        self.read(key, "a span such as 86400s", |value| value.as_str()?.parse().ok())
    }

    /// A known name; 0 if missing.
    pub(super) fn name(&self, key: &str, number: fn(&str) -> Option<i32>) -> Result<i32, String> {
        let known = |name: &str| if name.is_empty() { Some(0) } else { number(name) };
        Ok(self.read(key, "a name that this version knows", |value| known(value.as_str()?))?.unwrap_or_default())
    }

    /// All members as numbers.
    pub(super) fn numbers<M: FromIterator<(String, f64)>>(&self) -> Result<M, String> {
        let number = |(key, value): (&String, &Value)| {
            value.as_f64().map(|number| (key.clone(), number)).ok_or_else(|| format!("{key} is not a number"))
        };
        self.members.iter().map(number).collect()
    }

    /// An object within.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, String> {
        Ok(self.read(key, "an object", Value::as_object)?.map(Self::new))
    }
}
