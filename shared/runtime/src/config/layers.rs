//! The sources of the configuration in one table: a TOML file, then the environment, which wins.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::reading::{self, Node};
use super::{Environment, Problems};

/// What the operator set.
pub(super) struct Layers {
    /// All values.
    values: Value,
    /// Those of the environment alone, which tell where a value comes from.
    variables: Value,
    file: Option<PathBuf>,
}

impl Layers {
    /// Reads the file, if any, and puts the environment over it.
    pub(super) fn read(file: Option<PathBuf>, env: &Environment) -> Result<Self, Problems> {
        let mut values = match &file {
            Some(file) => {
                table(file).map_err(|error| Problems::one(format!("{} ({})", error.trim_end(), near(file))))?
            }
            None => Table::new(),
        };
        let variables = env.table();
        merge(&mut values, variables.clone());
        Ok(Self { values: Value::Table(values), variables: Value::Table(variables), file })
    }

    /// Whether the operator set this key, such as `quotas.long_term`.
    pub(super) fn contains(&self, key: &str) -> bool {
        key.split('.').try_fold(&self.values, |at, part| at.get(part)).is_some()
    }

    /// Reads all values.
    pub(super) fn extract<T: DeserializeOwned>(&self) -> Result<T, Problems> {
        T::deserialize(Node(&self.values)).map_err(|error| Problems::one(self.sentence(&error)))
    }

    fn sentence(&self, error: &reading::Error) -> String {
        let within = |at, part: &String| if matches!(at, &Value::Table(_)) { at.get(part) } else { Some(at) };
        let is_variable = error.path().try_fold(&self.variables, within).is_some();
        let file = || self.file.as_ref().map(|file| format!(" ({})", near(file)));
        let location = if is_variable { Some(" (the environment)".to_owned()) } else { file() };
        error.sentence(&location.unwrap_or_default())
    }
}

fn table(file: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    text.parse().map_err(|error: toml::de::Error| error.to_string())
}

/// A path, relative to the current folder if it is in it.
fn near(file: &Path) -> std::path::Display<'_> {
    let current = std::env::current_dir().ok();
    current.and_then(|current| file.strip_prefix(current).ok()).unwrap_or(file).display()
}

/// Puts `over` over a table. A section replaces a value and the reverse; the wrong one fails later with its type.
fn merge(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => merge(inner, over),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}
