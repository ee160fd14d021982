//! The role of the processes: the tables that it needs, and whether row-level security applies to it.

use kimberly_core::error::Result;
use kimberly_postgres::Tables;
use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use crate::postgres::errors;

const ABOVE: &str = "SELECT rolsuper, rolbypassrls, EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1 \
     AND pg_has_role(current_user, nspowner, 'USAGE')) FROM pg_roles WHERE rolname = current_user";

/// All tables of the schema.
pub(super) fn tables(schema: &str) -> Tables<'_> {
    Tables { schema, versions: "schema_version", only: None }
}

/// Warns if the role of the processes has more rights than it should.
pub(super) async fn warn_above(app: &mut PgConnection, schema: &str, role: &str) -> Result<()> {
    let failed = |e: sqlx::Error| errors::sql("reading the database role", &e);
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
        "Postgres does not limit this role to the rows of one user; use one that owns nothing (LOGIN NOSUPERUSER \
         NOBYPASSRLS), and name the tables' owner in postgres.owner_url"
    );
    Ok(())
}
