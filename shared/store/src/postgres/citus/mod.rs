//! Citus: a Postgres whose coordinator spreads users' tables over other nodes.
//!
//! Nothing else here knows of Citus, except that statements avoid what it refuses: each reads and writes the rows of
//! one user, and names that user.

mod distribute;
mod layout;
mod nodes;

use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::postgres::PgConnection;

use super::errors;
pub use distribute::{Distributed, distribute};
use layout::Layout;

const IS_CITUS: &str = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";
const PASSES_ON: &str = "SELECT current_setting('citus.propagate_set_commands', true) = 'local'";

/// Refuses a Citus on which rows would silently be hidden, or on which tables of users lie apart.
pub(super) async fn refuse_unfit(app: &mut PgConnection, schema: &str) -> Result<()> {
    if !is_citus(app).await? {
        return Ok(());
    }
    let layout = Layout::read(app, schema).await?;
    if !layout.is_distributed() {
        return Ok(());
    }
    if let Some(table) = layout.wrong().next() {
        return Err(refused(format!(
            "the table {schema}.{} is not {} while others are distributed: run kimberly postgres distribute",
            table.name,
            table.wanted()
        )));
    }
    refuse_hiding(app).await
}

async fn is_citus(conn: &mut PgConnection) -> Result<bool> {
    let asked = sqlx::query_scalar(IS_CITUS).fetch_one(conn).await;
    asked.map_err(|e| errors::sql("checking for Citus", &e))
}

/// Every connection asks for the setting. A pooler in between may drop it.
async fn refuse_hiding(conn: &mut PgConnection) -> Result<()> {
    let asked = sqlx::query_scalar(PASSES_ON).fetch_one(conn).await;
    let passes_on: Option<bool> = asked.map_err(|e| errors::sql("reading the settings of Citus", &e))?;
    if passes_on == Some(true) {
        return Ok(());
    }
    Err(refused(
        "citus.propagate_set_commands is not 'local', so the nodes of Citus would hide all rows: connect to the coordinator \
         directly, or set it there with ALTER SYSTEM"
            .to_owned(),
    ))
}

fn refused(problem: String) -> Error {
    Error::storage(StorageFailure::Defect, problem)
}
