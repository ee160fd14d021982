//! `KIMBERLY_*` variables as a layer of the configuration: `KIMBERLY_API__LISTEN` is `listen` in `[api]`.

use toml::{Table, Value};

use super::variable::parsed;

const PREFIX: &str = "KIMBERLY_";
/// `KIMBERLY_*` variables that are not configuration keys. `KIMBERLY_WEIGHT_*` are handled elsewhere.
const NOT_KEYS: [&str; 10] =
    ["CONFIG", "USER", "SERVER", "TOKEN", "CA", "TLS_CERT", "TLS_KEY", "BIN_DIR", "LOG", "STOP_WITH_STDIN"];
const NOT_KEY_PREFIXES: [&str; 2] = ["WEIGHT_", "TEST_"];
/// Maximum sections in a name, since tables are nested as deep.
const MAX_DEPTH: usize = 16;

/// The environment of a process, passed in so that tests need not modify their own.
#[derive(Clone, Debug, Default)]
pub struct Environment(pub Vec<(String, String)>);

impl Environment {
    /// The environment of this process, without variables that are not UTF-8.
    pub fn of_process() -> Self {
        Self(std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect())
    }

    /// The value of a variable; an empty one counts as unset.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// The configuration keys among the variables, as paths.
    fn keys(&self) -> impl Iterator<Item = (Vec<String>, &str)> {
        self.0.iter().filter_map(|(name, value)| {
            let key = name.strip_prefix(PREFIX)?;
            let foreign = NOT_KEYS.contains(&key) || NOT_KEY_PREFIXES.iter().any(|prefix| key.starts_with(prefix));
            (!foreign)
                .then(|| (key.to_lowercase().splitn(MAX_DEPTH, "__").map(str::to_owned).collect(), value.as_str()))
        })
    }

    /// The values of the configuration keys, in their sections.
    pub(super) fn table(&self) -> Table {
        let mut root = Table::new();
        for (path, raw) in self.keys() {
            insert(&mut root, &path, parsed(raw));
        }
        root
    }
}

/// Inserts a value at its path. A value in place of a section is kept, and fails later with a type error.
fn insert(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let entry = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}
