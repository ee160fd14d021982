//! The tables of vectors, which need pgvector. Without it everything else works, and requests for vectors fail with a
//! message that says what to install.

use kimberly_core::error::Result;
use kimberly_postgres::{execute, name};
use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use super::migrations;
use crate::postgres::errors;

/// The oldest supported pgvector: the first with iterative scans, which continue a graph search until enough rows are
/// found.
const OLDEST: (u32, u32) = (0, 8);
const TABLES: &str = include_str!("vectors.sql");
const MAKE: &str = "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public";
/// Selects version and schema of the extension, whether the tables exist, and the owner of the other tables.
const ABOUT: &str = "SELECT e.extversion::text, n.nspname::text, EXISTS (SELECT 1 FROM pg_class c \
         JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = $1 AND c.relname = 'vectors'), \
         (SELECT t.tableowner::text FROM pg_tables t WHERE t.schemaname = $1 AND t.tablename = 'vaults') \
     FROM (SELECT 1) AS one LEFT JOIN pg_extension e ON e.extname = 'vector' \
     LEFT JOIN pg_namespace n ON n.oid = e.extnamespace";

/// The database's support for vectors.
struct About {
    version: Option<String>,
    extension_schema: Option<String>,
    tables: bool,
    owner: Option<String>,
}

/// Creates the tables if they are missing and it is possible. [`lacking`] says what prevents it.
pub(super) async fn prepare(owner: &mut PgConnection, schema: &str) -> Result<()> {
    if about(owner, schema).await?.tables {
        return Ok(());
    }
    let lock = migrations::lock(schema);
    lock.wait(owner).await.map_err(errors::of)?;
    let made = under_lock(owner, schema).await;
    let left = lock.end(owner).await.map_err(errors::of);
    // If the connection broke, both fail, and the first error says where.
    made.and(left)
}

async fn under_lock(owner: &mut PgConnection, schema: &str) -> Result<()> {
    let mut found = about(owner, schema).await?;
    if found.version.is_none() {
        // Most roles may not create extensions; the error then says what to do.
        if let Err(error) = execute(owner, MAKE.to_owned()).await {
            tracing::debug!(error = %errors::sql("creating an extension", &error), "pgvector cannot be created");
        }
        found = about(owner, schema).await?;
    }
    if found.tables || problem(&found, schema).is_some() {
        return Ok(());
    }
    // All tables get the same owner, even if the connected role is a more powerful one.
    let role = found.owner.map(|owner| format!("SET LOCAL ROLE {};", name(&owner))).unwrap_or_default();
    let sql = format!("BEGIN; {role} SET LOCAL search_path = {}, public; {TABLES}; COMMIT", name(schema));
    if let Err(error) = execute(owner, sql).await {
        execute(owner, "ROLLBACK".to_owned()).await.map_err(|e| errors::sql("removing the tables of vectors", &e))?;
        tracing::debug!(error = %errors::sql("creating the tables of vectors", &error), "there are no vectors");
    }
    Ok(())
}

/// Returns why there are no vectors and what to do; `None` if there are.
pub(super) async fn lacking(app: &mut PgConnection, schema: &str) -> Result<Option<String>> {
    let found = about(app, schema).await?;
    Ok(problem(&found, schema).or_else(|| {
        let what = "the tables of vectors are missing: start once with the address of the tables' owner";
        (!found.tables).then(|| what.to_owned())
    }))
}

fn problem(found: &About, schema: &str) -> Option<String> {
    let (oldest_major, oldest_minor) = OLDEST;
    let Some(version) = &found.version else {
        return Some(format!(
            "the extension vector is missing: install pgvector {oldest_major}.{oldest_minor} or later on the server of \
             Postgres, run CREATE EXTENSION vector SCHEMA public in this database as a superuser, and start again"
        ));
    };
    if !reaches(version) {
        return Some(format!(
            "the extension vector is {version}: install pgvector {oldest_major}.{oldest_minor} or later, run ALTER EXTENSION \
             vector UPDATE in this database, and start again"
        ));
    }
    let found_in = found.extension_schema.as_deref()?;
    (found_in != "public" && found_in != schema).then(|| {
        format!("the extension vector is in the schema {found_in}: run ALTER EXTENSION vector SET SCHEMA public")
    })
}

/// Reports whether a version is at least the oldest supported one.
fn reaches(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST
}

async fn about(conn: &mut PgConnection, schema: &str) -> Result<About> {
    let failed = |e: sqlx::Error| errors::sql("checking for the vector extension", &e);
    let row = sqlx::query(ABOUT).bind(schema).fetch_one(conn).await.map_err(failed)?;
    Ok(About {
        version: row.try_get(0).map_err(failed)?,
        extension_schema: row.try_get(1).map_err(failed)?,
        tables: row.try_get(2).map_err(failed)?,
        owner: row.try_get(3).map_err(failed)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_old_or_out_of_reach_is_named_with_what_helps() {
        let said = |version: Option<&str>, found_in: &str| {
            let (version, extension_schema) = (version.map(str::to_owned), Some(found_in.to_owned()));
            problem(&About { version, extension_schema, tables: false, owner: None }, "kimberly")
        };
        assert!(said(None, "").is_some_and(|said| said.contains("CREATE EXTENSION vector")));
        for old in ["0.7.4", "0.5", "x"] {
            assert!(said(Some(old), "public").is_some_and(|said| said.contains("UPDATE")), "{old}");
        }
        assert!(said(Some("0.8.0"), "theirs").is_some_and(|said| said.contains("SET SCHEMA public")));
        for good in ["0.8.0", "0.8.5", "0.10", "1.0.0"] {
            assert_eq!((said(Some(good), "public"), said(Some(good), "kimberly")), (None, None), "{good}");
        }
    }
}
