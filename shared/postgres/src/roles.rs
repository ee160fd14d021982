//! The role of the processes, which owns nothing, and its rights on the owner's tables.

use sqlx::Row as _;
use sqlx::postgres::{PgConnection, PgRow};

use crate::{Error, Lock, Result, code, execute, name};

/// The rights that a role lacks in a schema: usage of the schema (no name), read and write on tables, read on views
/// and on the version table; each with the missing rights.
const LACKING: &str = "WITH needed AS ( \
         SELECT c.oid, c.relname::text AS name, CASE WHEN c.relkind = 'v' OR c.relname = $3 \
             THEN ARRAY['SELECT'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END AS rights \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v') AND (c.relname = ANY($4) OR $4 IS NULL)) \
     SELECT NULL AS name, 'USAGE' AS rights FROM pg_namespace \
     WHERE nspname = $1 AND NOT has_schema_privilege($2::name, oid, 'USAGE') \
     UNION ALL SELECT name, array_to_string(rights, ', ') FROM needed \
     WHERE EXISTS (SELECT 1 FROM unnest(rights) AS r (r) WHERE NOT has_table_privilege($2::name, needed.oid, r)) \
     ORDER BY 1 NULLS FIRST";
const ARE_THERE: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1 AND c.relname = $2)";
const INSUFFICIENT_PRIVILEGE: &str = "42501";

/// The tables that the processes' role uses.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Their schema.
    pub schema: &'a str,
    /// The table with their version; read-only, like views.
    pub versions: &'a str,
    /// Their names, unless they are all tables of the schema.
    pub only: Option<&'a [&'a str]>,
}

impl Tables<'_> {
    /// Reports whether the tables exist, according to the version table.
    pub async fn are_there(&self, conn: &mut PgConnection) -> Result<bool> {
        let asked = sqlx::query_scalar(ARE_THERE).bind(self.schema).bind(self.versions).fetch_one(conn).await;
        asked.map_err(Error::failed("checking for tables"))
    }
}

/// Missing rights of a role.
struct Lack {
    /// The schema or table.
    on: String,
    rights: String,
}

/// Returns the role of this connection.
pub async fn current_role(conn: &mut PgConnection) -> Result<String> {
    let asked = sqlx::query_scalar("SELECT current_user::text").fetch_one(conn).await;
    asked.map_err(Error::failed("reading the database role"))
}

/// Grants missing rights to the processes' role, as the owner of the tables.
pub async fn grant(owner: &mut PgConnection, tables: Tables<'_>, role: &str, migrations: Lock<'_>) -> Result<()> {
    if lacking(owner, tables, role).await?.is_empty() {
        return Ok(());
    }
    // Under the migration lock: of two concurrent grants on one table, one would fail.
    migrations.wait(owner).await?;
    let granted = grant_what_lacks(owner, tables, role).await;
    let left = migrations.end(owner).await;
    // If the connection broke, both fail, and the first error says where.
    granted.and(left)
}

async fn grant_what_lacks(owner: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<()> {
    for Lack { on, rights } in lacking(owner, tables, role).await? {
        let granted = execute(owner, format!("GRANT {rights} ON {on} TO {}", name(role))).await;
        granted.map_err(Error::failed("granting table privileges to the processes' role"))?;
    }
    Ok(())
}

/// Fails if the processes' role lacks a right.
pub async fn refuse_lacking(app: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<()> {
    let Some(Lack { on, rights }) = lacking(app, tables, role).await?.into_iter().next() else { return Ok(()) };
    Err(Error::Refused(format!(
        "the role {role} lacks {rights} on {on}: name the owner of the tables, too, so that it grants what is needed, or GRANT \
         it as the owner"
    )))
}

async fn lacking(conn: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<Vec<Lack>> {
    let failed = Error::failed("reading the role's privileges");
    let asked = sqlx::query(LACKING).bind(tables.schema).bind(role).bind(tables.versions).bind(tables.only);
    let schema = name(tables.schema);
    let lack = |row: &PgRow| {
        let (table, rights): (Option<String>, String) = (row.try_get(0)?, row.try_get(1)?);
        let on = table.map_or_else(|| format!("SCHEMA {schema}"), |table| format!("{schema}.{}", name(&table)));
        Ok(Lack { on, rights })
    };
    asked.fetch_all(conn).await.map_err(failed)?.iter().map(lack).collect::<Result<_, sqlx::Error>>().map_err(failed)
}

/// Returns the error for a schema whose tables cannot be created or changed. Postgres' message names tables and
/// contains no data.
pub fn not_the_owner(schema: &str, role: &str, error: sqlx::Error) -> Error {
    match error.as_database_error() {
        Some(db) if code(&error) == INSUFFICIENT_PRIVILEGE => Error::Refused(format!(
            "the role {role} may not create or change the schema {schema} ({}): name its owner in postgres.owner_url",
            db.message()
        )),
        _ => Error::failed("migrating the schema")(error),
    }
}
