//! apalis's tables and our additions, created under a lock by the first process, as the role that owns them.
//!
//! The processes run as another role, which owns nothing and may only read and write rows.

mod migrate;

use kimberly_postgres::{Tables, close, connect, current_role, grant, refuse_lacking, schema_of_extension};

use super::options::PgQueueOptions;
use super::pool::how;
use crate::error::QueueError;

/// The version of the tables that this build creates, and the oldest version whose builds can still use them.
const VERSION: i32 = 1;
const SERVES_FROM: i32 = 1;

/// The extension in which apalis stores metadata.
const EXTENSION: &str = "hstore";
/// The tables of apalis that are used.
const TABLES: Tables<'_> =
    Tables { schema: "apalis", versions: "kimberly_queue", only: Some(&["jobs", "workers", "kimberly_queue"]) };

/// Checks the server, creates missing tables, and checks the rights of the processes' role. Returns the schema of the
/// extension.
pub(super) async fn prepare(options: &PgQueueOptions) -> Result<String, QueueError> {
    let mut app = connect(&how(&options.url, options)?, "the queue").await?;
    kimberly_postgres::version(&mut app).await?;
    let role = current_role(&mut app).await?;
    match &options.owner_url {
        None => {
            refuse_lacking(&mut app, TABLES, &role).await?;
            migrate::run(&mut app, &role).await?;
        }
        Some(url) => {
            let mut owner = connect(&how(url, options)?, "the queue").await?;
            let owning = current_role(&mut owner).await?;
            migrate::run(&mut owner, &owning).await?;
            grant(&mut owner, TABLES, &role, migrate::LOCK).await?;
            close(owner).await;
        }
    }
    refuse_lacking(&mut app, TABLES, &role).await?;
    let extension = schema_of_extension(&mut app, EXTENSION).await?;
    close(app).await;
    let gone =
        || QueueError::Refused(format!("the extension {EXTENSION}, which apalis needs, is gone from the database"));
    extension.ok_or_else(gone)
}
