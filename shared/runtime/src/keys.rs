//! Opens the keys of the data folder before everything else, and reloads rings when they change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_crypto::{HeldRing, KeyError, KeyStore, Keys, Loads, refuse_lost_registry};
use tokio_util::sync::CancellationToken;

use crate::{Config, Failure, Metrics};

/// Poll interval for files of rings.
const LOOK: Duration = Duration::from_secs(2);
/// Reload interval of rings that are not files: reading may run a command.
const ASK: Duration = Duration::from_mins(5);

/// Returns the configured store of wrapped keys; `None` for the data folder. May block.
pub type KeyStoreFn = fn(&Config) -> Result<Option<Arc<dyn KeyStore>>, Failure>;

/// Always uses the data folder, whatever the configuration says.
#[expect(clippy::unnecessary_wraps, reason = "one of the functions that say where keys lie; others may fail")]
pub(crate) fn in_data_folder(_: &Config) -> Result<Option<Arc<dyn KeyStore>>, Failure> {
    Ok(None)
}

/// Opens the keys; a first start on a data folder (which must exist) or another key store creates them.
pub(crate) fn open(config: &Config, loads: Loads, keys_in: KeyStoreFn) -> Result<Keys, Failure> {
    let (data, sources) = (&config.data_dir, config.keys.sources());
    let elsewhere = keys_in(config)?;
    if elsewhere.is_none() {
        // First: the keys of a registry that was lost must not be created again either.
        refuse_lost_registry(data).map_err(|lost| Failure::new(lost.to_string(), "docs/damage.md says more"))?;
    }
    let opened = match (config.encryption.enabled, elsewhere) {
        (false, None) => Keys::off_for(data),
        (false, Some(store)) => Keys::off_in(&*store),
        (true, None) => Keys::open(data, &sources, loads),
        (true, Some(store)) => Keys::open_in(data, &sources, loads, store),
    };
    let keys = opened.map_err(|error| refused(&error))?;
    if let Some(created) = keys.created() {
        // Once per data folder, and prominent: losing these files loses all data.
        tracing::warn!("{created}");
    }
    Ok(keys)
}

/// Reloads rings when their files change, or when another source holds other keys, until `stop`. Logs each error once
/// and keeps the loaded rings.
pub(crate) async fn watch(keys: Keys, metrics: Metrics, stop: CancellationToken) {
    let (mut held, mut asked, mut complained) = (keys.rings(), Instant::now(), None);
    if held.is_empty() {
        return;
    }
    while stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
        let ask = asked.elapsed() >= ASK && held.iter().any(|ring| !ring.is_file);
        if ask {
            asked = Instant::now();
        }
        match look(&keys, ask).await {
            Ok(()) => complained = None,
            Err(problem) if complained.as_ref() != Some(&problem) => {
                metrics.add("keys.reload_failed", 1);
                tracing::warn!("keys cannot be reloaded; the loaded ones stay in use: {problem}");
                complained = Some(problem);
            }
            Err(_) => {}
        }
        // A task that missed a key may have reloaded the rings already.
        let now = keys.rings();
        for (_, ring) in held.iter().zip(&now).filter(|(was, is)| was != is) {
            metrics.add("keys.reloaded", 1);
            tracing::info!("{}", described(ring));
        }
        held = now;
    }
}

async fn look(keys: &Keys, ask: bool) -> Result<(), String> {
    let keys = keys.clone();
    let looked = tokio::task::spawn_blocking(move || if ask { keys.reload() } else { keys.refresh().map(drop) }).await;
    looked.map_err(|_| "reading them panicked".to_owned())?.map_err(|error| error.to_string())
}

/// Describes a ring without its keys.
fn described(ring: &HeldRing) -> String {
    let ids: Vec<String> = ring.keys.iter().map(ToString::to_string).collect();
    format!("loaded the changed {} ring from {}; its current key is {}", ring.ring, ring.location, ids.join(", "))
}

/// Most errors include advice already. For file errors, the message names the path.
fn refused(error: &KeyError) -> Failure {
    let advice = match error {
        KeyError::Io { .. } => "give this account access to it; `kimberly doctor` shows where keys are expected",
        KeyError::Store { .. } => "check that the database runs, and its log",
        _ => "`kimberly doctor` shows where keys are expected and what was found there",
    };
    Failure::new(error.to_string(), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{EncryptionConfig, KeysConfig};

    /// A fake database, which keeps its content between the steps of a test.
    #[expect(clippy::unnecessary_wraps, reason = "others may fail")]
    fn elsewhere(config: &Config) -> Result<Option<Arc<dyn KeyStore>>, Failure> {
        Ok(Some(Arc::new(kimberly_crypto::FileKeyStore::new(config.data_dir.with_file_name("database")))))
    }

    #[test]
    fn keys_lie_where_the_process_says() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        crate::prepare_data_dir(&data).unwrap();
        std::fs::create_dir(root.path().join("database")).unwrap();
        let keys = KeysConfig { folder: Some(root.path().join("keys")), ..KeysConfig::default() };
        let config = Config { data_dir: data.clone(), keys, ..Config::default() };
        let opened = open(&config, Loads::Both, elsewhere).unwrap();
        opened.make_user(&"a".repeat(64)).unwrap();
        assert!(root.path().join("database/users").exists() && !data.join("keys/users").exists());
        let off = Config { encryption: EncryptionConfig { enabled: false }, ..config };
        let message = open(&off, Loads::Both, elsewhere).unwrap_err().message();
        assert!(message.contains("the database holds keys"), "{message}");
    }

    #[test]
    fn the_first_start_creates_keys_and_a_lost_one_is_refused_with_its_location() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        crate::prepare_data_dir(&data).unwrap();
        let keys = KeysConfig { folder: Some(root.path().join("keys")), ..KeysConfig::default() };
        let config = Config { data_dir: data, keys, ..Config::default() };
        assert!(open(&config, Loads::MasterOnly, in_data_folder).unwrap().are_on());
        let off = Config { encryption: EncryptionConfig { enabled: false }, ..config.clone() };
        assert!(!open(&off, Loads::Both, in_data_folder).unwrap().are_on(), "nothing is encrypted yet");
        std::fs::remove_file(root.path().join("keys/master.key")).unwrap();
        let message = open(&config, Loads::Both, in_data_folder).unwrap_err().message();
        assert!(message.contains("keys/master.key; without it nothing in"), "{message}");
        assert!(message.contains("keys.master") && message.contains("doctor"), "{message}");
    }
}
