//! Copies a database into a new encrypted file.

use std::path::Path;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{DbKey, PAGE_CIPHER_PRAGMA};

use super::conn::{Args, Conn};
use super::errors;
use super::rows::{Cells, ReadRow as _};

/// Copies the database attached as `source` to a new file encrypted with `key`, on a connection without a file. On
/// return the file is neither guaranteed to be durable nor closed before `conn` is.
pub(super) async fn export(conn: &mut Conn, to: &Path, key: &DbKey) -> Result<()> {
    let doing = "encrypting a database";
    let attach = Args::new().with(address(to, "")?).with(key.pragma().trim_matches('"').to_owned());
    conn.run(doing, "ATTACH ? AS target KEY ?", attach).await?;
    let (name, value) = PAGE_CIPHER_PRAGMA;
    // The caller syncs the file before use; if killed before that, it is never taken for a database.
    conn.run(doing, format!("PRAGMA target.{name} = {value}; PRAGMA target.synchronous = OFF"), Args::new()).await?;
    conn.run(doing, "BEGIN EXCLUSIVE", Args::new()).await?;
    conn.run(doing, "SELECT sqlcipher_export('target', 'source')", Args::new()).await?;
    for stamp in ["application_id", "user_version"] {
        let read = format!("PRAGMA source.{stamp}");
        let value = conn.row(doing, read, Args::new(), |row| Cells::new(row).int()).await?.unwrap_or_default();
        conn.run(doing, format!("PRAGMA target.{stamp} = {value}"), Args::new()).await?;
    }
    conn.run(doing, "COMMIT", Args::new()).await?;
    let log = conn.row(doing, "PRAGMA target.journal_mode = WAL", Args::new(), |row| Cells::new(row).text()).await?;
    if log.as_deref() != Some("wal") {
        return Err(Error::storage(
            StorageFailure::Defect,
            "an encrypted database could not enable its write-ahead log",
        ));
    }
    Ok(())
}

/// Attaches the database to copy. `query` holds parameters of its address, such as `immutable=1`.
pub(super) async fn attach_source(conn: &mut Conn, path: &Path, query: &str) -> Result<()> {
    // An empty key means an unencrypted file.
    conn.run("opening a database", "ATTACH ? AS source KEY ''", Args::new().with(address(path, query)?)).await?;
    Ok(())
}

/// Returns the SQLite URI of a file with any name, with parameters.
pub(super) fn address(path: &Path, query: &str) -> Result<String> {
    let path = std::path::absolute(path).map_err(|error| errors::io("resolving a path", &error))?;
    let text = path.to_str().ok_or_else(|| {
        Error::storage(StorageFailure::Defect, format!("the path {} is not UTF-8, as SQLite needs it", path.display()))
    })?;
    let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(if query.is_empty() { format!("file:{escaped}") } else { format!("file:{escaped}?{query}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_address() {
        assert_eq!(address(Path::new("/a b/c"), "").unwrap(), "file:/a b/c");
        assert_eq!(address(Path::new("/a?b#c%41"), "immutable=1").unwrap(), "file:/a%3fb%23c%2541?immutable=1");
    }
}
