//! The tables, and how they are made and brought up to date: by whichever process comes first, under a lock, while others
//! go on working.
//!
//! Migrations run as the role that owns the tables. The processes work as another one, which owns nothing, may read and
//! write rows and nothing else, and by row-level security sees those of one user at a time.

mod migrations;
mod roles;
mod server;
mod vectors;

use kimberly_core::error::{Error, Result, StorageFailure};

use super::moving::refuse_moved;
use super::options::PgOptions;
use super::pool::how;
pub use migrations::Migration;
pub(crate) use server::connect;

/// Each brings a database from the version before to its own, which is its place in the list.
const MIGRATIONS: [Migration; 4] = [
    Migration { sql: include_str!("v1.sql"), serves_from: 1 },
    // Keys. A build that does not know them would store sensitive memories as they are.
    Migration { sql: include_str!("keys.sql"), serves_from: 2 },
    // Moves. A build that does not know them would work on a database that is half filled, or was left.
    Migration { sql: include_str!("moves.sql"), serves_from: 3 },
    // How long the lists are that searches go through.
    Migration { sql: include_str!("waiting.sql"), serves_from: 3 },
];

/// Looks whether the server will do, makes the schema or brings it up to date, and looks whether the role of the processes
/// may do what it must. Returns why there are no vectors, if there are none.
pub(crate) async fn prepare(options: &PgOptions) -> Result<Option<String>> {
    let mut app = connect(&options.url, options).await?;
    server::check(&mut app).await?;
    let role = roles::current(&mut app).await?;
    match &options.owner_url {
        None => {
            roles::refuse_lacking(&mut app, &options.schema, &role).await?;
            migrations::run(&mut app, &options.schema, &role, &migrations_of(options)).await?;
            vectors::prepare(&mut app, &options.schema).await?;
        }
        Some(url) => {
            let mut owner = connect(url, options).await?;
            let owning = roles::current(&mut owner).await?;
            migrations::run(&mut owner, &options.schema, &owning, &migrations_of(options)).await?;
            vectors::prepare(&mut owner, &options.schema).await?;
            roles::grant(&mut owner, &options.schema, &role).await?;
            server::close(owner).await;
        }
    }
    roles::refuse_lacking(&mut app, &options.schema, &role).await?;
    if !options.moving {
        refuse_moved(&mut app, &options.schema).await?;
    }
    roles::warn_above(&mut app, &options.schema, &role).await?;
    let lacking = vectors::lacking(&mut app, &options.schema).await?;
    if let Some(why) = &lacking {
        tracing::warn!(why, "vectors cannot be kept on Postgres: words alone are searched");
    }
    server::close(app).await;
    Ok(lacking)
}

/// Those of this build, and what a test adds.
fn migrations_of(options: &PgOptions) -> Vec<Migration> {
    MIGRATIONS.iter().chain(&options.later_migrations).copied().collect()
}

/// What is wrong with the database or its roles, in words for whoever runs the service. Nothing gets better by itself.
fn refused(problem: String) -> Error {
    Error::storage(StorageFailure::Defect, problem)
}
