//! Appends entries to the chain, whose end is stored in a row that each writer locks.

use kimberly_core::audit::{AuditEntry, AuditHead, AuditRecord, vault_log};
use kimberly_core::error::Result;

use crate::codes::unsigned;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::slots;

const ENTRIES: &str = "INSERT INTO audit (user_id, no, at, actor, action, refused, subject, count, hash) \
     SELECT v.user_id, new.* FROM vaults v CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], \
     $6::text[], $7::text[], $8::bigint[], $9::bytea[]) AS new WHERE v.user_id = $1";
const SYSTEM_ENTRIES: &str = "INSERT INTO system_audit (no, at, actor, action, refused, subject, count, hash) \
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], \
     $8::bytea[])";
const SYSTEM_END: &str = "SELECT name, last, hash FROM system_audit_log WHERE one = 1 FOR UPDATE";
const SET_SYSTEM_END: &str = "UPDATE system_audit_log SET last = $1, hash = $2 WHERE one = 1";

/// Appends entries to the chain of the vault, whose row stores its end.
pub(crate) async fn append(conn: &mut Conn, entries: &[AuditEntry]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let no = conn.head.items(slots::AUDITED).cast_unsigned();
    let end = match conn.head.audit_hash {
        Some(hash) => AuditHead { no, hash },
        None => AuditHead::genesis(&vault_log(conn.user()?)),
    };
    // Numbers continue after the highest ever given.
    let (records, end) = linked(AuditHead { no, ..end }, entries);
    let args = push(conn.args(), records);
    conn.run("writing audit entries", ENTRIES, args).await?;
    conn.head.set(slots::AUDITED, unsigned(end.no));
    conn.head.audit_hash = Some(end.hash);
    Ok(())
}

/// Appends entries to the system's audit; returns the last entry, if there is one. Writers wait for each other from
/// here to the end of their transactions.
pub(crate) async fn append_system(conn: &mut Conn, entries: &[AuditEntry]) -> Result<Option<AuditHead>> {
    if entries.is_empty() {
        return Ok(None);
    }
    let doing = "appending to the audit";
    let end = conn
        .row(doing, SYSTEM_END, Args::none(), |row| {
            let c = &mut Cells::new(row);
            let (name, no, hash) = (c.text()?, c.count()?, c.opt_digest()?);
            Ok(hash.map_or_else(|| AuditHead { no, ..AuditHead::genesis(&name) }, |hash| AuditHead { no, hash }))
        })
        .await?
        .ok_or_else(|| errors::corrupt("the audit of the system has no name"))?;
    let (records, end) = linked(end, entries);
    conn.run(doing, SYSTEM_ENTRIES, push(Args::none(), records)).await?;
    conn.run(doing, SET_SYSTEM_END, Args::none().with(unsigned(end.no)).with(end.hash.to_vec())).await?;
    Ok(Some(end))
}

/// Links entries to an end; returns them with the new end.
fn linked(mut end: AuditHead, entries: &[AuditEntry]) -> (Vec<AuditRecord>, AuditHead) {
    let mut records = Vec::with_capacity(entries.len());
    for entry in entries {
        let record = end.next(entry);
        end = record.head();
        records.push(record);
    }
    (records, end)
}

/// Adds one array of values per column.
fn push(args: Args, records: Vec<AuditRecord>) -> Args {
    let args = args
        .with(records.iter().map(|record| unsigned(record.no)).collect::<Vec<_>>())
        .with(records.iter().map(|record| record.at.0).collect::<Vec<_>>());
    let counts: Vec<_> = records.iter().map(|record| unsigned(record.count)).collect();
    let hashes: Vec<_> = records.iter().map(|record| record.hash.to_vec()).collect();
    let (mut actors, mut actions, mut refusals, mut subjects) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for record in records {
        actors.push(record.actor);
        actions.push(record.action);
        refusals.push(record.refused);
        subjects.push(record.subject);
    }
    args.with(actors).with(actions).with(refusals).with(subjects).with(counts).with(hashes)
}
