//! `[keys]`: where the account's secrets are stored.

use std::path::PathBuf;

use kimberly_crypto::{KeySource, KeySources};
use serde::{Deserialize, Serialize};

use super::Problems;

/// Where the account's secrets, which are not part of the data, are stored. Names sources and never holds a secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeysConfig {
    /// The folder, outside the data folder; unset: `~/.kimberly/keys/<id of the data folder>`.
    pub folder: Option<PathBuf>,
    /// The source of the master key: `file:<path>`, `env:<NAME>`, `credential:<name>` or `command:<absolute path>`;
    /// unset: `master.key` in the folder.
    pub master: Option<String>,
    /// The source of the sensitive key, in the same form; unset: `sensitive.key` in the folder.
    pub sensitive: Option<String>,
}

impl KeysConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.folder.as_ref().is_some_and(|folder| folder.as_os_str().is_empty()) {
            problems.add("keys.folder is empty; name a folder outside the data folder, or leave it unset");
        }
        for (key, source) in [("keys.master", &self.master), ("keys.sensitive", &self.sensitive)] {
            // The value may be a misplaced key, so errors do not repeat it.
            if let Some(Err(problem)) = source.as_ref().map(|source| source.parse::<KeySource>()) {
                problems.add(format!("{key} names no source: {problem}"));
            }
        }
    }

    /// The sources; values that [`Self::check`] refuses count as unset.
    pub fn sources(&self) -> KeySources {
        let source = |text: &Option<String>| text.as_ref().and_then(|text| text.parse().ok());
        KeySources {
            folder: self.folder.clone(),
            master: source(&self.master),
            sensitive: source(&self.sensitive),
            ..KeySources::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(config: &KeysConfig) -> Vec<String> {
        let mut problems = Problems::default();
        config.check(&mut problems);
        problems.0
    }

    #[test]
    fn sources_are_checked_and_what_may_be_a_key_is_not_repeated() {
        let config = |master: &str| KeysConfig { master: Some(master.to_owned()), ..KeysConfig::default() };
        for good in ["file:/etc/kimberly/master.key", "env:MASTER", "credential:master", "command:/usr/bin/keys"] {
            assert_eq!(problems(&config(good)), Vec::<String>::new(), "{good}");
        }
        let secret = "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=";
        for bad in [secret, "file:", "env:with space", "vault:secret/data"] {
            let found = problems(&config(bad));
            assert!(
                found.len() == 1 && found[0].contains("keys.master") && found[0].contains("env:<NAME>"),
                "{found:?}"
            );
            assert!(!found[0].contains(secret), "{found:?}");
        }
        assert_eq!(problems(&KeysConfig { folder: Some(PathBuf::new()), ..KeysConfig::default() }).len(), 1);
    }
}
