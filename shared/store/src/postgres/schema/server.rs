//! Connecting, and whether the server will do.

use kimberly_core::error::Result;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Row as _};

use super::{how, refused};
use crate::postgres::errors;
use crate::postgres::options::PgOptions;

/// The oldest that is supported, as Postgres counts versions.
const OLDEST: i64 = 140_000;
/// Extensions that the tables need; both come with Postgres.
const EXTENSIONS: [&str; 2] = ["btree_gin", "pg_trgm"];

const ABOUT: &str = "SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), \
     current_setting('server_encoding')";
const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = $1)";
const WHERE: &str = "SELECT DISTINCT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
     WHERE e.extname = ANY($1)";

/// Connects. Why Postgres lets nobody in is told in its words, which hold no more than names.
pub(crate) async fn connect(url: &str, options: &PgOptions) -> Result<PgConnection> {
    Box::pin(PgConnection::connect_with(&how(url, options)?)).await.map_err(|error| match &error {
        sqlx::Error::Database(db) if db.code().is_some_and(|code| code.starts_with("28") || code == "3D000") => {
            refused(format!("Postgres does not let Kimberly in: {}", db.message()))
        }
        _ => errors::sql("connecting to Postgres", &error),
    })
}

/// Ends a connection.
pub(super) async fn close(conn: PgConnection) {
    // It has done what it was for.
    let _ = conn.close().await;
}

/// Refuses a server that is too old, and a database that cannot hold every text.
pub(super) async fn check(conn: &mut PgConnection) -> Result<()> {
    let failed = |e: sqlx::Error| errors::sql("asking Postgres for its version", &e);
    let row = sqlx::query(ABOUT).fetch_one(conn).await.map_err(failed)?;
    let (number, version, encoding): (i64, String, String) =
        (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?, row.try_get(2).map_err(failed)?);
    suits(number, &version, &encoding)
}

fn suits(number: i64, version: &str, encoding: &str) -> Result<()> {
    if number < OLDEST {
        let oldest = OLDEST / 10_000;
        return Err(refused(format!("Postgres {version} is too old: Kimberly needs Postgres {oldest} or later")));
    }
    if encoding != "UTF8" {
        return Err(refused(format!(
            "the database's encoding is {encoding}, and Kimberly needs UTF8: make another one with \
             CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
        )));
    }
    Ok(())
}

/// Makes the extensions that are missing, and returns the schemas in which they are all found.
pub(super) async fn extensions(conn: &mut PgConnection, role: &str) -> Result<Vec<String>> {
    for name in EXTENSIONS {
        if is_there(conn, name).await? {
            continue;
        }
        // Beside the schema of this store, since others in the same database need it too.
        let make = format!("CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public");
        if let Err(error) = sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut *conn).await
            // Another store of the same database may have made it meanwhile.
            && !is_there(conn, name).await?
        {
            return Err(missing(name, role, &error));
        }
    }
    let names: Vec<String> = EXTENSIONS.iter().map(|&name| name.to_owned()).collect();
    let found = sqlx::query_scalar(WHERE).bind(names).fetch_all(conn).await;
    found.map_err(|e| errors::sql("looking for extensions", &e))
}

async fn is_there(conn: &mut PgConnection, extension: &str) -> Result<bool> {
    let found = sqlx::query_scalar(IS_THERE).bind(extension).fetch_one(conn).await;
    found.map_err(|e| errors::sql("looking for extensions", &e))
}

/// Why an extension cannot be made, and what to do.
fn missing(name: &str, role: &str, error: &sqlx::Error) -> kimberly_core::Error {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
    match code.as_ref() {
        // Insufficient privilege.
        "42501" => refused(format!(
            "the extension {name} is missing and the role {role} may not make it: run CREATE EXTENSION {name} SCHEMA public \
             in this database as a superuser or as its owner"
        )),
        // No such file; feature not supported.
        "58P01" | "0A000" => refused(format!(
            "the extension {name} is not installed on the server of Postgres: install its contrib modules \
             (the package postgresql-contrib)"
        )),
        _ => errors::sql("making an extension", error),
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
