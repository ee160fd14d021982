//! Values of closed sets by name. Tools accept and return the names that core lists.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::convert::enums::{WireEnum, set};
use crate::mcp::schema::{Schema, Schemas, of_names};

/// A value that is written as its name.
pub(super) struct Named<T>(pub(super) T);

impl<T: WireEnum> Named<T> {
    /// Returns the value with a number of the contract, if there is one.
    pub(super) fn of(number: i32) -> Option<Self> {
        set(number).ok().map(Self)
    }

    fn names() -> Vec<&'static str> {
        T::VALUES.iter().map(|value| value.name()).collect()
    }
}

impl<T: WireEnum> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: WireEnum> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = T::VALUES.iter().find(|value| value.name() == name);
        known.map(|value| Self(*value)).ok_or_else(|| {
            D::Error::custom(format!("unknown variant `{name}`, expected one of `{}`", Self::names().join("`, `")))
        })
    }
}

impl<T: WireEnum> Schema for Named<T> {
    fn schema(schemas: &mut Schemas) -> Value {
        schemas.named(T::NAME, of_names(Self::names()))
    }
}
