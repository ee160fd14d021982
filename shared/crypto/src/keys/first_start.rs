//! What the first start over a data folder makes, and what tells a first start from one whose keys were lost.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::folders::{publish_new, read_bounded, write_staged};
use crate::hex::{hex, is_hex};
use crate::secret::fill;
use crate::source::Places;
use crate::{FileKeyStore, KeyError, KeyName, KeyStore as _};

/// The first bytes of a database that is not encrypted.
const PLAIN: &[u8; 16] = b"SQLite format 3\0";

/// Whether no key has been wrapped here yet.
pub(crate) fn is_first(store: &FileKeyStore) -> Result<bool, KeyError> {
    let databases = store.read(&KeyName::System)?.is_some() || store.read(&KeyName::Queue)?.is_some();
    Ok(!databases && store.list(None, 1)?.is_empty())
}

/// Refuses to go on when a database is encrypted and its key file is gone: a new key would not open it.
pub(super) fn refuse_orphans(data_dir: &Path, store: &FileKeyStore) -> Result<(), KeyError> {
    for (name, database) in [(KeyName::System, "system.db"), (KeyName::Queue, "queue.db")] {
        if store.read(&name)?.is_none() && is_encrypted(&data_dir.join(database))? {
            return Err(KeyError::Refused(format!(
                "{} is encrypted, but its key file {} is missing; put {} back from its backup",
                data_dir.join(database).display(),
                store.path(&name).display(),
                data_dir.join("keys").display()
            )));
        }
    }
    Ok(())
}

/// Whether a file is there, holds something and does not begin as a plain database does.
pub(super) fn is_encrypted(file: &Path) -> Result<bool, KeyError> {
    let mut head = Vec::new();
    match fs::File::open(file).and_then(|file| file.take(16).read_to_end(&mut head)) {
        Ok(_) => Ok(!head.is_empty() && head != PLAIN),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(KeyError::io("reading", file, &error)),
    }
}

/// The id of the data folder, made on the first start.
pub(crate) fn data_id(keys: &Path, first: bool) -> Result<String, KeyError> {
    let file = keys.join("id");
    let what = || file.display().to_string();
    if let Some(bytes) = read_bounded(&file, 64)? {
        let text = std::str::from_utf8(&bytes).unwrap_or_default().trim_end();
        return if is_hex(text, 16) {
            Ok(text.to_owned())
        } else {
            Err(KeyError::damaged(what(), "it is not 16 hexadecimal digits"))
        };
    }
    if !first {
        return Err(KeyError::damaged(what(), "it is missing, and the keys beside it open only with it"));
    }
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    let id = hex(&bytes);
    let staged = keys.join(".id.new");
    write_staged(&staged, format!("{id}\n").as_bytes())?;
    publish_new(&staged, &file)?;
    Ok(id)
}

/// Makes the files of both rings where they are missing, whichever process comes first, and says so in one line.
pub(super) fn make_rings(places: &Places, data_id: &str, data_dir: &Path) -> Result<Option<String>, KeyError> {
    let mut made = Vec::new();
    for place in [&places.master, &places.sensitive] {
        if let Some(path) = place.create_missing(data_id)? {
            made.push(path.display().to_string());
        }
    }
    Ok((!made.is_empty()).then(|| {
        format!(
            "made the keys of {}: {}; whoever has them can read everything, and without them nothing can be read again, \
             backups included: keep a copy of them apart from the data",
            data_dir.display(),
            made.join(" and ")
        )
    }))
}
