//! Reads fields of foreign JSON objects: a missing field is fine, a wrong type is an error that names it.

use prost_types::Timestamp;
use serde_json::{Map, Value};

/// The members of an object.
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(members: &'a Map<String, Value>) -> Self {
        Self { members }
    }

    /// A member that is present and not null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    fn read<T>(&self, key: &str, what: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Result<Option<T>, String> {
        let found = self.get(key).map(|value| read(value).ok_or_else(|| format!("{key} is not {what}")));
        found.transpose()
    }

    /// A text; empty if missing.
    pub(super) fn text(&self, key: &str) -> Result<String, String> {
        Ok(self.read(key, "text", |value| value.as_str().map(str::to_owned))?.unwrap_or_default())
    }

    /// A time in RFC 3339.
    pub(super) fn time(&self, key: &str) -> Result<Option<Timestamp>, String> {
        self.read(key, "a time such as 2023-05-08T13:56:00Z", |value| value.as_str()?.parse().ok())
    }

    /// A nested object.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, String> {
        Ok(self.read(key, "an object", Value::as_object)?.map(Self::new))
    }
}
