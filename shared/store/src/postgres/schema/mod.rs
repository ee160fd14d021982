//! The tables, and their creation and migration by the first process that starts, under a lock, while other processes keep working.
//!
//! Migrations run as the role that owns the tables. The processes use another role, which owns nothing, may only read
//! and write rows, and by row-level security sees one user's rows at a time.

mod migrations;
mod roles;
mod vectors;

use kimberly_core::error::Result;
use kimberly_postgres::{close, current_role, grant, refuse_lacking};
use sqlx::postgres::PgConnection;

use super::citus;
use super::errors;
use super::moving::refuse_moved;
use super::options::PgOptions;
use super::pool::how;
pub use migrations::Migration;

/// Each migrates from the previous version to its position in the list. Never change a released one.
const MIGRATIONS: [Migration; 2] = [
    Migration { sql: include_str!("v1.sql"), serves_from: 1 },
    Migration { sql: include_str!("v2.sql"), serves_from: 1 },
];

/// Connects outside of the pool, for tasks that need a dedicated connection: creating tables and graphs, moving,
/// holding a lock.
pub(crate) async fn connect(url: &str, options: &PgOptions) -> Result<PgConnection> {
    kimberly_postgres::connect(&how(url, options)?, "Kimberly").await.map_err(errors::of)
}

/// Checks the server's version, creates or migrates the schema, and checks the rights of the processes' role and where
/// Citus has the tables. Returns why there are no vectors, if there are none.
pub(crate) async fn prepare(options: &PgOptions) -> Result<Option<String>> {
    let (mut app, no_vectors) = tables(options).await?;
    citus::refuse_unfit(&mut app, &options.schema).await?;
    close(app).await;
    Ok(no_vectors)
}

/// Does the same without the check for Citus. Also returns a connection as the processes' role.
pub(crate) async fn tables(options: &PgOptions) -> Result<(PgConnection, Option<String>)> {
    let (schema, tables) = (&options.schema, roles::tables(&options.schema));
    let mut app = connect(&options.url, options).await?;
    kimberly_postgres::version(&mut app).await.map_err(errors::of)?;
    let role = current_role(&mut app).await.map_err(errors::of)?;
    match &options.owner_url {
        None => {
            refuse_lacking(&mut app, tables, &role).await.map_err(errors::of)?;
            migrations::run(&mut app, schema, &role, &migrations_of(options)).await?;
            vectors::prepare(&mut app, schema).await?;
        }
        Some(url) => {
            let mut owner = connect(url, options).await?;
            let owning = current_role(&mut owner).await.map_err(errors::of)?;
            migrations::run(&mut owner, schema, &owning, &migrations_of(options)).await?;
            vectors::prepare(&mut owner, schema).await?;
            grant(&mut owner, tables, &role, migrations::lock(schema)).await.map_err(errors::of)?;
            close(owner).await;
        }
    }
    refuse_lacking(&mut app, tables, &role).await.map_err(errors::of)?;
    if !options.moving {
        refuse_moved(&mut app, schema).await?;
    }
    roles::warn_above(&mut app, schema, &role).await?;
    let lacking = vectors::lacking(&mut app, schema).await?;
    if let Some(why) = &lacking {
        tracing::warn!(why, "Postgres cannot store vectors: recall uses words alone");
    }
    Ok((app, lacking))
}

/// The migrations of this build, and those that a test adds.
fn migrations_of(options: &PgOptions) -> Vec<Migration> {
    MIGRATIONS.iter().chain(&options.later_migrations).copied().collect()
}
