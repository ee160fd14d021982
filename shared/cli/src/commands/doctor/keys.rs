//! Keys: where they are, whether they are the right ones, and who else can read them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use kimberly_crypto::{KeyError, KeyId, RingLocation, RingName, survey, wrapping_key};
use kimberly_runtime::Config;

use super::Finding;

/// Checks the sources of the data folder's keys without creating anything.
pub(super) fn check(config: &Config) -> Vec<Finding> {
    let data = &config.data_dir;
    if !config.encryption.enabled {
        return vec![Finding::warn(
            "encryption",
            "off: anyone who can read the data folder or a backup reads everything; encryption.enabled = true encrypts a new one",
        )];
    }
    let rings = match config.keys.sources().rings(data) {
        Ok(Some(rings)) => rings,
        Ok(None) => return vec![Finding::ok("encryption", "on; the first start creates the keys")],
        Err(error) => return vec![Finding::bad("keys", error.to_string())],
    };
    let mut findings: Vec<Finding> = rings.iter().map(|location| ring(config, location)).collect();
    findings.extend(wrapped(config));
    findings.extend(needs(config, &rings));
    findings.extend(rings.iter().filter_map(copies));
    if rings.iter().any(RingLocation::is_file) {
        let (advice, lost) = if config.postgres.url.is_some() {
            (
                "store a copy of the key files separate from the database",
                "without it, sensitive memories are unreadable",
            )
        } else {
            let advice = "store a copy of the key files separate from the data, and data/keys with the data";
            (advice, "without either, the data is unreadable")
        };
        let told = format!("cannot check from here whether a copy exists: {advice}; {lost}");
        findings.push(Finding::ok("backup of keys", told));
    }
    findings
}

fn ring(config: &Config, location: &RingLocation) -> Finding {
    let about = match location.ring() {
        RingName::Master => "master key",
        RingName::Sensitive => "sensitive key",
    };
    let needed = match wrapping_key(&config.data_dir, location.ring()) {
        Ok(needed) => needed,
        Err(error) => return Finding::bad(about, error.to_string()),
    };
    let ids = match location.look() {
        Ok(Some(ids)) => ids,
        Ok(None) if needed.is_none() => return Finding::ok(about, format!("{location}, created by the first start")),
        Ok(None) => {
            let lost = match location.ring() {
                RingName::Master => "nothing",
                RingName::Sensitive => "no sensitive memory",
            };
            let data = config.data_dir.display();
            return Finding::bad(
                about,
                format!("missing at {location}; without it {lost} in {data} can be read; restore it"),
            );
        }
        // A variable or a credential may be available to the service only.
        Err(error @ KeyError::Source(_)) if !location.is_file() => {
            return Finding::warn(about, format!("cannot be checked from here: {error}"));
        }
        Err(error) => return Finding::bad(about, error.to_string()),
    };
    match (needed, ids.last()) {
        (Some(needed), _) if !ids.contains(&needed) => Finding::bad(
            about,
            format!("{location} lacks the key {needed}, with which the data is encrypted; add it there"),
        ),
        (_, current) => {
            let current = current.map(ToString::to_string).unwrap_or_default();
            Finding::ok(about, format!("{current} at {location}, {} in all", ids.len()))
        }
    }
}

/// The ring keys that the key files need: what a rotation has left to do, what can be retired, and unreadable files.
fn needs(config: &Config, rings: &[RingLocation]) -> Vec<Finding> {
    let found = match survey(&config.data_dir) {
        Ok(found) => found,
        Err(error) => return vec![Finding::bad("key files", error.to_string())],
    };
    if found.files + found.unreadable == 0 {
        // Before the first start, or with keys in a database, there is nothing to inspect.
        return Vec::new();
    }
    let mut findings = Vec::new();
    if let Some(problem) = found.problems.first() {
        let count = found.unreadable;
        findings.push(Finding::bad("key files", format!("{count} of them cannot be read: {problem}")));
    }
    for location in rings {
        let (ring, ids) = (location.ring(), location.look().ok().flatten().unwrap_or_default());
        let Some(current) = ids.last() else { continue };
        let left = found.left(ring, current);
        let lacking: Vec<&KeyId> = found.needed(ring).map(|(id, _)| id).filter(|id| !ids.contains(id)).collect();
        if let Some(id) = lacking.first() {
            let files = found.needing(ring, id);
            let told = format!(
                "{files} key files need the {ring} key {id}, which is not in {location}; restore it before the last \
                 key (the one in use)"
            );
            findings.push(Finding::bad("key files", told));
        } else if left > 0 {
            let told = format!(
                "{left} of {} are still to be rewrapped with the {ring} key {current}; the worker does this while it \
                 runs",
                found.files
            );
            findings.push(Finding::warn("rotation", told));
        } else if ids.len() > 1 {
            let told = format!(
                "no key file needs the {} older {ring} keys; `kimberly rings retire {ring}` removes them",
                ids.len() - 1
            );
            findings.push(Finding::ok("rotation", told));
        }
    }
    findings
}

/// Warns if the last recorded copy of a ring lacks a key.
fn copies(location: &RingLocation) -> Option<Finding> {
    let ring = location.ring();
    let again = format!("copy it again, separate from the data, then run `kimberly rings copied {ring}`");
    let (copied, held) = match (location.noted_copy(), location.look()) {
        (Ok(copied), Ok(held)) => (copied?, held.unwrap_or_default()),
        (Err(error), _) => return Some(Finding::warn("copies of keys", error.to_string())),
        (_, Err(_)) => return None,
    };
    let lacks: Vec<String> = held.iter().filter(|id| !copied.contains(id)).map(ToString::to_string).collect();
    Some(if lacks.is_empty() {
        Finding::ok("copies of keys", format!("the last recorded copy of the {ring} ring contains all of its keys"))
    } else {
        let told = format!("the last recorded copy of {location} lacks the key {}: {again}", lacks.join(", "));
        Finding::warn("copies of keys", told)
    })
}

/// Checks the folder of wrapped keys.
fn wrapped(config: &Config) -> Option<Finding> {
    let folder = config.data_dir.join("keys");
    let mode = fs::metadata(&folder).ok()?.permissions().mode() & 0o777;
    let shown = folder.display();
    (mode & 0o077 != 0).then(|| {
        Finding::warn(
            "wrapped keys",
            format!("{shown} has mode {mode:o}: other accounts can access it; restrict it with chmod 700"),
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
    fn keys_are_shown_by_location_and_id_and_a_missing_one_by_its_consequence() {
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
    fn a_wrong_key_instead_of_the_right_one_is_reported() {
        let root = tempfile::tempdir().unwrap();
        let config = config(root.path());
        Keys::open(&config.data_dir, &config.keys.sources(), Loads::Both).unwrap();
        let (_, text) = kimberly_crypto::Ring::generate().unwrap();
        fs::write(root.path().join("rings/sensitive.key"), text.as_bytes()).unwrap();
        let line = check(&config)[1].to_line(false);
        assert!(line.starts_with("BAD") && line.contains("lacks the key"), "{line}");
    }

    #[test]
    fn a_rotation_shows_until_old_keys_are_gone_and_copies_that_lack_a_key_are_reported() {
        let root = tempfile::tempdir().unwrap();
        let config = config(root.path());
        let keys = Keys::open(&config.data_dir, &config.keys.sources(), Loads::Both).unwrap();
        let [master, _] = config.keys.sources().rings(&config.data_dir).unwrap().unwrap();
        master.note_copy().unwrap();
        let seen = |word: &str| {
            let lines: Vec<String> = check(&config).iter().map(|finding| finding.to_line(false)).collect();
            assert_eq!(lines.iter().filter(|line| line.contains(word)).count(), 1, "{word}: {lines:?}");
        };
        seen("contains all of its keys");
        master.add_key(&config.data_dir).unwrap();
        seen("warn  copies of keys the last recorded copy of");
        seen("warn  rotation       2 of 2 are still to be rewrapped with the master key");
        keys.rewrap_some(None, 100, RingName::Master).unwrap();
        seen("no key file needs the 1 older master keys");
        master.note_copy().unwrap();
        seen("contains all of its keys");
        master.remove_old_keys(&config.data_dir, false).unwrap();
        seen("contains all of its keys");
        fs::write(config.data_dir.join("keys/queue.key"), "damaged").unwrap();
        seen("BAD   key files      1 of them cannot be read");
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
