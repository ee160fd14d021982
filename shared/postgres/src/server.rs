//! Checks the server and its extensions.

use sqlx::postgres::PgConnection;

use crate::{Error, Result, code, execute, name};

/// The oldest supported version, in Postgres' numbering.
const OLDEST: i32 = 140_000;
const ABOUT: &str = "SELECT current_setting('server_version_num')::integer, current_setting('server_version'), \
     current_setting('server_encoding')";
const WHERE: &str = "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
     WHERE e.extname = $1";

/// Refuses a server that is too old, or a database whose encoding cannot store all text.
pub async fn version(conn: &mut PgConnection) -> Result<()> {
    let asked = sqlx::query_as(ABOUT).fetch_one(conn).await;
    let (number, version, encoding): (i32, String, String) =
        asked.map_err(Error::failed("reading the Postgres version"))?;
    suits(number, &version, &encoding)
}

fn suits(number: i32, version: &str, encoding: &str) -> Result<()> {
    if number < OLDEST {
        let oldest = OLDEST / 10_000;
        return Err(Error::Refused(format!(
            "Postgres {version} is too old: Kimberly needs Postgres {oldest} or later"
        )));
    }
    if encoding != "UTF8" {
        return Err(Error::Refused(format!(
            "the database's encoding is {encoding}, and Kimberly needs UTF8: make another one with \
             CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
        )));
    }
    Ok(())
}

/// Returns the schema of an extension, if it is installed.
pub async fn schema_of_extension(conn: &mut PgConnection, extension: &str) -> Result<Option<String>> {
    let found = sqlx::query_scalar(WHERE).bind(extension).fetch_optional(conn).await;
    found.map_err(Error::failed("checking for extensions"))
}

/// Creates a bundled extension if it is missing, in the schema `public`, because other schemas of the database need it
/// too; returns its schema.
pub async fn extension(conn: &mut PgConnection, extension: &str, role: &str) -> Result<String> {
    if let Some(schema) = schema_of_extension(conn, extension).await? {
        return Ok(schema);
    }
    let sql = format!("CREATE EXTENSION IF NOT EXISTS {} SCHEMA public", name(extension));
    let made = execute(conn, sql).await;
    match (schema_of_extension(conn, extension).await?, made) {
        // Another process may have created it meanwhile.
        (Some(schema), _) => Ok(schema),
        (None, Err(error)) => Err(missing(extension, role, error)),
        (None, Ok(())) => Err(Error::Refused(format!("the extension {extension} cannot be created"))),
    }
}

/// Returns why an extension cannot be created, and what to do.
fn missing(extension: &str, role: &str, error: sqlx::Error) -> Error {
    match code(&error).as_ref() {
        // Insufficient privilege.
        "42501" => Error::Refused(format!(
            "the extension {extension} is missing and the role {role} may not make it: run CREATE EXTENSION {extension} SCHEMA \
             public in this database as a superuser or as its owner"
        )),
        // No such file; feature not supported.
        "58P01" | "0A000" => Error::Refused(format!(
            "the extension {extension} is not installed on the server of Postgres: install its contrib modules \
             (the package postgresql-contrib)"
        )),
        _ => Error::failed("creating an extension")(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_before_14_and_other_encodings_are_refused_by_name() {
        assert!(suits(140_000, "14.0", "UTF8").is_ok() && suits(180_001, "18.1", "UTF8").is_ok());
        let old = suits(130_022, "13.22", "UTF8").unwrap_err().to_string();
        assert!(old.contains("Postgres 13.22 is too old") && old.contains("14 or later"), "{old}");
        let latin = suits(160_014, "16.14", "LATIN1").unwrap_err().to_string();
        assert!(latin.contains("LATIN1") && latin.contains("UTF8"), "{latin}");
    }
}
