//! The role of the processes, and what it is granted.

use sqlx::postgres::PgConnection;

use super::{migrate, refused, server};
use crate::error::QueueError;
use crate::postgres::pool::name;

/// What a role lacks in apalis's schema, if that is there: the right to look into it (no name), and rights on tables.
const LACKING: &str = "WITH needed AS ( \
         SELECT c.oid, c.relname::text AS name, CASE WHEN c.relname = 'kimberly_queue' THEN ARRAY['SELECT'] \
             ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END AS rights \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = 'apalis' AND c.relname IN ('jobs', 'workers', 'kimberly_queue')) \
     SELECT NULL AS name, 'USAGE' AS rights FROM pg_namespace \
     WHERE nspname = 'apalis' AND NOT has_schema_privilege($1::name, oid, 'USAGE') \
     UNION ALL SELECT name, array_to_string(rights, ', ') FROM needed \
     WHERE EXISTS (SELECT 1 FROM unnest(rights) AS r (r) WHERE NOT has_table_privilege($1::name, needed.oid, r)) \
     ORDER BY 1 NULLS FIRST";

/// As whom this connection works.
pub(super) async fn current(conn: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar("SELECT current_user::text").fetch_one(conn).await
}

/// Gives the role of the processes what it lacks, as the owner of the tables.
pub(super) async fn grant(owner: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    // Under the lock of migrations: of two who change the rights of one table at once, one fails.
    if lacking(owner, role).await?.is_empty() {
        return Ok(());
    }
    migrate::alone(owner).await?;
    let granted = grant_what_lacks(owner, role).await;
    let left = migrate::not_alone(owner).await;
    // If the connection broke, both fail, and the first one says at what.
    granted?;
    Ok(left?)
}

async fn grant_what_lacks(owner: &mut PgConnection, role: &str) -> Result<(), sqlx::Error> {
    for (on, rights) in lacking(owner, role).await? {
        server::execute(owner, format!("GRANT {rights} ON {on} TO {}", name(role))).await?;
    }
    Ok(())
}

/// Fails if the role of the processes may not do what it must with what there is.
pub(super) async fn refuse_lacking(app: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    let Some((on, rights)) = lacking(app, role).await?.into_iter().next() else { return Ok(()) };
    Err(refused(format!(
        "the role {role} lacks {rights} on {on}: name the owner of the tables, too, so that it grants what is needed, or GRANT \
         it as the owner"
    )))
}

/// What is lacking rights, and which.
async fn lacking(conn: &mut PgConnection, role: &str) -> Result<Vec<(String, String)>, sqlx::Error> {
    let rows: Vec<(Option<String>, String)> = sqlx::query_as(LACKING).bind(role).fetch_all(conn).await?;
    let on =
        |table: Option<String>| table.map_or("SCHEMA apalis".to_owned(), |table| format!("apalis.{}", name(&table)));
    Ok(rows.into_iter().map(|(table, rights)| (on(table), rights)).collect())
}
