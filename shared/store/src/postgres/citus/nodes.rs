//! Checks the nodes of a Citus: that there are some, that each can be reached as the role in question, and what each lacks.

use kimberly_core::error::Result;
use kimberly_postgres::current_role;
use sqlx::postgres::PgConnection;

use super::refused;
use crate::postgres::errors;

const IS_COORDINATOR: &str = "SELECT groupid = 0 FROM pg_dist_local_group";
const HOLDING_SHARDS: &str =
    "SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'";
/// Asks every node for the extensions that it lacks.
const LACKING: &str = "SELECT n.nodename || ':' || n.nodeport, r.success, r.result FROM run_command_on_all_nodes($ask$ \
         SELECT coalesce(string_agg(needed, ', '), '') FROM unnest(ARRAY['btree_gin', 'pg_trgm']) AS needed \
         WHERE NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = needed) $ask$) AS r \
     JOIN pg_dist_node n USING (nodeid) ORDER BY n.nodeid";
/// Pairs of nodes of which the first cannot reach the second.
const APART: &str = "SELECT from_nodename || ':' || from_nodeport, to_nodename || ':' || to_nodeport \
     FROM citus_check_cluster_node_health() WHERE result IS NOT TRUE";

/// Fails if this is not a coordinator with nodes for shards; returns their number.
pub(super) async fn count(conn: &mut PgConnection) -> Result<u64> {
    let failed = |e: sqlx::Error| errors::sql("reading the nodes of Citus", &e);
    let leads: Option<bool> = sqlx::query_scalar(IS_COORDINATOR).fetch_optional(&mut *conn).await.map_err(failed)?;
    if leads != Some(true) {
        return Err(refused("this is a worker node of Citus: name the coordinator in postgres.url".to_owned()));
    }
    let nodes: i64 = sqlx::query_scalar(HOLDING_SHARDS).fetch_one(conn).await.map_err(failed)?;
    if nodes == 0 {
        return Err(refused(
            "Citus has no node for shards: on the coordinator run citus_set_coordinator_host, and citus_add_node for each \
             other node, as a superuser"
                .to_owned(),
        ));
    }
    Ok(nodes.unsigned_abs())
}

/// Fails if this connection's role cannot work on every node, or a node lacks an extension.
pub(super) async fn refuse_lacking(conn: &mut PgConnection) -> Result<()> {
    let failed = |e: sqlx::Error| errors::sql("asking the nodes of Citus", &e);
    let role = current_role(conn).await.map_err(errors::of)?;
    let nodes: Vec<(String, bool, Option<String>)> = sqlx::query_as(LACKING).fetch_all(conn).await.map_err(failed)?;
    for (node, success, said) in nodes {
        let said = said.unwrap_or_default();
        if !success {
            return Err(refused(format!(
                "the coordinator cannot work as {role} on the node {node} ({said}): create the role there, and give every node its \
                 password in pg_dist_authinfo or .pgpass"
            )));
        }
        if !said.is_empty() {
            return Err(refused(format!(
                "the node {node} lacks {said}: run CREATE EXTENSION IF NOT EXISTS on the coordinator as a superuser, once all nodes are \
                 added"
            )));
        }
    }
    Ok(())
}

/// Fails if a node cannot reach another one as this connection's role.
pub(super) async fn refuse_apart(conn: &mut PgConnection) -> Result<()> {
    let role = current_role(conn).await.map_err(errors::of)?;
    let asked = sqlx::query_as(APART).fetch_optional(conn).await;
    let apart: Option<(String, String)> = asked.map_err(|e| errors::sql("asking the nodes of Citus", &e))?;
    match apart {
        None => Ok(()),
        Some((from, to)) => Err(refused(format!(
            "the node {from} cannot reach the node {to} as {role}: every node needs that role's password (pg_dist_authinfo or \
             .pgpass) and a line in pg_hba.conf"
        ))),
    }
}
