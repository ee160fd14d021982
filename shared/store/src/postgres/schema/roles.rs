//! The role of the processes: what it is granted, and whether it is held to the rows of one user at a time.

use kimberly_core::error::Result;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Row as _};

use super::refused;
use crate::postgres::errors;
use crate::postgres::pool::name;

const CURRENT: &str = "SELECT current_user::text";
/// What a role lacks in a schema: the right to look into it (no name), tables that it may not read and write, and what it
/// has only to read but may not, each with the rights that it needs.
const LACKING: &str = "WITH needed AS ( \
         SELECT c.oid, c.relname::text AS name, CASE WHEN c.relkind = 'v' OR c.relname = 'schema_version' \
             THEN ARRAY['SELECT'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END AS rights \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v')) \
     SELECT NULL AS name, 'USAGE' AS rights FROM pg_namespace \
     WHERE nspname = $1 AND NOT has_schema_privilege($2::name, oid, 'USAGE') \
     UNION ALL SELECT name, array_to_string(rights, ', ') FROM needed \
     WHERE EXISTS (SELECT 1 FROM unnest(rights) AS r (r) WHERE NOT has_table_privilege($2::name, needed.oid, r)) \
     ORDER BY 1 NULLS FIRST";
const ABOVE: &str = "SELECT rolsuper, rolbypassrls, EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1 \
     AND pg_has_role(current_user, nspowner, 'USAGE')) FROM pg_roles WHERE rolname = current_user";

/// Something that a role lacks: in the schema itself, or the name of a table.
struct Lack {
    table: Option<String>,
    rights: String,
}

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
    let left = super::migrations::not_alone(owner, schema).await;
    // If the connection broke, both fail, and the first one says at what.
    done.and(left)
}

async fn grant_what_lacks(owner: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    let (quoted, to) = (name(schema), name(role));
    for lacking in lacking(owner, schema, role).await? {
        let on = match &lacking.table {
            None => format!("SCHEMA {quoted}"),
            Some(table) => format!("{quoted}.{}", name(table)),
        };
        let sql = format!("GRANT {} ON {on} TO {to}", lacking.rights);
        let granted = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *owner).await;
        granted.map_err(|e| errors::sql("granting the role of the processes its tables", &e))?;
    }
    Ok(())
}

/// Fails if the role of the processes may not do what it must with what there is.
pub(super) async fn refuse_lacking(app: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    if let Some(Lack { table, rights }) = lacking(app, schema, role).await?.first() {
        let what = table.as_ref().map_or_else(|| format!("SCHEMA {schema}"), |table| format!("{schema}.{table}"));
        return Err(refused(format!(
            "the role {role} lacks {rights} on {what}: name the owner of the tables, too, so that it grants what is needed, \
             or GRANT it as the owner"
        )));
    }
    Ok(())
}

/// Warns if the role of the processes may do more than it should.
pub(super) async fn warn_above(app: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    let failed = |e: sqlx::Error| errors::sql("asking Postgres about the role", &e);
    let row = sqlx::query(ABOVE).bind(schema).fetch_one(app).await.map_err(failed)?;
    let flag = |column: usize| row.try_get::<bool, _>(column).map_err(failed);
    let why = match (flag(0)?, flag(1)?, flag(2)?) {
        (true, ..) => "it is a superuser",
        (_, true, _) => "it has BYPASSRLS",
        (.., true) => "it owns the tables",
        _ => return Ok(()),
    };
    tracing::warn!(
        role,
        why,
        "the role by which Kimberly works is not held to the rows of one user at a time by Postgres; use one that owns \
         nothing: CREATE ROLE ... LOGIN NOSUPERUSER NOBYPASSRLS, and name the owner of the tables beside it"
    );
    Ok(())
}

async fn lacking(conn: &mut PgConnection, schema: &str, role: &str) -> Result<Vec<Lack>> {
    let failed = |e: sqlx::Error| errors::sql("asking Postgres what the role may do", &e);
    let rows = sqlx::query(LACKING).bind(schema).bind(role).fetch_all(conn).await.map_err(failed)?;
    let lack =
        |row: &PgRow| Ok(Lack { table: row.try_get(0).map_err(failed)?, rights: row.try_get(1).map_err(failed)? });
    rows.iter().map(lack).collect()
}
