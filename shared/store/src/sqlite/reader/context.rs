//! Reads what every write needs to know, in one statement; also settings and counters alone.

use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::memory::{MemoryState, Tier};
use kimberly_core::ports::{PriorRequest, WriteContext};
use kimberly_core::settings::StoredSettings;
use kimberly_core::usage::Usage;

use crate::chosen;
use crate::rows::stored_settings;
use crate::slots;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

const CONTEXT: &str = "SELECT v.settings, v.settings_revision, \
     (SELECT group_concat(items || ',' || bytes, ';') FROM (SELECT items, bytes FROM counters ORDER BY slot)), \
     (SELECT '[' || group_concat(body) || ']' \
      FROM (SELECT body FROM goals WHERE status = 'active' ORDER BY created_at, id)), \
     (SELECT id FROM meditations \
             WHERE status = 'scheduled' AND started_by IN ('schedule', 'quota', 'request') AND asked IS NULL ORDER BY no LIMIT 1), \
     r.fingerprint, r.answer \
     FROM vault v LEFT JOIN requests r ON r.id IN (?, ?)";
const COUNTERS: &str =
    "SELECT group_concat(items || ',' || bytes, ';') FROM (SELECT items, bytes FROM counters ORDER BY slot)";
const SETTINGS: &str = "SELECT settings, settings_revision FROM vault";

pub(super) async fn write_context(conn: &mut Conn, request_id: Option<&str>) -> Result<WriteContext> {
    // Older releases stored the id itself.
    let args = Args::new().with(request_id.map(chosen::hashed)).with(request_id.map(str::to_owned));
    let found = conn
        .row("reading the write context", CONTEXT, args, |row| {
            let c = &mut Cells::new(row);
            let settings = stored_settings(c)?;
            let usage = parse(c.str()?)?;
            let goals = c.opt_str()?.map_or_else(|| Ok(Vec::new()), super::goals::from_json)?;
            let waiting_meditation = c.opt_uuid()?.map(MeditationId);
            let (fingerprint, answer) = (c.opt_digest()?, c.opt_text()?);
            let prior = fingerprint.zip(answer).map(|(fingerprint, answer)| PriorRequest { fingerprint, answer });
            Ok(WriteContext { settings, usage, goals, prior, waiting_meditation })
        })
        .await?
        .ok_or_else(no_vault_row)?;
    conn.notes.next_seq = Some(next_seq(&found.usage));
    Ok(found)
}

pub(super) async fn settings(conn: &mut Conn) -> Result<StoredSettings> {
    conn.row("reading settings", SETTINGS, Args::new(), |row| stored_settings(&mut Cells::new(row)))
        .await?
        .ok_or_else(no_vault_row)
}

/// Returns all counters of memories.
pub(crate) async fn usage(conn: &mut Conn) -> Result<Usage> {
    let usage = conn
        .row("reading counters", COUNTERS, Args::new(), |row| parse(Cells::new(row).str()?))
        .await?
        .ok_or_else(|| errors::corrupt("the counters are missing"))?;
    conn.notes.next_seq = Some(next_seq(&usage));
    Ok(usage)
}

/// Numbers have no gaps, so the next one follows from the number of memories ever created.
fn next_seq(usage: &Usage) -> i64 {
    i64::try_from(usage.created).unwrap_or(i64::MAX).saturating_add(1)
}

fn parse(packed: &str) -> Result<Usage> {
    let slots = pairs(packed)?;
    let count = |slot: usize| -> Result<(u64, u64)> {
        let (items, bytes) = slots.get(slot).copied().ok_or_else(|| errors::corrupt("a counter is missing"))?;
        let bad = |_| errors::corrupt(format!("counter {slot} is negative"));
        Ok((items.try_into().map_err(bad)?, bytes.try_into().map_err(bad)?))
    };
    let mut usage = Usage {
        created: count(slots::CREATED)?.0,
        deleted: count(slots::DELETED)?.0,
        archived: count(slots::ARCHIVED)?.0,
        ..Usage::default()
    };
    for &tier in Tier::ALL {
        for &state in MemoryState::ALL {
            let (items, bytes) = count(slots::of(tier, state))?;
            *usage.count_mut(tier, state) = kimberly_core::usage::Count { items, bytes };
        }
    }
    Ok(usage)
}

/// Parses pairs of integers: `a,b;a,b`.
fn pairs(packed: &str) -> Result<Vec<(i64, i64)>> {
    let bad = || errors::corrupt("the counters are not readable");
    let pair = |pair: &str| {
        let (a, b) = pair.split_once(',').ok_or_else(bad)?;
        Ok((a.parse().map_err(|_| bad())?, b.parse().map_err(|_| bad())?))
    };
    packed.split(';').map(pair).collect()
}

fn no_vault_row() -> kimberly_core::Error {
    errors::corrupt("the vault's row is missing")
}
