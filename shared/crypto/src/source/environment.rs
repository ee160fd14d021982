//! Environment variables of the process, or given ones for tests: a process must not change its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

type Lookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// Looks up environment variables.
#[derive(Clone)]
pub struct Environment(Arc<Lookup>);

impl Environment {
    /// An environment of exactly these variables.
    pub fn of(variables: BTreeMap<String, OsString>) -> Self {
        Self(Arc::new(move |name| variables.get(name).cloned()))
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }
}

impl Default for Environment {
    /// The variables of this process.
    fn default() -> Self {
        Self(Arc::new(|name| std::env::var_os(name)))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment(..)")
    }
}
