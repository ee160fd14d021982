//! The tables, and how they are made and brought up to date: by whichever process comes first, under a lock, while others
//! go on working.
//!
//! Migrations run as the role that owns the tables. The processes work as another one, which owns nothing, may read and
//! write rows and nothing else, and by row-level security sees those of one user at a time.

mod migrations;
mod roles;
mod vectors;

use kimberly_core::error::Result;
use kimberly_postgres::{close, current_role, grant, refuse_lacking};
use sqlx::postgres::PgConnection;

use super::errors;
use super::moving::refuse_moved;
use super::options::PgOptions;
use super::pool::how;
pub use migrations::Migration;

/// Each brings a database from the version before to its own, which is its place in the list. One that was released is never
/// changed.
const MIGRATIONS: [Migration; 1] = [Migration { sql: include_str!("v1.sql"), serves_from: 1 }];

/// Connects beside the pool, for what needs a connection of its own: making tables and graphs, moving, holding a lock.
pub(crate) async fn connect(url: &str, options: &PgOptions) -> Result<PgConnection> {
    kimberly_postgres::connect(&how(url, options)?, "Kimberly").await.map_err(errors::of)
}

/// Looks whether the server will do, makes the schema or brings it up to date, and looks whether the role of the processes
/// may do what it must. Returns why there are no vectors, if there are none.
pub(crate) async fn prepare(options: &PgOptions) -> Result<Option<String>> {
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
        tracing::warn!(why, "vectors cannot be kept on Postgres: words alone are searched");
    }
    close(app).await;
    Ok(lacking)
}

/// Those of this build, and what a test adds.
fn migrations_of(options: &PgOptions) -> Vec<Migration> {
    MIGRATIONS.iter().chain(&options.later_migrations).copied().collect()
}
