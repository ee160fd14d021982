//! The keys of the data folder, opened before anything that they open.

use kimberly_crypto::{KeyError, Keys, Loads};

use crate::{Config, Failure};

/// Opens the keys, and makes them on the first start over a data folder, which exists.
pub(crate) fn open(config: &Config, loads: Loads) -> Result<Keys, Failure> {
    if !config.encryption.enabled {
        return Keys::off_for(&config.data_dir).map_err(|error| refused(&error));
    }
    let keys = Keys::open(&config.data_dir, &config.keys.sources(), loads).map_err(|error| refused(&error))?;
    if let Some(created) = keys.created() {
        // Once in the life of a data folder, and to be seen: whoever loses these files loses everything.
        tracing::warn!("{created}");
    }
    Ok(keys)
}

/// Most refusals say what to do; what the file system refuses is told with the place that it is about.
fn refused(error: &KeyError) -> Failure {
    let advice = match error {
        KeyError::Io { .. } => "give this account access to it; `kimberly doctor` shows where keys are looked for",
        _ => "`kimberly doctor` shows where keys are looked for and what was found there",
    };
    Failure::new(error.to_string(), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{EncryptionConfig, KeysConfig};

    #[test]
    fn the_first_start_makes_keys_and_a_lost_one_is_refused_with_its_place() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        crate::prepare_data_dir(&data).unwrap();
        let keys = KeysConfig { folder: Some(root.path().join("keys")), ..KeysConfig::default() };
        let config = Config { data_dir: data, keys, ..Config::default() };
        assert!(open(&config, Loads::MasterOnly).unwrap().are_on());
        let off = Config { encryption: EncryptionConfig { enabled: false }, ..config.clone() };
        assert!(!open(&off, Loads::Both).unwrap().are_on(), "nothing is encrypted yet");
        std::fs::remove_file(root.path().join("keys/master.key")).unwrap();
        let message = open(&config, Loads::Both).unwrap_err().message();
        assert!(message.contains("keys/master.key; without it nothing in"), "{message}");
        assert!(message.contains("keys.master") && message.contains("doctor"), "{message}");
    }
}
