//! The role of the processes: what it is granted, and whether it is held to the rows of one user at a time.

use kimberly_core::error::Result;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::refused;
use crate::postgres::errors;
use crate::postgres::pool::name;

const CURRENT: &str = "SELECT current_user::text";
/// Tables of a schema that a role may not read and write; of the schema's version, not read. NULL for the schema itself.
const LACKING: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT ( \
         has_table_privilege($2::name, c.oid, 'SELECT') AND (c.relname = 'schema_version' OR ( \
         has_table_privilege($2::name, c.oid, 'INSERT') AND has_table_privilege($2::name, c.oid, 'UPDATE') \
         AND has_table_privilege($2::name, c.oid, 'DELETE')))) \
     UNION ALL SELECT NULL FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege($2::name, oid, 'USAGE') \
     ORDER BY 1 NULLS FIRST";
const ABOVE: &str = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user";

/// As whom this connection works.
pub(super) async fn current(conn: &mut PgConnection) -> Result<String> {
    sqlx::query_scalar(CURRENT).fetch_one(conn).await.map_err(|e| errors::sql("asking Postgres for the role", &e))
}

/// Gives the role of the processes what it lacks, as the owner of the tables.
pub(super) async fn grant(owner: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    // Under the lock of migrations: of two who change the rights of one table at once, one fails.
    if lacking(owner, schema, role).await?.is_empty() {
        return Ok(());
    }
    super::migrations::alone(owner, schema).await?;
    let done = grant_what_lacks(owner, schema, role).await;
    super::migrations::not_alone(owner, schema).await?;
    done
}

async fn grant_what_lacks(owner: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    let (quoted, to) = (name(schema), name(role));
    for lacking in lacking(owner, schema, role).await? {
        let sql = match lacking.as_deref() {
            None => format!("GRANT USAGE ON SCHEMA {quoted} TO {to}"),
            Some("schema_version") => format!("GRANT SELECT ON {quoted}.schema_version TO {to}"),
            Some(table) => format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {quoted}.{} TO {to}", name(table)),
        };
        let granted = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *owner).await;
        granted.map_err(|e| errors::sql("granting the role of the processes its tables", &e))?;
    }
    Ok(())
}

/// Fails if the role of the processes may not do what it must, and warns if it may do more than it should.
pub(super) async fn check(app: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    if let Some(first) = lacking(app, schema, role).await?.first() {
        let what = first.as_ref().map_or_else(|| format!("schema {schema}"), |table| format!("table {schema}.{table}"));
        return Err(refused(format!(
            "the role {role} may not use the {what}: name the owner of the tables, too, so that it grants what is \
             needed, or GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} and USAGE ON SCHEMA {schema}"
        )));
    }
    let failed = |e: sqlx::Error| errors::sql("asking Postgres about the role", &e);
    let row = sqlx::query(ABOVE).fetch_one(app).await.map_err(failed)?;
    let (superuser, bypasses): (bool, bool) = (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
    if superuser || bypasses {
        let why = if superuser { "it is a superuser" } else { "it has BYPASSRLS" };
        tracing::warn!(
            role,
            why,
            "the role by which Kimberly works is not held to the rows of one user at a time by Postgres; use one that owns \
             nothing: CREATE ROLE ... LOGIN NOSUPERUSER NOBYPASSRLS, and name the owner of the tables beside it"
        );
    }
    Ok(())
}

async fn lacking(conn: &mut PgConnection, schema: &str, role: &str) -> Result<Vec<Option<String>>> {
    let found = sqlx::query_scalar(LACKING).bind(schema).bind(role).fetch_all(conn).await;
    found.map_err(|e| errors::sql("asking Postgres what the role may do", &e))
}
