//! The role of the processes, which owns nothing, and the tables that their owner grants it.

use sqlx::Row as _;
use sqlx::postgres::{PgConnection, PgRow};

use crate::{Error, Lock, Result, code, execute, name};

/// What a role lacks in a schema: the right to look into it (no name), tables that it may not read and write, and what it
/// has only to read but may not, each with the rights that it needs.
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

/// The tables that the role of the processes works with.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Where they are.
    pub schema: &'a str,
    /// The one that says which version they are of. It is read only, as views are.
    pub versions: &'a str,
    /// Their names, if they are not all that is there.
    pub only: Option<&'a [&'a str]>,
}

impl Tables<'_> {
    /// Whether they were made: whether the one that says their version is there.
    pub async fn are_there(&self, conn: &mut PgConnection) -> Result<bool> {
        let asked = sqlx::query_scalar(ARE_THERE).bind(self.schema).bind(self.versions).fetch_one(conn).await;
        asked.map_err(Error::failed("looking for the tables"))
    }
}

/// Something that a role lacks.
struct Lack {
    /// The schema itself, or a table.
    on: String,
    rights: String,
}

/// As whom this connection works.
pub async fn current_role(conn: &mut PgConnection) -> Result<String> {
    let asked = sqlx::query_scalar("SELECT current_user::text").fetch_one(conn).await;
    asked.map_err(Error::failed("asking Postgres for the role"))
}

/// Gives the role of the processes what it lacks, as the owner of the tables.
pub async fn grant(owner: &mut PgConnection, tables: Tables<'_>, role: &str, migrations: Lock<'_>) -> Result<()> {
    if lacking(owner, tables, role).await?.is_empty() {
        return Ok(());
    }
    // Under the lock of migrations: of two who change the rights of one table at once, one fails.
    migrations.wait(owner).await?;
    let granted = grant_what_lacks(owner, tables, role).await;
    let left = migrations.end(owner).await;
    // If the connection broke, both fail, and the first one says at what.
    granted.and(left)
}

async fn grant_what_lacks(owner: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<()> {
    for Lack { on, rights } in lacking(owner, tables, role).await? {
        let granted = execute(owner, format!("GRANT {rights} ON {on} TO {}", name(role))).await;
        granted.map_err(Error::failed("granting the role of the processes its tables"))?;
    }
    Ok(())
}

/// Fails if the role of the processes may not do what it must with what there is.
pub async fn refuse_lacking(app: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<()> {
    let Some(Lack { on, rights }) = lacking(app, tables, role).await?.into_iter().next() else { return Ok(()) };
    Err(Error::Refused(format!(
        "the role {role} lacks {rights} on {on}: name the owner of the tables, too, so that it grants what is needed, or GRANT \
         it as the owner"
    )))
}

async fn lacking(conn: &mut PgConnection, tables: Tables<'_>, role: &str) -> Result<Vec<Lack>> {
    let failed = Error::failed("asking Postgres what the role may do");
    let asked = sqlx::query(LACKING).bind(tables.schema).bind(role).bind(tables.versions).bind(tables.only);
    let schema = name(tables.schema);
    let lack = |row: &PgRow| {
        let (table, rights): (Option<String>, String) = (row.try_get(0)?, row.try_get(1)?);
        let on = table.map_or_else(|| format!("SCHEMA {schema}"), |table| format!("{schema}.{}", name(&table)));
        Ok(Lack { on, rights })
    };
    asked.fetch_all(conn).await.map_err(failed)?.iter().map(lack).collect::<Result<_, sqlx::Error>>().map_err(failed)
}

/// Why the tables of a schema cannot be made or changed. What Postgres says of a migration holds names of tables and no data.
pub fn not_the_owner(schema: &str, role: &str, error: sqlx::Error) -> Error {
    match error.as_database_error() {
        Some(db) if code(&error) == INSUFFICIENT_PRIVILEGE => Error::Refused(format!(
            "the role {role} may not make or change the schema {schema} ({}): name its owner in postgres.owner_url",
            db.message()
        )),
        _ => Error::failed("bringing the schema up to date")(error),
    }
}
