//! Compares where the tables of a schema are with where they should be.

use kimberly_core::error::Result;
use sqlx::postgres::PgConnection;

use crate::postgres::errors;
use crate::tables::{Spread, spread};

/// Citus' method of each table ('h': by a hash, 'n': on all nodes; NULL: on this node alone), and the size of what lies here.
const METHODS: &str = "SELECT c.relname::text, p.partmethod::text, pg_relation_size(c.oid) FROM pg_class c \
     JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid \
     WHERE n.nspname = $1 AND c.relkind = 'r'";

/// A declared table that exists.
pub(super) struct Found {
    pub(super) name: &'static str,
    pub(super) spread: Spread,
    method: Option<String>,
    bytes: i64,
}

impl Found {
    /// Reports whether the table is where it should be.
    fn is_right(&self) -> bool {
        let wanted = match self.spread {
            Spread::ByUser => Some("h"),
            Spread::Everywhere => Some("n"),
            Spread::Coordinator => None,
        };
        self.method.as_deref() == wanted
    }

    /// Says where it should be.
    pub(super) fn wanted(&self) -> &'static str {
        match self.spread {
            Spread::ByUser => "distributed by user_id",
            Spread::Everywhere => "a reference table",
            Spread::Coordinator => "a table of the coordinator alone",
        }
    }

    /// Reports whether its file on this node has pages.
    pub(super) fn has_pages(&self) -> bool {
        self.bytes > 0
    }

    /// Reports whether it is on this node alone.
    pub(super) fn is_local(&self) -> bool {
        self.method.is_none()
    }
}

/// The tables of a schema, in the order in which they can be distributed.
pub(super) struct Layout(Vec<Found>);

impl Layout {
    /// Reads it from the catalogs.
    pub(super) async fn read(conn: &mut PgConnection, schema: &str) -> Result<Self> {
        let asked = sqlx::query_as(METHODS).bind(schema).fetch_all(conn).await;
        let methods: Vec<(String, Option<String>, i64)> =
            asked.map_err(|e| errors::sql("reading which tables are distributed", &e))?;
        let found = |(name, spread): (&'static str, Spread)| {
            let (_, method, bytes) = methods.iter().find(|(table, ..)| table == name)?;
            Some(Found { name, spread, method: method.clone(), bytes: *bytes })
        };
        Ok(Self(spread().filter_map(found).collect()))
    }

    /// Reports whether any table is distributed.
    pub(super) fn is_distributed(&self) -> bool {
        self.0.iter().any(|table| !table.is_local())
    }

    /// Returns the tables that are not where they should be.
    pub(super) fn wrong(&self) -> impl Iterator<Item = &Found> {
        self.0.iter().filter(|table| !table.is_right())
    }
}
