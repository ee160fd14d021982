//! `KIMBERLY_*` variables as a layer of the configuration: `KIMBERLY_API__LISTEN` is `listen` in `[api]`.

use figment::value::{Dict, Map, Value};
use figment::{Error, Metadata, Profile, Provider};

const PREFIX: &str = "KIMBERLY_";
/// `KIMBERLY_*` variables that are not configuration keys. `KIMBERLY_WEIGHT_*` are handled elsewhere.
const NOT_KEYS: [&str; 10] =
    ["CONFIG", "USER", "SERVER", "TOKEN", "CA", "TLS_CERT", "TLS_KEY", "BIN_DIR", "LOG", "STOP_WITH_STDIN"];
const NOT_KEY_PREFIXES: [&str; 2] = ["WEIGHT_", "TEST_"];
/// Maximum sections in a name and brackets in a TOML value, since both are parsed recursively.
const MAX_DEPTH: usize = 16;
const MAX_BRACKETS: usize = 256;

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
}

impl Provider for Environment {
    fn metadata(&self) -> Metadata {
        Metadata::named("the environment")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut root = Dict::new();
        for (path, raw) in self.keys() {
            insert(&mut root, &path, parsed(raw));
        }
        Ok(Profile::Default.collect(root))
    }
}

/// The value parsed as TOML, or else the text itself.
fn parsed(raw: &str) -> Value {
    if raw.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() > MAX_BRACKETS {
        return Value::from(raw);
    }
    let Ok(value) = raw.parse();
    value
}

/// Inserts a value at its path. A value in place of a section is kept, and fails later with a type error.
fn insert(dict: &mut Dict, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            dict.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let entry = dict.entry(first.clone()).or_insert_with(|| Value::from(Dict::new()));
            if let Value::Dict(_, inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}
