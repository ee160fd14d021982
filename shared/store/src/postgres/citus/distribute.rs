//! Distributes the tables of users over the nodes.

use futures::future::BoxFuture;
use kimberly_core::error::{Error, Result};
use kimberly_postgres::{close, execute, name, quoted};
use sqlx::postgres::PgConnection;

use super::layout::{Found, Layout};
use super::{is_citus, nodes, refuse_hiding, refused};
use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::pool::in_use;
use crate::postgres::schema::{self, connect};
use crate::tables::{FIRST, Spread};

const NO_HURRY: &str = "SET statement_timeout = 0; SET lock_timeout = 0";

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distributed {
    /// Nodes that hold shards.
    pub nodes: u64,
    /// Tables that are distributed now and were not before.
    pub tables: Vec<&'static str>,
}

/// Creates the tables if they are missing, checks the nodes, and distributes each table that is not where it should be.
/// `shards` is the number of shards of each table; it has no effect if a table is distributed already.
// Boxed, as `PgStore::open` is.
pub fn distribute(options: PgOptions, shards: u32) -> BoxFuture<'static, Result<Distributed>> {
    Box::pin(async move { checked(&options, shards).await })
}

async fn checked(options: &PgOptions, shards: u32) -> Result<Distributed> {
    let mut owner = connect(options.owner_url.as_ref().unwrap_or(&options.url), options).await?;
    if !is_citus(&mut owner).await? {
        return Err(refused(
            "this database is no Citus: run CREATE EXTENSION citus in it on every node, with citus in shared_preload_libraries"
                .to_owned(),
        ));
    }
    let nodes = nodes::count(&mut owner).await?;
    let mut app = schema::tables(options).await?.0;
    refuse_hiding(&mut app).await?;
    for conn in [&mut owner, &mut app] {
        nodes::refuse_lacking(conn).await?;
        nodes::refuse_apart(conn).await?;
    }
    close(app).await;
    if !in_use(&options.schema).try_take(&mut owner).await.map_err(errors::of)? {
        return Err(refused("processes of Kimberly work on this database: stop them, and run this again".to_owned()));
    }
    let tables = spread(&mut owner, &options.schema, shards).await?;
    close(owner).await;
    Ok(Distributed { nodes, tables })
}

async fn spread(owner: &mut PgConnection, schema: &str, shards: u32) -> Result<Vec<&'static str>> {
    let layout = Layout::read(owner, schema).await?;
    if let Some(table) = layout.wrong().find(|table| !table.is_local() || table.has_pages()) {
        return Err(refused(why_not(schema, table)));
    }
    execute(owner, NO_HURRY.to_owned()).await.map_err(|e| failed(FIRST, &e))?;
    let mut done = Vec::new();
    for table in layout.wrong() {
        execute(owner, statement(schema, table, shards)).await.map_err(|e| failed(table.name, &e))?;
        done.push(table.name);
    }
    Ok(done)
}

/// The table is empty, so Postgres' message contains no data.
fn failed(table: &str, error: &sqlx::Error) -> Error {
    match error.as_database_error() {
        Some(db) => refused(format!("{table} cannot be distributed: {}", db.message())),
        None => errors::sql("distributing tables", error),
    }
}

/// Why a table cannot be distributed. Its rows could not be copied: row-level security hides them from the owner, too.
fn why_not(schema: &str, table: &Found) -> String {
    if table.is_local() {
        return format!(
            "the table {schema}.{} has rows, or had some: distribute the tables of an empty schema, and move users into it with \
             kimberly migrate; VACUUM removes the trace of deleted rows",
            table.name
        );
    }
    format!("the table {schema}.{} should be {}: undistribute_table puts it back", table.name, table.wanted())
}

fn statement(schema: &str, table: &Found, shards: u32) -> String {
    let of = |table: &str| quoted(&format!("{}.{}", name(schema), name(table)));
    match table.spread {
        Spread::ByUser if table.name == FIRST => {
            format!("SELECT create_distributed_table({}, 'user_id', shard_count => {shards})", of(FIRST))
        }
        Spread::ByUser => {
            let first = of(FIRST);
            format!("SELECT create_distributed_table({}, 'user_id', colocate_with => {first})", of(table.name))
        }
        Spread::Everywhere => format!("SELECT create_reference_table({})", of(table.name)),
        Spread::Coordinator => format!("SELECT undistribute_table({})", of(table.name)),
    }
}
