//! Lists vault folders, whether or not any table mentions them.

use std::fs;
use std::io;
use std::path::Path;

use kimberly_core::error::Result;
use kimberly_crypto::UserHash;

use crate::sqlite::layout::Layout;
use crate::sqlite::{errors, files};

/// Returns all of them, by the hashes of their users.
pub(crate) async fn all(layout: &Layout) -> Result<Vec<String>> {
    let vaults = layout.vaults();
    let found = files::off_thread(move || list(&vaults)).await?;
    found.map_err(|error| errors::io("checking for vaults", &error))
}

fn list(vaults: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let groups = match fs::read_dir(vaults) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        groups => groups?,
    };
    for group in groups {
        let group = group?;
        if !group.file_type()?.is_dir() {
            continue;
        }
        for folder in fs::read_dir(group.path())? {
            let name = folder?.file_name();
            let hash = name.to_str().and_then(UserHash::parse);
            found.extend(hash.map(|hash| hash.as_str().to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_vaults_are_found_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let vaults = root.path().join("vaults");
        assert_eq!(list(&vaults).unwrap(), Vec::<String>::new());
        let (ada, bob) = ("a".repeat(64), "b".repeat(64));
        for hash in [&ada, &bob] {
            fs::create_dir_all(vaults.join(&hash[..2]).join(hash)).unwrap();
        }
        for other in ["empty-v1.db", ".in-use", "aa/.lock"] {
            fs::write(vaults.join(other), "").unwrap();
        }
        let mut found = list(&vaults).unwrap();
        found.sort();
        assert_eq!(found, [ada, bob]);
    }
}
