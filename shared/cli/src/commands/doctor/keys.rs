//! Keys: where they are, whether they are the right ones, and who else can read them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use kimberly_crypto::{KeyError, RingName, RingPlace, wrapping_key};
use kimberly_runtime::Config;

use super::Finding;

/// Checks where the keys of the data folder come from, and makes nothing.
pub(super) fn check(config: &Config) -> Vec<Finding> {
    let data = &config.data_dir;
    if !config.encryption.enabled {
        return vec![Finding::warn(
            "encryption",
            "off: whoever can read the data folder or a backup of it reads everything; encryption.enabled = true encrypts it",
        )];
    }
    let rings = match config.keys.sources().rings(data) {
        Ok(Some(rings)) => rings,
        Ok(None) => return vec![Finding::ok("encryption", "on; the first start makes the keys")],
        Err(error) => return vec![Finding::bad("keys", error.to_string())],
    };
    let mut findings: Vec<Finding> = rings.iter().map(|place| ring(config, place)).collect();
    findings.extend(wrapped(config));
    if rings.iter().any(RingPlace::is_file) {
        findings.push(Finding::ok(
            "backup of keys",
            "whether there is one cannot be seen from here: keep a copy of the key files apart from the data, and data/keys \
             with the data; without either nothing can be read again",
        ));
    }
    findings
}

fn ring(config: &Config, place: &RingPlace) -> Finding {
    let about = match place.ring() {
        RingName::Master => "master key",
        RingName::Sensitive => "sensitive key",
    };
    let needed = match wrapping_key(&config.data_dir, place.ring()) {
        Ok(needed) => needed,
        Err(error) => return Finding::bad(about, error.to_string()),
    };
    let ids = match place.look() {
        Ok(Some(ids)) => ids,
        Ok(None) if needed.is_none() => return Finding::ok(about, format!("{place}, made by the first start")),
        Ok(None) => {
            let lost = match place.ring() {
                RingName::Master => "nothing",
                RingName::Sensitive => "no sensitive memory",
            };
            let data = config.data_dir.display();
            return Finding::bad(
                about,
                format!("missing at {place}; without it {lost} in {data} can be read; put it back"),
            );
        }
        // A variable or a credential may be there for the service alone.
        Err(error @ KeyError::Source(_)) if !place.is_file() => {
            return Finding::warn(about, format!("cannot be checked from here: {error}"));
        }
        Err(error) => return Finding::bad(about, error.to_string()),
    };
    match (needed, ids.last()) {
        (Some(needed), _) if !ids.contains(&needed) => Finding::bad(
            about,
            format!("{place} lacks the key {needed}, with which the data is encrypted; add it there"),
        ),
        (_, current) => {
            let current = current.map(ToString::to_string).unwrap_or_default();
            Finding::ok(about, format!("{current} at {place}, {} in all", ids.len()))
        }
    }
}

/// The folder of wrapped keys.
fn wrapped(config: &Config) -> Option<Finding> {
    let folder = config.data_dir.join("keys");
    let mode = fs::metadata(&folder).ok()?.permissions().mode() & 0o777;
    let shown = folder.display();
    (mode & 0o077 != 0).then(|| {
        Finding::warn(
            "wrapped keys",
            format!("{shown} has mode {mode:o}: other accounts can reach it; chmod 700 keeps them out"),
        )
    })
}

#[cfg(test)]
mod tests {
    use kimberly_crypto::{Keys, Loads};
    use kimberly_runtime::config::{EncryptionConfig, KeysConfig};

    use super::super::Level;
    use super::*;

    fn config(root: &std::path::Path) -> Config {
        let data_dir = root.join("data");
        fs::create_dir_all(&data_dir).unwrap();
        let keys = KeysConfig { folder: Some(root.join("rings")), ..KeysConfig::default() };
        Config { data_dir, keys, ..Config::default() }
    }

    fn levels(findings: &[Finding]) -> Vec<Level> {
        findings.iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn keys_are_shown_by_place_and_id_and_a_missing_one_by_what_it_means() {
        let root = tempfile::tempdir().unwrap();
        let config = config(root.path());
        assert_eq!(levels(&check(&config)), [Level::Ok], "before the first start");
        assert_eq!(fs::read_dir(&config.data_dir).unwrap().count(), 0, "looking makes nothing");
        Keys::open(&config.data_dir, &config.keys.sources(), Loads::Both).unwrap();
        assert_eq!(levels(&check(&config)), [Level::Ok; 3]);
        let id = wrapping_key(&config.data_dir, RingName::Master).unwrap().unwrap().to_string();
        let line = check(&config)[0].to_line(false);
        assert!(line.contains(&id) && line.contains("rings/master.key"), "{line}");
        let master = root.path().join("rings/master.key");
        fs::set_permissions(&master, fs::Permissions::from_mode(0o644)).unwrap();
        let line = check(&config)[0].to_line(false);
        assert!(line.starts_with("BAD") && line.contains("chmod 600"), "{line}");
        fs::remove_file(&master).unwrap();
        let line = check(&config)[0].to_line(false);
        assert!(
            line.starts_with("BAD") && line.contains("missing at") && line.contains("without it nothing"),
            "{line}"
        );
    }

    #[test]
    fn another_key_in_the_place_of_the_right_one_is_told() {
        let root = tempfile::tempdir().unwrap();
        let config = config(root.path());
        Keys::open(&config.data_dir, &config.keys.sources(), Loads::Both).unwrap();
        let (_, text) = kimberly_crypto::Ring::generate().unwrap();
        fs::write(root.path().join("rings/sensitive.key"), text.as_bytes()).unwrap();
        let line = check(&config)[1].to_line(false);
        assert!(line.starts_with("BAD") && line.contains("lacks the key"), "{line}");
    }

    #[test]
    fn what_only_the_service_has_cannot_be_checked_and_off_is_warned_about() {
        let root = tempfile::tempdir().unwrap();
        let mut config = config(root.path());
        Keys::open(&config.data_dir, &config.keys.sources(), Loads::Both).unwrap();
        config.keys.master = Some("credential:kimberly-master".to_owned());
        assert_eq!(levels(&check(&config))[..2], [Level::Warn, Level::Ok]);
        config.keys.folder = Some(config.data_dir.join("inside"));
        assert_eq!(levels(&check(&config)), [Level::Bad], "inside the data folder");
        config.encryption = EncryptionConfig { enabled: false };
        assert_eq!(levels(&check(&config)), [Level::Warn]);
    }
}
